package io.retso.hbase.layout;

/**
 * How a transaction ended, in a long: its commit timestamp, which is positive, or one of the
 * numbers below. Stateless.
 */
public final class Outcome {
  /** Nothing is known of it. */
  public static final long UNKNOWN = 0;

  /** It is aborted. */
  public static final long ABORTED = -1;

  private Outcome() {}

  public static boolean isKnown(long outcome) {
    return outcome != UNKNOWN;
  }

  public static boolean isCommitted(long outcome) {
    return outcome > 0;
  }

  /** Whether the transaction is committed, and a reader at that timestamp sees it. */
  public static boolean isCommittedBelow(long outcome, long timestamp) {
    return isCommitted(outcome) && outcome < timestamp;
  }

  /**
   * Checks what a request says.
   *
   * @throws IllegalArgumentException if a timestamp is malformed or they are in the wrong order
   */
  static void check(long start, long outcome) {
    CellVersion.checkTimestamp(start);
    if (outcome != ABORTED && CellVersion.checkTimestamp(outcome) <= start) {
      throw new IllegalArgumentException(
          "commit timestamp " + outcome + " is not above start timestamp " + start);
    }
  }
}
