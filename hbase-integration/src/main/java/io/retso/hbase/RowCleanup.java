package io.retso.hbase;

import io.retso.hbase.data.CellVersion;
import io.retso.hbase.data.CleanupRequest;
import io.retso.hbase.data.PendingWrite;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
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
 * Cleans up rows of one table after decided transactions; docs/hbase.md, "Cleanup of one row". The
 * rows of a region server travel in one request.
 *
 * <p>Without a coprocessor a row is read and then changed, on condition that its mark is still the
 * one that was read, number included. If somebody wrote or cleaned up in between, nothing changes:
 * a moved cell comes from the same read as the mark that vouches for it, and a cell that was
 * written after the read keeps its mark. Then the row counts as failed, and is tried again.
 *
 * <p>Stateless.
 */
final class RowCleanup {
  /** The mark of a row was put again while the row was being cleaned up. */
  static final class MarkChanged extends IOException {
    private static final long serialVersionUID = 1L;

    MarkChanged(CleanupRequest request) {
      super(request + ": the row was written or cleaned up by another in between");
    }
  }

  private RowCleanup() {}

  /** Sends the requests; one future each, which fails if the mark may still be there. */
  static List<CompletableFuture<Void>> send(PreparedTable table, List<CleanupRequest> requests) {
    return send(table.isServerReads(), table.raw(), requests);
  }

  /** The same; they fail after seconds without an answer. */
  static List<CompletableFuture<Void>> sendHasty(
      PreparedTable table, List<CleanupRequest> requests) {
    return send(table.isServerReads(), table.hasty(), requests);
  }

  private static List<CompletableFuture<Void>> send(
      boolean byServers, AsyncTable<?> table, List<CleanupRequest> requests) {
    return byServers ? byServers(table, requests) : byClient(table, requests);
  }

  private static List<CompletableFuture<Void>> byServers(
      AsyncTable<?> table, List<CleanupRequest> requests) {
    List<Put> puts = requests.stream().map(CleanupRequest::toPut).toList();
    return inHalves(puts, table::<Object>batch).stream()
        .map(done -> done.<Void>thenApply(result -> null))
        .toList();
  }

  private static List<CompletableFuture<Void>> byClient(
      AsyncTable<?> table, List<CleanupRequest> requests) {
    List<CompletableFuture<Void>> outcomes = new ArrayList<>(requests.size());
    List<Get> gets = new ArrayList<>(requests.size());
    for (CleanupRequest request : requests) {
      outcomes.add(new CompletableFuture<>());
      gets.add(new Get(request.row()).setTimestamp(request.start()));
    }
    List<CompletableFuture<Result>> rows = inHalves(gets, table::get);
    CompletableFuture.allOf(rows.toArray(CompletableFuture<?>[]::new))
        .whenComplete((done, failure) -> mutate(table, requests, rows, outcomes));
    return outcomes;
  }

  private static void mutate(
      AsyncTable<?> table,
      List<CleanupRequest> requests,
      List<CompletableFuture<Result>> rows,
      List<CompletableFuture<Void>> outcomes) {
    List<CheckAndMutate> mutations = new ArrayList<>();
    List<Integer> indexes = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      CompletableFuture<Void> outcome = outcomes.get(i);
      try {
        CheckAndMutate mutation = mutation(requests.get(i), rows.get(i).join());
        if (mutation == null) {
          outcome.complete(null);
        } else {
          mutations.add(mutation);
          indexes.add(i);
        }
      } catch (IOException | RuntimeException e) {
        outcome.completeExceptionally(Failures.unwrap(e));
      }
    }
    if (mutations.isEmpty()) {
      return;
    }
    var answers = inHalves(mutations, table::checkAndMutate);
    for (int i = 0; i < indexes.size(); i++) {
      int index = indexes.get(i);
      answers
          .get(i)
          .whenComplete(
              (answer, failure) -> {
                if (failure != null) {
                  outcomes.get(index).completeExceptionally(failure);
                } else if (answer.isSuccess()) {
                  outcomes.get(index).complete(null);
                } else {
                  outcomes.get(index).completeExceptionally(new MarkChanged(requests.get(index)));
                }
              });
    }
  }

  /**
   * Sends actions, and never throws. HBase's client refuses them all for the sake of one that has a
   * cell over the client's limit, which the writer's may have been above: so they are halved until
   * that one is alone.
   */
  private static <A, R> List<CompletableFuture<R>> inHalves(
      List<A> actions, Function<List<A>, List<CompletableFuture<R>>> send) {
    try {
      return send.apply(actions);
    } catch (RuntimeException e) {
      if (actions.size() == 1) {
        return List.of(
            Failures.failed(
                new IOException(
                    "HBase's client does not send it ("
                        + e.getMessage()
                        + "): is its hbase.client.keyvalue.maxsize smaller than the writer's?",
                    e)));
      }
      int half = actions.size() / 2;
      List<CompletableFuture<R>> answers = new ArrayList<>(actions.size());
      answers.addAll(inHalves(actions.subList(0, half), send));
      answers.addAll(inHalves(actions.subList(half, actions.size()), send));
      return answers;
    }
  }

  /** What cleans the row up, or null if it has no such mark: then it has been cleaned up. */
  private static CheckAndMutate mutation(CleanupRequest request, Result row) throws IOException {
    byte[] qualifier = PendingWrite.qualifier(request.start());
    byte[] mark = row.getValue(PendingWrite.family(), qualifier);
    if (mark == null) {
      return null;
    }
    Put put = new Put(request.row());
    Delete delete = new Delete(request.row());
    for (Cell cell : row.rawCells()) {
      delete.addColumn(CellUtil.cloneFamily(cell), CellUtil.cloneQualifier(cell), request.start());
      if (request.isCommitted() && !PendingWrite.isMark(cell)) {
        KeyValue moved = KeyValueUtil.copyToNewKeyValue(cell);
        moved.setTimestamp(CellVersion.committed(request.commitTimestamp()));
        put.add(moved);
      }
    }
    RowMutations both = new RowMutations(request.row(), 2);
    if (!put.isEmpty()) {
      both.add((Mutation) put);
    }
    both.add((Mutation) delete);
    return CheckAndMutate.newBuilder(request.row())
        .ifMatches(PendingWrite.family(), qualifier, CompareOperator.EQUAL, mark)
        .build(both);
  }
}
