package io.retso.hbase.read;

import io.retso.client.OracleClient;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.futures.Timers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Snapshots that the oracle issued as safe: transactions that commit later come after their readers
 * in the serial order, so what these read need not be known. The oracle holds each open for a
 * minute, and regions refuse readers that read for longer. Bounded: two are remembered, one of them
 * under way. Thread-safe.
 */
public final class SafeSnapshots {
  /** So long after it was asked for, one is for those who begin. The oracle's are as old. */
  private static final long KEPT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** One in use is renewed so long after it was asked for: meanwhile no reader waits. */
  private static final long RENEWED_NANOS = KEPT_NANOS / 2;

  /** Between two questions of a reader that waits for the next one. */
  private static final Executor LATER = Timers.delayed(4);

  /** More are in vain: the oracle issues one in 10 ms. */
  private static final int QUESTIONS_MAX = 1000;

  private final OracleClient oracle;
  private final LongSupplier nanoClock;

  /** The last one that was answered; null if there is none. Guarded by this. */
  private Asked known;

  /** The one that is under way, or has just been; null if there is none. Guarded by this. */
  private Asked next;

  private record Asked(CompletableFuture<Long> answer, long nanos) {}

  public SafeSnapshots(OracleClient oracle) {
    this(oracle, System::nanoTime);
  }

  SafeSnapshots(OracleClient oracle, LongSupplier nanoClock) {
    this.oracle = oracle;
    this.nanoClock = nanoClock;
  }

  /** One that was issued some 20 ms ago at most: it may lack what was committed since. */
  public synchronized CompletableFuture<Long> recent() {
    long now = nanoClock.getAsLong();
    if (next != null && next.answer().isDone()) {
      known = next.answer().isCompletedExceptionally() ? known : next;
      next = null;
    }
    known = isOlder(known, KEPT_NANOS, now) ? null : known;
    next = isOlder(next, KEPT_NANOS, now) ? null : next; // a late answer would be as old
    if (next == null && (known == null || isOlder(known, RENEWED_NANOS, now))) {
      next = new Asked(oracle.safeSnapshotAsync(), now);
    }
    return known == null ? next.answer() : known.answer();
  }

  private static boolean isOlder(Asked asked, long nanos, long now) {
    return asked != null && now - asked.nanos() >= nanos;
  }

  /** One that is issued after this call: it contains everything whose commit had returned. */
  public CompletableFuture<Long> next() {
    return oracle.timestampAsync().thenCompose(now -> above(now, QUESTIONS_MAX));
  }

  private CompletableFuture<Long> above(long timestamp, int questions) {
    return oracle
        .safeSnapshotAsync()
        .thenCompose(
            safe -> {
              if (safe > timestamp) {
                return CompletableFuture.completedFuture(safe);
              }
              return questions == 1
                  ? Futures.failed(
                      new OracleUnavailableException(
                          "the oracle issued no safe snapshot after "
                              + timestamp
                              + ", nothing was read: look at its log",
                          null))
                  : CompletableFuture.supplyAsync(() -> above(timestamp, questions - 1), LATER)
                      .thenCompose(later -> later);
            });
  }
}
