package io.retso.hbase.table;

import io.retso.hbase.errors.Failures;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.futures.Timers;
import io.retso.hbase.layout.DescriptorQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Row;

/**
 * Sends many actions to one table, so that HBase's client does not repeat for minutes what cannot
 * succeed:
 *
 * <ul>
 *   <li>Region servers may refuse requests with very many rows ({@code
 *       hbase.rpc.rows.size.threshold.reject}), and the client does not split them. So they leave
 *       in parts.
 *   <li>The client does not notice that a table is disabled or gone, unless it asks for a single
 *       row. So if a batch is not answered soon, such a question is asked beside it, again and
 *       again; it also tells whether the region has the coprocessor.
 * </ul>
 *
 * <p>All else ends with the time of an operation ({@link TableCatalog}). Stateless.
 */
public final class RowBatches {
  /** Of one request: far below what servers refuse, unless they were set so. */
  private static final int ROWS_MAX = 1_000;

  /** A batch that takes longer is asked about; and the time between two questions. */
  private static final long LOOK_MILLIS = 1_000;

  private RowBatches() {}

  /** So many rows may be in a request. */
  static int rowsMax(Configuration client) {
    int refused =
        client.getInt(
            HConstants.BATCH_ROWS_THRESHOLD_NAME, HConstants.BATCH_ROWS_THRESHOLD_DEFAULT);
    return Math.max(1, Math.min(ROWS_MAX, refused));
  }

  /**
   * Sends actions, in parts if need be.
   *
   * @param rows that HBase counts for one of them: its mutations
   * @param send returns one future for each action; it is called once for each part
   * @return their futures, in the order of the actions
   */
  public static <A, R> List<CompletableFuture<R>> inParts(
      AsyncTable<?> table,
      List<A> actions,
      int rows,
      Function<List<A>, List<CompletableFuture<R>>> send) {
    int max = Math.max(1, rowsMax(table.getConfiguration()) / rows);
    if (actions.size() <= max) {
      return send.apply(actions);
    }
    List<CompletableFuture<R>> answers = new ArrayList<>(actions.size());
    parts(actions, max).forEach(part -> answers.addAll(send.apply(part)));
    return answers;
  }

  private static <A> List<List<A>> parts(List<A> actions, int max) {
    List<List<A>> parts = new ArrayList<>();
    for (int from = 0; from < actions.size(); from += max) {
      parts.add(actions.subList(from, Math.min(actions.size(), from + max)));
    }
    return parts;
  }

  /** Sends gets or puts; their answers in their order. Fails if one of them does. */
  public static <R> CompletableFuture<List<R>> all(
      PreparedTable table, List<? extends Row> actions) {
    AsyncTable<?> raw = table.raw();
    int max = rowsMax(raw.getConfiguration());
    CompletableFuture<List<R>> answers =
        actions.size() <= max ? raw.<R>batchAll(actions).copy() : allInParts(raw, actions, max);
    look(table, actions.get(0).getRow(), answers);
    return answers;
  }

  private static <R> CompletableFuture<List<R>> allInParts(
      AsyncTable<?> raw, List<? extends Row> actions, int max) {
    List<CompletableFuture<List<R>>> sent = new ArrayList<>();
    parts(actions, max).forEach(part -> sent.add(raw.batchAll(part)));
    return Futures.all(sent)
        .thenApply(
            done -> {
              List<R> answers = new ArrayList<>(actions.size());
              sent.forEach(part -> answers.addAll(part.join()));
              return answers;
            });
  }

  /** Looks after a while whether the answers can come at all, until they are there. */
  private static void look(PreparedTable table, byte[] row, CompletableFuture<?> answers) {
    if (answers.isDone()) {
      return;
    }
    CompletableFuture<Void> patience = new CompletableFuture<>();
    answers.whenComplete((answer, failure) -> patience.cancel(false));
    Timers.completeAfter(patience, null, LOOK_MILLIS)
        .thenCompose(over -> table.shortTimeout().get(DescriptorQuery.query(row)))
        .whenComplete(
            (region, failure) -> {
              Throwable hopeless = hopeless(table, region, failure);
              if (hopeless != null) {
                answers.completeExceptionally(hopeless);
              } else {
                look(table, row, answers);
              }
            });
  }

  /** Why the table answers no request; null if it may. */
  private static Throwable hopeless(PreparedTable table, Result region, Throwable failure) {
    if (failure == null) {
      boolean isMissing = table.isServerReads() && !DescriptorQuery.isAnswer(region);
      return isMissing ? Failures.noCoprocessor(null) : null;
    }
    Throwable cause = Futures.unwrap(failure);
    return cause instanceof TableNotEnabledException || cause instanceof TableNotFoundException
        ? cause
        : null;
  }
}
