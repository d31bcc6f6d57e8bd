package io.retso.hbase.check;

import java.time.Duration;

/**
 * How a table's data is checked. Immutable.
 *
 * @param transactionsOnly whether no program without transactions has ever written to the table.
 *     Then each version of a transaction's form must be one
 * @param mend whether left-over marks are cleaned up, as a sweep does it
 * @param threads regions that are scanned at a time, 1 to {@value #THREADS_MAX}
 * @param patience how long a mark of a transaction that is over may be on its way to be cleaned up,
 *     and clocks may be ahead of the oracle; up to an hour
 */
public record DataCheckOptions(
    boolean transactionsOnly, boolean mend, int threads, Duration patience) {
  /** Scans at a time, at most. */
  public static final int THREADS_MAX = 64;

  /** Four threads, a patience of 10 s, nothing is mended, others may have written. */
  public static final DataCheckOptions DEFAULT =
      new DataCheckOptions(false, false, 4, Duration.ofSeconds(10));

  /**
   * Checks what was given.
   *
   * @throws IllegalArgumentException if a number is out of its range
   */
  public DataCheckOptions {
    if (threads < 1 || threads > THREADS_MAX) {
      throw new IllegalArgumentException(
          threads + " threads are not within 1 and " + THREADS_MAX + ": choose another number");
    }
    if (patience.isNegative() || patience.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException(
          "patience " + patience + " is not within 0 and 1 hour: choose another time");
    }
  }
}
