package io.retso.hbase.layout;

import io.retso.protocol.Timestamps;

/**
 * The versions of cells, docs/data-format.md, "The rule of marks".
 *
 * <p>The oracle's timestamps are multiples of 16. A cell is written at its transaction's start
 * timestamp {@code Ts}, and cleanup moves it to {@code Tc + 1}: a version that says by itself that
 * it is committed, and when.
 *
 * <pre>
 *   version mod 16 = 0   Ts: pending if the row has its mark, otherwise of a plain writer
 *   version mod 16 = 1   Tc + 1: committed at Tc, or of a plain writer: visible above it either way
 *   otherwise            of a plain writer, committed
 * </pre>
 */
public final class CellVersion {
  private CellVersion() {}

  /**
   * The version of a cleaned-up cell.
   *
   * @throws IllegalArgumentException if {@code commitTimestamp} does not have the form of a
   *     timestamp
   */
  public static long committed(long commitTimestamp) {
    return checkTimestamp(commitTimestamp) + 1;
  }

  /**
   * Whether a cell of this version is committed, whatever marks its row has: it does not have the
   * form of a start timestamp.
   */
  public static boolean isCommitted(long version) {
    return (version & Timestamps.GAP - 1) != 0;
  }

  /** Whether a cell of this version was cleaned up; otherwise it is another one's. */
  public static boolean isCleanedUp(long version) {
    return (version & Timestamps.GAP - 1) == 1;
  }

  /**
   * The commit timestamp in the version of a cleaned-up cell.
   *
   * @throws IllegalArgumentException if no cleaned-up cell has this version
   */
  public static long commitTimestamp(long version) {
    if (!isCleanedUp(version)) {
      throw new IllegalArgumentException(
          "version " + version + " is not that of a cleaned-up cell");
    }
    return version - 1;
  }

  /**
   * Returns {@code timestamp}.
   *
   * @throws IllegalArgumentException if it is not a positive multiple of 16 up to {@link
   *     Timestamps#MAX}
   */
  public static long checkTimestamp(long timestamp) {
    if (!Timestamps.isWellFormed(timestamp)) {
      throw new IllegalArgumentException(
          timestamp
              + " is no timestamp of the oracle: those are positive multiples of 16 up to "
              + Timestamps.MAX);
    }
    return timestamp;
  }
}
