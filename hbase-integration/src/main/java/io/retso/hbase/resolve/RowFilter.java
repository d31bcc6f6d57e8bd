package io.retso.hbase.resolve;

import io.retso.hbase.layout.ReadAttribute;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.Filter.ReturnCode;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Applies an application's filter, and its limits of cells per family, to the visible cells of row
 * after row, as a HBase region would if these were all it has.
 *
 * <p>A region asks one scanner per column family, and a filter's skips and seeks move only the one
 * that holds the cell they answered for. So {@code NEXT_ROW} skips the rest of a family, and a seek
 * may hide the family's cells in later rows, too: {@link #seeks} remembers it.
 *
 * <p>All families pass through the filter: {@code loadColumnFamiliesOnDemand} is not used. Not
 * thread-safe.
 */
public final class RowFilter {
  private final Filter filter;
  private final boolean reversed;
  private final int cellsPerFamily;
  private final int offsetPerFamily;

  /** Family to the cell below which it has nothing more, as a filter's hint said. */
  private final Map<byte[], Cell> seeks = new TreeMap<>(Bytes.BYTES_COMPARATOR);

  /** Whether a hint was ever in another row than the cell it was given for. */
  private boolean seeksRows;

  private RowFilter(Filter filter, boolean reversed, int cellsPerFamily, int offsetPerFamily) {
    if (filter != null) {
      filter.setReversed(reversed);
    }
    this.filter = filter;
    this.reversed = reversed;
    this.cellsPerFamily = cellsPerFamily;
    this.offsetPerFamily = offsetPerFamily;
  }

  /**
   * The filter of an application's scan, in its initial state.
   *
   * @throws IOException if the filter cannot be copied
   */
  public static RowFilter of(Scan scan) throws IOException {
    return of(scan, copy(scan.getFilter()));
  }

  /**
   * The filter of an application's get, in its initial state.
   *
   * @throws IOException if the filter cannot be copied
   */
  public static RowFilter of(Get get) throws IOException {
    return of(get, copy(get.getFilter()));
  }

  /**
   * The filter of a scan that a region has received, not a copy: no other scan has it, and those
   * that HBase adds for rights and visibility labels cannot be copied.
   */
  public static RowFilter ofRequest(Scan scan) {
    return of(scan, scan.getFilter());
  }

  /** The filter of a get that a region has received; see {@link #ofRequest(Scan)}. */
  public static RowFilter ofRequest(Get get) {
    return of(get, get.getFilter());
  }

  /**
   * The application's filter of a validating get that a region has received.
   *
   * @throws IOException if it cannot be read
   */
  public static RowFilter ofValidating(Get get) throws IOException {
    return of(get, ReadAttribute.takenFilter(get));
  }

  private static RowFilter of(Scan scan, Filter filter) {
    return new RowFilter(
        filter,
        scan.isReversed(),
        scan.getMaxResultsPerColumnFamily(),
        scan.getRowOffsetPerColumnFamily());
  }

  private static RowFilter of(Get get, Filter filter) {
    return new RowFilter(
        filter, false, get.getMaxResultsPerColumnFamily(), get.getRowOffsetPerColumnFamily());
  }

  /** Filters have state and applications reuse them; HBase's own calls copy them, too. */
  private static Filter copy(Filter filter) throws IOException {
    return filter == null ? null : ProtobufUtil.toFilter(ProtobufUtil.toFilter(filter));
  }

  /** Whether no further row can pass: the scan may end. */
  public boolean isDone() throws IOException {
    return filter != null && filter.filterAllRemaining();
  }

  /**
   * Where the family of a cell goes on for a forward scan, by a hint that the filter gave for an
   * earlier row: the rows before need not be read.
   *
   * <p>{@link #apply} would drop the family's cells up to there unseen; it makes no difference
   * whether it gets them. Whole rows only: whether a cell of the hint's row is before it is found
   * when the row is resolved.
   *
   * @return the first key of a row behind that of {@code cell}; null if there is none
   */
  public Cell rowHint(Cell cell) {
    if (!seeksRows || reversed) {
      return null;
    }
    Cell hint = seeks.get(CellUtil.cloneFamily(cell));
    return hint != null && CellComparator.getInstance().compareRows(cell, hint) < 0
        ? KeyValueUtil.createFirstOnRow(CellUtil.cloneRow(hint))
        : null;
  }

