/**
 * Spans of OpenTelemetry for transactions, and the context in which HBase's client is called, so
 * that its own spans are below them; docs/traces.md. Without OpenTelemetry, or where a process has
 * no SDK, nothing is recorded.
 *
 * <p>Internal: applications install an SDK of their choice, as HBase's client asks for.
 */
package io.retso.hbase.trace;
