/**
 * The implementation of {@code io.retso.hbase}'s interfaces: {@link
 * io.retso.hbase.transaction.TransactionCore} is one transaction, {@link
 * io.retso.hbase.transaction.HBaseTransactionManager} makes it of the rooms below.
 *
 * <p>Internal: applications use {@code io.retso.hbase}.
 */
package io.retso.hbase.transaction;
