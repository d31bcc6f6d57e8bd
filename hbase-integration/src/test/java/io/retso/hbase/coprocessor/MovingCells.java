package io.retso.hbase.coprocessor;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.ScanType;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequest;

/**
 * A coprocessor that moves each cell of version {@link #BEFORE} to {@link #AFTER} as it is written
 * to a file, by a flush or by a compaction, as the table says.
 */
public final class MovingCells implements RegionCoprocessor, RegionObserver {
  static final long BEFORE = 16;
  static final long AFTER = 33;

  /** Keys of the table: what is to be done there. */
  static final String AT_FLUSH = "MOVES_AT_FLUSH";

  static final String AT_COMPACTION = "MOVES_AT_COMPACTION";

  /** Called by HBase. */
  public MovingCells() {}

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  private static boolean isAsked(
      ObserverContext<RegionCoprocessorEnvironment> context, String property) {
    return context.getEnvironment().getRegion().getTableDescriptor().getValue(property) != null;
  }

  @Override
  public InternalScanner preFlush(
      ObserverContext<RegionCoprocessorEnvironment> context,
      Store store,
      InternalScanner scanner,
      FlushLifeCycleTracker tracker) {
    return isAsked(context, AT_FLUSH) ? new Moving(scanner) : scanner;
  }

  @Override
  public InternalScanner preCompact(
      ObserverContext<RegionCoprocessorEnvironment> context,
      Store store,
      InternalScanner scanner,
      ScanType scanType,
      CompactionLifeCycleTracker tracker,
      CompactionRequest request) {
    return isAsked(context, AT_COMPACTION) ? new Moving(scanner) : scanner;
  }

  private record Moving(InternalScanner source) implements InternalScanner {
    @Override
    public boolean next(List<Cell> result, ScannerContext context) throws IOException {
      boolean more = source.next(result, context);
      result.replaceAll(Moving::moved);
      return more;
    }

    private static Cell moved(Cell cell) {
      KeyValue copy = KeyValueUtil.copyToNewKeyValue(cell);
      copy.setSequenceId(((ExtendedCell) cell).getSequenceId());
      if (cell.getTimestamp() == BEFORE) {
        copy.setTimestamp(AFTER);
      }
      return copy;
    }

    @Override
    public void close() throws IOException {
      source.close();
    }
  }
}
