/**
 * Transactional tables for HBase applications: transactions over any rows of any prepared tables,
 * under snapshot isolation or serializable. docs/hbase.md is the design.
 *
 * <p>This package, {@link io.retso.hbase.errors}, {@link io.retso.hbase.admin} and {@link
 * io.retso.hbase.options} are for applications. The rest is how it is done; each package knows only
 * those below it:
 *
 * <pre>
 *   transaction        the implementation of io.retso.hbase's interfaces
 *   io.retso.hbase     TransactionManager, Transaction, ReadTransaction and their tables
 *     admin            tables are prepared; sweeps
 *     check            what is in a table is judged
 *     commit           how a transaction ends
 *     read   write     how it reads and writes
 *     cleanup          of rows whose transaction is decided, behind the replies
 *     operation        which operations are allowed, in which order
 *     table            the tables in use
 *     resolve          what a snapshot sees of a row    (shared with region servers)
 *     layout           what is in a table               (shared with region servers)
 *     errors  options  metrics
 * </pre>
 *
 * <p>What applications get are interfaces, so that their unit tests can have others instead; {@link
 * io.retso.hbase.ManagerBuilder} alone knows what implements them.
 *
 * <p>Nothing waits for a thread: continuations run on the threads of HBase's and the oracle's
 * client and never block them. Only the blocking tables, {@code TransactionManager.run} and {@code
 * read}, and sweeps wait, on the threads of their callers.
 */
package io.retso.hbase;
