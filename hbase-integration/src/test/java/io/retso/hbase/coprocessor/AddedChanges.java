package io.retso.hbase.coprocessor;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;

/**
 * Another coprocessor of a region, behind ours, that adds mutations to batches. Loaded into an open
 * region by {@link #into}.
 */
public final class AddedChanges implements RegionCoprocessor, RegionObserver {
  private final AtomicReference<Mutation> next = new AtomicReference<>();

  /** Called by HBase. */
  public AddedChanges() {}

  static AddedChanges into(HRegion region) throws IOException {
    region
        .getCoprocessorHost()
        .load(AddedChanges.class, Coprocessor.PRIORITY_LOWEST, region.getReadOnlyConfiguration());
    return (AddedChanges) region.getCoprocessorHost().findCoprocessor(AddedChanges.class.getName());
  }

  /** To be added to the first mutation of the next batch. */
  void addNext(Mutation mutation) {
    next.set(mutation);
  }

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public void preBatchMutate(
      ObserverContext<RegionCoprocessorEnvironment> context,
      MiniBatchOperationInProgress<Mutation> mutations) {
    Mutation added = next.getAndSet(null);
    if (added != null) {
      mutations.addOperationsFromCP(0, new Mutation[] {added});
    }
  }
}
