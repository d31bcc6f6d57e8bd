package io.retso.hbase.coprocessor.purge;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.Shipper;

/** What a flush or compaction writes, made from what its source would. Not thread-safe. */
abstract class RewritingScanner implements InternalScanner, Shipper {
  private final InternalScanner source;

  RewritingScanner(InternalScanner source) {
    this.source = source;
  }

  /** What a source has, but for some cells. */
  static InternalScanner without(Predicate<Cell> leftOut, InternalScanner source) {
    return new RewritingScanner(source) {
      @Override
      void rewrite(List<Cell> cells, boolean more, List<Cell> result) {
        cells.removeIf(leftOut);
        result.addAll(cells);
      }
    };
  }

  /**
   * Adds what is to be written.
   *
   * @param cells the next ones of the source; valid during the call
   * @param more whether there may be more
   */
  abstract void rewrite(List<Cell> cells, boolean more, List<Cell> result);

  @Override
  public boolean next(List<Cell> result, ScannerContext context) throws IOException {
    List<Cell> cells = new ArrayList<>();
    boolean more = source.next(cells, context);
    rewrite(cells, more, result);
    return more;
  }

  static boolean areInOrder(List<Cell> cells) {
    List<Cell> sorted = new ArrayList<>(cells);
    sorted.sort(CellComparator.getInstance());
    return sorted.equals(cells);
  }

  /** The sequence number of a cell of the region, which always has one. */
  static long sequence(Cell cell) {
    return ((ExtendedCell) cell).getSequenceId();
  }

  /** To be kept beyond a call of {@code next}: the source may give the cell's memory back then. */
  static Cell copy(Cell cell) {
    KeyValue copy = KeyValueUtil.copyToNewKeyValue(cell);
    copy.setSequenceId(sequence(cell));
    return copy;
  }

  @Override
  public void shipped() throws IOException {
    if (source instanceof Shipper shipper) {
      shipper.shipped();
    }
  }

  @Override
  public void close() throws IOException {
    source.close();
  }
}
