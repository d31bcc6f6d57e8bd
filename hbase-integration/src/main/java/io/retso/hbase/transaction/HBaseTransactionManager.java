package io.retso.hbase.transaction;

import io.retso.client.OracleClient;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.TransactionWork;
import io.retso.hbase.admin.SweepResult;
import io.retso.hbase.admin.SweepSchedule;
import io.retso.hbase.admin.Sweeper;
import io.retso.hbase.cleanup.Cleaner;
import io.retso.hbase.cleanup.Orphans;
import io.retso.hbase.commit.CommitProtocol;
import io.retso.hbase.errors.Failures;
import io.retso.hbase.errors.TransactionException;
import io.retso.hbase.futures.Callbacks;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.metrics.Ends;
import io.retso.hbase.metrics.ManagerMeters;
import io.retso.hbase.operation.OperationChecks;
import io.retso.hbase.options.Isolation;
import io.retso.hbase.options.ReadSnapshot;
import io.retso.hbase.read.OracleQueries;
import io.retso.hbase.read.ReadSet;
import io.retso.hbase.read.SafeSnapshots;
import io.retso.hbase.read.SharedSnapshots;
import io.retso.hbase.read.Snapshot;
import io.retso.hbase.read.TableReaders;
import io.retso.hbase.table.TableCatalog;
import io.retso.hbase.write.WriteBuffer;
import java.io.IOException;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Transactions on HBase and an oracle. Thread-safe. */
public final class HBaseTransactionManager implements TransactionManager {
  private static final Logger LOG = LoggerFactory.getLogger(HBaseTransactionManager.class);
  private static final String NO_WORK = "work is null: pass what is to be done in a transaction";
  private static final String NO_OPTIONS = "options are null: pass TransactionOptions.DEFAULT";

  private final ManagerSettings settings;
  private final boolean ownsHBase;

  // Not private: tests look at them.
  final OracleClient oracle;
  final AsyncConnection hbase;
  final Counters counters = new Counters();
  final SharedSnapshots snapshots;
  private final SafeSnapshots safeSnapshots;
  final TableCatalog tables;
  final Cleaner cleaner;
  final Orphans orphans;
  final TableReaders readers;
  private final CommitProtocol commits;
  private final TransactionCore.Shared shared = new Shared();

  private final ManagerMeters meters;

