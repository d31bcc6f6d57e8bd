package io.retso.hbase.write;

import io.retso.protocol.Limits;
import io.retso.text.Text;

/**
 * Limits of what one transaction may write. Immutable.
 *
 * @param rowsMax rows (cells, in tables with conflicts by cell), 1 to {@link
 *     Limits#TRANSACTION_ROWS_MAX}
 * @param bytesMax bytes of all its cells, with their keys, at least {@code flushBytes}
 * @param flushBytes bytes that are kept back before they are sent ahead of the commit, positive
 */
public record WriteLimits(int rowsMax, long bytesMax, long flushBytes) {
  public static final WriteLimits DEFAULT =
      new WriteLimits(Limits.TRANSACTION_ROWS_MAX, 64L << 20, 2L << 20);

  public WriteLimits {
    if (rowsMax < 1 || rowsMax > Limits.TRANSACTION_ROWS_MAX) {
      throw new IllegalArgumentException(
          rowsMax + " rows are not within 1 and " + Limits.TRANSACTION_ROWS_MAX);
    }
    if (flushBytes < 1 || bytesMax < flushBytes) {
      throw new IllegalArgumentException(
          Text.of(
              "the bytes of a transaction, %s, must not be below those of a batch, %s",
              bytesMax, flushBytes));
    }
  }
}
