package io.retso.hbase.coprocessor.purge;

import io.retso.hbase.layout.PendingWrite;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.Store;

/**
 * What a flush of {@code !pw} writes while HBase replays the log, without the marks of transactions
 * that were adopted and whose versions are in memory: flushes of the data move those. So after most
 * crashes no row is left to be cleaned up.
 *
 * <p>A mark is in one edit with its data. If no family of data has a file with edits as young, the
 * data is in memory, and the flush of each family comes by. If the server dies in between, the data
 * is replayed once more, and the adoptions, which this flush writes, are found in a file. Otherwise
 * the mark stays: the data may have been flushed unadopted, before the crash or amid the replay.
 *
 * <p>Not thread-safe, like its source.
 */
final class ReplayedMarkScanner extends RewritingScanner {
  private final LongPredicate isAdopted;
  private final long inFiles;

  /**
   * A scanner.
   *
   * @param isAdopted of a start timestamp
   */
  ReplayedMarkScanner(Region region, InternalScanner source, LongPredicate isAdopted) {
    super(source);
    this.isAdopted = isAdopted;
    this.inFiles = inFiles(region);
  }

  /** Up to which number some family of data may have edits in its files. */
  private static long inFiles(Region region) {
    long last = 0;
    for (Store store : region.getStores()) {
      if (!PendingWrite.isFamily(store.getColumnFamilyDescriptor().getName())) {
        last = Math.max(last, store.getMaxSequenceId().orElse(0));
      }
    }
    return last;
  }

  @Override
  public boolean next(List<Cell> result, ScannerContext context) throws IOException {
    List<Cell> cells = new ArrayList<>();
    boolean more = source.next(cells, context);
    cells.removeIf(this::isLeftOut);
    result.addAll(cells);
    return more;
  }

  private boolean isLeftOut(Cell cell) {
    return cell.getType() == Cell.Type.Put
        && PendingWrite.isWellFormed(cell)
        && sequence(cell) > inFiles
        && isAdopted.test(PendingWrite.startOf(cell));
  }
}
