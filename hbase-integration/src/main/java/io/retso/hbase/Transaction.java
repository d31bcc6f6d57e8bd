package io.retso.hbase;

import io.retso.hbase.commit.CommitProtocol;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.Failures;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.errors.RollbackOnlyException;
import io.retso.hbase.errors.SnapshotTooOldException;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.errors.UnknownCommitException;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.operation.OperationQueue;
import io.retso.hbase.operation.SingleThreadGuard;
import io.retso.hbase.read.ScanOwner;
import io.retso.hbase.read.Snapshot;
import io.retso.hbase.read.WaitingScanners;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.table.TableCatalog;
import io.retso.hbase.write.WriteBuffer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Scan;

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
 * moment of its first read, and contains what was committed until then.
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

  /** The version of what it writes. 0 if it is read-only. */
  private final long start;

  private final Snapshot snapshot;
  private final boolean readOnly;
  private final WriteBuffer writes;
  private final CommitProtocol commits;
  private final Tables tables;
  private final Runnable managerIsOpen;
  private final Counters counters;
  private final Runnable endWithoutWrites;
  private final OperationQueue operations = new OperationQueue();
  private final WaitingScanners scanners = new WaitingScanners();
  private final SingleThreadGuard thread = new SingleThreadGuard();
  private final ScanOwner scanOwner = new Owner();

  /** Guarded by this, as all below. */
  private State state = State.ACTIVE;

  private Throwable rollbackCause;

  /** The outcome of its commit, until a blocking method has reported it. */
  private CompletableFuture<Long> unreported;

  /** Finds tables. */
  interface Tables {
    /** The table, for use in the transaction; fails as {@link #table(TableName)} does. */
    CompletableFuture<AsyncTransactionalTable> of(Transaction tx, TableName name);
  }

  /**
   * A transaction that has begun.
   *
   * @param writes takes what it writes; nothing if it is read-only
   * @param managerIsOpen throws if the manager is closed
   * @param endWithoutWrites tells the oracle, or whom it shares its snapshot with, that it is over
   */
  Transaction(
      Snapshot snapshot,
      boolean readOnly,
      WriteBuffer writes,
      CommitProtocol commits,
      Tables tables,
      Runnable managerIsOpen,
      Counters counters,
      Runnable endWithoutWrites) {
    this.start = readOnly ? 0 : snapshot.timestampNow();
    this.snapshot = snapshot;
    this.readOnly = readOnly;
    this.writes = writes;
    this.commits = commits;
    this.tables = tables;
    this.managerIsOpen = managerIsOpen;
    this.counters = counters;
    this.endWithoutWrites = endWithoutWrites;
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
    return table(TableCatalog.named(name));
  }

  /** The table, for asynchronous use in this transaction; fails like {@link #table(TableName)}. */
  public CompletableFuture<AsyncTransactionalTable> asyncTable(TableName name) {
    synchronized (this) {
      checkUsable();
    }
    return tables.of(this, name);
  }

  /** The table of that name, {@code namespace:name} if it is not in the default namespace. */
  public CompletableFuture<AsyncTransactionalTable> asyncTable(String name) {
    return asyncTable(TableCatalog.named(name));
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
    return exclusive(() -> awaitCommit(commitAsync()));
  }

  private long awaitCommit(CompletableFuture<Long> commit) throws IOException {
    boolean reported = true;
    try {
      return Failures.await(commit);
    } catch (InterruptedIOException e) {
      reported = false;
      throw new UnknownCommitException(start, e);
    } finally {
      synchronized (this) {
        unreported = reported ? null : unreported;
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
      asked = unreported;
    }
    if (asked != null) {
      exclusive(() -> awaitCommit(asked));
    } else if (isOpen()) {
      commit();
    }
  }

  /** Like {@link #commit}; refusals are thrown at once, everything else fails the future. */
  public CompletableFuture<Long> commitAsync() {
    return end();
  }

  /** The transition out of ACTIVE, once. */
  private CompletableFuture<Long> end() {
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
      unreported = outcome;
    }
    writes.seal();
    scanners.end();
    decision()
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

  private CompletableFuture<Long> decision() {
    return writes.isEmpty()
        ? CompletableFuture.completedFuture(endedWithoutWrites())
        : commits.commit(start, writes, this::decided);
  }

  private void decided(CommitProtocol.Decision decision) {
    become(
        switch (decision) {
          case COMMITTED -> State.COMMITTED;
          case ROLLED_BACK -> State.ROLLED_BACK;
          case UNKNOWN -> State.UNKNOWN;
        });
  }

  private long endedWithoutWrites() {
    become(State.COMMITTED);
    counters.committed.increment();
    // Nothing to decide, nothing to wait for; the oracle is told for the sake of its low watermark.
    long timestamp = snapshot.timestampOfReads();
    endWithoutWrites.run();
    return timestamp;
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
    counters.rolledBack.increment();
    operations.idle().thenRun(() -> writes.acknowledged().thenRun(this::forget));
    return CompletableFuture.completedFuture(null);
  }

  /** Nothing that it sent is on its way any more. */
  private void forget() {
    if (writes.sentRows().isEmpty()) {
      endWithoutWrites.run(); // an abort would be a round trip, and abort nothing
    } else {
      commits.abort(start, writes);
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

  /** What scans of this transaction need to know of it. */
  ScanOwner scanOwner() {
    return scanOwner;
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
    managerIsOpen.run();
    if (state != State.ACTIVE && state != State.ROLLBACK_ONLY) {
      throw ended();
    }
  }

  private IllegalStateException ended() {
    return new IllegalStateException(name() + " has ended (" + state + "): begin a new one");
  }

  /** Runs a blocking method, unless another thread is within one. */
  <T> T exclusive(SingleThreadGuard.Blocking<T> body) throws IOException {
    return thread.run(body, this::name);
  }

  /** Keeps the scans' view of the transaction out of its public methods. */
  private final class Owner implements ScanOwner {
    @Override
    public boolean isOpen() {
      return Transaction.this.isOpen();
    }

    @Override
    public void checkOpen() {
      Transaction.this.checkOpen();
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
      return Transaction.this.exclusive(body);
    }
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
