package io.retso.hbase;

import io.retso.hbase.admin.SweepResult;
import io.retso.hbase.errors.GaveUpException;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.errors.SnapshotTooOldException;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.errors.UnknownCommitException;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * Begins transactions on the prepared tables of one HBase cluster. One per application.
 *
 * <pre>{@code
 * try (TransactionManager manager = TransactionManager.builder(configuration).oracle("host:7521").build()) {
 *   long balance =
 *       manager.run(
 *           tx -> {
 *             TransactionalTable accounts = tx.table("accounts");
 *             ...
 *           });
 * }
 * }</pre>
 *
 * <p>Behind the replies it cleans up after its transactions, finishes what other clients left
 * behind where it reads, and sweeps when the oracle's low watermark stands still.
 *
 * <p><strong>Threads.</strong> Thread-safe. It owns the oracle client's thread and one that sweeps,
 * and those of HBase's connection if it made that. All managers share two threads of a timer and,
 * for callbacks, one for each processor (two at least). All are daemons.
 *
 * <p><strong>Callbacks.</strong> Futures of managers, transactions and tables are completed by the
 * thread that has called, by a {@code retso-callback} thread, or by a thread of HBase's client.
 * What depends on them, work of {@link #runAsync runAsync} and consumers of scans run there, and
 * should not block: on a {@code retso-callback} thread other callbacks wait for that, and on
 * HBase's all answers of a region server. Blocking methods throw {@link IllegalStateException}
 * there, whether they would have to wait or not ({@link #close}, {@link Transaction#rollback} and
 * those that only begin something do not). For whatever takes long, {@code thenApplyAsync(...,
 * executor)} with an executor of the application's own leaves these threads.
 *
 * <p><strong>Traces.</strong> If the process has an SDK of OpenTelemetry when the manager is built,
 * transactions have spans, and those of HBase's client are below them: docs/traces.md.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public interface TransactionManager extends AutoCloseable {
  /** Describes a manager with a connection of its own to HBase. */
  static ManagerBuilder builder(Configuration configuration) {
    return ManagerBuilder.of(configuration);
  }

  /** Describes a manager that uses the connection, and leaves it open. */
  static ManagerBuilder builder(AsyncConnection connection) {
    return ManagerBuilder.of(connection);
  }

  /**
   * Describes a manager with an asynchronous connection of its own, to the same cluster and as the
   * same user. Attributes of the connection are not taken over: an application that has some makes
   * an {@link AsyncConnection} with them.
   *
   * @throws IllegalArgumentException if the connection does not say whose it is
   */
  static ManagerBuilder builder(Connection connection) {
    return ManagerBuilder.of(connection);
  }

  /** Begins a transaction with the default options. */
  default Transaction begin() throws IOException {
    return begin(TransactionOptions.DEFAULT);
  }

  /**
   * Begins a transaction. Its snapshot contains everything whose commit had returned, in any
   * process, before this call.
   *
   * @throws OracleUnavailableException if no oracle answers
   * @throws IllegalStateException if the manager is closed
   */
  Transaction begin(TransactionOptions options) throws IOException;

  /** Begins a transaction with the default options. */
  default CompletableFuture<Transaction> beginAsync() {
    return beginAsync(TransactionOptions.DEFAULT);
  }

  /**
   * Like {@link #begin(TransactionOptions)}; the future fails. Where it completes is said under
   * "Callbacks" above.
   */
  CompletableFuture<Transaction> beginAsync(TransactionOptions options);

  /** Begins a read-only transaction with the default options. */
  default ReadTransaction beginReadOnly() {
    return beginReadOnly(TransactionOptions.DEFAULT);
  }

  /**
   * Begins a transaction that only reads. Waits for nothing, so it has no asynchronous twin.
   *
   * <p>Its snapshot is that of the moment of its first read, or of {@link
   * ReadTransaction#readTimestamp}: it contains everything that was committed, in any process,
   * before that call. Gets take hardly longer than they would without a transaction: regions say
   * whether what they find is current, and mostly it is, so that the oracle is not asked. A caller
   * that wants the snapshot of this moment calls that method now.
   *
   * <p>A serializable one has the snapshot that {@link TransactionOptions#withReadSnapshot} says.
   *
   * @throws IllegalArgumentException if that is the latest one of a serializable transaction: it
   *     may be refused at its end, which only {@link #read read} and {@link #readAsync readAsync}
   *     can say
   * @throws IllegalStateException if the manager is closed
   */
  ReadTransaction beginReadOnly(TransactionOptions options);

  /** Runs work with the default options. */
  default <T> T run(TransactionWork<Transaction, T> work) throws IOException {
    return run(TransactionOptions.DEFAULT, work);
  }

  /**
   * Does the work in a transaction and commits it. The {@link RetryPolicy} says how often it is
   * repeated. It is repeated if an attempt
   *
   * <ul>
   *   <li>conflicted,
   *   <li>was not serializable,
   *   <li>was too old,
   *   <li>or found no oracle before it was decided.
   * </ul>
   *
   * <p>An unknown outcome is never repeated, unless the work wrote nothing: then the outcome does
   * not matter.
   *
   * <p>The work may end the transaction itself. Once it is committed, or may be, nothing is
   * repeated, whatever happens later in the work. If the work does not block until the commit is
   * decided, but calls {@link Transaction#commitAsync}, its outcome is waited for and counts as if
   * this method had committed.
   *
   * @return the result of the attempt that was committed
   * @throws GaveUpException if the policy allows no more; says why, and what to do
   * @throws UnknownCommitException if it may or may not be committed
   * @throws IOException what the work throws: the transaction is rolled back, unless the work
   *     committed it
   */
  <T> T run(TransactionOptions options, TransactionWork<Transaction, T> work) throws IOException;

  /** Reads with the default options. */
  default <T> T read(TransactionWork<ReadTransaction, T> work) throws IOException {
    return read(TransactionOptions.DEFAULT, work);
  }

  /** Does the work in a read-only transaction; repeats it as {@link #run run} does. */
  <T> T read(TransactionOptions options, TransactionWork<ReadTransaction, T> work)
      throws IOException;

  /** Runs work with the default options. */
  default <T> CompletableFuture<T> runAsync(
      TransactionWork<Transaction, CompletableFuture<T>> work) {
    return runAsync(TransactionOptions.DEFAULT, work);
  }

  /**
   * Like {@link #run run}, without waiting: an attempt goes on until the future that the work
   * returns has completed, and is committed then. No thread is blocked, between attempts neither.
   *
   * <p>The work is a callback: it must not block. Once the returned future is cancelled no further
   * attempt begins.
   */
  <T> CompletableFuture<T> runAsync(
      TransactionOptions options, TransactionWork<Transaction, CompletableFuture<T>> work);

  /** Reads with the default options. */
  default <T> CompletableFuture<T> readAsync(
      TransactionWork<ReadTransaction, CompletableFuture<T>> work) {
    return readAsync(TransactionOptions.DEFAULT, work);
  }

  /** Like {@link #read read}, without waiting: see {@link #runAsync runAsync}. */
  <T> CompletableFuture<T> readAsync(
      TransactionOptions options, TransactionWork<ReadTransaction, CompletableFuture<T>> work);

  /**
   * Resolves an unknown outcome: the transaction is committed, or from now on never will be. For
   * handles that were written down; a caller that has the exception calls {@link
   * UnknownCommitException#resolve}.
   *
   * @param handle from {@link Transaction#handle} or {@link UnknownCommitException#handle}
   * @return its commit timestamp, or empty if it is aborted
   * @throws UnknownCommitException if the oracle does not answer, or no longer remembers
   * @throws IllegalArgumentException if this is no handle, or none that the oracle has issued
   */
  OptionalLong resolve(String handle) throws IOException;

  /** Like {@link #resolve}; the future fails. Where it completes is said under "Callbacks". */
  CompletableFuture<OptionalLong> resolveAsync(String handle);

  /**
   * Takes a snapshot that many processes can read for a long time, and holds it until it is closed.
   * It has everything whose commit had returned, in any process, before this call.
   *
   * @throws IllegalArgumentException if another snapshot is held by this name
   * @throws OracleUnavailableException if no oracle answers, or it holds as many as it can
   */
  HeldSnapshot hold(HoldOptions options) throws IOException;

  /**
   * Goes on with a snapshot that another process has taken, or {@link HeldSnapshot#leave left}:
   * renews it, now and in the background, and releases it when it is closed.
   *
   * @throws SnapshotTooOldException if it is not held any longer
   * @throws IllegalArgumentException if it is another oracle's
   */
  HeldSnapshot resume(SnapshotToken token) throws IOException;

  /** All snapshots that the oracle holds now, whichever process has taken them; oldest first. */
  List<Hold> holds() throws IOException;

  /**
   * Releases a held snapshot, whichever process has taken it; one that reads it is refused from
   * some time on.
   *
   * @return whether it was held until now
   * @throws IllegalArgumentException if it is another oracle's
   */
  boolean release(SnapshotToken token) throws IOException;

  /**
   * An ordinary scan of HBase that reads a table in a held snapshot, for whatever takes a scan: the
   * {@code TableInputFormat} of MapReduce, Spark, Flink and Beam, or HBase's own {@code Table}.
   * Regions decide what it sees; the process that runs it needs neither this library nor the
   * oracle. If the snapshot is held no longer, it fails with a {@code DoNotRetryIOException} that
   * says {@code [RETSO SNAPSHOT_TOO_OLD]}.
   *
   * <p>It goes by the table's settings of this moment: another setting of conflicts, reads or
   * granules, of a disabled table, lets it fail.
   *
   * @param scan what a transaction's scan may be; is not changed
   * @return a copy with the snapshot in an attribute
   * @throws IllegalArgumentException if the token is another oracle's; if the table has client
   *     reads, which only transactions can resolve; or if no snapshot can honour the scan
   * @throws TableNotPreparedException if the table is not prepared
   */
  Scan scanAt(SnapshotToken token, TableName table, Scan scan) throws IOException;

  /**
   * An ordinary scan of HBase that reads what has changed in a table between two snapshots: of each
   * column that was committed after the older one, the version that the later one shows. A column
   * that is deleted has a cell, too, which {@link #isDeleted} knows. Versions are those of commits:
   * a commit timestamp and 1, or the version of a plain writer.
   *
   * <p>Both must be held while it runs; if the older one is not, regions refuse it with {@code
   * [RETSO SNAPSHOT_TOO_OLD]}. Files of HBase in which there is nothing new are not read.
   *
   * <p>What a plain writer deletes, or puts with a version below the older snapshot, is no change.
   *
   * @param since the older snapshot
   * @param until the later one
   * @param scan what {@link #scanAt} takes, without a filter
   * @throws IllegalArgumentException as {@link #scanAt}; or if the scan has a filter, or {@code
   *     since} is not older than {@code until}
   */
  Scan changesAt(SnapshotToken since, SnapshotToken until, TableName table, Scan scan)
      throws IOException;

  /** Whether a cell that {@link #changesAt} has found says that its column is deleted. */
  boolean isDeleted(Cell change);

  /**
   * Sweeps now: cleans up after dead clients in all prepared tables of the cluster, and lets the
   * oracle forget them. Takes a scan of the marks of every table; may run while others do.
   *
   * @throws IOException if a table cannot be read or the oracle does not answer; nothing was
   *     forgotten
   */
  SweepResult sweep() throws IOException;

  /**
   * Closes: cleans up what is left of its transactions, for as long as {@link
   * ManagerBuilder#closeTimeout} allows, then closes the oracle client, and HBase's connection if
   * it made it. Open transactions can no longer be used; the oracle aborts them in time. Closing
   * again has no effect.
   *
   * <p>What is not cleaned up by then is left to readers and sweeps. If cleanups are on their way
   * that a region has not answered, the connection is closed behind the call, when they are
   * answered or given up, which takes some 5 s.
   */
  @Override
  void close();
}
