package io.retso.client.connection;

import java.time.Duration;

/** Durations for people. Stateless. */
public final class Durations {
  private static final long NANOS_PER_MS = 1_000_000;

  private Durations() {}

  /** For messages: {@code 250 ms}, {@code 5 s}. */
  static String text(long nanos) {
    long millis = nanos / NANOS_PER_MS;
    return millis >= 1000 && millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
  }

  /** The nanoseconds of a duration between 1 ms and an hour. */
  public static long checkedNanos(Duration duration, String name) {
    if (duration.compareTo(Duration.ofMillis(1)) < 0
        || duration.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException(
          name + " must be between 1 ms and 1 hour, not " + duration);
    }
    return duration.toNanos();
  }
}
