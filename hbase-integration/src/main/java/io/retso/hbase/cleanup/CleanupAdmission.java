package io.retso.hbase.cleanup;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The bound of the rows that wait for cleanup, and the jobs that wait for room, in their order.
 * Calls no other object while it holds its lock. Thread-safe.
 */
final class CleanupAdmission {
  /** What becomes of a job that is offered. */
  enum Answer {
    /** It is to be begun. */
    ADMITTED,
    /** {@link #finished} admits it later, or {@link #stop} returns it. */
    WAITS,
    /** There is no room, and it may not wait. */
    FULL,
    CLOSED
  }

  private final long rowsMax;
  private final Deque<CleanupJob> waiting = new ArrayDeque<>();

  /** Rows of all jobs that were admitted and are not finished. */
  private long rows;

  /** Jobs that were admitted, or wait for it, and are not finished. */
  private long jobs;

  private boolean closed;

  /** Since it was closed, no job is left. */
  private final CompletableFuture<Void> drained = new CompletableFuture<>();

  CleanupAdmission(long rowsMax) {
    this.rowsMax = rowsMax;
  }

  synchronized Answer offer(CleanupJob job, boolean mayWait) {
    if (closed) {
      return Answer.CLOSED;
    }
    // Those that wait come first: small ones that fit could keep a large one waiting for ever.
    boolean mustWait = !waiting.isEmpty() || isFull(job);
    if (mustWait && !mayWait) {
      return Answer.FULL;
    }
    jobs++;
    if (mustWait) {
      waiting.add(job);
      return Answer.WAITS;
    }
    rows += job.size;
    return Answer.ADMITTED;
  }

  /** One that is larger than the limit goes alone. */
  private boolean isFull(CleanupJob job) {
    return rows > 0 && rows + job.size > rowsMax;
  }

  /** An admitted job is over; those that are admitted in its place are to be begun. */
  List<CleanupJob> finished(CleanupJob job) {
    List<CleanupJob> admitted = new ArrayList<>();
    boolean empty;
    synchronized (this) {
      rows -= job.size;
      jobs--;
      while (!waiting.isEmpty() && !isFull(waiting.peek())) {
        CleanupJob next = waiting.poll();
        rows += next.size;
        admitted.add(next);
      }
      empty = closed && jobs == 0;
    }
    if (empty) {
      drained.complete(null);
    }
    return admitted;
  }

  /** Admits no new offers; jobs that wait already may still be admitted. */
  void close() {
    boolean empty;
    synchronized (this) {
      closed = true;
      empty = jobs == 0;
    }
    if (empty) {
      drained.complete(null);
    }
  }

  /** After {@link #close}: the jobs that wait, none of which is admitted any more. */
  synchronized List<CleanupJob> stop() {
    List<CleanupJob> unadmitted = List.copyOf(waiting);
    waiting.clear();
    jobs -= unadmitted.size(); // never to 0: they wait for an admitted one, whose end drains
    return unadmitted;
  }

  /** Rows of jobs that were admitted: they wait, or are on their way. */
  synchronized long rows() {
    return rows;
  }

  synchronized boolean isClosed() {
    return closed;
  }

  /** Completes when it is closed and no job is left. */
  CompletableFuture<Void> drained() {
    return drained;
  }
}
