package io.retso.hbase;

import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.hbase.admin.SweepResult;
import io.retso.hbase.admin.SweepSchedule;
import io.retso.hbase.admin.Sweeper;
import io.retso.hbase.cleanup.Cleaner;
import io.retso.hbase.cleanup.Orphans;
import io.retso.hbase.commit.CommitProtocol;
import io.retso.hbase.errors.Failures;
import io.retso.hbase.errors.GaveUpException;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.errors.TransactionException;
import io.retso.hbase.errors.UnknownCommitException;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.operation.OperationChecks;
import io.retso.hbase.read.OracleQueries;
import io.retso.hbase.read.SharedSnapshots;
import io.retso.hbase.read.Snapshot;
import io.retso.hbase.read.TableReaders;
import io.retso.hbase.table.TableCatalog;
import io.retso.hbase.write.WriteBuffer;
import java.io.IOException;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ClusterConnection;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.security.User;

/**
 * Begins transactions on the prepared tables of one HBase cluster. One per application.
 *
 * <pre>{@code
 * try (TransactionManager manager = TransactionManager.builder(configuration).oracle("host:7521").build()) {
 *   manager.run(tx -> {
 *     Table accounts = tx.table("accounts");
 *     ...
 *   });
 * }
 * }</pre>
 *
 * <p>Behind the replies it cleans up after its transactions, finishes what other clients left
 * behind where it reads, and sweeps when the oracle's low watermark stands still.
 *
 * <p><strong>Threads.</strong> Thread-safe. It owns the oracle client's thread and one that sweeps,
 * both daemons, and those of HBase's connection if it made that.
 */
public final class TransactionManager implements AutoCloseable {
  /** Work to be done in a transaction; may be done several times. */
  @FunctionalInterface
  public interface Work {
    /** Reads and writes; an exception rolls the transaction back. */
    void in(Transaction tx) throws IOException;
  }

  /** Work to be done in a transaction that has a result; may be done several times. */
  @FunctionalInterface
  public interface Call<T> {
    /** Reads and writes; an exception rolls the transaction back. */
    T in(Transaction tx) throws IOException;
  }

  private static final String NO_CONNECTION = "connection is null: pass an open one";
  private static final String NO_WORK = "work is null: pass what is to be done in a transaction";

  private final ManagerSettings settings;
  private final boolean ownsHBase;

  // Not private: tests look at them.
  final OracleClient oracle;
  final AsyncConnection hbase;
  final Counters counters = new Counters();
  final SharedSnapshots snapshots;
  final TableCatalog tables;
  final Cleaner cleaner;
  final Orphans orphans;
  final TableReaders readers;
  private final CommitProtocol commits;
  private final SweepSchedule sweeps;
  private final AtomicBoolean closed = new AtomicBoolean();

  TransactionManager(
      ManagerSettings settings, OracleClient oracle, AsyncConnection hbase, boolean ownsHBase) {
    this.settings = settings;
    this.oracle = oracle;
    this.hbase = hbase;
    this.ownsHBase = ownsHBase;
    this.snapshots = new SharedSnapshots(oracle);
    this.tables =
        new TableCatalog(
            hbase,
            oracle.identity(), // known: the builder asked
            settings.cleanup().timeoutMillis(),
            System::nanoTime);
    this.cleaner = new Cleaner(oracle, counters, settings.cleanup());
    this.orphans = new Orphans(settings.orphanDelayMillis(), counters);
    this.readers =
        new TableReaders(new OracleQueries(oracle, counters), orphans, snapshots, counters);
    this.commits = new CommitProtocol(oracle, cleaner, counters);
    this.sweeps =
        new SweepSchedule(
            asked(oracle), settings.sweepIntervalMillis(), tables::haveClientReads, this::sweep);
  }

  private static SweepSchedule.Oracle asked(OracleClient oracle) {
    return new SweepSchedule.Oracle() {
      @Override
      public long lowWatermark() {
        return oracle.lowWatermark();
      }

      @Override
      public long newTimestamp() {
        long timestamp = oracle.begin();
        oracle.abortAsync(timestamp);
        return timestamp;
      }
    };
  }

  /** Describes a manager with a connection of its own to HBase. */
  public static ManagerBuilder builder(Configuration configuration) {
    Objects.requireNonNull(
        configuration, "configuration is null: pass that of HBase, HBaseConfiguration.create()");
    return new ManagerBuilder(
        configuration, () -> ConnectionFactory.createAsyncConnection(configuration), true);
  }

