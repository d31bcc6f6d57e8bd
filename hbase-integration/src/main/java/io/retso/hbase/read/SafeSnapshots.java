package io.retso.hbase.read;

import io.retso.client.OracleClient;
import io.retso.hbase.errors.Failures;
import io.retso.hbase.errors.OracleUnavailableException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Snapshots that the oracle issued as safe: whoever commits later comes after their readers in the
 * serial order, so nobody has to know what these read. The oracle holds each open for a minute, and
 * regions refuse whoever reads for longer. Bounded: one is remembered. Thread-safe.
 */
public final class SafeSnapshots {
  /** So long after it was asked for, one is for those who begin. The oracle's are as old. */
  private static final long KEPT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Between two questions of who waits for the next one. */
  private static final Executor LATER = CompletableFuture.delayedExecutor(4, TimeUnit.MILLISECONDS);

  /** More are in vain: the oracle issues one in 10 ms. */
  private static final int QUESTIONS_MAX = 1000;

  private final OracleClient oracle;

  /** The one that was asked for last, and when; null at first. Guarded by this. */
  private CompletableFuture<Long> newest;

  private long askedNanos;

  public SafeSnapshots(OracleClient oracle) {
    this.oracle = oracle;
  }

  /** One that was issued some 20 ms ago at most: it may lack what was committed since. */
  public synchronized CompletableFuture<Long> recent() {
    long now = System.nanoTime();
    if (newest == null || newest.isCompletedExceptionally() || now - askedNanos >= KEPT_NANOS) {
      newest = oracle.safeSnapshotAsync();
      askedNanos = now;
    }
    return newest;
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
                  ? Failures.failed(
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
