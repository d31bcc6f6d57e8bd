package io.retso.hbase.coprocessor;

import io.retso.hbase.coprocessor.HeldBatch.Hold;
import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.PendingWrite;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Another coprocessor of a region, behind ours: its flushes write the versions of transactions that
 * a test has decided at their commit timestamps, or not at all. It also holds up scans behind a row
 * that was left out. Loaded into an open region by {@link #into}.
 */
public final class MovingFlushes implements RegionCoprocessor, RegionObserver {
  private final AtomicReference<Hold> nextRowLeftOut = new AtomicReference<>();
  private volatile TransactionalRegion ours;

  /** Called by HBase. */
  public MovingFlushes() {}

  static MovingFlushes into(HRegion region) throws IOException {
    region
        .getCoprocessorHost()
        .load(MovingFlushes.class, Coprocessor.PRIORITY_LOWEST, region.getReadOnlyConfiguration());
    MovingFlushes loaded =
        (MovingFlushes) region.getCoprocessorHost().findCoprocessor(MovingFlushes.class.getName());
    TransactionRegionObserver observer =
        (TransactionRegionObserver)
            region.getCoprocessorHost().findCoprocessor(TransactionRegionObserver.class.getName());
    loaded.ours = observer.region();
    return loaded;
  }

  /** Decides a transaction; its marks in memory go. */
  void decide(long start, long outcome, String... rows) {
    ours.outcomes().decided(start, outcome);
    for (String row : rows) {
      ours.marks().drop(ours.marks().find(Bytes.toBytes(row), start));
    }
  }

  /** Decides a transaction that has marks which are cells. */
  void decideWithMarks(long start, long outcome) {
    ours.outcomes().decided(start, outcome);
  }

  /** The next scan that leaves a row out will be held behind it. */
  Hold holdBehindNextRowLeftOut() {
    Hold hold = new Hold();
    nextRowLeftOut.set(hold);
    return hold;
  }

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public boolean postScannerFilterRow(
      ObserverContext<RegionCoprocessorEnvironment> context,
      InternalScanner scanner,
      Cell row,
      boolean hasMore)
      throws IOException {
    Hold.stopAt(nextRowLeftOut);
    return hasMore;
  }

  @Override
  public InternalScanner preFlush(
      ObserverContext<RegionCoprocessorEnvironment> context,
      Store store,
      InternalScanner scanner,
      FlushLifeCycleTracker tracker) {
    return PendingWrite.isFamily(store.getColumnFamilyDescriptor().getName())
        ? scanner
        : new Moving(scanner);
  }

  private final class Moving implements InternalScanner {
    private final InternalScanner source;

    private Moving(InternalScanner source) {
      this.source = source;
    }

    /** Rows of tests are small enough to come whole. */
    @Override
    public boolean next(List<Cell> result, ScannerContext context) throws IOException {
      List<Cell> cells = new ArrayList<>();
      boolean isMore = source.next(cells, context);
      for (Cell cell : cells) {
        long outcome = ours.outcomes().outcomeOf(cell.getTimestamp());
        if (outcome == 0) {
          result.add(cell);
        } else if (outcome > 0) {
          KeyValue moved = KeyValueUtil.copyToNewKeyValue(cell);
          moved.setSequenceId(((ExtendedCell) cell).getSequenceId());
          moved.setTimestamp(CellVersion.committed(outcome));
          result.add(moved);
        }
      }
      result.sort(CellComparator.getInstance());
      return isMore;
    }

    @Override
    public void close() throws IOException {
      source.close();
    }
  }
}
