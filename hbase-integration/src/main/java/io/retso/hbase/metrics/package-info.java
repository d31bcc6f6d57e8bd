/**
 * What a transaction manager counts.
 *
 * <p>Internal: applications pass a registry to {@code ManagerBuilder.meterRegistry}.
 */
package io.retso.hbase.metrics;
