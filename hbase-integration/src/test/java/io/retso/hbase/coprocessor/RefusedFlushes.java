package io.retso.hbase.coprocessor;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.HRegion;

/**
 * Another coprocessor of a region, which refuses flushes: so its memory is full when its server
 * dies, and the replay has to flush before it has read the whole log.
 */
public final class RefusedFlushes implements RegionCoprocessor, RegionObserver {
  /** Called by HBase. */
  public RefusedFlushes() {}

  static void in(HRegion region) throws IOException {
    region
        .getCoprocessorHost()
        .load(
            RefusedFlushes.class, Coprocessor.PRIORITY_HIGHEST, region.getReadOnlyConfiguration());
  }

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public void preFlush(
      ObserverContext<RegionCoprocessorEnvironment> context, FlushLifeCycleTracker tracker)
      throws IOException {
    throw new IOException("no flush before the crash");
  }
}
