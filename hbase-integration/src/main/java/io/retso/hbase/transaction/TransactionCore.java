package io.retso.hbase.transaction;

import io.retso.hbase.Transaction.State;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.commit.CommitProtocol;
import io.retso.hbase.errors.Failures;
import io.retso.hbase.errors.RollbackOnlyException;
import io.retso.hbase.errors.SnapshotTooOldException;
import io.retso.hbase.errors.TransactionException;
import io.retso.hbase.errors.UnknownCommitException;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.metrics.Ends;
import io.retso.hbase.metrics.Ends.Outcome;
import io.retso.hbase.operation.OperationQueue;
import io.retso.hbase.operation.SingleThreadGuard;
import io.retso.hbase.read.ScanOwner;
import io.retso.hbase.read.Snapshot;
import io.retso.hbase.read.WaitingScanners;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.write.WriteBuffer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Scan;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One transaction: where it stands, what it reads and writes, and how it ends. {@link
 * HBaseTransaction} and {@link HBaseReadTransaction} are what applications see of it. Thread-safe.
 */
final class TransactionCore {
  private static final Logger LOG = LoggerFactory.getLogger(TransactionCore.class);

  /** What all transactions of a manager share. */
  interface Shared {
    /** The table, for use in the transaction; fails if it is not prepared. */
    CompletableFuture<HBaseAsyncTransactionalTable> table(TransactionCore tx, TableName name);

    /** Refuses the use of a manager that is closed. */
    void checkOpen();

    CommitProtocol commits();

    Counters counters();

    Ends ends();
  }

  private final TransactionOptions options;
  private final long begunNanos = System.nanoTime();

  /** The version of what it writes. 0 if it is read-only. */
  private final long start;

  private final Snapshot snapshot;
  private final WriteBuffer writes;
  private final Shared shared;

  /** Reports its end to the oracle, or to the owner of the snapshot that it shares. */
  private final Runnable endWithoutWrites;

  private final OperationQueue operations = new OperationQueue();
  private final WaitingScanners scanners = new WaitingScanners();
  private final SingleThreadGuard thread = new SingleThreadGuard();
  private final ScanOwner scanOwner = new Owner();

  /** Completes when the time limit is over; cancelled when it no longer counts. */
  private final CompletableFuture<Void> timeLimit = new CompletableFuture<>();

  /** Guarded by this, as all below. */
  private State state = State.ACTIVE;

  private boolean isTimedOut;
  private Throwable rollbackCause;

  /** The outcome of its commit, until a blocking method has reported it. */
  private CompletableFuture<OptionalLong> unreported;

  /**
   * A transaction that has begun.
   *
   * @param start the version of its writes; 0 if it is read-only
   * @param writes takes what it writes; nothing if it is read-only
   */
  TransactionCore(
      TransactionOptions options,
      long start,
      Snapshot snapshot,
      WriteBuffer writes,
      Shared shared,
      Runnable endWithoutWrites) {
    this.options = options;
    this.start = start;
    this.snapshot = snapshot;
    this.writes = writes;
    this.shared = shared;
    this.endWithoutWrites = endWithoutWrites;
    options
        .timeLimit()
        .ifPresent(
            limit -> {
              timeLimit.completeOnTimeout(null, limit.toNanos(), TimeUnit.NANOSECONDS);
              timeLimit.thenRunAsync(this::timeOut); // not on the timer's thread: it closes scans
            });
  }

  TransactionOptions options() {
    return options;
  }

  /** What it reads. */
  Snapshot snapshot() {
    return snapshot;
  }

  /** The version of its writes; 0 if it is read-only. */
  long version() {
    return start;
  }

  WriteBuffer writes() {
    return writes;
  }

  /** What scans of this transaction need to know of it. */
  ScanOwner scanOwner() {
    return scanOwner;
  }

  synchronized State state() {
    return state;
  }

  CompletableFuture<Long> readTimestamp() {
    long known = snapshot.timestampNow();
    if (known != 0) {
      return CompletableFuture.completedFuture(known);
    }
    TransactionException refused = checkUsable();
    return refused != null ? Failures.failed(refused) : named(snapshot.timestamp());
  }

  CompletableFuture<HBaseAsyncTransactionalTable> table(TableName name) {
    TransactionException refused = checkUsable();
    return refused != null ? Failures.failed(refused) : shared.table(this, name);
  }

  /** A failure says in which transaction. */
  private <T> CompletableFuture<T> named(CompletableFuture<T> future) {
    return options.name().isEmpty()
        ? future
        : future.whenComplete((answer, failure) -> Failures.name(failure, options.name()));
  }

