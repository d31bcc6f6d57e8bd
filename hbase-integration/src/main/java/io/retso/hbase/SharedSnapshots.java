package io.retso.hbase;

import io.retso.client.OracleClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * Start timestamps that read-only transactions share, so that they begin without a round trip to
 * the oracle: those that are content with a snapshot that was taken a little earlier read in it
 * ({@link #acquire}), the others extend it ({@link #settled}, {@link Snapshot}).
 *
 * <p>To the oracle a shared snapshot is one open transaction, which ends with its last user. It is
 * shared with callers that allow for its age, counted from before it was asked for; and only if it
 * contains all that this manager's transactions have committed, so that nobody misses his own
 * writes. Those who extend it do not mind either; for them it is renewed in the background, lest
 * many rows have changed since.
 *
 * <p>Bounded: two snapshots at a time are shared, one of them under way; those before last as long
 * as their transactions. Thread-safe.
 */
final class SharedSnapshots {
  /** Younger ones would hardly be shared. */
  static final Duration STALENESS_MIN = Duration.ofMillis(1);

  /** An idle one is kept open that long, and holds the oracle's low watermark. */
  static final Duration STALENESS_MAX = Duration.ofMinutes(1);

  /** For so long after it was asked for, a snapshot may be extended. */
  private static final long EXTENDED_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** One in use is renewed so often: then a begin is shared by many, and few rows have changed. */
  private static final long RENEWED_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** A snapshot; its fields are guarded by the enclosing object. */
  final class Shared {
    private final long askedNanos = System.nanoTime();
    private final CompletableFuture<Long> start = new CompletableFuture<>();

    /** The start timestamp of the settled one. */
    private long settledAt;

    /** Transactions, and callers that wait for the start timestamp. */
    private int users;

    /** Nobody comes any more. */
    private boolean retired;

    private Shared() {}

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
        newest = newest == this ? null : newest;
        settled = settled == this ? null : settled;
        endIfUnused();
      }
    }

    private void endIfUnused() {
      if (retired && users == 0 && !start.isCompletedExceptionally()) {
        start.thenAccept(oracle::endLater);
        users = -1; // once
      }
    }

    private long ageNanos() {
      return System.nanoTime() - askedNanos;
    }
  }

  /** A snapshot in use, to be released once. */
  record Lease(long start, Shared snapshot) {}

  private final OracleClient oracle;

  /** The highest commit timestamp that this manager's users were told. */
  private final AtomicLong lastCommit = new AtomicLong();

  /** The one asked for last; null if there is none. Guarded by this. */
  private Shared newest;

  /** The last one whose start timestamp is known; null if there is none. Guarded by this. */
  private Shared settled;

  SharedSnapshots(OracleClient oracle) {
    this.oracle = oracle;
  }

  /** A commit, before its answer is passed on. */
  void committed(long commitTimestamp) {
    lastCommit.accumulateAndGet(commitTimestamp, Math::max);
  }

  /**
   * A snapshot to be extended, at most a second old; null if there is none. May lack any commit.
   */
  Lease settled() {
    Shared older;
    Shared renewed = null;
    synchronized (this) {
      older = settled;
      if (older == null || older.ageNanos() > EXTENDED_NANOS) {
        return null;
      }
      older.users++;
      if (newest == older && older.ageNanos() > RENEWED_NANOS) {
        renewed = new Shared();
        newest = renewed;
      }
    }
    if (renewed != null) {
      ask(renewed, EXTENDED_NANOS);
    }
    return new Lease(older.settledAt, older);
  }

  /** A snapshot that is asked for now. */
  CompletableFuture<Lease> acquire() {
    return acquire(Duration.ZERO);
  }

  /**
   * A snapshot that contains everything whose commit had returned {@code staleness} ago in any
   * process, and by now in this one.
   */
  CompletableFuture<Lease> acquire(Duration staleness) {
    long toContain = lastCommit.get();
    Shared shared;
    boolean isNew = false;
    synchronized (this) {
      if (newest == null || !isFit(newest, staleness, toContain)) {
        replaceNewest();
        isNew = true;
      }
      shared = newest;
      shared.users++;
    }
    if (isNew) {
      ask(shared, Math.max(EXTENDED_NANOS, staleness.toNanos()));
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

  /** Of the newest one, which has not failed: it would have been retired before. */
  private static boolean isFit(Shared snapshot, Duration staleness, long toContain) {
    return snapshot.ageNanos() <= staleness.toNanos()
        && snapshot.start.getNow(Long.MAX_VALUE) > toContain;
  }

  private void replaceNewest() {
    Shared before = newest;
    newest = new Shared();
    if (before != null && before != settled) {
      before.retire(); // still under way; the settled one serves until there is a better one
    }
  }

  /** Outside of the lock: the answer may complete whatever depends on it. */
  private void ask(Shared snapshot, long lifeNanos) {
    oracle
        .beginAsync()
        .whenComplete(
            (start, failure) -> {
              if (failure == null) {
                settle(snapshot, start); // before anybody who waits for it goes on
                snapshot.start.complete(start);
              } else {
                snapshot.retire();
                snapshot.start.completeExceptionally(Failures.unwrap(failure));
              }
            });
    // On the timer's own thread: it takes no time, and a pool might make a thread for each.
    CompletableFuture.delayedExecutor(lifeNanos, TimeUnit.NANOSECONDS, Runnable::run)
        .execute(snapshot::retire);
  }

  /** The start timestamp is known: from now on this one is extended. */
  private synchronized void settle(Shared snapshot, long start) {
    if (snapshot.retired) {
      return;
    }
    snapshot.settledAt = start;
    Shared before = settled;
    settled = snapshot;
    if (before != null && before != newest) {
      before.retire();
    }
  }

  /**
   * A read found that the snapshot is too old: the oracle gave it up before its time, by a short
   * transaction.timeout or a full window. Those who come take a new one.
   */
  void tooOld(long start) {
    retireIf(shared -> shared.settledAt == start);
  }

  /** Shares no more. */
  void close() {
    retireIf(shared -> true);
  }

  private synchronized void retireIf(Predicate<Shared> condition) {
    for (Shared shared : new Shared[] {newest, settled}) {
      if (shared != null && condition.test(shared)) {
        shared.retire();
      }
    }
  }
}
