package io.retso.hbase.layout;

import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A region's answer to a validating read ({@link ReadAttribute#setValidating}) of a row that has,
 * or may have, changed since the read timestamp: one cell that is nowhere stored, in the family of
 * the marks, where no data is. Not an exception, which would cost more, for a batch as a whole.
 */
public final class ChangedRow {
  private static final byte[] QUALIFIER = Bytes.toBytes("changed");

  private ChangedRow() {}

  /** The cell that answers for the row of {@code cell}. */
  public static Cell answerFor(Cell cell) {
    return new KeyValue(
        CellUtil.cloneRow(cell), PendingWrite.family(), QUALIFIER, HConstants.EMPTY_BYTE_ARRAY);
  }

  /** Whether a validating read was answered so. */
  public static boolean is(Result result) {
    return result.size() == 1
        && CellUtil.matchingColumn(result.rawCells()[0], PendingWrite.family(), QUALIFIER);
  }
}
