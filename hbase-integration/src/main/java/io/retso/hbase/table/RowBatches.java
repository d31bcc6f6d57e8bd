package io.retso.hbase.table;

import io.retso.hbase.failures.Failures;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.futures.Timers;
import io.retso.hbase.layout.DescriptorQuery;
import io.retso.hbase.trace.TraceContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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
 * <p>All else ends with the time of an operation ({@link TableCatalog}). Thread-safe.
 */
public final class RowBatches {
  /** Rows of one request: far below what servers refuse, unless they were set so. */
  private static final int ROWS_MAX = 1_000;

  /** Between two looks at the batches on their way; the second one asks about a batch. */
  private static final long LOOK_MILLIS = 1_000;

  private static final Set<Unanswered> UNANSWERED = ConcurrentHashMap.newKeySet();

  /** Whether a look at them is to come. */
  private static final AtomicBoolean TICKS = new AtomicBoolean();

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

  static <A> List<List<A>> parts(List<A> actions, int max) {
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
    if (!answers.isDone()) {
      Unanswered batch = new Unanswered(table, row, answers);
      UNANSWERED.add(batch);
      answers.whenComplete((answer, failure) -> UNANSWERED.remove(batch));
      tick();
    }
  }

  /**
   * One timer for all, and none while there is no batch: most are answered long before it runs. It
   * never stops while there is one, as a batch is added before this is called, and {@link #TICKS}
   * is reset before this is called again.
   */
  private static void tick() {
    if (!UNANSWERED.isEmpty() && TICKS.compareAndSet(false, true)) {
      Timers.after(LOOK_MILLIS, TimeUnit.MILLISECONDS, RowBatches::lookAtAll);
    }
  }

  private static void lookAtAll() {
    UNANSWERED.forEach(Unanswered::look);
    TICKS.set(false);
    tick();
  }

  /** A batch on its way. {@link #look} is called by one thread at a time. */
  private static final class Unanswered {
    private final PreparedTable table;
    private final byte[] row;
    private final CompletableFuture<?> answers;
    private final TraceContext trace = TraceContext.current();
    private boolean wasSeen;
    private volatile boolean isAskedAbout;

    Unanswered(PreparedTable table, byte[] row, CompletableFuture<?> answers) {
      this.table = table;
      this.row = row;
      this.answers = answers;
    }

    void look() {
      if (!wasSeen || isAskedAbout) {
        wasSeen = true; // so it has its time, however late it came before this look
        return;
      }
      isAskedAbout = true;
      Futures.begun(() -> trace.call(() -> table.shortTimeout().get(DescriptorQuery.query(row))))
          .whenComplete(
              (region, failure) -> {
                Throwable hopeless = hopeless(table, region, Futures.unwrap(failure));
                if (hopeless != null) {
                  answers.completeExceptionally(hopeless);
                }
                isAskedAbout = false;
              });
    }
  }

  /** Why the table answers no request; null if it may. */
  private static Throwable hopeless(PreparedTable table, Result region, Throwable failure) {
    if (failure == null) {
      boolean isMissing = table.isServerReads() && !DescriptorQuery.isAnswer(region);
      return isMissing ? Failures.noCoprocessor(null) : null;
    }
    return failure instanceof TableNotEnabledException || failure instanceof TableNotFoundException
        ? failure
        : null;
  }
}
