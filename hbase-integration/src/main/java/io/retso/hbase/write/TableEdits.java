package io.retso.hbase.write;

import io.retso.hbase.futures.Futures;
import io.retso.hbase.operation.OperationChecks;
import io.retso.hbase.table.PreparedTable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;

/**
 * Mutations of one table within one transaction: reads what they depend on, and buffers what they
 * come to. Each call is within an operation of the transaction, which keeps it apart from the
 * others.
 */
public final class TableEdits {
  /** How the transaction reads rows of the table, and sends what it has buffered. */
  public interface Access {
    /** The rows as the transaction sees them, its own writes included. */
    CompletableFuture<List<Result>> read(List<Get> gets);

    /** Sends all that is buffered; a failure has decided the transaction's fate already. */
    CompletableFuture<Void> sendAll();
  }

  private final long start;
  private final PreparedTable table;
  private final WriteBuffer writes;
  private final OperationChecks checks;
  private final Access access;

  public TableEdits(
      long start, PreparedTable table, WriteBuffer writes, OperationChecks checks, Access access) {
    this.start = start;
    this.table = table;
    this.writes = writes;
    this.checks = checks;
    this.access = access;
  }

  /** Carries out mutations of one row; what increments and appends return. */
  public CompletableFuture<Result> edit(byte[] row, List<? extends Mutation> mutations) {
    return edit(row, mutations, null);
  }

  /** Carries out mutations of any rows: all or none. */
  public CompletableFuture<Void> editAll(List<? extends Mutation> mutations) {
    return edit(mutations.stream().map(this::rowEdit).toList(), null).thenApply(results -> null);
  }

  private RowEdit rowEdit(Mutation mutation) {
    return new RowEdit(start, mutation.getRow(), List.of(mutation));
  }

  /**
   * Carries out the action if its condition holds. What was checked is protected: it counts as
   * written.
   */
  public CompletableFuture<CheckAndMutateResult> checkThenEdit(CheckAndMutate action) {
    RowCondition condition = new RowCondition(action);
    return access
        .read(List.of(condition.get()))
        .thenCompose(
            seen -> {
              if (!condition.holds(seen.get(0))) {
                return CompletableFuture.completedFuture(new CheckAndMutateResult(false, null));
              }
              Row then = action.getAction();
              List<? extends Mutation> mutations =
                  then instanceof RowMutations many
                      ? many.getMutations()
                      : List.of((Mutation) then);
              return edit(action.getRow(), mutations, checked(action, seen.get(0)))
                  .thenApply(r -> new CheckAndMutateResult(true, r.isEmpty() ? null : r));
            });
  }

  /** The column that was checked, or those that passed the filter; null if none did. */
  private static Get checked(CheckAndMutate action, Result seen) {
    Get checked = new Get(action.getRow());
    if (!action.hasFilter()) {
      return checked.addColumn(action.getFamily(), action.getQualifier());
    }
    for (Cell cell : seen.isEmpty() ? new Cell[0] : seen.rawCells()) {
      checked.addColumn(CellUtil.cloneFamily(cell), CellUtil.cloneQualifier(cell));
    }
    return seen.isEmpty() ? null : checked;
  }

  private CompletableFuture<Result> edit(
      byte[] row, List<? extends Mutation> mutations, Get checked) {
    return edit(List.of(new RowEdit(start, row, mutations)), checked)
        .thenApply(results -> results.get(0));
  }

  /** Reads what the edits need, all at once, carries them out, and buffers what they come to. */
  private CompletableFuture<List<Result>> edit(List<RowEdit> edits, Get checked) {
    List<Get> gets = edits.stream().map(RowEdit::needs).filter(Objects::nonNull).toList();
    CompletableFuture<List<Result>> buffered =
        Futures.then(
            access.read(gets),
            seen -> {
              List<Result> results = new ArrayList<>(edits.size());
              List<Cell> cells = new ArrayList<>(edits.size());
              Iterator<Result> rows = seen.iterator();
              for (RowEdit edit : edits) {
                Result row = edit.needs() == null ? Result.EMPTY_RESULT : rows.next();
                results.add(edit.apply(row, checks, cells));
              }
              writes.add(table, cells, checked);
              return results;
            });
    return buffered.thenCompose(
        results ->
            writes.isFull()
                ? access.sendAll().thenApply(done -> results)
                : CompletableFuture.completedFuture(results));
  }
}
