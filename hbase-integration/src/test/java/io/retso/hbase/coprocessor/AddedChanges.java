package io.retso.hbase.coprocessor;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.OperationStatus;

/**
 * Another coprocessor of a region, behind ours, that adds mutations to batches, or refuses some.
 * Loaded into an open region by {@link #into}.
 */
public final class AddedChanges implements RegionCoprocessor, RegionObserver {
  private final AtomicReference<Mutation> next = new AtomicReference<>();

  private final AtomicBoolean isRefusing = new AtomicBoolean();

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

  /** The first mutation of the next batch is refused, and the others are not. */
  void refuseNext() {
    isRefusing.set(true);
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
    if (isRefusing.getAndSet(false)) {
      mutations.setOperationStatus(
          0, new OperationStatus(OperationStatusCode.SANITY_CHECK_FAILURE, "a test wants it"));
    }
  }
}
