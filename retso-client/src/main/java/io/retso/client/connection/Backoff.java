package io.retso.client.connection;

import java.util.SplittableRandom;

/**
 * Delays between attempts to connect: they double from a minimum to a cap, and each is drawn at
 * random from the upper half of its range, so that clients of a restarted server do not all come
 * back at the same moment. The sequence follows from the seed. Confined to one thread.
 */
final class Backoff {
  private final long minNanos;
  private final long maxNanos;
  private final SplittableRandom random;
  private int failures;

  Backoff(long minNanos, long maxNanos, SplittableRandom random) {
    if (minNanos < 1 || maxNanos < minNanos) {
      throw new IllegalArgumentException(minNanos + " to " + maxNanos + " ns");
    }
    this.minNanos = minNanos;
    this.maxNanos = maxNanos;
    this.random = random;
  }

  /** Counts a failure and returns how long to wait before the next attempt. */
  long nextNanos() {
    int doublings = Math.min(failures++, Long.numberOfLeadingZeros(minNanos) - 1);
    long ceiling = Math.min(maxNanos, minNanos << doublings);
    return ceiling - random.nextLong(ceiling / 2 + 1);
  }

  /** Failures since the last {@link #reset}. */
  int failures() {
    return failures;
  }

  /** The peer is well again. */
  void reset() {
    failures = 0;
  }
}
