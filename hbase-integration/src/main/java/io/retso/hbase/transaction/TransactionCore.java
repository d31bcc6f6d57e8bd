package io.retso.hbase.transaction;

import io.retso.hbase.errors.TransactionException;
import io.retso.hbase.failures.Failures;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.operation.OperationChecks;
import io.retso.hbase.operation.OperationQueue;
import io.retso.hbase.table.PreparedTable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.TableName;

/**
 * One transaction and its operations. {@link HBaseTransaction} and {@link HBaseReadTransaction} are
 * what applications see of it. Thread-safe.
 */
final class TransactionCore {
  /** What it reads and writes. */
  final Begun begun;

  /** Where it stands, and how it ends. */
  final Lifecycle life;

  final OperationQueue operations = new OperationQueue(); // not private: tests look at it
  private final Shared shared;

  /**
   * Those of the tables that it was given: all that it does in one must go by the same settings.
   */
  private final ConcurrentMap<TableName, Long> fingerprints = new ConcurrentHashMap<>(2);

  TransactionCore(Begun begun, Shared shared) {
    this.begun = begun;
    this.shared = shared;
    this.life = new Lifecycle(begun, shared, operations);
  }

  CompletableFuture<Long> readTimestamp() {
    long known = begun.snapshot().timestampNow();
    return known != 0
        ? CompletableFuture.completedFuture(known)
        : begun.named(begun.trace().called(() -> unlessEnded(begun.snapshot()::timestamp)).get());
  }

  /** The table, for use in the transaction; fails if it is not prepared. */
  CompletableFuture<HBaseAsyncTransactionalTable> table(TableName name) {
    return begun.trace().called(() -> unlessEnded(() -> found(name))).get();
  }

  private CompletableFuture<HBaseAsyncTransactionalTable> found(TableName name) {
    return shared
        .tables()
        .find(name)
        .thenCompose(
            table ->
                goesBy(table)
                    ? CompletableFuture.completedFuture(used(table))
                    : Futures.failed(Failures.tableChanged(begun.start(), "table " + name, null)));
  }

  /** Whether a table still has the settings by which this transaction has used it, if it has. */
  private boolean goesBy(PreparedTable table) {
    Long before = fingerprints.putIfAbsent(table.name(), table.fingerprint());
    return before == null || before == table.fingerprint();
  }

  /** The table within the transaction, whatever is prepared about it. */
  HBaseAsyncTransactionalTable used(PreparedTable table) {
    OperationChecks checks = new OperationChecks(table, shared.tables());
    return new HBaseAsyncTransactionalTable(this, table, checks, shared.readers().of(table));
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
        ? Futures.failed(refused)
        : begun.named(
            operations.submit(isWrite, isHeld, begun.trace().called(() -> unlessEnded(operation))));
  }

  /**
   * It may have ended since an operation was called. From now on that is outstanding, so that no
   * commit begins before its answer: what it reads is certified.
   */
  private <T> CompletableFuture<T> unlessEnded(Supplier<CompletableFuture<T>> operation) {
    TransactionException ended = life.checkUsable();
    return ended == null ? operation.get() : Futures.failed(ended);
  }

  @Override
  public String toString() {
    String name = begun.options().name();
    return (name.isEmpty() ? "" : "[" + name + "] ")
        + (begun.snapshot().timestampNow() == 0
            ? "a transaction without a timestamp"
            : begun.label())
        + (" (" + life.state() + ")");
  }
}
