package io.retso.hbase;

import io.retso.client.CommitResult;
import io.retso.client.OracleException;
import io.retso.hbase.data.CleanupRequest;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.TableName;

/**
 * A transaction under snapshot isolation: it reads what was committed before it began, and its own
 * writes; it commits if nobody else committed one of the rows (or cells) that it wrote since it
 * began.
 *
 * <pre>{@code
 * try (Transaction tx = manager.begin()) {
 *   TransactionalTable accounts = tx.table("accounts");
 *   ...
 *   tx.commit();
 * } // rolled back if it was not committed
 * }</pre>
 *
 * <p><strong>Threads.</strong> A transaction is for one thread at a time. Its blocking methods, and
 * those of its {@link TransactionalTable}s, throw {@link IllegalStateException} if another thread
 * is within one of them. Asynchronous operations may be outstanding together, from any thread:
 * writes take effect in the order in which they were called, and a read sees the writes that were
 * called before it. A commit waits for no one: it is refused while operations are outstanding.
 *
 * <p><strong>Freshness.</strong> A snapshot contains everything whose commit had returned, in any
 * process, before the transaction was asked to begin. That of a read-only transaction is of the
 * moment of its first read, and contains what was committed until then. {@link
 * TransactionManager#beginReadOnly(java.time.Duration)} trades freshness for speed.
 */
public final class Transaction implements AutoCloseable {
  /** Where a transaction stands. */
  public enum State {
    /** It can read, write and commit. */
    ACTIVE,
    /** A write failed; it can only be rolled back. */
    ROLLBACK_ONLY,
    /** Its commit is on the way. */
    COMMITTING,
    /** Committed. */
    COMMITTED,
    /** Rolled back, or aborted by the oracle. */
    ROLLED_BACK,
    /** The answer to its commit was lost. */
    UNKNOWN
  }

  private final TransactionManager manager;

  /** The version of what it writes. 0 if it is read-only. */
  private final long start;

  private final Snapshot snapshot;
  private final boolean readOnly;
  private final Runnable endWithoutWrites;
  private final WriteBuffer writes;
  private final OperationQueue operations = new OperationQueue();
  private final WaitingScanners scanners = new WaitingScanners();
  private final OneThread thread = new OneThread();

  /** Guarded by this, as all below. */
  private State state = State.ACTIVE;

  private Throwable rollbackCause;

  /** The outcome of its commit, until a blocking method has told it. */
  private CompletableFuture<Long> untold;

  /**
   * A transaction that has begun.
   *
   * @param endWithoutWrites tells the oracle, or whom it shares its snapshot with, that it is over
   */
  Transaction(
      TransactionManager manager, Snapshot snapshot, boolean readOnly, Runnable endWithoutWrites) {
    this.manager = manager;
    this.start = readOnly ? 0 : snapshot.timestampNow();
    this.snapshot = snapshot;
    this.readOnly = readOnly;
    this.endWithoutWrites = endWithoutWrites;
    this.writes = new WriteBuffer(start, manager.writeLimits(), manager.counters());
  }

