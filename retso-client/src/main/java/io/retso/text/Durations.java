package io.retso.text;

/** Durations for people. Stateless. */
public final class Durations {
  private static final long NANOS_PER_MS = 1_000_000;

  private Durations() {}

  /** For messages: {@code 250 ms}, {@code 5 s}. */
  public static String text(long nanos) {
    long millis = nanos / NANOS_PER_MS;
    return millis >= 1000 && millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
  }
}
