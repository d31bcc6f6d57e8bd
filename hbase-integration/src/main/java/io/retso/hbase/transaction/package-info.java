/**
 * The implementation of {@code io.retso.hbase}'s interfaces: {@link
 * io.retso.hbase.transaction.TransactionCore} is one transaction and its operations, {@link
 * io.retso.hbase.transaction.Lifecycle} is where it stands and how it ends; {@link
 * io.retso.hbase.transaction.HBaseTransactionManager} makes them of what the packages below have.
 *
 * <p>Internal: applications use {@code io.retso.hbase}.
 */
package io.retso.hbase.transaction;
