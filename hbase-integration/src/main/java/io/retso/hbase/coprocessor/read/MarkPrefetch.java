package io.retso.hbase.coprocessor.read;

import io.retso.hbase.coprocessor.region.Mark;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.resolve.WriterStatuses;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The marks of the rows that a scan comes to next: a scan over many rows in doubt would wait for
 * the oracle at each of them, if it did not ask about the writers of several rows at once.
 *
 * <p>A region does not know how many rows the client wants of it (HBase sends it with each request
 * only), so a scan begins with few marks and looks at more of them each time that it comes to a row
 * in doubt behind those. Cleanups leave their deletes in memory until the next flush, where marks
 * are as dear to step over as if they were there: those count, too.
 *
 * <p>Nothing depends on what is found here: a row asks about writers that were not expected by
 * itself. One for each scanner; not thread-safe.
 */
final class MarkPrefetch {
  private static final int CELLS_FIRST = 16;
  private static final int CELLS_MAX = 1_000;
  private static final int GROWTH = 4;

  private final RegionParts parts;
  private final Scan marks;
  private int cellsMax = CELLS_FIRST;

  /** The last row that was looked at; null before. */
  private byte[] aheadTo;

  /**
   * The marks before a scan.
   *
   * @param marks reads all rows that the scan will come to, in their order
   */
  MarkPrefetch(RegionParts parts, Scan marks) {
    this.parts = parts;
    this.marks = marks;
  }

  /** Takes the marks that are there of a raw scan, and ends it after some cells. */
  private static final class Look extends FilterBase {
    private final int cellsMax;
    private int cells;
    private byte[] lastRow;

    /** Version of the delete marker that was met last in this row. */
    private long deleted;

    Look(int cellsMax) {
      this.cellsMax = cellsMax;
    }

    @Override
    public ReturnCode filterCell(Cell cell) {
      cells++;
      if (cells >= cellsMax) {
        lastRow = CellUtil.cloneRow(cell);
      }
      if (cell.getType() != Cell.Type.Put) {
        deleted = cell.getTimestamp();
        return ReturnCode.SKIP;
      }
      // A delete comes before the marks of its version, older or not. One that was put after it is
      // there in truth; its row will ask by itself.
      return PendingWrite.isWellFormed(cell) && cell.getTimestamp() != deleted
          ? ReturnCode.INCLUDE
          : ReturnCode.SKIP;
    }

    @Override
    public void reset() {
      deleted = 0;
    }

    @Override
    public boolean filterAllRemaining() {
      return cells >= cellsMax;
    }
  }

  /** Adds the writers of {@code row} and the next rows, unless that was done. */
  void expect(Cell row, WriterStatuses statuses) throws IOException {
    byte[] first = CellUtil.cloneRow(row);
    if (aheadTo != null && !isBeyond(first, aheadTo)) {
      return;
    }
    assert cellsMax <= CELLS_MAX;
    boolean isCut = expectCells(first, statuses);
    expectInMemory(first, isCut, statuses);
    cellsMax = Math.min(cellsMax * GROWTH, CELLS_MAX);
  }

  /** Whether there were more marks than are looked at. */
  private boolean expectCells(byte[] first, WriterStatuses statuses) throws IOException {
    aheadTo = first;
    Look look = new Look(cellsMax);
    // Raw, as only then removed marks pass the filter, which counts them. (Where there are
    // visibility labels, HBase lets them pass its tracker of versions as well; of all versions
    // that drops none.)
    Scan ahead = new Scan(marks).withStartRow(aheadTo).setRaw(true).readAllVersions();
    List<Cell> found = new ArrayList<>();
    try (RegionScanner scanner = parts.region().getScanner(ahead.setFilter(look))) {
      boolean more = true;
      while (more) {
        found.clear();
        more = scanner.next(found);
        for (Cell mark : found) {
          statuses.expect(PendingWrite.startOf(mark));
        }
        if (!found.isEmpty()) {
          aheadTo = CellUtil.cloneRow(found.get(0));
        }
      }
    }
    if (look.lastRow != null) {
      aheadTo = look.lastRow;
    }
    parts.metrics().marksAhead.increment(look.cells);
    return look.lastRow != null;
  }

  /** Expects those of the marks in memory. All rows were looked at up to where a look was cut. */
  private void expectInMemory(byte[] first, boolean areCellsCut, WriterStatuses statuses) {
    byte[] last = null;
    int found = 0;
    for (Mark mark : parts.marks().writers().next(first, marks.isReversed(), cellsMax)) {
      if (isBehindTheLast(mark.row())) {
        break;
      }
      if (marks.getTimeRange().withinTimeRange(mark.start())) {
        statuses.expect(mark.start());
      }
      last = mark.row();
      found++;
    }
    parts.metrics().marksAhead.increment(found);
    boolean isCut = found == cellsMax;
    if (areCellsCut
        ? isCut && isBeyond(aheadTo, last)
        : isCut || last != null && isBeyond(last, aheadTo)) {
      aheadTo = last;
    }
  }

  private boolean isBehindTheLast(byte[] row) {
    byte[] stop = marks.getStopRow();
    return stop.length != 0
        && (isBeyond(row, stop) || !marks.includeStopRow() && Bytes.equals(row, stop));
  }

  /** Whether a row comes behind another one in the scan. */
  private boolean isBeyond(byte[] row, byte[] other) {
    int order = Bytes.compareTo(row, other);
    return marks.isReversed() ? order < 0 : order > 0;
  }
}
