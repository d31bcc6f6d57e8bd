package io.retso.hbase.cleanup;

import io.retso.hbase.futures.Futures;
import io.retso.hbase.futures.Timers;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.trace.BackgroundTrace;
import io.retso.hbase.trace.Tracing;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Sends rows of many transactions in batches: those of tables whose regions adopt outcomes by a
 * list for each region, others by a request for each row. A batch collects for the delay of the
 * cleanup, unless it is full: transactions that follow each other share its request and its write
 * to the log, which would otherwise delay those of the next transaction. Hence at most two batches
 * are on their way, but for those of regions that hang: a batch that is not done after half a
 * second no longer counts as one of the two, so that such regions keep no others waiting.
 *
 * <p>Its queue is bounded by the admission of the jobs ({@link CleanupAdmission}). Thread-safe.
 */
final class CleanupBatches {
  /** Requests for rows, and entries of lists. */
  private static final int BATCH_WEIGHT_MAX = 2000;

  private static final int BATCHES_MAX = 2;

  /** Much longer than a batch takes, unless a region of it hangs. */
  private static final long BATCH_MILLIS = 500;

  private final long delayMillis;
  private final CleanupAnswers answers;
  private final Tracing tracing;
  private final Deque<CleanupPart> queue = new ArrayDeque<>();

  /** The weight of the parts in the queue. */
  private int weight;

  /** Batches on their way, but for those that took too long. */
  private int batches;

  /** Whether {@link #collected} is about to be called. */
  private boolean timer;

  /** Whether a thread is in the loop of {@link #pump}. */
  private boolean pumping;

  /** Whether that loop may send batches that are not full. */
  private boolean due;

  /** Whether batches collect no more. */
  private boolean closed;

  /** Whether nothing is sent any more. */
  private boolean stopped;

  /**
   * Batches of many transactions.
   *
   * @param delayMillis how long a batch that is not full collects
   */
  CleanupBatches(long delayMillis, CleanupAnswers answers, Tracing tracing) {
    this.delayMillis = delayMillis;
    this.answers = answers;
    this.tracing = tracing;
  }

  /** Takes parts, to be sent soon; false if they never will be, as it was stopped. */
  boolean add(List<CleanupPart> parts) {
    synchronized (this) {
      if (stopped) {
        return false;
      }
      for (CleanupPart part : parts) {
        queue.add(part);
        weight += part.weight();
      }
    }
    pump(false);
    return true;
  }

  /** From now on batches leave at once, those that collect included. */
  void close() {
    synchronized (this) {
      closed = true;
    }
    pump(true);
  }

  /** Sends no more; the parts that were not sent. */
  synchronized List<CleanupPart> stop() {
    stopped = true;
    List<CleanupPart> unsent = List.copyOf(queue);
    queue.clear();
    weight = 0;
    return unsent;
  }

  synchronized boolean isStopped() {
    return stopped;
  }

  private void collected() {
    synchronized (this) {
      timer = false;
    }
    pump(true);
  }

  /**
   * Sends batches as long as it may; those that are not full only if they are due.
   *
   * <p>By one thread at a time, in one loop. Others have it go on: above all batches that end while
   * they are being sent, as they do when HBase's connection fails, each of which would otherwise
   * send the next one from deeper in the stack.
   */
  private void pump(boolean isDue) {
    synchronized (this) {
      due |= isDue;
      if (pumping) {
        return;
      }
      pumping = true;
    }
    for (List<CleanupPart> batch = next(); !batch.isEmpty(); batch = next()) {
      send(batch);
    }
  }

  /** The batch to be sent now; an empty one ends the loop, and a change of that begins it anew. */
  private synchronized List<CleanupPart> next() {
    List<CleanupPart> batch = new ArrayList<>();
    boolean collects = !due && !closed && delayMillis > 0 && weight < BATCH_WEIGHT_MAX;
    if (batches == BATCHES_MAX || queue.isEmpty() || collects) {
      if (batches < BATCHES_MAX && !queue.isEmpty() && !timer) {
        timer = true;
        Timers.after(delayMillis, TimeUnit.MILLISECONDS, this::collected);
      }
      pumping = false;
      due = false;
      return batch;
    }
    batches++;
    int room = BATCH_WEIGHT_MAX;
    while (room > 0 && !queue.isEmpty()) {
      CleanupPart part = queue.poll();
      if (part.weight() > room) {
        queue.push(part.slice(part.from() + room, part.to()));
        part = part.slice(part.from(), part.from() + room);
      }
      batch.add(part);
      room -= part.weight();
    }
    weight -= BATCH_WEIGHT_MAX - room;
    return batch;
  }

  private void send(List<CleanupPart> batch) {
    int size = batch.stream().mapToInt(CleanupPart::size).sum();
    BackgroundTrace trace =
        tracing.cleanup(size, () -> batch.stream().map(part -> part.job().origin));
    Timers.completeAfter(trace.context().call(() -> sent(batch)), null, BATCH_MILLIS)
        .whenComplete(
            (done, failure) -> {
              trace.end(failure);
              synchronized (this) {
                batches--;
              }
              pump(false);
            });
  }

  /** Completes when all is answered or has failed. */
  private CompletableFuture<Void> sent(List<CleanupPart> batch) {
    Map<PreparedTable, List<CleanupPart>> adoptions = new LinkedHashMap<>();
    Map<PreparedTable, List<CleanupPart>> rows = new LinkedHashMap<>();
    for (CleanupPart part : batch) {
      (part.byRows() ? rows : adoptions)
          .computeIfAbsent(part.table(), table -> new ArrayList<>())
          .add(part);
    }
    List<CompletableFuture<Void>> all = new ArrayList<>();
    BooleanSupplier wanted = () -> !isStopped();
    adoptions.forEach(
        (table, parts) -> all.add(TableAdoptions.send(table, parts, wanted, answers)));
    rows.forEach((table, parts) -> all.addAll(sendRows(table, parts, wanted)));
    return Futures.all(all);
  }

  /** Sends a request for each row; never throws. */
  private List<CompletableFuture<Void>> sendRows(
      PreparedTable table, List<CleanupPart> parts, BooleanSupplier wanted) {
    List<CleanupPart> rows = new ArrayList<>();
    List<CleanupRequest> requests = new ArrayList<>();
    for (CleanupPart part : parts) {
      for (int i = part.from(); i < part.to(); i++) {
        rows.add(part.slice(i, i + 1));
        requests.add(part.request(i));
      }
    }
    long now = answers.nanoTime();
    List<CompletableFuture<Void>> sent;
    try {
      sent = RowCleanup.send(table, table.shortTimeout(), requests, wanted);
    } catch (RuntimeException | Error e) { // it is an attempt that has failed
      sent = requests.stream().map(request -> Futures.<Void>failed(e)).toList();
    }
    List<CompletableFuture<Void>> ended = new ArrayList<>(sent.size());
    for (int i = 0; i < sent.size(); i++) {
      CleanupPart row = rows.get(i);
      ended.add(
          sent.get(i)
              .handle(
                  (done, failure) -> {
                    answers.ended(row, now, failure);
                    return null;
                  }));
    }
    return ended;
  }
}
