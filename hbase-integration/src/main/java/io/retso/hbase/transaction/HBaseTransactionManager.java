package io.retso.hbase.transaction;

import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.hbase.HeldSnapshot;
import io.retso.hbase.Hold;
import io.retso.hbase.HoldOptions;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.SnapshotToken;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.TransactionWork;
import io.retso.hbase.admin.SweepResult;
import io.retso.hbase.cleanup.Cleaner;
import io.retso.hbase.cleanup.Orphans;
import io.retso.hbase.commit.CommitProtocol;
import io.retso.hbase.errors.SnapshotTooOldException;
import io.retso.hbase.failures.Failures;
import io.retso.hbase.futures.Callbacks;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.layout.Tombstone;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.metrics.ManagerMeters;
import io.retso.hbase.metrics.SlowTransactions;
import io.retso.hbase.operation.OperationChecks;
import io.retso.hbase.read.OracleQueries;
import io.retso.hbase.read.SharedSnapshots;
import io.retso.hbase.read.TableReaders;
import io.retso.hbase.recording.Recorder;
import io.retso.hbase.resolve.SnapshotRequests;
import io.retso.hbase.sweep.SweepSchedule;
import io.retso.hbase.sweep.Sweeper;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.table.TableCatalog;
import io.retso.hbase.trace.BackgroundTrace;
import io.retso.hbase.trace.Tracing;
import io.retso.hbase.trace.TransactionTrace;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.Scan;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transactions on HBase and an oracle: puts together what they share. {@link Begins} begins them,
 * {@link Attempts} repeats them. Thread-safe.
 */
public final class HBaseTransactionManager implements TransactionManager {
  private static final Logger LOG = LoggerFactory.getLogger(HBaseTransactionManager.class);

  // Not private: tests look at them.
  final Shared shared;
  final AsyncConnection hbase;
  final Cleaner cleaner;
  final Orphans orphans;

