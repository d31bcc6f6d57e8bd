package io.retso.hbase.transaction;

import io.retso.hbase.RetryPolicy;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.TransactionWork;
import io.retso.hbase.errors.GaveUpException;
import io.retso.hbase.errors.SnapshotTooOldException;
import io.retso.hbase.errors.TransactionException;
import io.retso.hbase.failures.Failures;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.trace.TransactionTrace;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether work is done once more after an attempt that failed. One for each call of {@code
 * run} and its like; not thread-safe, as attempts follow each other. {@link AsyncRun} makes those
 * that block no thread.
 */
final class Attempts {
  private static final Logger LOG = LoggerFactory.getLogger(Attempts.class);

  /** More would overflow; the longest pause is reached before. */
  private static final int DOUBLINGS_MAX = 20;

  private final TransactionOptions options;
  private final RetryPolicy policy;
  private final Counters counters;
  private final TransactionTrace trace;
  private final long begunNanos = System.nanoTime();
  private int failed;

  /**
   * Attempts that begin.
   *
   * @param trace what they share
   */
  Attempts(
      TransactionOptions options,
      RetryPolicy ofManager,
      Counters counters,
      TransactionTrace trace) {
    this.trace = trace;
    this.options = options;
    this.policy = options.retryPolicy().orElse(ofManager);
    this.counters = counters;
  }

  /** What they share. */
  TransactionTrace trace() {
    return trace;
  }

  /** Attempts, on this thread, until one succeeds or there is no more. */
  <X extends HBaseReadTransaction, T> T run(
      Supplier<CompletableFuture<X>> begin, TransactionWork<? super X, T> work) throws IOException {
    T result;
    try {
      result = trace.context().call(() -> repeated(begin, work));
    } catch (IOException | RuntimeException | Error e) {
      trace.close(e);
      throw e;
    }
    trace.close(null);
    return result;
  }

  private <X extends HBaseReadTransaction, T> T repeated(
      Supplier<CompletableFuture<X>> begin, TransactionWork<? super X, T> work) throws IOException {
    while (true) {
      X begun = null;
      TransactionException failure;
      try {
        X tx = Begins.awaited(begin);
        begun = tx;
        began(tx);
        try (tx) {
          T result = work.in(tx);
          tx.finish();
          return result;
        }
      } catch (TransactionException e) {
        failure = e;
      }
      long pause = pauseAfter(failure, begun == null || begun.mayRepeat());
      try {
        Thread.sleep(pause);
      } catch (InterruptedException e) {
        throw Futures.interrupted("interrupted between two attempts; nothing is committed", e);
      }
    }
  }

  /** An attempt has begun. */
  void began(HBaseReadTransaction tx) {
    tx.attempt(failed + 1);
  }

  /**
   * Counts a failure.
   *
   * @param mayRepeat whether the attempt is known to have had no effect; whatever failed after a
   *     commit, to repeat would be to do the work twice
   * @return milliseconds to wait before the next attempt
   * @throws TransactionException if there is none
   */
  long pauseAfter(TransactionException failure, boolean mayRepeat) throws TransactionException {
    failed++;
    boolean isLost =
        options.heldSnapshot().isPresent() && failure instanceof SnapshotTooOldException;
    if (!failure.isRetryable() || !mayRepeat || isLost) {
      throw failure; // another attempt would have the same held snapshot
    }
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNanos);
    long pause = pauseMillis();
    if (!allowsMore(millis + pause)) {
      throw Failures.name(new GaveUpException(failed, millis, failure), options.name());
    }
    counters.retries.increment();
    trace.retried(pause, failure);
    LOG.debug("attempt {} failed, the transaction runs again in {} ms: {}", failed, pause, failure);
    return pause;
  }

  /** Drawn from the upper half, so that transactions which met once do not meet again. */
  private long pauseMillis() {
    long doubled = policy.pauseMin().toMillis() << Math.min(failed - 1, DOUBLINGS_MAX);
    long ceiling = Math.min(policy.pauseMax().toMillis(), doubled);
    return ceiling - ThreadLocalRandom.current().nextLong(ceiling / 2 + 1);
  }

  private boolean allowsMore(long millis) {
    return failed < policy.attemptsMax()
        && Duration.ofMillis(millis).compareTo(policy.timeMax()) <= 0;
  }
}
