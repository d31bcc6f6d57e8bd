package io.retso.hbase;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.ScanResultConsumer;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * A table within one transaction, with the interface of HBase's {@code AsyncTable}: reads come from
 * the transaction's snapshot and its own writes; writes are kept back until its own reads or the
 * commit need them, and are visible to no other transaction before. A get of columns that were all
 * just written, or deleted, is answered from what is kept back, with no request.
 *
 * <p><strong>What differs from HBase.</strong> A delete of the newest version of a cell deletes the
 * cell: a snapshot has one version of each. Lists are all or nothing; actions of a batch are
 * carried out in their order. Writes made while a scan is open may or may not be seen by it. What a
 * transaction cannot honour (timestamps, time ranges, several versions, TTLs, cell ACLs, weaker
 * durability, coprocessor calls...) is refused at the call with an {@link IllegalArgumentException}
 * or {@link UnsupportedOperationException} that says why; nothing is left of a refused call.
 *
 * <p><strong>Threads.</strong> Thread-safe; see {@link Transaction} for the order of operations.
 * Futures complete, and consumers are called, on threads of HBase's client mostly: do not block in
 * them ({@link TransactionManager}, "Callbacks"). Do not change what was passed in before the
 * future completes.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public interface AsyncTransactionalTable extends AsyncTable<ScanResultConsumer>, AsyncReadTable {
  @Override
  CompletableFuture<Boolean> exists(Get get);

  @Override
  List<CompletableFuture<Boolean>> exists(List<Get> gets);

  @Override
  CompletableFuture<List<Boolean>> existsAll(List<Get> gets);

  @Override
  CompletableFuture<List<Result>> getAll(List<Get> gets);

  @Override
  void scan(Scan scan, ScanResultConsumer consumer);

  @Override
  ResultScanner getScanner(Scan scan);

  /**
   * Reads a row, and counts what it looks at as written: if two concurrent transactions get it for
   * update or write it, one of them aborts at its commit. Nothing is written to HBase, and no
   * caller waits, unlike with {@code SELECT ... FOR UPDATE} of a database that locks.
   *
   * @param get in tables with conflicts by cell it names its columns, and these are protected
   * @throws IllegalArgumentException if it does not
   */
  CompletableFuture<Result> getForUpdate(Get get);

  /**
   * Reads a row, and aborts the transaction at its commit if another one has committed what it
   * looks at since this one began. No other is aborted because this one has read it: two that
   * validate the same do not conflict, and one that writes it later is not refused.
   *
   * @param get in tables with conflicts by cell it names its columns, and these are validated
   * @throws IllegalArgumentException if it does not
   */
  CompletableFuture<Result> getValidated(Get get);

  /**
   * Counts as written what {@link #getForUpdate} of the same get would, without a request: for
   * transactions that must not run beside each other though they write different rows.
   *
   * @throws IllegalArgumentException as that does
   */
  CompletableFuture<Void> addWriteConflict(Get of);

  /**
   * Aborts the transaction at its commit as {@link #getValidated} of the same get would, without a
   * request: for what was read {@link #untracked} before, or known otherwise.
   *
   * @throws IllegalArgumentException as that does
   */
  CompletableFuture<Void> addReadConflict(Get of);

  /** Deletes cells, columns, families or the row, so that older snapshots still see them. */
  @Override
  CompletableFuture<Void> delete(Delete delete);

  /**
   * Carries out the action if the condition holds in the transaction's snapshot. What was checked
   * is protected: in tables with conflicts by cell, the checked column (with a filter, the columns
   * that passed it) counts as written, so that two transactions cannot act on each other's
   * condition.
   */
  @Override
  CompletableFuture<CheckAndMutateResult> checkAndMutate(CheckAndMutate action);

  /**
   * Carries out actions of any kind in their order: {@code Result}s for gets, increments, appends
   * and row mutations, empty ones for puts and deletes, {@code CheckAndMutateResult}s for
   * conditional ones. All are checked first, so that a refused one leaves nothing behind. If one
   * fails at its turn, those before it are carried out, and their futures say so; those after it
   * are not, and fail with it.
   */
  @Override
  <T> List<CompletableFuture<T>> batch(List<? extends Row> actions);

  @Override
  default AsyncTable<ScanResultConsumer> asTable() {
    return this;
  }
}
