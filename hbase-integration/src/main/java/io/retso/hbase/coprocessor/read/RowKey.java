package io.retso.hbase.coprocessor.read;

import java.util.Arrays;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;

/**
 * A copy of the key of a row that changes with each row of a scan, without garbage. Not
 * thread-safe.
 */
final class RowKey {
  private byte[] bytes = new byte[32];

  /** -1 before the first row. */
  private int length = -1;

  void set(Cell ofRow) {
    length = ofRow.getRowLength();
    if (length > bytes.length) {
      bytes = new byte[2 * length];
    }
    CellUtil.copyRowTo(ofRow, bytes, 0);
  }

  /** The key; null before the first row. */
  byte[] get() {
    return length < 0 ? null : Arrays.copyOf(bytes, length);
  }
}
