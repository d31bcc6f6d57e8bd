package io.retso.hbase.coprocessor.read;

import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.ChangedRow;
import io.retso.hbase.resolve.RowFilter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.filter.FilterBase;

/**
 * The filter that turns a raw read inside of the region into a snapshot read. It never travels.
 *
 * <p>HBase calls it as it reads: of each column only the versions down to the first one that is
 * committed by its own number are taken; {@link RegionReader} resolves the whole row; the
 * application's filter sees the result. Rows that its hints pass over are not read. All else, from
 * limits of size and time to heartbeats, reversed order and metrics of filtered rows, is HBase's
 * own: to it, this is a filter like any other. As it wants whole rows ({@link #hasFilterRow}),
 * HBase does not cut them into parts.
 *
 * <p><em>A flush may move cells</em> to where the scanner has been already; {@link
 * io.retso.hbase.coprocessor.region.RegionOutcomes} says when, and what its number tells. The
 * filter looks at the number when a row begins, for all rows before it are read then, and when a
 * row is complete, before the application's filter sees it, which may count rows. If it has changed
 * the scanner is of no use any more: the row is left out, and the scan ended. Its owner opens
 * another one at the last {@link #place} where all was well ({@link SnapshotScanner}, {@link
 * RegionReads#end}), and looks once more at the end, for a row that does not come is missed, too.
 *
 * <p>One for each scan, and for one scanner at a time; not thread-safe, as scanners are not.
 */
public final class SnapshotFilter extends FilterBase {
  private final RegionReader reader;
  private final RowFilter rowFilter;

  /** What the user of a validating read is shown; null for other reads. */
  private final ShownCells shown;

  /** The row has a version above the timestamp of a validating read. */
  private boolean hasNewer;

  /** Those that hide, or may, what the timestamp shows of their column, and show nothing. */
  private final List<Cell> covers = new ArrayList<>();

  /** Where to go on from the last cell that was shown; null for the next one. */
  private Cell rowHint;

  /**
   * The family of the last committed version with an empty qualifier in this row, or null. HBase
   * does not leave such a column when it is asked to, as it may begin with the delete marker of the
   * whole family: the older versions come, too, and are skipped one by one.
   */
  private byte[] emptyQualifierDone;

  /** Nothing of the row that was just read is in the result. */
  private boolean excluded;

  /** {@link RegionReader#moves} before the scanner was opened. */
  private long moves;

  /** Cells have moved: what the scanner shows is not all there is. */
  private boolean isOutdated;

  private final RowKey place = new RowKey();

  /** Whether the row at the place is resolved. */
  private boolean isBehind;

  /**
   * A filter for a scanner that is about to be opened.
   *
   * @param shown null unless a row that may have changed, to a user who is shown this, is to be
   *     answered with {@link ChangedRow}; then versions of all times are to be read
   */
  SnapshotFilter(RegionReader reader, RowFilter rowFilter, ShownCells shown) {
    this.reader = reader;
    this.rowFilter = rowFilter;
    this.shown = shown;
    this.moves = reader.moves();
  }

  /** Another scanner is about to be opened. */
  void begin() throws IOException {
    reset();
    isOutdated = false;
    moves = reader.moves();
  }

  /** Whether cells have moved since the scanner was opened. */
  boolean isOutdated() {
    isOutdated |= reader.moves() != moves;
    return isOutdated;
  }

  /** The row where the next scanner is to begin; null for where the first one did. */
  byte[] place() {
    return place.get();
  }

  /** Whether the next scanner is to begin behind {@link #place}, and not with it. */
  boolean isBehind() {
    return isBehind;
  }

  @Override
  public boolean filterRowKey(Cell first) {
    if (isOutdated()) {
      return true;
    }
    place.set(first);
    isBehind = false;
    return false;
  }

