package io.retso.verify.history;

/**
 * The timestamps that the status oracle gave to a transaction, where they are known.
 *
 * @param start of its snapshot, at least 0, or {@link #UNKNOWN}
 * @param commit of its writes, at least 0, or {@link #UNKNOWN}; a reader has none
 */
public record TimestampPair(long start, long commit) {
  /** Stands for a timestamp that is not known. */
  public static final long UNKNOWN = -1;

  /** Nothing is known. */
  public static final TimestampPair NONE = new TimestampPair(UNKNOWN, UNKNOWN);

  /** Only the start is known, or there is no commit timestamp. */
  public static TimestampPair started(long start) {
    return new TimestampPair(start, UNKNOWN);
  }

  /** Whether the start timestamp is known. */
  public boolean hasStart() {
    return start != UNKNOWN;
  }

  /** Whether the commit timestamp is known. */
  public boolean hasCommit() {
    return commit != UNKNOWN;
  }
}
