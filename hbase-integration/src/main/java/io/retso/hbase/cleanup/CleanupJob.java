package io.retso.hbase.cleanup;

import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.table.PreparedTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;

/** The cleanup of one transaction: its rows, and how many of them are left. Thread-safe. */
public final class CleanupJob {
  /** One row to be cleaned up; {@code begun} is when its first attempt was, by the nano clock. */
  record Task(CleanupJob job, PreparedTable table, byte[] row, int batch, int attempt, long begun) {
    /** The next attempt, after this one was sent at {@code sent}. */
    Task again(long sent) {
      return new Task(job, table, row, batch, attempt + 1, attempt == 1 ? sent : begun);
    }

    CleanupRequest request() {
      return new CleanupRequest(row, job.start, job.outcome(), batch);
    }
  }

  final long start;
  final int size;

  /** What the application calls the transaction; may be empty. */
  private final String name;

  /** Of a job that waits for room: completes when there is some, or the cleaner was closed. */
  final CompletableFuture<Void> admitted = new CompletableFuture<>();

  private final Map<PreparedTable, SortedMap<byte[], Integer>> rows;
  private long outcome;
  private int rowsLeft;
  private boolean failed;
  private int resolveAttempts;

  /**
   * A transaction to be cleaned up; nothing that it sent is on its way to HBase any more.
   *
   * @param name what the application calls it, for the log; may be empty
   * @param start its start timestamp
   * @param outcome its commit timestamp or {@link CleanupRequest#ABORTED}; 0 lets the cleaner abort
   *     it, or learn what was decided
   * @param rows all that may bear its mark, each with the number of the only batch that wrote it,
   *     or 0
   */
  public CleanupJob(
      String name, long start, long outcome, Map<PreparedTable, SortedMap<byte[], Integer>> rows) {
    this.name = name;
    this.start = start;
    this.outcome = outcome;
    this.rows = rows;
    this.size = rows.values().stream().mapToInt(SortedMap::size).sum();
    this.rowsLeft = size;
  }

  /** Commit timestamp or ABORTED; 0 while it is not known. */
  synchronized long outcome() {
    return outcome;
  }

  synchronized void resolved(long decided) {
    outcome = decided;
  }

  /** Counts an attempt to learn the outcome that failed; how many did so far. */
  synchronized int resolveFailed() {
    return ++resolveAttempts;
  }

  /** The first attempts of all its rows. */
  List<Task> tasks() {
    List<Task> tasks = new ArrayList<>(size);
    rows.forEach(
        (table, ofTable) ->
            ofTable.forEach((row, batch) -> tasks.add(new Task(this, table, row, batch, 1, 0))));
    return tasks;
  }

  /** Nothing more is done about one of its rows; true if it was the last one. */
  synchronized boolean rowDone(boolean rowFailed) {
    failed |= rowFailed;
    return --rowsLeft == 0;
  }

  /** Whether a row was left to others: then the transaction must not be reported. */
  synchronized boolean hasFailed() {
    return failed;
  }

  /** As messages of {@link io.retso.hbase.errors.TransactionException} name it. */
  @Override
  public String toString() {
    return (name.isEmpty() ? "" : "[" + name + "] ") + "transaction " + start;
  }
}
