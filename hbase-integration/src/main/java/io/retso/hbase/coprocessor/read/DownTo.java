package io.retso.hbase.coprocessor.read;

import java.util.function.LongPredicate;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.filter.FilterBase;

/**
 * The versions of each column down to the first that covers those behind it. Otherwise a row that
 * is written often would be read down to the last flush. Never travels.
 */
final class DownTo extends FilterBase {
  private final LongPredicate isLast;

  /**
   * A filter.
   *
   * @param isLast whether a version covers those behind it
   */
  DownTo(LongPredicate isLast) {
    this.isLast = isLast;
  }

  @Override
  public ReturnCode filterCell(Cell cell) {
    return isLast.test(cell.getTimestamp()) ? ReturnCode.INCLUDE_AND_NEXT_COL : ReturnCode.INCLUDE;
  }
}
