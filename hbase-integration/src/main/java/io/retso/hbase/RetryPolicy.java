package io.retso.hbase;

import java.time.Duration;
import java.util.Objects;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * How {@link TransactionManager#run run} and its like repeat a transaction that was aborted by a
 * conflict or for its age, or for which the oracle was away before anything was decided, or before
 * a transaction that wrote nothing had an answer. Immutable: each {@code with} makes another one.
 *
 * <pre>{@code
 * RetryPolicy patient = RetryPolicy.DEFAULT.withAttemptsMax(100).withTimeMax(Duration.ofMinutes(5));
 * }</pre>
 *
 * <p>Pauses double from the first to the longest, and each is drawn from the upper half of its
 * range, so that transactions which met once do not meet again.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class RetryPolicy {
  private static final int ATTEMPTS_MAX = 1_000_000;
  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofHours(1);

  /** 20 attempts within 30 s, pauses of up to 2 ms to 500 ms. */
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(20, Duration.ofSeconds(30), Duration.ofMillis(2), Duration.ofMillis(500));

  /** Run once, never repeat. */
  public static final RetryPolicy NEVER = DEFAULT.withAttemptsMax(1);

  private final int attemptsMax;
  private final Duration timeMax;
  private final Duration pauseMin;
  private final Duration pauseMax;

  private RetryPolicy(int attemptsMax, Duration timeMax, Duration pauseMin, Duration pauseMax) {
    this.attemptsMax = attemptsMax;
    this.timeMax = timeMax;
    this.pauseMin = pauseMin;
    this.pauseMax = pauseMax;
  }

  /**
   * How often the transaction is run at most.
   *
   * @param attempts 1 to 1,000,000
   * @throws IllegalArgumentException if it is outside
   */
  public RetryPolicy withAttemptsMax(int attempts) {
    if (attempts < 1 || attempts > ATTEMPTS_MAX) {
      throw new IllegalArgumentException(attempts + " attempts are not within 1 and 1,000,000");
    }
    return new RetryPolicy(attempts, timeMax, pauseMin, pauseMax);
  }

  /**
   * How long after the first attempt another one may begin.
   *
   * @param time may be without an end
   * @throws IllegalArgumentException if it is negative
   */
  public RetryPolicy withTimeMax(Duration time) {
    if (given(time, "timeMax").isNegative()) {
      throw new IllegalArgumentException("timeMax " + time + " is negative");
    }
    return new RetryPolicy(attemptsMax, time, pauseMin, pauseMax);
  }

  /**
   * The pauses between attempts: at most {@code first} before the second one, twice as much before
   * each further one, and never more than {@code longest}.
   *
   * @param first at least 1 ms
   * @param longest at least {@code first}, at most 1 hour
   * @throws IllegalArgumentException if they are outside
   */
  public RetryPolicy withPauses(Duration first, Duration longest) {
    if (given(first, "the first pause").compareTo(SHORTEST) < 0
        || given(longest, "the longest pause").compareTo(first) < 0
        || longest.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "pauses of "
              + first
              + " to "
              + longest
              + " are not within 1 ms and 1 hour, the longest not below the first");
    }
    return new RetryPolicy(attemptsMax, timeMax, first, longest);
  }

  private static Duration given(Duration duration, String name) {
    return Objects.requireNonNull(duration, () -> name + " is null: pass a Duration");
  }

  /** How often the transaction is run at most. */
  public int attemptsMax() {
    return attemptsMax;
  }

  /** No attempt begins later than this after the first one. */
  public Duration timeMax() {
    return timeMax;
  }

  /** The longest first pause. */
  public Duration pauseMin() {
    return pauseMin;
  }

  /** The longest pause. */
  public Duration pauseMax() {
    return pauseMax;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RetryPolicy them
        && attemptsMax == them.attemptsMax
        && timeMax.equals(them.timeMax)
        && pauseMin.equals(them.pauseMin)
        && pauseMax.equals(them.pauseMax);
  }

  @Override
  public int hashCode() {
    return Objects.hash(attemptsMax, timeMax, pauseMin, pauseMax);
  }

  @Override
  public String toString() {
    return attemptsMax
        + " attempts within "
        + timeMax
        + ", pauses of up to "
        + pauseMin
        + " to "
        + pauseMax;
  }
}
