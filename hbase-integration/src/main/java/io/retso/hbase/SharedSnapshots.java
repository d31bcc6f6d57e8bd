package io.retso.hbase;

import io.retso.client.OracleClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Snapshots that read-only transactions share if they are content with one that was taken a little
 * earlier: most of them then begin without a round trip to the oracle.
 *
 * <p>To the oracle a snapshot is one open transaction, which ends with its last user. It is shared
 * with callers that allow for its age, counted from before it was asked for; and only if it
 * contains all that this manager's transactions have committed, so that nobody misses his own
 * writes.
 *
 * <p>Bounded: one snapshot at a time is shared; those before it last as long as their transactions.
 * Thread-safe.
 */
final class SharedSnapshots {
  /** Younger ones would hardly be shared. */
  static final Duration STALENESS_MIN = Duration.ofMillis(1);

  /** An idle one is kept open that long, and holds the oracle's low watermark. */
  static final Duration STALENESS_MAX = Duration.ofMinutes(1);

  /** A snapshot; its fields are guarded by the enclosing object. */
  final class Snapshot {
    private final long askedNanos = System.nanoTime();
    private final CompletableFuture<Long> start = new CompletableFuture<>();

    /** Transactions, and callers that wait for the start timestamp. */
    private int users;

    /** Nobody comes any more. */
    private boolean retired;

    private Snapshot() {}

    /** A user is done with it. */
    void release() {
      synchronized (SharedSnapshots.this) {
        users--;
        endIfUnused();
      }
    }

    private void retire() {
      synchronized (SharedSnapshots.this) {
        retired = true;
        if (current == this) {
          current = null;
        }
        endIfUnused();
      }
    }

    private void endIfUnused() {
      if (retired && users == 0 && !start.isCompletedExceptionally()) {
        start.thenAccept(oracle::endLater);
        users = -1; // once
      }
    }
  }

  /** A snapshot in use, to be released once. */
  record Lease(long start, Snapshot snapshot) {}

  private final OracleClient oracle;

  /** The highest commit timestamp that this manager's users were told. */
  private final AtomicLong lastCommit = new AtomicLong();

  /** The one that is shared; null if there is none. Guarded by this. */
  private Snapshot current;

  SharedSnapshots(OracleClient oracle) {
    this.oracle = oracle;
  }

  /** A commit, before its answer is passed on. */
  void committed(long commitTimestamp) {
    lastCommit.accumulateAndGet(commitTimestamp, Math::max);
  }

  /**
   * A snapshot that contains everything whose commit had returned {@code staleness} ago in any
   * process, and by now in this one.
   */
  CompletableFuture<Lease> acquire(Duration staleness) {
    long toContain = lastCommit.get();
    Snapshot shared;
    boolean isNew = false;
    synchronized (this) {
      if (current != null && !isFit(current, staleness, toContain)) {
        current.retire();
      }
      if (current == null) {
        current = new Snapshot();
        isNew = true;
      }
      shared = current;
      shared.users++;
    }
    if (isNew) {
      ask(shared, staleness);
    }
    return shared.start.thenCompose(
        start -> {
          if (start > toContain) {
            return CompletableFuture.completedFuture(new Lease(start, shared));
          }
          // Asked for before, issued before a commit that returned before this call.
          shared.retire();
          shared.release();
          return acquire(staleness);
        });
  }

  /** Of the current one, which has not failed: it would have been retired before. */
  private static boolean isFit(Snapshot snapshot, Duration staleness, long toContain) {
    return System.nanoTime() - snapshot.askedNanos <= staleness.toNanos()
        && snapshot.start.getNow(Long.MAX_VALUE) > toContain;
  }

  /** Outside of the lock: the answer may complete whatever depends on it. */
  private void ask(Snapshot snapshot, Duration staleness) {
    oracle
        .beginAsync()
        .whenComplete(
            (start, failure) -> {
              if (failure == null) {
                snapshot.start.complete(start);
              } else {
                snapshot.retire();
                snapshot.start.completeExceptionally(Failures.unwrap(failure));
              }
            });
    // On the timer's own thread: it takes no time, and a pool might make a thread for each.
    CompletableFuture.delayedExecutor(staleness.toNanos(), TimeUnit.NANOSECONDS, Runnable::run)
        .execute(snapshot::retire);
  }

  /** Shares no more. */
  synchronized void close() {
    if (current != null) {
      current.retire();
    }
  }
}