  private final Begins begins;
  private final boolean ownsHBase;
  private final SweepSchedule sweeps;

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
    this.hbase = hbase;
    this.ownsHBase = ownsHBase;
    Counters counters = new Counters();
    Tracing tracing = Tracing.ofProcess(oracle::members); // HBase's client has decided on an SDK
    this.cleaner = new Cleaner(oracle, counters, settings.cleanup(), tracing);
    this.orphans = new Orphans(settings.orphanDelayMillis(), counters, tracing);
    ManagerMeters meters =
        ManagerMeters.in(registry, settings.clientName(), counters, cleaner::rows, oracle::members);
    SharedSnapshots snapshots = new SharedSnapshots(oracle);
    OracleQueries queries = new OracleQueries(oracle, counters);
    this.shared =
        new Shared(
            settings,
            oracle,
            counters,
            snapshots,
            new TableCatalog(
                hbase,
                oracle.identity(), // known: the builder asked
                settings.cleanup().timeoutMillis(),
                System::nanoTime),
            new TableReaders(queries, orphans, snapshots, counters),
            new CommitProtocol(oracle, cleaner, counters),
            meters,
            settings.recording() == null ? null : Recorder.open(settings.recording()),
            settings.slow() == null ? null : new SlowTransactions(settings.slow()),
            tracing,
            new AtomicBoolean());
    this.begins = new Begins(shared);
    this.sweeps =
        new SweepSchedule(
            oracle::lowWatermark,
            oracle::timestamp,
            settings.sweepIntervalMillis(),
            shared.tables()::haveClientReads,
            this::sweep);
  }

  @Override
  public Transaction begin(TransactionOptions options) throws IOException {
    return Begins.awaited(() -> begins.writer(options));
  }

  @Override
  public CompletableFuture<Transaction> beginAsync(TransactionOptions options) {
    return Callbacks.leave(begins.writer(options)).thenApply(tx -> tx);
  }

  @Override
  public ReadTransaction beginReadOnly(TransactionOptions options) {
    return begins.readOnly(options);
  }

  @Override
  public <T> T run(TransactionOptions options, TransactionWork<Transaction, T> work)
      throws IOException {
    Attempts attempts = attempts(options, work, false);
    return attempts.run(() -> begins.writer(options, attempts.trace()), work);
  }

  @Override
  public <T> T read(TransactionOptions options, TransactionWork<ReadTransaction, T> work)
      throws IOException {
    Attempts attempts = attempts(options, work, true);
    return attempts.run(() -> begins.reader(options, attempts.trace()), work);
  }

  @Override
  public <T> CompletableFuture<T> runAsync(
      TransactionOptions options, TransactionWork<Transaction, CompletableFuture<T>> work) {
    Attempts attempts = attempts(options, work, false);
    return new AsyncRun<>(attempts, () -> begins.writer(options, attempts.trace()), work).start();
  }

  @Override
  public <T> CompletableFuture<T> readAsync(
      TransactionOptions options, TransactionWork<ReadTransaction, CompletableFuture<T>> work) {
    Attempts attempts = attempts(options, work, true);
    return new AsyncRun<>(attempts, () -> begins.reader(options, attempts.trace()), work).start();
  }

  private Attempts attempts(
      TransactionOptions options, TransactionWork<?, ?> work, boolean isReadOnly) {
    Objects.requireNonNull(work, "work is null: pass what is to be done in a transaction");
    Begins.checked(options);
    shared.checkOpen();
    return new Attempts(
        options,
        shared.settings().retryPolicy(),
        shared.counters(),
        begins.ofRun(options, isReadOnly));
  }

  @Override
  public OptionalLong resolve(String handle) throws IOException {
    Callbacks.checkMayBlock();
    shared.checkOpen();
    return Futures.await(shared.commits().resolve(TransactionHandle.parse(handle)));
  }

  @Override
  public CompletableFuture<OptionalLong> resolveAsync(String handle) {
    shared.checkOpen();
    return Callbacks.leave(shared.commits().resolve(TransactionHandle.parse(handle)));
  }

  @Override
  public HeldSnapshot hold(HoldOptions options) throws IOException {
    Objects.requireNonNull(options, "options are null: pass HoldOptions.named(...)");
    Callbacks.checkMayBlock();
    shared.checkOpen();
    OracleClient oracle = shared.oracle();
    long timestamp =
        Futures.await(
            Futures.explained(
                oracle.holdAsync(options.name(), options.ttl()),
                failure -> Failures.ofHold(failure, options.name())));
    SnapshotToken token = new SnapshotToken(oracle.identity().id(), timestamp);
    return new HBaseHeldSnapshot(this, oracle, options.name(), options.ttl(), token);
  }

  @Override
  public HeldSnapshot resume(SnapshotToken token) throws IOException {
    Callbacks.checkMayBlock();
    shared.checkOpen();
    begins.checked(Objects.requireNonNull(token, "the token is null"));
    OracleClient oracle = shared.oracle();
    boolean isHeld =
        Futures.await(
            Futures.explained(
                oracle.renewAsync(token.timestamp()),
                failure -> Failures.ofOracle(failure, "renewing " + token)));
    Hold hold =
        isHeld
            ? holds().stream().filter(each -> each.token().equals(token)).findFirst().orElse(null)
            : null;
    if (hold == null) {
      throw new SnapshotTooOldException(
          "the snapshot "
              + token
              + " is not held any longer: it was released, or its time is over; take another one",
          null);
    }
    return new HBaseHeldSnapshot(this, oracle, hold.name(), hold.ttl(), token);
  }

  @Override
  public List<Hold> holds() throws IOException {
    shared.checkOpen();
    UUID oracle = shared.oracle().identity().id();
    return Futures.await(
            Futures.explained(
                shared.oracle().holdsAsync(),
                failure -> Failures.ofOracle(failure, "listing held snapshots")))
        .stream()
        .map(
            held ->
                new Hold(
                    held.name(),
                    new SnapshotToken(oracle, held.timestamp()),
                    held.ttl(),
                    held.since(),
                    held.left()))
        .toList();
  }

  @Override
  public boolean release(SnapshotToken token) throws IOException {
    shared.checkOpen();
    begins.checked(Objects.requireNonNull(token, "the token is null"));
    return Futures.await(
        Futures.explained(
            shared.oracle().releaseAsync(token.timestamp()),
            failure -> Failures.ofOracle(failure, "releasing " + token)));
  }

  @Override
  public Scan scanAt(SnapshotToken token, TableName name, Scan scan) throws IOException {
    PreparedTable table = scanned(token, name, scan);
    return SnapshotRequests.atServer(scan, table.fingerprint(), token.timestamp());
  }

  @Override
  public Scan changesAt(SnapshotToken since, SnapshotToken until, TableName name, Scan scan)
      throws IOException {
    begins.checked(Objects.requireNonNull(since, "the older token is null"));
    PreparedTable table = scanned(until, name, scan);
    return SnapshotRequests.changes(
        scan, table.fingerprint(), until.timestamp(), since.timestamp());
  }

  @Override
  public boolean isDeleted(Cell change) {
    return Tombstone.is(change);
  }

  /** The table of a scan that was checked. */
  private PreparedTable scanned(SnapshotToken token, TableName name, Scan scan) throws IOException {
    Callbacks.checkMayBlock();
    shared.checkOpen();
    begins.checked(Objects.requireNonNull(token, "the token is null"));
    PreparedTable table = Futures.await(shared.tables().find(name));
    if (!table.isServerReads()) {
      throw new IllegalArgumentException(
          "table "
              + name
              + " has client reads, which a plain scan cannot resolve: read it in transactions with"
              + " TransactionOptions.at(token), or prepare it for server reads");
    }
    new OperationChecks(table, shared.tables()).check(scan);
    return table;
  }

  @Override
  public SweepResult sweep() throws IOException {
    shared.checkOpen();
    Counters counters = shared.counters();
    BackgroundTrace trace = shared.tracing().sweep();
    SweepResult result;
    try {
      result = trace.context().call(this::swept);
    } catch (IOException | RuntimeException | Error e) {
      counters.sweepsFailed.increment();
      trace.end(e);
      throw e;
    }
    (result.reported() ? counters.sweeps : counters.sweepsFailed).increment();
    trace.end(null);
    return result;
  }

  private SweepResult swept() throws IOException {
    TransactionOptions plain = TransactionOptions.DEFAULT;
    try (HBaseTransaction own = Begins.awaited(() -> begins.writer(plain, TransactionTrace.NONE))) {
      return new Sweeper(shared.oracle(), hbase, shared.tables()).sweep(own.core.begun.handle());
    }
  }

  @Override
  public void close() {
    if (!shared.closed().compareAndSet(false, true)) {
      return;
    }
    sweeps.close();
    orphans.close();
    try {
      cleaner.close(shared.settings().closeTimeoutMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    shared.snapshots().close();
    shared.oracle().close();
    shared.meters().close();
    if (shared.recorder() != null) {
      shared.recorder().close();
    }
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
      closeQuietly(hbase);
    } else {
      // A thread of its own, as it waits for HBase's.
      Thread closing = new Thread(() -> closeQuietly(hbase), "retso-hbase-close");
      closing.setDaemon(true);
      idle.thenRun(closing::start);
    }
  }

  /** Closes a connection, and logs if that fails. */
  public static void closeQuietly(AsyncConnection hbase) {
    try {
      hbase.close();
    } catch (IOException e) {
      LOG.warn("HBase's connection did not close: {}", e.toString());
    }
  }
}