  @Override
  public ReturnCode filterCell(Cell cell) throws IOException {
    rowHint = rowFilter.rowHint(cell);
    if (rowHint != null) {
      return ReturnCode.SEEK_NEXT_USING_HINT;
    }
    if (shown != null && cell.getTimestamp() > reader.timestamp()) {
      if (shown.isLimited() && !shown.test(cell)) {
        covers.add(KeyValueUtil.copyToNewKeyValue(cell));
        return ReturnCode.SKIP;
      }
      hasNewer = true;
      return ReturnCode.INCLUDE_AND_SEEK_NEXT_ROW; // HBase shows no row of which nothing is taken
    }
    boolean hasEmptyQualifier = cell.getQualifierLength() == 0;
    if (hasEmptyQualifier
        && emptyQualifierDone != null
        && CellUtil.matchingFamily(cell, emptyQualifierDone)) {
      return ReturnCode.SKIP;
    }
    if (!CellVersion.isCommitted(cell.getTimestamp()) && !reader.isCommitted(cell.getTimestamp())) {
      return ReturnCode.INCLUDE;
    }
    if (hasEmptyQualifier) {
      emptyQualifierDone = CellUtil.cloneFamily(cell);
    }
    return ReturnCode.INCLUDE_AND_NEXT_COL;
  }

  @Override
  public Cell getNextCellHint(Cell cell) {
    return rowHint;
  }

  @Override
  public boolean hasFilterRow() {
    return true;
  }

  @Override
  public void filterRowCells(List<Cell> cells) throws IOException {
    if (cells.isEmpty()) {
      return; // HBase's call at the end of a scan
    }
    if (isOutdated()) {
      excluded = true;
      return;
    }
    assert CellUtil.matchingRows(cells.get(0), place.get()) : "another row than began";
    isBehind = true;
    List<Cell> visible = shown == null ? reader.resolve(cells) : current(cells);
    if (visible == null) {
      Cell answer = ChangedRow.answerFor(cells.get(0));
      cells.clear();
      cells.add(answer);
      return;
    }
    List<Cell> passed = rowFilter.apply(visible);
    if (passed.isEmpty()) {
      excluded = true;
    } else if (passed != cells) {
      List<Cell> copy = List.copyOf(passed);
      cells.clear();
      cells.addAll(copy);
    }
  }

  /** What the user is shown of a row; null if that may have changed since. */
  private List<Cell> current(List<Cell> cells) throws IOException {
    if (hasNewer) {
      return null;
    }
    if (!shown.isLimited()) {
      List<Cell> visible = reader.resolve(cells);
      return reader.isCurrent() ? visible : null;
    }
    List<Cell> columns = shown.columnsOf(cells);
    if (columns.isEmpty()) {
      return columns;
    }
    List<Cell> visible = shown.of(reader.resolve(columns));
    for (Cell cover : covers) {
      if (visible.stream().anyMatch(cell -> CellUtil.matchingColumn(cell, cover))) {
        return null;
      }
    }
    return reader.isCurrent() ? visible : null;
  }

  /**
   * Rejects a row that leaves nothing, in the way that HBase's own filters do. If {@link
   * #filterRowCells} took all cells away, HBase would not ask, and go on to the next row without a
   * look at the time: a run of such rows would last beyond the client's patience.
   */
  @Override
  public boolean filterRow() {
    return excluded;
  }

  @Override
  public void reset() throws IOException {
    excluded = false;
    hasNewer = false;
    emptyQualifierDone = null;
    covers.clear();
    if (shown != null) {
      shown.begin();
    }
  }

  /**
   * HBase asks this after each row, and after a read that found none. The place to test that purge
   * did not take away what was to be read: it raises the horizon first.
   */
  @Override
  public boolean filterAllRemaining() throws IOException {
    return isDone() || isOutdated;
  }

  /** Whether the application's filter lets no further row pass. */
  boolean isDone() throws IOException {
    reader.checkHorizon();
    return rowFilter.isDone();
  }
}
