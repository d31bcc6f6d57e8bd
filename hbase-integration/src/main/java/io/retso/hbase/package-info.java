/**
 * Transactional tables for HBase applications: transactions over any rows of any prepared tables,
 * under snapshot isolation or serializable. docs/hbase.md is the design.
 *
 * <p>This package, {@link io.retso.hbase.errors}, {@link io.retso.hbase.admin} and {@link
 * io.retso.hbase.options} are for applications; their types bear {@code @InterfaceAudience.Public}:
 *
 * <ul>
 *   <li><b>Begin.</b> A {@link io.retso.hbase.ManagerBuilder} makes the {@link
 *       io.retso.hbase.TransactionManager} of an application, which runs {@link
 *       io.retso.hbase.TransactionWork} in a {@link io.retso.hbase.Transaction}, or a {@link
 *       io.retso.hbase.ReadTransaction} if it only reads.
 *   <li><b>Read and write.</b> A {@link io.retso.hbase.TransactionalTable} is HBase's {@code Table}
 *       within a transaction, a {@link io.retso.hbase.ReadTable} the part of it that reads; {@link
 *       io.retso.hbase.AsyncTransactionalTable} and {@link io.retso.hbase.AsyncReadTable} do not
 *       wait.
 *   <li><b>Read in many processes.</b> A {@link io.retso.hbase.HeldSnapshot}, taken with {@link
 *       io.retso.hbase.HoldOptions}, lasts as long as it is open; its {@link
 *       io.retso.hbase.SnapshotToken} opens it elsewhere, a {@link io.retso.hbase.Hold} lists it,
 *       and {@link io.retso.hbase.ParallelScan} reads it with many threads.
 *   <li><b>Choose.</b> {@link io.retso.hbase.TransactionOptions} are of one transaction: {@link
 *       io.retso.hbase.options.Isolation}, {@link io.retso.hbase.options.ReadSnapshot}, {@link
 *       io.retso.hbase.RetryPolicy}. {@link io.retso.hbase.options.Conflicts} and {@link
 *       io.retso.hbase.options.Reads} are of a table.
 *   <li><b>What goes wrong</b> is a {@link io.retso.hbase.errors.TransactionException}: {@link
 *       io.retso.hbase.errors.ConflictException}, {@link io.retso.hbase.errors.ConflictingChange},
 *       {@link io.retso.hbase.errors.SerializationException}, {@link
 *       io.retso.hbase.errors.SnapshotTooOldException}, {@link
 *       io.retso.hbase.errors.AbortedException}, {@link
 *       io.retso.hbase.errors.TableChangedException} and {@link
 *       io.retso.hbase.errors.OracleUnavailableException} can be run again, and are until {@link
 *       io.retso.hbase.errors.GaveUpException}; {@link
 *       io.retso.hbase.errors.UnknownCommitException} must not; {@link
 *       io.retso.hbase.errors.RollbackOnlyException}, {@link
 *       io.retso.hbase.errors.WriteSetTooLargeException} and {@link
 *       io.retso.hbase.errors.TableNotPreparedException} take a look at the cause.
 *   <li><b>Administer.</b> {@link io.retso.hbase.admin.TablePreparation}, from a {@link
 *       io.retso.hbase.admin.TablePreparationBuilder}, prepares tables; {@link
 *       io.retso.hbase.admin.TableGrants} gives users their rights; a sweep has a {@link
 *       io.retso.hbase.admin.SweepResult}.
 *   <li><b>Back up.</b> {@link io.retso.hbase.backup.Backup} takes what {@link
 *       io.retso.hbase.backup.BackupOptions} say, {@link io.retso.hbase.backup.Restore} makes
 *       tables of it; {@link io.retso.hbase.backup.Backups} lists a {@link
 *       io.retso.hbase.backup.BackupInfo} for each. A {@link io.retso.hbase.backup.BackupException}
 *       says what to do.
 * </ul>
 *
 * <p>The rest is how it is done; each package knows only those below it:
 *
 * <pre>
 *   transaction        the implementation of io.retso.hbase's interfaces
 *   backup             tables are copied, and restored
 *   io.retso.hbase     TransactionManager, Transaction, ReadTransaction and their tables
 *     sweep            what dead clients left, in all tables
 *     admin            tables are prepared
 *     check            what is in a table is judged
 *     commit           how a transaction ends
 *     read   write     how it reads and writes
 *     cleanup          of rows whose transaction is decided, behind the replies
 *     operation        which operations are allowed, in which order
 *     table            the tables in use
 *     failures         from what HBase and the oracle say to exceptions
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
