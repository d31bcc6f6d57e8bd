package io.retso.hbase.table;

import java.util.SortedMap;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Rows of one table that a transaction wrote, or tried to: they may bear its mark. In ascending
 * order, each with the number of the only batch that wrote it, or 0 if there were several.
 *
 * <p>Immutable; nobody may change the keys.
 */
public final class WrittenRows {
  private final PreparedTable table;
  private final byte[][] keys;
  private final int[] onlyBatches;

  /** The rows of a map, which may change later. */
  public WrittenRows(PreparedTable table, SortedMap<byte[], Integer> rows) {
    this.table = table;
    this.keys = rows.keySet().toArray(byte[][]::new);
    this.onlyBatches = rows.values().stream().mapToInt(Integer::intValue).toArray();
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

  /** Number of the only batch that wrote the row, or 0. */
  public int onlyBatch(int index) {
    return onlyBatches[index];
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
    int low = from;
    int high = to;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Bytes.compareTo(keys[middle], endKey) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