  /** Describes a manager that uses the connection, and leaves it open. */
  public static ManagerBuilder builder(AsyncConnection connection) {
    Objects.requireNonNull(connection, NO_CONNECTION);
    return new ManagerBuilder(
        connection.getConfiguration(), () -> CompletableFuture.completedFuture(connection), false);
  }

  /**
   * Describes a manager with an asynchronous connection of its own, to the same cluster and as the
   * same user. Attributes of the connection are not taken over: whoever has some makes an {@link
   * AsyncConnection} with them.
   *
   * @throws IllegalArgumentException if the connection does not tell its user
   */
  public static ManagerBuilder builder(Connection connection) {
    Objects.requireNonNull(connection, NO_CONNECTION);
    Configuration configuration = connection.getConfiguration();
    User user = userOf(connection);
    return new ManagerBuilder(
        configuration, () -> ConnectionFactory.createAsyncConnection(configuration, user), true);
  }

  /** HBase's own connections tell it; with another user the manager would have other rights. */
  private static User userOf(Connection connection) {
    if (connection instanceof ClusterConnection known && known.getUser() != null) {
      return known.getUser();
    }
    throw new IllegalArgumentException(
        connection.getClass().getName()
            + " does not tell whose connection it is: make an AsyncConnection as that user, and"
            + " pass it to builder(AsyncConnection)");
  }

  /**
   * Begins a transaction.
   *
   * @throws OracleUnavailableException if no oracle answers
   * @throws IllegalStateException if the manager is closed
   */
  public Transaction begin() throws IOException {
    return Failures.await(beginAsync(), Transaction::rollbackAsync);
  }

  /** Like {@link #begin}; the future fails. */
  public CompletableFuture<Transaction> beginAsync() {
    checkOpen();
    return Failures.compose(
        oracle.beginAsync(),
        (start, failure) -> {
          if (failure != null) {
            return Failures.failed(Failures.ofOracle(failure, "the begin of a transaction"));
          }
          return CompletableFuture.completedFuture(
              transaction(start, Snapshot.at(start), () -> oracle.endLater(start)));
        });
  }

  /**
   * A transaction that has begun.
   *
   * @param start the version of its writes; 0 if it is read-only
   */
  private Transaction transaction(long start, Snapshot snapshot, Runnable endWithoutWrites) {
    counters.begun.increment();
    return new Transaction(
        snapshot,
        start == 0,
        new WriteBuffer(start, settings.writeLimits(), counters),
        commits,
        this::table,
        this::checkOpen,
        counters,
        endWithoutWrites);
  }

  private CompletableFuture<AsyncTransactionalTable> table(Transaction tx, TableName name) {
    return tables
        .find(name)
        .thenApply(
            table ->
                new AsyncTransactionalTable(
                    tx, table, new OperationChecks(table, tables), readers));
  }

  /**
   * Begins a transaction whose tables refuse writes. Waits for nobody.
   *
   * <p>Its snapshot is that of the moment of its first read, or of {@link
   * Transaction#startTimestamp}: it contains everything that was committed, in any process, before
   * that call. Gets take hardly longer than they would without a transaction: regions tell whether
   * what they find is current, and mostly it is, so that the oracle is not asked. Whoever wants the
   * snapshot of this moment calls that method now.
   *
   * @throws IllegalStateException if the manager is closed
   */
  public Transaction beginReadOnly() {
    checkOpen();
    Snapshot snapshot = Snapshot.fresh(snapshots, oracle, counters);
    return transaction(0, snapshot, snapshot::release);
  }

  /**
   * Does the work in a transaction and commits it; again and again after conflicts and too-old
   * snapshots, as the manager's {@link RetryPolicy} allows. An unknown outcome is never repeated.
   *
   * <p>The work may end the transaction itself. Once it is committed, or may be, nothing is
   * repeated, whatever happens later in the work. If the work does not block until the commit is
   * decided, but calls {@link Transaction#commitAsync}, its outcome is waited for and counts as if
   * this method had committed.
   *
   * @throws GaveUpException if the policy allows no more; says why, and what to do
   * @throws UnknownCommitException if it may or may not be committed
   * @throws IOException what the work throws: the transaction is rolled back, unless the work
   *     committed it
   */
  public void run(Work work) throws IOException {
    Objects.requireNonNull(work, NO_WORK);
    call(
        tx -> {
          work.in(tx);
          return null;
        });
  }

