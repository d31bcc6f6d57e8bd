package io.retso.hbase.coprocessor;

import io.retso.hbase.coprocessor.HeldBatch.Hold;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Another coprocessor of a region, behind ours, that holds a flush of family f after its memory was
 * taken and before its file is written. Loaded into an open region by {@link #into}.
 */
public final class HeldStore implements RegionCoprocessor, RegionObserver {
  private final AtomicReference<Hold> nextFlush = new AtomicReference<>();

  /** Called by HBase. */
  public HeldStore() {}

  static HeldStore into(HRegion region) throws IOException {
    region
        .getCoprocessorHost()
        .load(HeldStore.class, Coprocessor.PRIORITY_LOWEST, region.getReadOnlyConfiguration());
    return (HeldStore) region.getCoprocessorHost().findCoprocessor(HeldStore.class.getName());
  }

  /** The next flush will be held. */
  Hold holdNextFlush() {
    Hold hold = new Hold();
    nextFlush.set(hold);
    return hold;
  }

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public InternalScanner preFlush(
      ObserverContext<RegionCoprocessorEnvironment> context,
      Store store,
      InternalScanner scanner,
      FlushLifeCycleTracker tracker)
      throws IOException {
    if (Bytes.equals(store.getColumnFamilyDescriptor().getName(), RawTable.F)) {
      Hold.stopAt(nextFlush);
    }
    return scanner;
  }
}
