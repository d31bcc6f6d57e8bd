package io.retso.hbase.transaction;

import io.retso.client.CommitSteps;
import io.retso.hbase.Transaction;
import io.retso.hbase.Transaction.State;
import io.retso.hbase.commit.CommitProtocol;
import io.retso.hbase.errors.RollbackOnlyException;
import io.retso.hbase.errors.SnapshotTooOldException;
import io.retso.hbase.errors.TransactionException;
import io.retso.hbase.errors.UnknownCommitException;
import io.retso.hbase.failures.Failures;
import io.retso.hbase.futures.Callbacks;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.futures.Timers;
import io.retso.hbase.metrics.ManagerMeters.Outcome;
import io.retso.hbase.metrics.Timings;
import io.retso.hbase.operation.OperationQueue;
import io.retso.hbase.operation.SingleThreadGuard;
import io.retso.hbase.read.ScanOwner;
import io.retso.hbase.read.WaitingScanners;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.trace.TraceContext;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.client.Scan;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where a transaction stands, and how it ends. Thread-safe. */
final class Lifecycle implements ScanOwner {
  private static final Logger LOG = LoggerFactory.getLogger(Lifecycle.class);

  private final long begunNanos = System.nanoTime();
  private final Begun tx;
  private final Shared shared;

  private final OperationQueue operations;
  private final WaitingScanners scanners = new WaitingScanners();
  private final SingleThreadGuard thread = new SingleThreadGuard();

  /** Ends it when the time limit is over; cancelled when that no longer counts. Null: no limit. */
  private final Future<?> timeLimit;

  /** Guarded by this, as all below. */
  private State state = State.ACTIVE;

  private final EndActions actions = new EndActions();

  private boolean isTimedOut;

  /** Its commit was asked for, and waits for operations that the application cannot wait for. */
  private boolean isCommitAsked;

  private Throwable rollbackCause;

  /** The outcome of its commit, until a blocking method has reported it. */
  private CompletableFuture<OptionalLong> unreported;

  Lifecycle(Begun tx, Shared shared, OperationQueue operations) {
    this.tx = tx;
    this.shared = shared;
    this.operations = operations;
    timeLimit = tx.options().timeLimit().map(this::limited).orElse(null);
  }

  private Future<?> limited(Duration limit) {
    return Timers.after(limit.toNanos(), TimeUnit.NANOSECONDS, this::timeOut);
  }

  /** The timer may be late: nothing begins, and nothing commits, when the time is over. */
  private void endIfOverTime() {
    if (timeLimit != null
        && System.nanoTime() - begunNanos >= tx.options().timeLimit().orElseThrow().toNanos()) {
      timeOut();
    }
  }

  private void forgetTimeLimit() {
    if (timeLimit != null) {
      timeLimit.cancel(false);
    }
  }

  synchronized State state() {
    return isCommitAsked ? State.COMMITTING : state;
  }

  @Override
  public synchronized boolean isOpen() {
    return state == State.ACTIVE || state == State.ROLLBACK_ONLY;
  }

  /**
   * Refuses the use of a transaction that has ended, or whose manager is closed.
   *
   * @return null; or what to fail with, if it has run out of time, which is no mistake of the
   *     caller that uses it
   */
  synchronized TransactionException checkUsable() {
    shared.checkOpen();
    if (isTimedOut) {
      return timedOut();
    }
    if (!isOpen()) {
      throw ended();
    }
    return null;
  }

  /**
   * Refuses an operation, which may write, in the same cases.
   *
   * @return null, or what to fail with
   */
  TransactionException checkOperation(boolean isWrite) {
    endIfOverTime();
    synchronized (this) {
      TransactionException refused = checkUsable();
      if (isCommitAsked) {
        throw ended();
      }
      if (refused != null || !isWrite) {
        return refused;
      }
      requireWriter();
      return state == State.ROLLBACK_ONLY ? rollbackOnly() : null;
    }
  }

  /** Refuses what only transactions can do that may write. */
  void requireWriter() {
    if (tx.isReadOnly()) {
      throw new IllegalStateException(tx.label() + " is read-only: begin() one that can write");
    }
  }

  private RollbackOnlyException rollbackOnly() {
    return tx.named(new RollbackOnlyException(tx.start(), rollbackCause));
  }

  @Override
  public void checkOpen() throws TransactionException {
    TransactionException refused = checkUsable();
    if (refused != null) {
      throw refused;
    }
  }

  @Override
  public synchronized Exception endOfScans() {
    return isTimedOut
        ? timedOut()
        : new IllegalStateException(
            "the transaction ended while it was scanned: read all rows, then end it");
  }

