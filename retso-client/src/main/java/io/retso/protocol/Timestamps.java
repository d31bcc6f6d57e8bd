package io.retso.protocol;

/**
 * The form of a timestamp: a positive multiple of {@link #GAP}.
 *
 * <p>The oracle hands out timestamps in steps of {@code GAP}; the numbers between two timestamps
 * are never issued. A serializable mode needs that room: the serial position of a transaction that
 * must come just before another is a number below that one's commit timestamp and above the
 * timestamp before.
 */
public final class Timestamps {
  /** log2 of {@link #GAP}. */
  public static final int GAP_BITS = 4;

  /** Distance of two neighbouring timestamps. */
  public static final int GAP = 1 << GAP_BITS;

  /**
   * The largest timestamp, below 2^60. At four million timestamps a second it is reached after five
   * hundred years; it stays far from {@code Long.MAX_VALUE}, which HBase reserves.
   */
  public static final long MAX = (1L << 60) - GAP;

  private Timestamps() {}

  /** Whether {@code timestamp} has the form of a timestamp; it may still never have been issued. */
  public static boolean isWellFormed(long timestamp) {
    return timestamp > 0 && timestamp <= MAX && (timestamp & GAP - 1) == 0;
  }

  /** The least timestamp that is not below a positive number up to {@link #MAX}. */
  public static long atLeast(long number) {
    return number + GAP - 1 & -GAP;
  }
}
