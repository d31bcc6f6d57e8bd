package io.retso.hbase.transaction;

import io.retso.hbase.TransactionOptions;
import io.retso.hbase.errors.Failures;
import io.retso.hbase.errors.RollbackOnlyException;
import io.retso.hbase.errors.TransactionException;
import io.retso.hbase.operation.OperationQueue;
import io.retso.hbase.operation.SingleThreadGuard;
import io.retso.hbase.read.ReadSet;
import io.retso.hbase.read.ScanOwner;
import io.retso.hbase.read.Snapshot;
import io.retso.hbase.read.WaitingScanners;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.write.WriteBuffer;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Scan;

/**
 * One transaction: its operations, what they read and write, and its {@link #life}. {@link
 * HBaseTransaction} and {@link HBaseReadTransaction} are what applications see of it. Thread-safe.
 */
final class TransactionCore {
  /** What all transactions of a manager share. */
  interface Shared extends Lifecycle.Shared {
    /** The table, for use in the transaction; fails if it is not prepared. */
    CompletableFuture<HBaseAsyncTransactionalTable> table(TransactionCore tx, TableName name);
  }

  private final Begun tx;
  private final Shared shared;
  final OperationQueue operations = new OperationQueue(); // not private: tests look at it
  private final WaitingScanners scanners = new WaitingScanners();
  private final ScanOwner scanOwner = new Owner();
  private final Lifecycle life;

  /** Of the tables that it was given: all that it does in one must go by the same settings. */
  private final ConcurrentMap<TableName, Long> fingerprints = new ConcurrentHashMap<>(2);

  /** A transaction that has begun. */
  TransactionCore(Begun tx, Shared shared) {
    this.tx = tx;
    this.shared = shared;
    this.life = new Lifecycle(tx, shared, operations, scanners);
  }

  /** Where it stands, and how it ends. */
  Lifecycle life() {
    return life;
  }

  TransactionOptions options() {
    return tx.options();
  }

  /** What it reads. */
  Snapshot snapshot() {
    return tx.snapshot();
  }

  /** What is to be certified of it. */
  ReadSet reads() {
    return tx.reads();
  }

  /** Refuses what only transactions can do that may write. */
  void requireWriter() {
    life.requireWriter();
  }

  /** Its start timestamp, the version of its writes; 0 if it has none of its own. */
  long version() {
    return tx.start();
  }

  WriteBuffer writes() {
    return tx.writes();
  }

  /** What scans of this transaction need to know of it. */
  ScanOwner scanOwner() {
    return scanOwner;
  }

  CompletableFuture<Long> readTimestamp() {
    long known = tx.snapshot().timestampNow();
    if (known != 0) {
      return CompletableFuture.completedFuture(known);
    }
    TransactionException refused = life.checkUsable();
    return refused != null ? Failures.failed(refused) : tx.named(tx.snapshot().timestamp());
  }

  CompletableFuture<HBaseAsyncTransactionalTable> table(TableName name) {
    TransactionException refused = life.checkUsable();
    return refused != null ? Failures.failed(refused) : shared.table(this, name);
  }

  /** Whether a table still has the settings by which this transaction has used it, if it has. */
  boolean goesBy(PreparedTable table) {
    Long before = fingerprints.putIfAbsent(table.name(), table.fingerprint());
    return before == null || before == table.fingerprint();
  }

  /**
   * Runs an operation after the writes that were called before it.
   *
   * @param isWrite whether those that are called after it wait for it
   * @param isHeld whether the application gets the future: then it is to wait for it before the
   *     commit. The commit itself waits for others
   */
  <T> CompletableFuture<T> run(
      boolean isWrite, boolean isHeld, Supplier<CompletableFuture<T>> operation) {
    TransactionException refused = life.checkOperation(isWrite);
    return refused != null
        ? Failures.failed(refused)
        : tx.named(operations.submit(isWrite, isHeld, () -> unlessEnded(operation)));
  }

  /**
   * It may have ended since the operation was called. From now on the operation is outstanding, so
   * that no commit begins before its answer: what it reads is certified.
   */
  private <T> CompletableFuture<T> unlessEnded(Supplier<CompletableFuture<T>> operation) {
    TransactionException ended = life.checkUsable();
    return ended == null ? operation.get() : Failures.failed(ended);
  }

  /** A write could not be sent; the transaction cannot commit any more. */
  RollbackOnlyException writeFailed(Throwable cause) {
    return life.writeFailed(cause);
  }

  /** Runs a blocking method, unless another thread is within one. */
  <T> T exclusive(SingleThreadGuard.Blocking<T> body) throws IOException {
    return life.exclusive(body);
  }

  /** What a scan knows of its transaction. */
  private final class Owner implements ScanOwner {
    @Override
    public boolean isOpen() {
      return life.isOpen();
    }

    @Override
    public void checkOpen() throws TransactionException {
      TransactionException refused = life.checkUsable();
      if (refused != null) {
        throw refused;
      }
    }

    @Override
    public Exception ended() {
      return life.endOfScans();
    }

    @Override
    public boolean hasSent(PreparedTable table, Scan scan) {
      return tx.writes().hasSent(table, scan);
    }

    @Override
    public WaitingScanners waiting() {
      return scanners;
    }

    @Override
    public <T> T exclusive(SingleThreadGuard.Blocking<T> body) throws IOException {
      return life.exclusive(body);
    }
  }

  @Override
  public String toString() {
    String label = tx.options().name().isEmpty() ? "" : "[" + tx.options().name() + "] ";
    String name =
        tx.snapshot().timestampNow() == 0 ? "a transaction without a timestamp" : tx.label();
    return label + name + " (" + life.state() + ")";
  }
}
