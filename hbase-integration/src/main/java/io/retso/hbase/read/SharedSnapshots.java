package io.retso.hbase.read;

import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.futures.Timers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Start timestamps that read-only transactions share, so that they begin without a round trip to
 * the oracle: they read at one that was taken a little earlier, and find out whether what they read
 * is current ({@link #recent}, {@link Snapshot}).
 *
 * <p>To the oracle a shared snapshot is one open transaction, which ends with its last user. In use
 * it is renewed in the background, lest many rows have changed since.
 *
 * <p>Bounded: two snapshots at a time are shared, one of them under way; those before last as long
 * as their transactions. Thread-safe.
 */
public final class SharedSnapshots {
  /** For so long after it was asked for, readers begin with a snapshot. */
  private static final long SHARED_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** One in use is renewed so often: then a begin is shared by many, and few rows have changed. */
  private static final long RENEWED_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** A snapshot; its fields are guarded by the enclosing object. */
  public final class Shared {
    private final long askedNanos = nanoClock.getAsLong();
    private final CompletableFuture<TransactionHandle> begun = new CompletableFuture<>();

    /** Its start timestamp, once that is known. */
    private long startNow;

    /** Transactions, and callers that wait for the start timestamp. */
    private int users;

    /** No reader joins it any more. */
    private boolean retired;

    private Shared() {}

    /** A user is done with it. */
    public void release() {
      synchronized (SharedSnapshots.this) {
        assert users > 0 : "released twice";
        users--;
        endIfUnused();
      }
    }

    private void retire() {
      synchronized (SharedSnapshots.this) {
        retired = true;
        newest = newest == this ? null : newest;
        recent = recent == this ? null : recent;
        endIfUnused();
      }
    }

    private void endIfUnused() {
      assert Thread.holdsLock(SharedSnapshots.this);
      if (retired && users == 0 && !begun.isCompletedExceptionally()) {
        begun.thenAccept(oracle::endLater);
        users = -1; // once
      }
    }

    private long ageNanos() {
      return nanoClock.getAsLong() - askedNanos;
    }
  }

  /** A snapshot in use, to be released once. */
  public record Lease(long start, Shared snapshot) {}

  private final OracleClient oracle;
  private final LongSupplier nanoClock;

  /** The one asked for last; null if there is none. Guarded by this. */
  private Shared newest;

  /** The last one whose start timestamp is known; null if there is none. Guarded by this. */
  private Shared recent;

  public SharedSnapshots(OracleClient oracle) {
    this(oracle, System::nanoTime);
  }

  SharedSnapshots(OracleClient oracle, LongSupplier nanoClock) {
    this.oracle = oracle;
    this.nanoClock = nanoClock;
  }

  /** One to begin with, at most a second old; null if there is none. May lack any commit. */
  public Lease recent() {
    Shared older;
    Shared renewed = null;
    synchronized (this) {
      older = recent;
      if (older == null || older.ageNanos() > SHARED_NANOS) {
        return null;
      }
      older.users++;
      if (newest == older && older.ageNanos() > RENEWED_NANOS) {
        renewed = new Shared();
        newest = renewed;
      }
    }
    if (renewed != null) {
      ask(renewed);
    }
    return new Lease(older.startNow, older);
  }

  /** A snapshot that is asked for now: it contains everything whose commit had returned. */
  public CompletableFuture<Lease> acquire() {
    Shared taken = new Shared();
    synchronized (this) {
      Shared before = newest;
      newest = taken;
      taken.users++;
      if (before != null && before != recent) {
        before.retire(); // still under way; the recent one serves until there is a better one
      }
    }
    ask(taken);
    return taken.begun.thenApply(begun -> new Lease(begun.startTimestamp(), taken));
  }

  /** Outside of the lock: the answer may complete whatever depends on it. */
  private void ask(Shared snapshot) {
    assert !Thread.holdsLock(this);
    oracle
        .beginAsync()
        .whenComplete(
            (begun, failure) -> {
              if (failure == null) {
                started(snapshot, begun.startTimestamp()); // before a caller that waits goes on
                snapshot.begun.complete(begun);
              } else {
                snapshot.retire();
                snapshot.begun.completeExceptionally(Futures.unwrap(failure));
              }
            });
    Timers.after(SHARED_NANOS, TimeUnit.NANOSECONDS, snapshot::retire);
  }

  /** The start timestamp is known: from now on readers begin with this one. */
  private synchronized void started(Shared snapshot, long start) {
    if (snapshot.retired) {
      return;
    }
    snapshot.startNow = start;
    Shared before = recent;
    recent = snapshot;
    if (before != null && before != newest) {
      before.retire();
    }
  }

  /**
   * A read found that the snapshot is too old: the oracle gave it up before its time, by a short
   * transaction.timeout or a full window. Those who come take a new one.
   */
  void tooOld(long start) {
    retireIf(shared -> shared.startNow == start);
  }

  public void close() {
    retireIf(shared -> true);
  }

  private synchronized void retireIf(Predicate<Shared> condition) {
    for (Shared shared : new Shared[] {newest, recent}) {
      if (shared != null && condition.test(shared)) {
        shared.retire();
      }
    }
  }
}