  /**
   * The start timestamp: it reads what was committed below it. Its own writes bear it.
   *
   * <p>A read-only transaction mostly reads without one: then it takes it now, one at which all is
   * as it was read, and waits for the oracle. Do not ask that in the callback of a future.
   *
   * @throws UncheckedIOException if no oracle answers; or, of what was read before, HBase
   * @throws IllegalStateException if it ended without having read anything
   */
  public long startTimestamp() {
    long known = snapshot.timestampNow();
    if (known != 0) {
      return known;
    }
    synchronized (this) {
      checkUsable();
    }
    try {
      return Failures.await(snapshot.timestamp());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What it reads. */
  Snapshot snapshot() {
    return snapshot;
  }

  /** The version of its writes; 0 if it is read-only. */
  long version() {
    return start;
  }

  /** Whether its tables refuse writes. */
  public boolean isReadOnly() {
    return readOnly;
  }

  /** Where it stands. */
  public synchronized State state() {
    return state;
  }

  /**
   * The table, for use in this transaction.
   *
   * @throws TableNotPreparedException if it is missing, not prepared, or prepared for another
   *     oracle
   * @throws IOException if HBase cannot tell
   * @throws IllegalStateException if the transaction has ended
   */
  public TransactionalTable table(TableName name) throws IOException {
    return new TransactionalTable(this, Failures.await(asyncTable(name)));
  }

  /** The table of that name, {@code namespace:name} if it is not in the default namespace. */
  public TransactionalTable table(String name) throws IOException {
    return table(PreparedTables.named(name));
  }

  /** The table, for asynchronous use in this transaction; fails like {@link #table(TableName)}. */
  public CompletableFuture<AsyncTransactionalTable> asyncTable(TableName name) {
    synchronized (this) {
      checkUsable();
    }
    return manager
        .tables()
        .find(name)
        .thenApply(table -> new AsyncTransactionalTable(this, table, manager));
  }

  /** The table of that name, {@code namespace:name} if it is not in the default namespace. */
  public CompletableFuture<AsyncTransactionalTable> asyncTable(String name) {
    return asyncTable(PreparedTables.named(name));
  }

  /**
   * Commits: all writes together become visible to transactions that begin from now on.
   *
   * @return the commit timestamp; if nothing was written, a timestamp at which all is as it was
   *     read (that of its snapshot if it was asked for), 0 if nothing was read either
   * @throws ConflictException if another transaction got ahead; nothing is committed
   * @throws SnapshotTooOldException if it took too long; nothing is committed
   * @throws RollbackOnlyException if a write failed; nothing is committed
   * @throws UnknownCommitException if it may or may not be committed
   * @throws OracleUnavailableException if the oracle could not be asked; nothing is committed
   * @throws IllegalStateException if it has ended, or operations are outstanding
   */
  public long commit() throws IOException {
    return exclusive(() -> awaitCommit(commitAsync(), commit -> {}));
  }

  private <T> T awaitCommit(CompletableFuture<T> commit, Consumer<T> late) throws IOException {
    boolean told = true;
    try {
      return Failures.await(commit, late);
    } catch (InterruptedIOException e) {
      told = false;
      throw new UnknownCommitException(start, e);
    } finally {
      synchronized (this) {
        untold = told ? null : untold;
      }
    }
  }

  /**
   * Commits unless it was ended. Waits for the outcome of a commit that nobody was seen to wait
   * for, though it may have come by now: otherwise it would be chance whether a failure is told.
   */
  void finish() throws IOException {
    CompletableFuture<Long> asked;
    synchronized (this) {
      asked = untold;
    }
    if (asked != null) {
      exclusive(() -> awaitCommit(asked, commit -> {}));
    } else if (isOpen()) {
      commit();
    }
  }

  /** Like {@link #commit}; refusals are thrown at once, everything else fails the future. */
  public CompletableFuture<Long> commitAsync() {
    return end(() -> {});
  }

  /**
   * Commits, and begins the transaction that follows in the same round trip.
   *
   * <p>It is as fresh as any other: its begin is invoked within this call, so its snapshot contains
   * whatever was committed before the call; and it contains this very commit, which is made sure of
   * by comparing the two timestamps and beginning once more if need be.
   *
   * <p>Any failure of the commit is told, whatever became of the begin; and there is no next
   * transaction then.
   *
   * @return the next transaction, not read-only
   * @throws CommittedException if it is committed, and only the begin failed
   * @throws IOException as {@link #commit} does; nothing is committed then, or it is not known
   */
  public Transaction commitAndBegin() throws IOException {
    return exclusive(() -> awaitCommit(commitAndBeginAsync(), Transaction::rollbackAsync));
  }

  /** Like {@link #commitAndBegin}; refusals are thrown at once, all else fails the future. */
  public CompletableFuture<Transaction> commitAndBeginAsync() {
    NextTransaction next = new NextTransaction(manager);
    return end(next::begin)
        .handle(
            (commit, failure) -> {
              if (failure == null) {
                return next.after(name(), commit);
              }
              next.abandon();
              return Failures.<Transaction>failed(Failures.unwrap(failure));
            })
        .thenCompose(following -> following);
  }

  /**
   * The transition out of ACTIVE, once.
   *
   * @param beside done as soon as the oracle was asked, in the same frame or a later one
   */
  private CompletableFuture<Long> end(Runnable beside) {
    CompletableFuture<Long> outcome = new CompletableFuture<>();
    synchronized (this) {
      checkUsable();
      if (operations.outstanding() > 0) {
        throw new IllegalStateException(
            operations.outstanding()
                + " operations of "
                + name()
                + " are outstanding: wait for their futures, then commit");
      }
      if (state == State.ROLLBACK_ONLY) {
        return Failures.failed(new RollbackOnlyException(start, rollbackCause));
      }
      state = State.COMMITTING;
      untold = outcome;
    }
    writes.seal();
    scanners.end();
    sendAndAsk(beside)
        .whenComplete(
            (commit, failure) -> {
              if (failure == null) {
                outcome.complete(commit);
              } else {
                outcome.completeExceptionally(Failures.unwrap(failure));
              }
            });
    return outcome.copy(); // whatever the application does to it, finish() learns the outcome
  }

  private CompletableFuture<Long> sendAndAsk(Runnable beside) {
    if (writes.isEmpty()) {
      beside.run();
      return CompletableFuture.completedFuture(endedWithoutWrites());
    }
    return writes
        .sendAll()
        .handle(
            (sent, failure) -> {
              CompletableFuture<Long> decided = decide(sent, failure);
              beside.run();
              return decided;
            })
        .thenCompose(decided -> decided);
  }

  private long endedWithoutWrites() {
    become(State.COMMITTED);
    manager.counters().committed.increment();
    // Nothing to decide, nothing to wait for; the oracle is told for the sake of its low watermark.
    long timestamp = snapshot.timestampOfReads();
    endWithoutWrites.run();
    return timestamp;
  }

  private CompletableFuture<Long> decide(Void sent, Throwable failure) {
    if (failure != null) {
      Throwable cause = Failures.ofStore(failure, start);
      abandon();
      return Failures.failed(new RollbackOnlyException(start, cause));
    }
    // Every write is acknowledged: whoever reads above the commit timestamp finds all of them.
    return PatientCommit.ask(manager.oracle(), start, writes.conflictIds())
        .handle(this::decided)
        .thenCompose(outcome -> outcome);
  }

  private CompletableFuture<Long> decided(CommitResult result, Throwable failure) {
    Counters counters = manager.counters();
    if (failure != null) {
      return Failures.failed(undecided(Failures.unwrap(failure)));
    }
    if (result.isCommitted()) {
      long commit = result.commitTimestamp();
      manager.snapshots().committed(commit);
      become(State.COMMITTED);
      counters.committed.increment();
      return clean(commit).thenApply(admitted -> commit);
    }
    become(State.ROLLED_BACK);
    boolean isConflict = result.abortReason() == CommitResult.AbortReason.CONFLICT;
    (isConflict ? counters.conflicts : counters.tooOld).increment();
    TransactionException refusal = Failures.ofAbort(start, isConflict);
    return clean(CleanupRequest.ABORTED).thenCompose(admitted -> Failures.failed(refusal));
  }

  private Throwable undecided(Throwable failure) {
    if (failure instanceof OracleException oracle
        && oracle.category() != OracleException.Category.UNKNOWN_OUTCOME) {
      abandon();
      return Failures.ofOracle(failure, "the commit of transaction " + start);
    }
    manager.counters().unknown.increment();
    become(State.UNKNOWN);
    cleanAside();
    return new UnknownCommitException(start, failure);
  }

  /**
   * Rolls back on the way; what was sent is cleaned up when nothing of it is on its way any more.
   */
  private void abandon() {
    become(State.ROLLED_BACK);
    manager.counters().rolledBack.increment();
    writes.settled().thenRun(this::cleanAside);
  }

  private CompletableFuture<Void> clean(long outcome) {
    return manager.cleaner().offer(new Cleaner.Job(start, outcome, writes.sentRows()));
  }

  /** Aborts, or learns that it was committed, and cleans up; nobody waits for it. */
  private void cleanAside() {
    manager.cleaner().offerAside(new Cleaner.Job(start, 0, writes.sentRows()));
  }

  private synchronized void become(State next) {
    state = next;
  }

  /**
   * Rolls back: none of its writes is ever visible. They are removed behind the reply. Does nothing
   * if it was rolled back already.
   *
   * @throws IllegalStateException if it is committed, or is being committed
   */
  public void rollback() throws IOException {
    exclusive(() -> Failures.await(rollbackAsync()));
  }

  /** Like {@link #rollback}. Operations that are outstanding may fail. */
  public CompletableFuture<Void> rollbackAsync() {
    synchronized (this) {
      switch (state) {
        case ROLLED_BACK -> {
          return CompletableFuture.completedFuture(null);
        }
        case ACTIVE, ROLLBACK_ONLY -> state = State.ROLLED_BACK;
        default -> throw ended();
      }
    }
    writes.seal();
    scanners.end();
    manager.counters().rolledBack.increment();
    operations.idle().thenRun(() -> writes.settled().thenRun(this::forget));
    return CompletableFuture.completedFuture(null);
  }

  /** Nothing that it sent is on its way any more. */
  private void forget() {
    if (writes.sentRows().isEmpty()) {
      endWithoutWrites.run(); // an abort would be a round trip, and abort nothing
    } else {
      cleanAside(); // aborts it at the oracle, too
    }
  }

  /** Rolls back unless the transaction has ended. Never throws. */
  @Override
  public void close() {
    synchronized (this) {
      if (state != State.ACTIVE && state != State.ROLLBACK_ONLY) {
        return;
      }
    }
    rollbackAsync();
  }

  WriteBuffer writes() {
    return writes;
  }

  WaitingScanners scanners() {
    return scanners;
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
      checkUsable();
      if (isWrite && readOnly) {
        throw new IllegalStateException(name() + " is read-only: begin() one that can write");
      }
      if (isWrite && state == State.ROLLBACK_ONLY) {
        return Failures.failed(new RollbackOnlyException(start, rollbackCause));
      }
    }
    return operations.submit(isWrite, operation);
  }

  /** Whether it has not ended. */
  synchronized boolean isOpen() {
    return state == State.ACTIVE || state == State.ROLLBACK_ONLY;
  }

  /** Refuses the use of a transaction that has ended, or whose manager is closed. */
  synchronized void checkOpen() {
    checkUsable();
  }

  private void checkUsable() {
    manager.checkOpen();
    if (state != State.ACTIVE && state != State.ROLLBACK_ONLY) {
      throw ended();
    }
  }

  private IllegalStateException ended() {
    return new IllegalStateException(name() + " has ended (" + state + "): begin a new one");
  }

  /** Runs a blocking method, unless another thread is within one. */
  <T> T exclusive(OneThread.Blocking<T> body) throws IOException {
    return thread.run(body, this::name);
  }

  @Override
  public String toString() {
    boolean isNamed = snapshot.timestampNow() != 0;
    return (isNamed ? name() : "a transaction without a timestamp") + " (" + state() + ")";
  }

  private String name() {
    long known = snapshot.timestampNow();
    return known == 0 ? "this transaction" : "transaction " + known; // 0: nobody asked for it
  }
}
