package io.retso.hbase.cleanup;

import static io.retso.hbase.cleanup.RowCleanup.inHalves;

import io.retso.hbase.futures.Futures;
import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.RawVersion;
import io.retso.hbase.layout.SettingsCheck;
import io.retso.hbase.trace.TraceContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RowMutations;

/**
 * Cleans up rows of a table with client reads, without a coprocessor.
 *
 * <p>A row is read and then changed, on condition that its mark is still the one that was read,
 * number included. If another client wrote or cleaned up in between, nothing changes: a moved cell
 * comes from the same read as the mark that vouches for it, and a cell that was written after the
 * read keeps its mark. Then the row counts as failed, and is tried again.
 *
 * <p>Cells that older delete markers hide are deleted, too, since such a marker may be dropped
 * before the cell. Without the mark it would count as committed then.
 *
 * <p>A row counts as failed, too, if the read did not show all cells of the transaction, or not its
 * mark, because the user may not see them ({@link HiddenCells}): a cell that was left behind
 * without a mark would count as committed. Such rows are left to those who see them whole.
 *
 * <p>Stateless.
 */
final class ClientRowCleanup {
  private ClientRowCleanup() {}

  /** See {@link RowCleanup#send}. */
  static List<CompletableFuture<Void>> send(
      AsyncTable<?> table,
      List<CleanupRequest> requests,
      long fingerprint,
      BooleanSupplier wanted) {
    List<CompletableFuture<Void>> outcomes = new ArrayList<>(requests.size());
    List<Get> gets = new ArrayList<>(requests.size());
    for (CleanupRequest request : requests) {
      outcomes.add(new CompletableFuture<>());
      gets.add(new Get(request.row()).setTimestamp(request.start()));
    }
    List<CompletableFuture<Result>> rows = inHalves(table, gets, 1, table::get);
    whenRead(
        rows,
        wanted,
        outcomes,
        () -> {
          List<CompletableFuture<Result>> whole = withHidden(table, requests, rows);
          whenRead(
              whole,
              wanted,
              outcomes,
              () -> mutate(table, requests, fingerprint, rows, whole, outcomes));
        });
    return outcomes;
  }

  private static void whenRead(
      List<CompletableFuture<Result>> rows,
      BooleanSupplier wanted,
      List<CompletableFuture<Void>> outcomes,
      Runnable next) {
    TraceContext.keep(Futures.all(rows))
        .whenComplete(
            (done, failure) -> {
              if (wanted.getAsBoolean()) {
                next.run();
              } else {
                IOException closed = new IOException("closed after the rows were read");
                outcomes.forEach(outcome -> outcome.completeExceptionally(closed));
              }
            });
  }

  /**
   * The rows read again, with the cells that delete markers hide; but for those without a mark. To
   * be asked after the first read was answered: then a batch that is missing here has changed the
   * number of the mark by the time of the mutation.
   */
  private static List<CompletableFuture<Result>> withHidden(
      AsyncTable<?> table, List<CleanupRequest> requests, List<CompletableFuture<Result>> rows) {
    List<CompletableFuture<Result>> whole = new ArrayList<>(rows);
    List<Get> gets = new ArrayList<>();
    List<Integer> indexes = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      CleanupRequest request = requests.get(i);
      if (!rows.get(i).isCompletedExceptionally() && mark(request, rows.get(i).join()) != null) {
        gets.add(RawVersion.get(request.row(), request.start()));
        indexes.add(i);
      }
    }
    List<CompletableFuture<Result>> answers = inHalves(table, gets, 1, table::get);
    for (int i = 0; i < indexes.size(); i++) {
      whole.set(indexes.get(i), answers.get(i));
    }
    return whole;
  }

  private static void mutate(
      AsyncTable<?> table,
      List<CleanupRequest> requests,
      long fingerprint,
      List<CompletableFuture<Result>> rows,
      List<CompletableFuture<Result>> whole,
      List<CompletableFuture<Void>> outcomes) {
    List<CheckAndMutate> mutations = new ArrayList<>();
    List<Integer> indexes = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      try {
        mutations.add(
            mutation(requests.get(i), fingerprint, rows.get(i).join(), whole.get(i).join()));
        indexes.add(i);
      } catch (IOException | RuntimeException e) {
        outcomes.get(i).completeExceptionally(Futures.unwrap(e));
      }
    }
    if (mutations.isEmpty()) {
      return;
    }
    var answers = inHalves(table, mutations, 2, table::checkAndMutate);
    for (int i = 0; i < indexes.size(); i++) {
      int index = indexes.get(i);
      CleanupRequest request = requests.get(index);
      boolean isMarked = mark(request, rows.get(index).join()) != null;
      CompletableFuture<Void> outcome = outcomes.get(index);
      answers
          .get(i)
          .whenComplete(
              (answer, failure) -> {
                if (failure != null) {
                  outcome.completeExceptionally(failure);
                } else if (answer.isSuccess() == isMarked) {
                  outcome.complete(null);
                } else {
                  outcome.completeExceptionally(new RowCleanup.NotAsRead(request));
                }
              });
    }
  }

  private static byte[] mark(CleanupRequest request, Result row) {
    return row.getValue(PendingWrite.family(), PendingWrite.qualifier(request.start()));
  }

  /**
   * What cleans the row up. If it seems to have no such mark: what succeeds if it has one; as long
   * as there is one, the transaction must not be reported as cleaned up.
   *
   * @param whole the row as it was read later, with what delete markers hide
   */
  private static CheckAndMutate mutation(
      CleanupRequest request, long fingerprint, Result row, Result whole) throws IOException {
    byte[] mark = mark(request, row);
    if (mark == null) {
      return HiddenCells.mark(request);
    }
    Put put = SettingsCheck.set(new Put(request.row()), fingerprint);
    Delete delete = SettingsCheck.set(new Delete(request.row()), fingerprint);
    Set<Cell> written = new TreeSet<>(CellComparator.getInstance());
    written.addAll(List.of(row.rawCells())); // the mark at least: without a cell it deletes the row
    Stream.of(whole.rawCells())
        .filter(cell -> RawVersion.isCell(cell, request.start()))
        .forEach(written::add);
    for (Cell cell : written) {
      delete.addColumn(CellUtil.cloneFamily(cell), CellUtil.cloneQualifier(cell), request.start());
    }
    for (Cell cell : row.rawCells()) {
      if (request.isCommitted() && !PendingWrite.isMark(cell)) {
        KeyValue moved = KeyValueUtil.copyToNewKeyValue(cell);
        moved.setTimestamp(CellVersion.committed(request.outcome()));
        put.add(moved);
      }
    }
    RowMutations both = new RowMutations(request.row(), 2);
    if (!put.isEmpty()) {
      both.add((Mutation) put);
    }
    both.add((Mutation) delete);
    return HiddenCells.noneAmong(request, row, mark).build(both);
  }
}
