package io.retso.hbase.coprocessor;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.wal.WALEdit;

/**
 * Another coprocessor of a region, in front of ours, that has a batch of its own applied within
 * that of a client, as some do that keep indexes. Loaded into an open region by {@link #into}.
 */
public final class BatchWithin implements RegionCoprocessor, RegionObserver {
  private final AtomicReference<Mutation> next = new AtomicReference<>();

  /** Called by HBase. */
  public BatchWithin() {}

  static BatchWithin into(HRegion region) throws IOException {
    region
        .getCoprocessorHost()
        .load(BatchWithin.class, Coprocessor.PRIORITY_HIGHEST, region.getReadOnlyConfiguration());
    return (BatchWithin) region.getCoprocessorHost().findCoprocessor(BatchWithin.class.getName());
  }

  /** To be applied within the batch of the next put. */
  void addNext(Mutation mutation) {
    next.set(mutation);
  }

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit)
      throws IOException {
    Mutation inner = next.getAndSet(null);
    if (inner != null) {
      HRegion region = (HRegion) context.getEnvironment().getRegion();
      region.batchMutate(new Mutation[] {inner});
    }
  }
}
