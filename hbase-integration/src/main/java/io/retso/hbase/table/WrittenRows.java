package io.retso.hbase.table;

import java.util.Arrays;
import java.util.SortedSet;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Rows of one table that a transaction wrote, or tried to: they may bear its mark. In ascending
 * order.
 *
 * <p>Immutable; the keys are not to be changed.
 */
public final class WrittenRows {
  private final PreparedTable table;
  private final byte[][] keys;

  /** The rows of a set, which may change later. */
  public WrittenRows(PreparedTable table, SortedSet<byte[]> rows) {
    this.table = table;
    this.keys = rows.toArray(byte[][]::new);
  }

  public PreparedTable table() {
    return table;
  }

  public int size() {
    return keys.length;
  }

  public byte[] key(int index) {
    return keys[index];
  }

  /**
   * Where those rows end that are in a region.
   *
   * @param from index of a row in the region
   * @param to where to stop
   * @param endKey the first key behind the region; empty if it is the last one of the table
   * @return index of the first row behind the region, {@code to} at most
   */
  public int endOf(int from, int to, byte[] endKey) {
    if (endKey.length == 0) {
      return to;
    }
    int found = Arrays.binarySearch(keys, from, to, endKey, Bytes.BYTES_COMPARATOR);
    return found < 0 ? ~found : found;
  }
}