  OptionalLong commit() throws IOException {
    return exclusive(() -> awaitCommit(commitAsync()));
  }

  private OptionalLong awaitCommit(CompletableFuture<OptionalLong> commit) throws IOException {
    boolean reported = true;
    try {
      return Failures.await(commit);
    } catch (InterruptedIOException e) {
      reported = false;
      throw Failures.name(
          new UnknownCommitException(start, e, shared.commits()::resolve), options.name());
    } finally {
      synchronized (this) {
        unreported = reported ? null : unreported;
      }
    }
  }

  /**
   * Commits unless the work has ended it; fails if it ran out of time. Waits for the outcome of a
   * commit that nobody was seen to wait for, though it may have come by now: otherwise it would be
   * chance whether a failure is reported.
   */
  void finish() throws IOException {
    CompletableFuture<OptionalLong> asked = unreported();
    if (asked != null) {
      exclusive(() -> awaitCommit(asked));
    } else if (isOpen() || isTimedOut()) {
      commit();
    }
  }

  /**
   * The same; who waits for a commit without blocking is seen by nobody, so it is always reported.
   */
  CompletableFuture<OptionalLong> finishAsync() {
    CompletableFuture<OptionalLong> asked = unreported();
    if (asked != null) {
      return asked.copy();
    }
    return isOpen() || isTimedOut()
        ? commitAsync()
        : CompletableFuture.completedFuture(OptionalLong.empty());
  }

  private synchronized boolean isTimedOut() {
    return isTimedOut;
  }

  private synchronized CompletableFuture<OptionalLong> unreported() {
    return unreported;
  }

  /** The transition out of ACTIVE, once. */
  CompletableFuture<OptionalLong> commitAsync() {
    CompletableFuture<OptionalLong> outcome = new CompletableFuture<>();
    synchronized (this) {
      TransactionException refused = checkUsable();
      if (refused != null) {
        return Failures.failed(refused);
      }
      if (operations.outstanding() > 0) {
        throw new IllegalStateException(
            operations.outstanding()
                + " operations of "
                + name()
                + " are outstanding: wait for their futures, then commit");
      }
      if (state == State.ROLLBACK_ONLY) {
        return named(Failures.failed(new RollbackOnlyException(start, rollbackCause)));
      }
      state = State.COMMITTING;
      unreported = outcome;
    }
    timeLimit.cancel(false);
    writes.seal();
    scanners.end();
    decision()
        .whenComplete(
            (commit, failure) -> {
              ended(Outcomes.ofCommit(failure));
              if (failure == null) {
                outcome.complete(commit);
              } else {
                outcome.completeExceptionally(
                    Failures.name(Failures.unwrap(failure), options.name()));
              }
            });
    return outcome.copy(); // whatever the application does to it, finish() learns the outcome
  }

  private void ended(Outcome outcome) {
    shared.ends().ended(options.name(), outcome, System.nanoTime() - begunNanos);
  }

  private CompletableFuture<OptionalLong> decision() {
    if (writes.isEmpty()) {
      endedWithoutWrites();
      return CompletableFuture.completedFuture(OptionalLong.empty());
    }
    return shared.commits().commit(writer(), this::decided).thenApply(OptionalLong::of);
  }

  private CommitProtocol.Writer writer() {
    return new CommitProtocol.Writer(options.name(), start, writes);
  }

  private void decided(CommitProtocol.Decision decision) {
    become(
        switch (decision) {
          case COMMITTED -> State.COMMITTED;
          case ROLLED_BACK -> State.ROLLED_BACK;
          case UNKNOWN -> State.UNKNOWN;
        });
  }

  /** Nothing to decide, nothing to wait for. */
  private void endedWithoutWrites() {
    become(State.COMMITTED);
    shared.counters().committed.increment();
    operations.idle().thenRun(endWithoutWrites); // the oracle's low watermark may go on
  }

  private synchronized void become(State next) {
    state = next;
  }

  CompletableFuture<Void> rollbackAsync() {
    synchronized (this) {
      switch (state) {
        case ROLLED_BACK -> {
          return CompletableFuture.completedFuture(null);
        }
        case ACTIVE, ROLLBACK_ONLY -> state = State.ROLLED_BACK;
        default -> throw ended();
      }
    }
    abandon(Outcome.ROLLED_BACK);
    return CompletableFuture.completedFuture(null);
  }

  /** It was rolled back: what is left of it is removed. */
  private void abandon(Outcome outcome) {
    ended(outcome);
    timeLimit.cancel(false);
    writes.seal();
    scanners.end();
    shared.counters().rolledBack.increment();
    operations.idle().thenRun(() -> writes.acknowledged().thenRun(this::forget));
  }

