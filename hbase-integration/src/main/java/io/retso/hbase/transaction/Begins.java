package io.retso.hbase.transaction;

import io.retso.client.TransactionHandle;
import io.retso.hbase.SnapshotToken;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.failures.Failures;
import io.retso.hbase.futures.Callbacks;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.metrics.Timings;
import io.retso.hbase.metrics.Timings.Step;
import io.retso.hbase.options.Isolation;
import io.retso.hbase.options.ReadSnapshot;
import io.retso.hbase.read.ReadSet;
import io.retso.hbase.read.SafeSnapshots;
import io.retso.hbase.read.Snapshot;
import io.retso.hbase.recording.TransactionRecord;
import io.retso.hbase.trace.TransactionTrace;
import io.retso.hbase.write.WriteBuffer;
import io.retso.protocol.OracleIdentity;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** How the transactions of a manager begin. Thread-safe. */
final class Begins {
  private static final String NO_OPTIONS = "options are null: pass TransactionOptions.DEFAULT";

  private final Shared shared;
  private final SafeSnapshots safeSnapshots;

  Begins(Shared shared) {
    this.shared = shared;
    this.safeSnapshots = new SafeSnapshots(shared.oracle());
  }

  static TransactionOptions checked(TransactionOptions options) {
    return Objects.requireNonNull(options, NO_OPTIONS);
  }

  /** A transaction that has begun; one that begins after an interrupt is ended. */
  static <X extends HBaseReadTransaction> X awaited(Supplier<CompletableFuture<X>> begin)
      throws IOException {
    Callbacks.checkMayBlock(); // before it has begun
    return Futures.await(begin.get(), HBaseReadTransaction::close);
  }

  /** What the attempts of a run share; closed by it. */
  TransactionTrace ofRun(TransactionOptions options, boolean isReadOnly) {
    return shared.tracing().run(options.name(), isolation(options).name(), isReadOnly);
  }

  private TransactionTrace ofTransaction(TransactionOptions options, boolean isReadOnly) {
    return shared.tracing().transaction(options.name(), isolation(options).name(), isReadOnly);
  }

  /** One that its application ends. */
  CompletableFuture<HBaseTransaction> writer(TransactionOptions options) {
    checked(options);
    shared.checkOpen();
    return writer(options, ofTransaction(options, false));
  }

  CompletableFuture<HBaseTransaction> writer(TransactionOptions options, TransactionTrace trace) {
    return atOracle(options, false, trace).thenApply(HBaseTransaction::new);
  }

  /** One that may be refused at its end, if it is serializable and reads the latest snapshot. */
  CompletableFuture<HBaseReadTransaction> reader(
      TransactionOptions options, TransactionTrace trace) {
    return isCertified(options)
        ? atOracle(options, true, trace).thenApply(HBaseReadTransaction::new)
        : CompletableFuture.completedFuture(uncertified(options, trace));
  }

  HBaseReadTransaction readOnly(TransactionOptions options) {
    if (isCertified(checked(options))) {
      throw new IllegalArgumentException(
          "what is read of the LATEST snapshot may be refused, which close() cannot say: call read"
              + " or readAsync, or read a DEFERRED or RECENT one");
    }
    shared.checkOpen();
    return uncertified(options, ofTransaction(options, true));
  }

  private CompletableFuture<TransactionCore> atOracle(
      TransactionOptions options, boolean isReadOnly, TransactionTrace trace) {
    checked(options);
    shared.checkOpen();
    if (options.heldSnapshot().isPresent()) {
      throw new IllegalArgumentException(
          "a held snapshot is only read: call read, readAsync or beginReadOnly");
    }
    Timings timings = timings();
    return trace
        .begin(() -> begun(options, timings))
        .get()
        .thenApply(
            handle -> {
              Runnable end = () -> shared.oracle().endLater(handle);
              Snapshot snapshot = Snapshot.at(handle.startTimestamp());
              return core(options, handle, isReadOnly, snapshot, end, timings, trace);
            });
  }

  private CompletableFuture<TransactionHandle> begun(TransactionOptions options, Timings timings) {
    return Futures.explained(
        timings.of(Step.BEGIN, shared.oracle()::beginAsync),
        failure ->
            Failures.name(
                Failures.ofOracle(failure, "the begin of a transaction"), options.name()));
  }

  private HBaseReadTransaction uncertified(TransactionOptions options, TransactionTrace trace) {
    shared.checkOpen();
    Snapshot snapshot =
        options.heldSnapshot().isPresent()
            ? Snapshot.at(checked(options.heldSnapshot().get()).timestamp())
            : fresh(options);
    return new HBaseReadTransaction(
        core(options, null, true, snapshot, snapshot::release, timings(), trace));
  }

  /** A token of this oracle. */
  SnapshotToken checked(SnapshotToken token) {
    OracleIdentity own = shared.oracle().identity();
    if (!token.oracle().equals(own.id())) {
      throw new IllegalArgumentException(
          "the snapshot "
              + token
              + " is that of another oracle; this manager's is "
              + own
              + ": use a manager of the other one, or take a snapshot of this one");
    }
    return token;
  }

  private Snapshot fresh(TransactionOptions options) {
    if (!isSerializable(options)) {
      return Snapshot.fresh(shared.snapshots(), shared.oracle(), shared.counters());
    }
    return options.readSnapshot() == ReadSnapshot.DEFERRED
        ? Snapshot.safe(safeSnapshots::next)
        : Snapshot.safe(safeSnapshots::recent);
  }

  /**
   * A transaction that has begun.
   *
   * @param handle null if it has no start timestamp of its own, and its reads are not certified
   */
  private TransactionCore core(
      TransactionOptions options,
      TransactionHandle handle,
      boolean isReadOnly,
      Snapshot snapshot,
      Runnable endWithoutWrites,
      Timings timings,
      TransactionTrace trace) {
    shared.counters().begun.increment();
    long start = Begun.start(handle);
    WriteBuffer writes =
        new WriteBuffer(start, shared.settings().writeLimits(), shared.counters(), timings);
    ReadSet reads =
        handle != null && isSerializable(options) ? ReadSet.tracked() : ReadSet.UNTRACKED;
    return new TransactionCore(
        new Begun(
            options,
            handle,
            isReadOnly,
            snapshot,
            writes,
            reads,
            endWithoutWrites,
            timings,
            trace,
            recorded(options, isReadOnly)),
        shared);
  }

  private Timings timings() {
    return shared.slow() == null ? Timings.NONE : Timings.measured();
  }

  /** Null if it is not recorded. */
  private TransactionRecord recorded(TransactionOptions options, boolean isReadOnly) {
    return shared.recorder() == null
        ? null
        : shared.recorder().begin(options.name(), isolation(options).name(), isReadOnly);
  }

  private Isolation isolation(TransactionOptions options) {
    return options.isolation().orElse(shared.settings().isolation());
  }

  private boolean isSerializable(TransactionOptions options) {
    return isolation(options) == Isolation.SERIALIZABLE;
  }

  /** Whether a read-only transaction reports what it has read. */
  private boolean isCertified(TransactionOptions options) {
    return isSerializable(options)
        && options.readSnapshot() == ReadSnapshot.LATEST
        && options.heldSnapshot().isEmpty();
  }
}
