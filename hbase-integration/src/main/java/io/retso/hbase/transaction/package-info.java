/**
 * The implementation of {@code io.retso.hbase}'s interfaces: {@link
 * io.retso.hbase.transaction.HBaseTransactionManager} puts together what the packages below have,
 * {@link io.retso.hbase.transaction.Begins} begins transactions, {@link
 * io.retso.hbase.transaction.Attempts} repeats them. {@link
 * io.retso.hbase.transaction.TransactionCore} is one transaction and its operations, {@link
 * io.retso.hbase.transaction.Lifecycle} is where it stands and how it ends.
 *
 * <p>Internal: applications use {@code io.retso.hbase}.
 */
package io.retso.hbase.transaction;