  /** Nothing that it sent is on its way any more. */
  private void forget() {
    if (writes.sentRows().isEmpty()) {
      endWithoutWrites.run(); // an abort would be a round trip, and abort nothing
    } else {
      shared.commits().abort(writer());
    }
  }

  private void timeOut() {
    synchronized (this) {
      if (!isOpen()) {
        return;
      }
      state = State.ROLLED_BACK;
      isTimedOut = true;
    }
    LOG.warn("{}", timedOut().getMessage());
    abandon(Outcome.TOO_OLD);
  }

  private SnapshotTooOldException timedOut() {
    return Failures.name(
        Failures.overTime(name(), options.timeLimit().orElseThrow()), options.name());
  }

  /** Ends it unless it has ended; one that only reads has nothing to roll back. */
  void close() {
    synchronized (this) {
      if (!isOpen()) {
        return;
      }
      if (start == 0) {
        state = State.COMMITTING;
      }
    }
    if (start == 0) {
      timeLimit.cancel(false);
      scanners.end();
      ended(Outcome.READ);
      endedWithoutWrites();
    } else {
      rollbackAsync();
    }
  }

  /** A write could not be sent; the transaction cannot commit any more. */
  synchronized RollbackOnlyException writeFailed(Throwable cause) {
    if (rollbackCause == null) {
      rollbackCause = cause;
    }
    if (state == State.ACTIVE) {
      state = State.ROLLBACK_ONLY;
    }
    return new RollbackOnlyException(start, rollbackCause);
  }

  /**
   * Runs an operation after the writes that were called before it.
   *
   * @param isWrite whether those that are called after it wait for it
   */
  <T> CompletableFuture<T> run(boolean isWrite, Supplier<CompletableFuture<T>> operation) {
    synchronized (this) {
      TransactionException refused = checkUsable();
      if (refused != null) {
        return Failures.failed(refused);
      }
      if (isWrite && start == 0) {
        throw new IllegalStateException(name() + " is read-only: begin() one that can write");
      }
      if (isWrite && state == State.ROLLBACK_ONLY) {
        return named(Failures.failed(new RollbackOnlyException(start, rollbackCause)));
      }
    }
    return named(operations.submit(isWrite, operation));
  }

  /** Whether it has not ended. */
  synchronized boolean isOpen() {
    return state == State.ACTIVE || state == State.ROLLBACK_ONLY;
  }

  /**
   * Refuses the use of a transaction that has ended, or whose manager is closed.
   *
   * @return null; or what to fail with, if it has run out of time, which is no mistake of who uses
   *     it
   */
  private synchronized TransactionException checkUsable() {
    shared.checkOpen();
    if (isTimedOut) {
      return timedOut();
    }
    if (!isOpen()) {
      throw ended();
    }
    return null;
  }

  private IllegalStateException ended() {
    return new IllegalStateException(name() + " has ended (" + state + "): begin a new one");
  }

  /** Runs a blocking method, unless another thread is within one. */
  <T> T exclusive(SingleThreadGuard.Blocking<T> body) throws IOException {
    return thread.run(body, this::name);
  }

  /** What a scan knows of its transaction. */
  private final class Owner implements ScanOwner {
    @Override
    public boolean isOpen() {
      return TransactionCore.this.isOpen();
    }

    @Override
    public void checkOpen() throws TransactionException {
      TransactionException refused = checkUsable();
      if (refused != null) {
        throw refused;
      }
    }

    @Override
    public Exception ended() {
      synchronized (TransactionCore.this) {
        return isTimedOut
            ? timedOut()
            : new IllegalStateException(
                "the transaction ended while it was scanned: read all rows, then end it");
      }
    }

    @Override
    public boolean hasSent(PreparedTable table, Scan scan) {
      return writes.hasSent(table, scan);
    }

    @Override
    public WaitingScanners waiting() {
      return scanners;
    }

    @Override
    public <T> T exclusive(SingleThreadGuard.Blocking<T> body) throws IOException {
      return TransactionCore.this.exclusive(body);
    }
  }

  @Override
  public String toString() {
    String label = options.name().isEmpty() ? "" : "[" + options.name() + "] ";
    String name = snapshot.timestampNow() == 0 ? "a transaction without a timestamp" : name();
    return label + name + " (" + state() + ")";
  }

  private String name() {
    long known = snapshot.timestampNow();
    return known == 0 ? "this transaction" : "transaction " + known; // 0: nobody asked for it
  }
}
