package io.retso.hbase.cleanup;

import io.retso.hbase.failures.Failures;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.table.RowBatches;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.Put;

/**
 * Cleans up rows of one table after decided transactions; docs/protocol.md, "Cleanup of one row".
 * The rows of a region server travel in one request, and its regions do the work; with client reads
 * {@link ClientRowCleanup} does.
 *
 * <p>Stateless.
 */
public final class RowCleanup {
  /** The row was changed while it was being cleaned up, or this user was not shown all of it. */
  public static final class NotAsRead extends IOException {
    private static final long serialVersionUID = 1L;

    NotAsRead(CleanupRequest request) {
      super(
          request
              + ": the row was written or cleaned up by another in between, or this user may not"
              + " see all of its cells");
    }
  }

  /** A row that could not be cleaned up, and why. */
  public record Failed(CleanupRequest request, IOException reason) {}

  private static final int ATTEMPTS = 3;

  private RowCleanup() {}

  /**
   * Cleans up rows, waits until that is done, and tries again what has failed: a row fails if its
   * own client cleans it up at the same time, and the next attempt finds it so.
   *
   * @return rows that failed three times: their marks may still be there
   */
  public static List<Failed> repeated(PreparedTable table, List<CleanupRequest> requests) {
    List<CleanupRequest> left = requests;
    List<Failed> failed = List.of();
    for (int attempt = 0; attempt < ATTEMPTS && !left.isEmpty(); attempt++) {
      List<CompletableFuture<Void>> sent = send(table, left);
      failed = new ArrayList<>();
      for (int i = 0; i < sent.size(); i++) {
        try {
          Futures.await(sent.get(i));
        } catch (IOException e) {
          failed.add(new Failed(left.get(i), e));
        }
      }
      left = failed.stream().map(Failed::request).toList();
    }
    return failed;
  }

  /** Sends the requests; one future each, which fails if the mark may still be there. */
  public static List<CompletableFuture<Void>> send(
      PreparedTable table, List<CleanupRequest> requests) {
    return send(table, table.raw(), requests, () -> true);
  }

  /**
   * Sends the requests.
   *
   * @param table HBase's own, whose time limits count
   * @param wanted whether requests that follow from the answers to others are still to be sent
   */
  static List<CompletableFuture<Void>> send(
      PreparedTable prepared,
      AsyncTable<?> table,
      List<CleanupRequest> requests,
      BooleanSupplier wanted) {
    return prepared.isServerReads()
        ? toRegions(table, requests, prepared.fingerprint())
        : ClientRowCleanup.send(table, requests, prepared.fingerprint(), wanted);
  }

  private static List<CompletableFuture<Void>> toRegions(
      AsyncTable<?> table, List<CleanupRequest> requests, long fingerprint) {
    List<Put> puts = requests.stream().map(request -> request.toPut(fingerprint)).toList();
    return inHalves(table, puts, 1, table::<Object>batch).stream()
        .map(answer -> answer.thenCompose(RowCleanup::done))
        .toList();
  }

  /** A region without the coprocessor takes the request for a put, and says that it is done. */
  private static CompletableFuture<Void> done(Object answer) {
    return CleanupRequest.isDone(answer)
        ? CompletableFuture.completedFuture(null)
        : Futures.failed(Failures.noCoprocessor(null));
  }

  /**
   * Sends actions, in parts of so many rows that region servers take them ({@link
   * RowBatches#inParts}), and never throws. HBase's client refuses them all for the sake of one
   * that has a cell over the client's limit, which the writer's may have been above: so they are
   * halved until that one is alone.
   */
  static <A, R> List<CompletableFuture<R>> inHalves(
      AsyncTable<?> table,
      List<A> actions,
      int rows,
      Function<List<A>, List<CompletableFuture<R>>> send) {
    return RowBatches.inParts(table, actions, rows, part -> inHalves(part, send));
  }

  private static <A, R> List<CompletableFuture<R>> inHalves(
      List<A> actions, Function<List<A>, List<CompletableFuture<R>>> send) {
    try {
      return send.apply(actions);
    } catch (RuntimeException e) {
      if (actions.size() == 1) {
        return List.of(
            Futures.failed(
                new IOException(
                    "HBase's client does not send it ("
                        + ErrorText.of(e)
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
}