  /**
   * What the application gets of the next row.
   *
   * @param visible the visible cells in HBase's order, at most one per column; not changed
   * @return the cells that pass, perhaps none
   * @throws IOException if the filter fails
   */
  public List<Cell> apply(List<Cell> visible) throws IOException {
    if (filter == null) {
      return offsetPerFamily == 0 && cellsPerFamily < 0 ? visible : passing(visible);
    }
    List<Cell> row = seeks.isEmpty() ? visible : withoutSoughtOver(visible);
    if (row.isEmpty() || filter.filterAllRemaining()) {
      return List.of(); // a region does not come across a row without cells
    }
    try {
      return applyToRow(row);
    } finally {
      filter.reset();
    }
  }

  private List<Cell> applyToRow(List<Cell> row) throws IOException {
    if (filter.filterRowKey(row.get(0))) {
      if (!filter.filterAllRemaining()) {
        passing(row); // a region shows the skipped cells to the filter, too: it may seek
      }
      return List.of();
    }
    List<Cell> passed = passing(row);
    boolean nothingPassed = passed.isEmpty();
    if (filter.hasFilterRow()) {
      filter.filterRowCells(passed);
      if (!passed.isEmpty() && filter.filterRow()) {
        return List.of();
      }
    } else if (!nothingPassed && filter.filterRow()) {
      return List.of();
    }
    return nothingPassed ? List.of() : passed;
  }

  /** The cells of one row that pass one by one. */
  private List<Cell> passing(List<Cell> row) throws IOException {
    List<Cell> passed = new ArrayList<>(row.size());
    int inFamily = 0;
    for (int i = 0; i < row.size() && !isDone(); i++) {
      Cell cell = row.get(i);
      if (i > 0 && !CellUtil.matchingFamily(row.get(i - 1), cell)) {
        inFamily = 0;
      }
      ReturnCode code = filter == null ? ReturnCode.INCLUDE : filter.filterCell(cell);
      boolean familyDone = code == ReturnCode.NEXT_ROW;
      switch (code) {
        case INCLUDE, INCLUDE_AND_NEXT_COL, INCLUDE_AND_SEEK_NEXT_ROW -> {
          inFamily++;
          Cell shown = filter == null ? cell : filter.transformCell(cell);
          if (inFamily > offsetPerFamily) {
            passed.add(shown);
            familyDone = cellsPerFamily >= 0 && inFamily >= cellsPerFamily + offsetPerFamily;
          }
          familyDone |= code == ReturnCode.INCLUDE_AND_SEEK_NEXT_ROW;
        }
        case SEEK_NEXT_USING_HINT -> i = seek(row, i);
        case SKIP, NEXT_COL, NEXT_ROW -> {} // one version per column: the next cell is a new column
      }
      if (familyDone) {
        i = endOfFamily(row, i) - 1;
      }
    }
    return passed;
  }

  /** Asks for the hint after cell i; returns the last cell that it passes over. */
  private int seek(List<Cell> row, int i) throws IOException {
    Cell cell = row.get(i);
    Cell hint = filter.getNextCellHint(cell);
    if (hint == null || !isAhead(hint, cell)) {
      return i; // a region goes on with the next cell
    }
    seeks.put(CellUtil.cloneFamily(cell), hint);
    seeksRows |= !CellUtil.matchingRows(hint, cell);
    int last = i;
    int end = endOfFamily(row, i);
    while (last + 1 < end && isBefore(row.get(last + 1), hint)) {
      last++;
    }
    return last;
  }

  private List<Cell> withoutSoughtOver(List<Cell> row) {
    List<Cell> left = new ArrayList<>(row.size());
    for (Cell cell : row) {
      Cell hint = seeks.get(CellUtil.cloneFamily(cell));
      if (hint == null || !isBefore(cell, hint)) {
        left.add(cell);
      }
    }
    return left;
  }

  private static int endOfFamily(List<Cell> row, int i) {
    int end = i + 1;
    while (end < row.size() && CellUtil.matchingFamily(row.get(i), row.get(end))) {
      end++;
    }
    return end;
  }

  private boolean isAhead(Cell hint, Cell cell) {
    int order = CellComparator.getInstance().compare(hint, cell);
    return reversed ? order < 0 : order > 0;
  }

  /**
   * Whether a scanner that was sent to {@code hint} has passed over {@code cell}: in a reversed
   * scan rows come in descending order, but the cells of a row still in ascending order.
   */
  private boolean isBefore(Cell cell, Cell hint) {
    CellComparator comparator = CellComparator.getInstance();
    if (!reversed) {
      return comparator.compare(cell, hint) < 0;
    }
    int rows = comparator.compareRows(cell, hint);
    return rows > 0 || rows == 0 && comparator.compare(cell, hint) < 0;
  }
}