  /** Like {@link #run}, with the result of the attempt that was committed. */
  public <T> T call(Call<T> work) throws IOException {
    return call(work, settings.retryPolicy());
  }

  /** Like {@link #call(Call)}, with a policy of its own. */
  public <T> T call(Call<T> work, RetryPolicy policy) throws IOException {
    Objects.requireNonNull(work, NO_WORK);
    Objects.requireNonNull(policy, "policy is null: pass one, such as RetryPolicy.DEFAULT");
    long begun = System.nanoTime();
    for (int attempt = 1; ; attempt++) {
      Transaction tx = begin();
      try (tx) {
        T result = work.in(tx);
        tx.finish();
        return result;
      } catch (TransactionException e) {
        // Whatever failed after a commit, to repeat would be to do the work twice.
        if (!e.isRetryable() || tx.state() != Transaction.State.ROLLED_BACK) {
          throw e;
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
        long pause = policy.pauseMillis(attempt);
        if (!policy.allowsMore(attempt, millis + pause)) {
          throw new GaveUpException(attempt, millis, e);
        }
        counters.retries.increment();
        pause(pause);
      }
    }
  }

  private static void pause(long millis) throws IOException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException)
          new java.io.InterruptedIOException(
                  "interrupted between two attempts; nothing is committed")
              .initCause(e);
    }
  }

  /**
   * Resolves an unknown outcome: the transaction is committed, or from now on never will be.
   *
   * @return its commit timestamp, or empty if it is aborted
   * @throws UnknownCommitException if the oracle does not answer, or no longer remembers
   * @throws IllegalArgumentException if this is no start timestamp, as the oracle never issued it
   */
  public OptionalLong resolve(long startTimestamp) throws IOException {
    return Failures.await(resolveAsync(startTimestamp));
  }

  /** Like {@link #resolve}; the future fails. */
  public CompletableFuture<OptionalLong> resolveAsync(long startTimestamp) {
    checkOpen();
    return Failures.compose(
        oracle.abortAsync(startTimestamp),
        (result, failure) ->
            failure == null
                ? CompletableFuture.completedFuture(timestamp(result))
                : Failures.failed(Failures.ofResolving(failure, startTimestamp)));
  }

  private static OptionalLong timestamp(CommitResult result) {
    return result.isCommitted() ? OptionalLong.of(result.commitTimestamp()) : OptionalLong.empty();
  }

  /**
   * Sweeps now: cleans up after dead clients in all prepared tables of the cluster, and lets the
   * oracle forget them. Takes a scan of the marks of every table; may run while others do.
   *
   * @throws IOException if a table cannot be read or the oracle does not answer; nothing was
   *     forgotten
   */
  public SweepResult sweep() throws IOException {
    checkOpen();
    try (Transaction own = begin()) {
      SweepResult result = new Sweeper(oracle, hbase, tables).sweep(own.startTimestamp());
      (result.reported() ? counters.sweeps : counters.sweepsFailed).increment();
      return result;
    } catch (IOException | RuntimeException e) {
      counters.sweepsFailed.increment();
      throw e;
    }
  }

  /** What it did so far. */
  public ManagerMetrics metrics() {
    return ManagerMetrics.of(counters, cleaner.rows());
  }

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
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    sweeps.close();
    orphans.close();
    try {
      cleaner.close(settings.closeTimeoutMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    snapshots.close();
    oracle.close();
    if (ownsHBase) {
      closeHBase();
    }
  }

  /**
   * Under requests that are on their way HBase's client would look for the region of each row
   * again, and log for each of thousands that the connection is closed.
   */
  private void closeHBase() {
    CompletableFuture<Void> idle = CompletableFuture.allOf(cleaner.drained(), orphans.drained());
    if (idle.isDone()) {
      ManagerBuilder.closeQuietly(hbase);
    } else {
      idle.thenRunAsync(() -> ManagerBuilder.closeQuietly(hbase)); // not on a thread of HBase's
    }
  }

  void checkOpen() {
    if (closed.get()) {
      throw new IllegalStateException("the transaction manager is closed: build a new one");
    }
  }
}
