package io.retso.hbase.coprocessor.read;

import io.retso.hbase.coprocessor.region.RegionOutcomes;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;

/**
 * The scanner of a read without a snapshot. It fails when a flush has moved cells, of which HBase
 * tells the client to open another one behind the last row that it has: nothing is missed.
 *
 * <p>With a filter it fails only if cells have moved between two rows, which is where nearly all
 * scanners are nearly always. A filter may pass over rows for longer than it takes until the next
 * flush, and the scan would never come to its end. So what moves while it does that may be missed.
 */
final class PlainScanner extends WatchedScanner {
  private final RegionOutcomes outcomes;
  private final boolean hasFilter;
  private long moves;

  /**
   * A scanner.
   *
   * @param moves {@link RegionOutcomes#moves} before {@code source} was opened
   */
  PlainScanner(RegionOutcomes outcomes, long moves, boolean hasFilter, RegionScanner source) {
    super(source);
    this.outcomes = outcomes;
    this.hasFilter = hasFilter;
    this.moves = moves;
  }

  @Override
  boolean read(Read read, List<Cell> result, ScannerContext request) throws IOException {
    check();
    boolean isMore = read.from(source);
    if (hasFilter) {
      moves = outcomes.moves();
    } else {
      check();
    }
    return isMore;
  }

  private void check() throws IOException {
    long now = outcomes.moves();
    assert now >= moves : "numbers of moves grow";
    if (now != moves) {
      throw new IOException("a flush has moved cells: open another scanner");
    }
  }
}