  @Override
  public boolean hasSent(PreparedTable table, Scan scan) {
    return tx.writes().hasSent(table, scan);
  }

  @Override
  public void waited(long nanos) {
    tx.timings().add(Timings.Step.READ, nanos);
  }

  @Override
  public WaitingScanners waiting() {
    return scanners;
  }

  /**
   * Runs a blocking method, unless another thread is within one.
   *
   * @throws IllegalStateException also in a callback; then nothing of it was begun
   */
  @Override
  public <T> T exclusive(SingleThreadGuard.Blocking<T> body) throws IOException {
    Callbacks.checkMayBlock();
    return thread.run(body, tx::label);
  }

  OptionalLong commit() throws IOException {
    return exclusive(() -> awaitCommit(commitAsync()));
  }

  private OptionalLong awaitCommit(CompletableFuture<OptionalLong> commit) throws IOException {
    boolean reported = true;
    try {
      return Futures.await(commit);
    } catch (InterruptedIOException e) {
      reported = false;
      throw tx.named(new UnknownCommitException(tx.handle(), e, shared.commits()::resolve));
    } finally {
      synchronized (this) {
        unreported = reported ? null : unreported;
      }
    }
  }

  /**
   * Commits unless the work has ended it; fails if it ran out of time. Waits for the outcome of a
   * commit that no caller was seen to wait for, though it may have come by now: otherwise it would
   * be chance whether a failure is reported.
   */
  void finish() throws IOException {
    CompletableFuture<OptionalLong> asked = unreported();
    if (asked != null) {
      exclusive(() -> awaitCommit(asked));
    } else if (!hasEnded()) {
      commit();
    }
  }

  /**
   * Finishes without blocking; a caller that waits for a commit so is not seen, so it is always
   * reported.
   */
  CompletableFuture<OptionalLong> finishAsync() {
    CompletableFuture<OptionalLong> asked = unreported();
    if (asked != null) {
      return asked.copy();
    }
    return hasEnded() ? CompletableFuture.completedFuture(OptionalLong.empty()) : commitAsync();
  }

  /** Whether the work has ended it. */
  private synchronized boolean hasEnded() {
    return !isOpen() && !isTimedOut;
  }

  private synchronized CompletableFuture<OptionalLong> unreported() {
    return unreported;
  }

  /**
   * Commits when nothing is under way any more. It is refused while the application has futures of
   * operations that are not done: it has forgotten to wait. It waits itself for the others, which
   * the application cannot wait for: that a scanner is opened, which may be closed by now; and what
   * goes on after a blocking method was interrupted.
   */
  CompletableFuture<OptionalLong> commitAsync() {
    CompletableFuture<OptionalLong> outcome = new CompletableFuture<>();
    endIfOverTime();
    synchronized (this) {
      TransactionException refused = checkUsable();
      if (refused == null && state == State.ROLLBACK_ONLY) {
        refused = rollbackOnly();
      }
      if (refused != null) {
        return Futures.failed(refused);
      }
      if (isCommitAsked) {
        throw ended();
      }
      if (operations.held() > 0) {
        throw new IllegalStateException(
            operations.held()
                + " operations of "
                + tx.label()
                + " are outstanding: wait for their futures, then commit");
      }
      isCommitAsked = true; // so that no more operations begin
      unreported = outcome;
    }
    forgetTimeLimit();
    return tx.trace().called(() -> commitWhenIdle(outcome)).get();
  }

  private CompletableFuture<OptionalLong> commitWhenIdle(CompletableFuture<OptionalLong> outcome) {
    CompletableFuture<Void> idle;
    boolean isIdle;
    RollbackOnlyException failed = null;
    synchronized (this) {
      idle = operations.idle();
      isIdle = idle.isDone();
      if (isIdle) { // looked at with the state: an operation counts before it looks at that
        isCommitAsked = false;
        if (state == State.ACTIVE) {
          state = State.COMMITTING; // once
        } else {
          assert state == State.ROLLBACK_ONLY : state;
          failed = rollbackOnly(); // by what went on
        }
      }
    }
    if (!isIdle) {
      TraceContext.keep(idle).thenRun(() -> commitWhenIdle(outcome));
    } else if (failed != null) {
      outcome.completeExceptionally(failed);
    } else {
      commit(outcome);
    }
    return outcome.copy(); // whatever the application does to it, finish() learns the outcome
  }

