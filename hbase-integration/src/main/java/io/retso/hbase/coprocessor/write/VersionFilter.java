package io.retso.hbase.coprocessor.write;

import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.filter.FilterBase;

/**
 * Lets a raw read have the cells of one version only, without a look at those above: a row that is
 * written often has thousands of them in memory, through which a time range would go one by one.
 * Never travels.
 *
 * <p>It is for raw reads, as others must come across the delete markers that it passes over. Older
 * cells in a column with an empty qualifier are passed one by one, for the reason that {@link
 * io.retso.hbase.layout.RawVersion} gives. Not thread-safe.
 */
final class VersionFilter extends FilterBase {
  private final long version;

  VersionFilter(long version) {
    this.version = version;
  }

  @Override
  public ReturnCode filterCell(Cell cell) {
    if (cell.getTimestamp() > version) {
      return ReturnCode.SEEK_NEXT_USING_HINT;
    }
    if (cell.getTimestamp() == version) {
      return ReturnCode.INCLUDE;
    }
    return cell.getQualifierLength() == 0 ? ReturnCode.SKIP : ReturnCode.NEXT_COL;
  }

  /** The place of the version in the cell's column, before all that are there. */
  @Override
  public Cell getNextCellHint(Cell cell) {
    assert cell.getTimestamp() > version : "HBase would seek back";
    return PrivateCellUtil.createFirstOnRowColTS(cell, version);
  }
}