  private final SweepSchedule sweeps;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * A manager whose clients are connected.
   *
   * @param ownsHBase whether it closes the connection to HBase; it closes the oracle's client
   * @param registry Micrometer's, takes the meters; null for none, and then Micrometer may be
   *     missing
   */
  public HBaseTransactionManager(
      ManagerSettings settings,
      OracleClient oracle,
      AsyncConnection hbase,
      boolean ownsHBase,
      Object registry) {
    this.settings = settings;
    this.oracle = oracle;
    this.hbase = hbase;
    this.ownsHBase = ownsHBase;
    this.snapshots = new SharedSnapshots(oracle);
    this.safeSnapshots = new SafeSnapshots(oracle);
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
    this.meters =
        ManagerMeters.in(registry, settings.clientName(), counters, cleaner::rows, oracle::members);
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
      public long timestamp() {
        return oracle.timestamp();
      }
    };
  }

  /** What a transaction gets of its manager. */
  private final class Shared implements TransactionCore.Shared {
    @Override
    public CompletableFuture<HBaseAsyncTransactionalTable> table(
        TransactionCore tx, TableName name) {
      return tables
          .find(name)
          .thenCompose(
              table ->
                  tx.goesBy(table)
                      ? CompletableFuture.completedFuture(
                          new HBaseAsyncTransactionalTable(
                              tx, table, new OperationChecks(table, tables), readers))
                      : Failures.failed(
                          Failures.tableChanged(tx.version(), "table " + name, null)));
    }

    @Override
    public void checkOpen() {
      HBaseTransactionManager.this.checkOpen();
    }

    @Override
    public CommitProtocol commits() {
      return commits;
    }

    @Override
    public Counters counters() {
      return counters;
    }

    @Override
    public Ends ends() {
      return meters;
    }
  }

  @Override
  public Transaction begin(TransactionOptions options) throws IOException {
    return beginWriter(options);
  }

  private HBaseTransaction beginWriter(TransactionOptions options) throws IOException {
    Callbacks.checkMayBlock(); // before it has begun
    return Failures.await(beginWriterAsync(options), HBaseTransaction::rollbackAsync);
  }

  @Override
  public CompletableFuture<Transaction> beginAsync(TransactionOptions options) {
    return Callbacks.leave(beginWriterAsync(options)).thenApply(tx -> tx);
  }

  private CompletableFuture<HBaseTransaction> beginWriterAsync(TransactionOptions options) {
    return beginAtOracle(options, false).thenApply(HBaseTransaction::new);
  }

  private CompletableFuture<TransactionCore> beginAtOracle(
      TransactionOptions options, boolean isReadOnly) {
    Objects.requireNonNull(options, NO_OPTIONS);
    checkOpen();
    return Failures.compose(
        oracle.beginAsync(),
        (start, failure) -> {
          if (failure != null) {
            Throwable cause = Failures.ofOracle(failure, "the begin of a transaction");
            return Failures.failed(Failures.name(cause, options.name()));
          }
          Runnable end = () -> oracle.endLater(start);
          return CompletableFuture.completedFuture(
              core(options, start, isReadOnly, Snapshot.at(start), end));
        });
  }

  /**
   * A transaction that has begun.
   *
   * @param start its start timestamp; 0 if it has none of its own, and its reads are not certified
   */
  private TransactionCore core(
      TransactionOptions options,
      long start,
      boolean isReadOnly,
      Snapshot snapshot,
      Runnable endWithoutWrites) {
    counters.begun.increment();
    WriteBuffer writes = new WriteBuffer(start, settings.writeLimits(), counters);
    ReadSet reads = start != 0 && isSerializable(options) ? ReadSet.tracked() : ReadSet.UNTRACKED;
    return new TransactionCore(
        new Begun(options, start, isReadOnly, snapshot, writes, reads, endWithoutWrites), shared);
  }

  private boolean isSerializable(TransactionOptions options) {
    return options.isolation().orElse(settings.isolation()) == Isolation.SERIALIZABLE;
  }

  /** Whether a read-only transaction reports what it has read. */
  private boolean isCertified(TransactionOptions options) {
    return isSerializable(options) && options.readSnapshot() == ReadSnapshot.LATEST;
  }

  @Override
  public ReadTransaction beginReadOnly(TransactionOptions options) {
    Objects.requireNonNull(options, NO_OPTIONS);
    if (isCertified(options)) {
      throw new IllegalArgumentException(
          "what is read of the LATEST snapshot may be refused, which close() cannot say: call read"
              + " or readAsync, or read a RECENT or DEFERRED one");
    }
    return beginUncertified(options);
  }

  private HBaseReadTransaction beginUncertified(TransactionOptions options) {
    checkOpen();
    Snapshot snapshot =
        !isSerializable(options)
            ? Snapshot.fresh(snapshots, oracle, counters)
            : options.readSnapshot() == ReadSnapshot.DEFERRED
                ? Snapshot.safe(safeSnapshots::next)
                : Snapshot.safe(safeSnapshots::recent);
    return new HBaseReadTransaction(core(options, 0, true, snapshot, snapshot::release));
  }

  private CompletableFuture<HBaseReadTransaction> beginReader(TransactionOptions options) {
    return isCertified(options)
        ? beginAtOracle(options, true).thenApply(HBaseReadTransaction::new)
        : CompletableFuture.completedFuture(beginUncertified(options));
  }

  @Override
  public <T> T run(TransactionOptions options, TransactionWork<Transaction, T> work)
      throws IOException {
    return attempts(options, () -> beginWriter(options), work);
  }

  @Override
  public <T> T read(TransactionOptions options, TransactionWork<ReadTransaction, T> work)
      throws IOException {
    return attempts(
        options,
        () -> {
          Callbacks.checkMayBlock();
          return Failures.await(beginReader(options), HBaseReadTransaction::close);
        },
        work);
  }

  private interface Begin<X> {
    X now() throws IOException;
  }

  private <X extends HBaseReadTransaction, T> T attempts(
      TransactionOptions options, Begin<X> begin, TransactionWork<? super X, T> work)
      throws IOException {
    Objects.requireNonNull(work, NO_WORK);
    Objects.requireNonNull(options, NO_OPTIONS);
    Attempts attempts = new Attempts(options, settings.retryPolicy(), counters);
    while (true) {
      X begun = null;
      TransactionException failure;
      try {
        X tx = begin.now();
        begun = tx;
        try (tx) {
          T result = work.in(tx);
          tx.finish();
          return result;
        }
      } catch (TransactionException e) {
        failure = e;
      }
      pause(attempts.pauseAfter(failure, begun == null || begun.mayRepeat()));
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

  @Override
  public <T> CompletableFuture<T> runAsync(
      TransactionOptions options, TransactionWork<Transaction, CompletableFuture<T>> work) {
    return attemptsAsync(options, () -> beginWriterAsync(options), work);
  }

  @Override
  public <T> CompletableFuture<T> readAsync(
      TransactionOptions options, TransactionWork<ReadTransaction, CompletableFuture<T>> work) {
    return attemptsAsync(options, () -> beginReader(options), work);
  }

  private <X extends HBaseReadTransaction, T> CompletableFuture<T> attemptsAsync(
      TransactionOptions options,
      Supplier<CompletableFuture<X>> begin,
      TransactionWork<? super X, CompletableFuture<T>> work) {
    Objects.requireNonNull(work, NO_WORK);
    Objects.requireNonNull(options, NO_OPTIONS);
    checkOpen();
    Attempts attempts = new Attempts(options, settings.retryPolicy(), counters);
    return new AsyncRun<X, T>(attempts, begin, work).start();
  }

  @Override
  public OptionalLong resolve(long startTimestamp) throws IOException {
    Callbacks.checkMayBlock();
    checkOpen();
    return Failures.await(commits.resolve(startTimestamp));
  }

  @Override
  public CompletableFuture<OptionalLong> resolveAsync(long startTimestamp) {
    checkOpen();
    return Callbacks.leave(commits.resolve(startTimestamp));
  }

  @Override
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
    meters.close();
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
      closeQuietly();
    } else {
      Thread closing = new Thread(this::closeQuietly, "retso-hbase-close"); // it waits for HBase's
      closing.setDaemon(true);
      idle.thenRun(closing::start);
    }
  }

  private void closeQuietly() {
    try {
      hbase.close();
    } catch (IOException e) {
      LOG.warn("HBase's connection did not close: {}", e.toString());
    }
  }

  private void checkOpen() {
    if (closed.get()) {
      throw new IllegalStateException("the transaction manager is closed: build a new one");
    }
  }
}