  private void commit(CompletableFuture<OptionalLong> outcome) {
    tx.writes().seal();
    scanners.end();
    decision()
        .whenComplete(
            (commit, failure) -> {
              boolean isRead = failure == null && tx.isReadOnly();
              ended(isRead ? Outcome.READ : Outcomes.ofCommit(failure), failure);
              Throwable named = tx.named(Futures.unwrap(failure));
              actions.run(state(), () -> Futures.complete(outcome, commit, named));
            });
  }

  private void ended(Outcome outcome) {
    ended(outcome, null);
  }

  private void ended(Outcome outcome, Throwable failure) {
    Outcomes.tell(shared, tx, outcome, System.nanoTime() - begunNanos, failure);
  }

  private CompletableFuture<OptionalLong> decision() {
    boolean wrote = !tx.writes().isEmpty();
    if (!wrote && !tx.writes().validates() && !tx.reads().hasReads()) {
      endedWithoutWrites();
      return CompletableFuture.completedFuture(OptionalLong.empty());
    }
    return tx.trace()
        .commit(
            tx.writes().written().size(),
            steps -> shared.commits().commit(writer(steps), this::decided),
            failure -> Outcomes.text(Outcomes.ofCommit(failure)))
        .thenApply(commit -> wrote ? OptionalLong.of(commit) : OptionalLong.empty());
  }

  /** What ends; {@code steps} is null if nothing wants to know how long the steps take. */
  private CommitProtocol.Writer writer(Consumer<CommitSteps> steps) {
    return new CommitProtocol.Writer(
        tx.options().name(), tx.handle(), tx.writes(), tx.reads(), tx.timings(), steps);
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
    operations.idle().thenRun(tx.endWithoutWrites()); // the oracle's low watermark may go on
  }

  private synchronized void become(State next) {
    assert state == State.COMMITTING : state;
    state = next;
  }

  /** See {@link Transaction#afterCommit}. */
  synchronized void afterCommit(Runnable action) {
    requireOpen();
    actions.afterCommit(action);
  }

  /** See {@link Transaction#afterRollback}. */
  synchronized void afterRollback(Runnable action) {
    requireOpen();
    actions.afterRollback(action);
  }

  private void requireOpen() {
    if (!isOpen() || isCommitAsked) {
      throw ended();
    }
  }

  /** Waits for nothing, so that it may be called in a callback. */
  void rollback() throws IOException {
    thread.run(this::rollbackAsync, tx::label);
  }

  CompletableFuture<Void> rollbackAsync() {
    synchronized (this) {
      switch (state) {
        case ROLLED_BACK -> {
          return CompletableFuture.completedFuture(null);
        }
        case ACTIVE, ROLLBACK_ONLY -> {
          if (isCommitAsked) {
            throw ended();
          }
          state = State.ROLLED_BACK;
        }
        default -> throw ended();
      }
    }
    abandon(Outcome.ROLLED_BACK);
    return CompletableFuture.completedFuture(null);
  }

  /** It was rolled back: what is left of it is removed. */
  private void abandon(Outcome outcome) {
    ended(outcome);
    forgetTimeLimit();
    tx.writes().seal();
    scanners.end();
    shared.counters().rolledBack.increment();
    actions.run(State.ROLLED_BACK, () -> {});
    operations.idle().thenRun(() -> tx.writes().acknowledged().thenRun(this::forget));
  }

  /** Nothing that it sent is on its way any more. */
  private void forget() {
    if (tx.writes().sentRows().isEmpty()) {
      tx.endWithoutWrites().run(); // an abort would be a round trip, and abort nothing
    } else {
      shared.commits().abort(writer(null));
    }
  }

  private void timeOut() {
    synchronized (this) {
      if (!isOpen() || isCommitAsked) {
        return;
      }
      state = State.ROLLED_BACK;
      isTimedOut = true;
    }
    LOG.warn("{}", timedOut().getMessage());
    abandon(Outcome.TOO_OLD);
  }

  private SnapshotTooOldException timedOut() {
    return tx.named(Failures.overTime(tx.label(), tx.options().timeLimit().orElseThrow()));
  }

  private IllegalStateException ended() {
    return new IllegalStateException(tx.label() + " has ended (" + state() + "): begin a new one");
  }

  /** Ends it unless it has ended; one that only reads has nothing to roll back. */
  void close() {
    synchronized (this) {
      if (!isOpen() || isCommitAsked) {
        return;
      }
      if (tx.isReadOnly()) {
        state = State.COMMITTING;
      }
    }
    if (tx.isReadOnly()) {
      forgetTimeLimit();
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
    return new RollbackOnlyException(tx.start(), rollbackCause);
  }
}
