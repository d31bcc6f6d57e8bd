package io.retso.hbase.cleanup;

import io.retso.client.CommitResult;
import io.retso.client.TransactionHandle;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.table.WrittenRows;
import io.retso.hbase.trace.TraceContext;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The cleanup of one transaction: its rows, and how many of them are left. Thread-safe. */
public final class CleanupJob {
  final TransactionHandle handle;
  final int size;

  /** What the application calls the transaction; may be empty. */
  private final String name;

  /** Completes when there is room for a job that waits for some, or the cleaner was closed. */
  final CompletableFuture<Void> admitted = new CompletableFuture<>();

  /** Where it was decided, or given up. */
  final TraceContext origin = TraceContext.current();

  private final List<WrittenRows> rows;
  private long outcome;

  /** By which the oracle proves it; 0 for none. */
  private long receipt;

  private int rowsLeft;
  private boolean failed;
  private int resolveAttempts;

  /**
   * A transaction to be cleaned up; nothing that it sent is on its way to HBase any more.
   *
   * @param name what the application calls it, for the log; may be empty
   * @param handle what the oracle knows it by
   * @param decided how it ended; null if that is not known: then the cleaner aborts it, or learns
   *     what was decided
   * @param rows all that may bear its mark, by table
   */
  public CleanupJob(
      String name, TransactionHandle handle, CommitResult decided, List<WrittenRows> rows) {
    this.name = name;
    this.handle = handle;
    resolved(decided);
    this.rows = rows;
    this.size = rows.stream().mapToInt(WrittenRows::size).sum();
    this.rowsLeft = size;
  }

  /** Its start timestamp. */
  long start() {
    return handle.startTimestamp();
  }

  /** An {@link Outcome}. */
  synchronized long outcome() {
    return outcome;
  }

  /** By which the oracle proves the outcome; 0 for none. */
  synchronized long receipt() {
    return receipt;
  }

  final synchronized void resolved(CommitResult decided) {
    if (decided != null) {
      outcome = decided.isCommitted() ? decided.commitTimestamp() : Outcome.ABORTED;
      receipt = decided.receipt();
    }
  }

  /** Counts an attempt to learn the outcome that failed; how many did so far. */
  synchronized int resolveFailed() {
    return ++resolveAttempts;
  }

  /** The first attempts at all its rows. */
  List<CleanupPart> parts() {
    return rows.stream().map(ofTable -> new CleanupPart(this, ofTable)).toList();
  }

  /** Nothing more is done about so many of its rows; true if they were the last ones. */
  synchronized boolean rowsDone(int count, boolean haveFailed) {
    failed |= haveFailed;
    rowsLeft -= count;
    return rowsLeft == 0;
  }

  /** Whether a row was left to others: then the transaction must not be reported. */
  synchronized boolean hasFailed() {
    return failed;
  }

  /** As messages of {@link io.retso.hbase.errors.TransactionException} name it. */
  @Override
  public String toString() {
    return (name.isEmpty() ? "" : "[" + name + "] ") + "transaction " + start();
  }
}
