package io.retso.hbase.coprocessor.read;

import io.retso.hbase.layout.Tombstone;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.Filter.ReturnCode;

/**
 * Which versions a user is shown, by the filter that other coprocessors have put into the request:
 * HBase's own for rights, those of cells among them, and for visibility labels. It is asked for
 * each version by itself, as HBase asks it in plain reads. Tombstones show nothing to any user.
 *
 * <p>The application's filter must not be in it: what that one says of a version may be what has
 * changed. Not thread-safe.
 */
final class ShownCells {
  private final Filter filter;

  /** Whether the filter was asked about the row. */
  private boolean hasRow;

  private boolean isRowHidden;

  /**
   * What a filter shows.
   *
   * @param filter null if there is none
   */
  ShownCells(Filter filter) {
    this.filter = filter;
  }

  /** Whether something may be hidden. */
  boolean isLimited() {
    return filter != null;
  }

  /** Another row begins, or the same from its beginning. */
  void begin() throws IOException {
    hasRow = false;
    if (filter != null) {
      filter.reset();
    }
  }

  /** Whether a version is shown where it is the newest of its column. */
  boolean test(Cell version) throws IOException {
    return !Tombstone.is(version) && passes(version);
  }

  private boolean passes(Cell version) throws IOException {
    if (filter == null) {
      return true;
    }
    if (!hasRow) {
      hasRow = true;
      isRowHidden = filter.filterRowKey(version);
    }
    if (isRowHidden) {
      return false;
    }
    ReturnCode code = filter.filterCell(version);
    return code == ReturnCode.INCLUDE
        || code == ReturnCode.INCLUDE_AND_NEXT_COL
        || code == ReturnCode.INCLUDE_AND_SEEK_NEXT_ROW;
  }

  /** Those that are shown. */
  List<Cell> of(List<Cell> cells) throws IOException {
    List<Cell> shown = new ArrayList<>(cells.size());
    for (Cell cell : cells) {
      if (test(cell)) {
        shown.add(cell);
      }
    }
    return shown;
  }

  /** All versions of the columns of which at least one is shown. */
  List<Cell> columnsOf(List<Cell> versions) throws IOException {
    List<Cell> columns = new ArrayList<>(versions.size());
    for (int begin = 0; begin < versions.size(); ) {
      int end = begin;
      boolean shown = false;
      while (end < versions.size()
          && CellUtil.matchingColumn(versions.get(begin), versions.get(end))) {
        shown |= test(versions.get(end));
        end++;
      }
      if (shown) {
        columns.addAll(versions.subList(begin, end));
      }
      begin = end;
    }
    return columns;
  }
}
