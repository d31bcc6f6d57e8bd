package io.retso.hbase.cleanup;

import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.table.PreparedTable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Sends rows of many transactions in batches. A batch collects for a few milliseconds, unless it is
 * full: transactions that follow each other share its request and its write to the log, which would
 * otherwise delay those of the next transaction. Hence at most two batches are on their way, but
 * for those of regions that hang: a batch that is not done after half a second no longer counts as
 * one of the two, so that such regions keep no others waiting.
 *
 * <p>Its queue is bounded by the admission of the jobs ({@link CleanupAdmission}). Thread-safe.
 */
final class CleanupBatches {
  /** What follows when an attempt is over. */
  interface Ended {
    /**
     * Called once per task.
     *
     * @param sent when it was sent, by the nano clock
     * @param failure null if the row is cleaned up
     */
    void accept(CleanupJob.Task task, long sent, Throwable failure);
  }

  private static final int BATCH_ROWS_MAX = 2000;
  private static final int BATCHES_MAX = 2;

  /** Much longer than a batch takes, unless a region of it hangs. */
  private static final long BATCH_MILLIS = 500;

  private final long delayMillis;
  private final Ended ended;
  private final Deque<CleanupJob.Task> queue = new ArrayDeque<>();

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
   * Batches of rows.
   *
   * @param delayMillis how long a batch that is not full collects
   */
  CleanupBatches(long delayMillis, Ended ended) {
    this.delayMillis = delayMillis;
    this.ended = ended;
  }

  /** Takes tasks, to be sent soon; false if they never will be, as it was stopped. */
  boolean add(List<CleanupJob.Task> tasks) {
    synchronized (this) {
      if (stopped) {
        return false;
      }
      queue.addAll(tasks);
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

  /** Sends no more; the tasks that were not sent. */
  synchronized List<CleanupJob.Task> stop() {
    stopped = true;
    List<CleanupJob.Task> unsent = List.copyOf(queue);
    queue.clear();
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
    for (List<CleanupJob.Task> batch = next(); !batch.isEmpty(); batch = next()) {
      send(batch);
    }
  }

  /** The batch to be sent now; an empty one ends the loop, and whoever changes that begins anew. */
  private synchronized List<CleanupJob.Task> next() {
    List<CleanupJob.Task> batch = new ArrayList<>();
    boolean collects = !due && !closed && delayMillis > 0 && queue.size() < BATCH_ROWS_MAX;
    if (batches == BATCHES_MAX || queue.isEmpty() || collects) {
      if (batches < BATCHES_MAX && !queue.isEmpty() && !timer) {
        timer = true;
        CompletableFuture.delayedExecutor(delayMillis, TimeUnit.MILLISECONDS, Runnable::run)
            .execute(this::collected);
      }
      pumping = false;
      due = false;
      return batch;
    }
    batches++;
    while (batch.size() < BATCH_ROWS_MAX && !queue.isEmpty()) {
      batch.add(queue.poll());
    }
    return batch;
  }

  private void send(List<CleanupJob.Task> batch) {
    Map<PreparedTable, List<CleanupJob.Task>> tables = new LinkedHashMap<>();
    batch.forEach(
        task -> tables.computeIfAbsent(task.table(), table -> new ArrayList<>()).add(task));
    List<CompletableFuture<Void>> all = new ArrayList<>(batch.size());
    long now = System.nanoTime();
    tables.forEach(
        (table, tasks) -> {
          List<CleanupRequest> requests = tasks.stream().map(CleanupJob.Task::request).toList();
          List<CompletableFuture<Void>> sent =
              RowCleanup.sendWithShortTimeout(table, requests, () -> !isStopped());
          for (int i = 0; i < sent.size(); i++) {
            CleanupJob.Task task = tasks.get(i);
            all.add(
                sent.get(i)
                    .handle(
                        (done, failure) -> {
                          ended.accept(task, now, failure);
                          return null;
                        }));
          }
        });
    CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
        .completeOnTimeout(null, BATCH_MILLIS, TimeUnit.MILLISECONDS)
        .whenComplete(
            (done, failure) -> {
              synchronized (this) {
                batches--;
              }
              pump(false);
            });
  }
}
