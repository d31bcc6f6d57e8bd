package io.retso.hbase;

import java.time.Duration;
import java.util.Objects;

/**
 * How {@link TransactionManager#run run} and its like repeat a transaction that was aborted by a
 * conflict or for its age, or for which the oracle was away before anything was decided, or before
 * a transaction that wrote nothing had an answer. Pauses double from {@code pauseMin} to {@code
 * pauseMax}, and each is drawn from the upper half of its range, so that transactions which met
 * once do not meet again. Immutable.
 *
 * @param attemptsMax how often the transaction is run at most, 1 to 1,000,000
 * @param timeMax no attempt begins later than this after the first one; may be without an end
 * @param pauseMin longest first pause, at least 1 ms
 * @param pauseMax longest pause, at least {@code pauseMin}, at most 1 hour
 */
public record RetryPolicy(int attemptsMax, Duration timeMax, Duration pauseMin, Duration pauseMax) {
  private static final int ATTEMPTS_MAX = 1_000_000;
  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofHours(1);

  /** 20 attempts within 30 s, pauses of up to 2 ms to 500 ms. */
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(20, Duration.ofSeconds(30), Duration.ofMillis(2), Duration.ofMillis(500));

  /** Run once, never repeat. */
  public static final RetryPolicy NEVER =
      new RetryPolicy(1, Duration.ofHours(1), Duration.ofMillis(1), Duration.ofMillis(1));

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if one is left
   */
  public RetryPolicy {
    if (attemptsMax < 1 || attemptsMax > ATTEMPTS_MAX) {
      throw new IllegalArgumentException(attemptsMax + " attempts are not within 1 and 1,000,000");
    }
    if (given(timeMax, "timeMax").isNegative()) {
      throw new IllegalArgumentException("timeMax " + timeMax + " is negative");
    }
    if (given(pauseMin, "pauseMin").compareTo(SHORTEST) < 0
        || given(pauseMax, "pauseMax").compareTo(pauseMin) < 0
        || pauseMax.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "pauses must be within 1 ms and 1 hour, the longest not below the first");
    }
  }

  private static Duration given(Duration duration, String name) {
    return Objects.requireNonNull(duration, () -> name + " is null: pass a Duration");
  }
}
