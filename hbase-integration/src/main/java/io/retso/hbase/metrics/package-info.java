/**
 * What a transaction manager counts.
 *
 * <p>Internal: applications use {@code TransactionManager.metrics()}.
 */
package io.retso.hbase.metrics;
