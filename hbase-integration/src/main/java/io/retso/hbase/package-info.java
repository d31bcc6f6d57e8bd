/**
 * Transactional tables for HBase applications: snapshot isolation over any rows of any prepared
 * tables. docs/hbase.md is the design.
 *
 * <p>For applications: {@link io.retso.hbase.TransactionManager}, {@link
 * io.retso.hbase.Transaction}, {@link io.retso.hbase.TransactionalTable} and {@link
 * io.retso.hbase.AsyncTransactionalTable}, {@link io.retso.hbase.TransactionException} and its
 * kinds, {@link io.retso.hbase.TablePreparation}. The rest is how it is done:
 *
 * <pre>
 *   TransactionalTable --> AsyncTransactionalTable      every operation, asynchronous
 *                            |  OperationChecks             what a transaction cannot honour
 *                            |  OperationQueue          writes in the order of their calls
 *                            |  RowEdit, RowCondition   what mutations come to, in the snapshot
 *                            v
 *   reads:   TableReader, SnapshotScan, SnapshotScanner --> OracleQueries
 *                            |                              --> Orphans  (met decided, not cleaned up)
 *   writes:  WriteBuffer     |  cells and marks, one batch per table
 *                            v
 *   commit:  Transaction     oracle decides, reply leaves --> Cleaner    (behind the reply)
 *   dead clients:            Sweeper, when SweepSchedule or the application says so
 *                                                         all three by RowCleanup
 * </pre>
 *
 * <p>Nothing waits for a thread: continuations run on the threads of HBase's and the oracle's
 * client and never block them. Only the blocking tables, {@code TransactionManager.run} and sweeps
 * wait, on the threads of their callers.
 */
package io.retso.hbase;
