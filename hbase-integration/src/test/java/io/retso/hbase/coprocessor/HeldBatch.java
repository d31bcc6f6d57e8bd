package io.retso.hbase.coprocessor;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.DoNotRetryIOException;
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
 * Another coprocessor of a region, mostly behind ours, that holds batches of mutations in the
 * middle: checked and rewritten by ours, not yet applied; or refuses them there; or holds them when
 * they are in log and memory. Loaded into an open region by {@link #into}.
 */
public final class HeldBatch implements RegionCoprocessor, RegionObserver {
  /** One batch (or what else a test holds up), held until it is released. */
  static final class Hold {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private volatile boolean failed;

    /** Waits until a batch is here. */
    void awaitReached() throws InterruptedException {
      if (!reached.await(60, TimeUnit.SECONDS)) {
        throw new AssertionError("nothing came to be held");
      }
    }

    boolean isReached() {
      return reached.getCount() == 0;
    }

    /** Lets the batch go on. */
    void release() {
      released.countDown();
    }

    /** Makes the batch fail. */
    void fail() {
      failed = true;
      released.countDown();
    }

    /** What is to be held comes by: it takes the next hold, if there is one, and waits. */
    static void stopAt(AtomicReference<Hold> next) throws IOException {
      Hold hold = next.getAndSet(null);
      if (hold == null) {
        return;
      }
      hold.reached.countDown();
      try {
        if (!hold.released.await(60, TimeUnit.SECONDS)) {
          throw new IOException("nobody released it");
        }
        if (hold.failed) {
          throw new DoNotRetryIOException("a test wants it");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException();
      }
    }
  }

  private final AtomicReference<Hold> next = new AtomicReference<>();
  private final AtomicReference<Hold> nextApplied = new AtomicReference<>();
  private volatile boolean isRefusing;

  /** Called by HBase. */
  public HeldBatch() {}

  static HeldBatch into(HRegion region) throws IOException {
    return into(region, Coprocessor.PRIORITY_LOWEST);
  }

  static HeldBatch into(HRegion region, int priority) throws IOException {
    region.getCoprocessorHost().load(HeldBatch.class, priority, region.getReadOnlyConfiguration());
    return (HeldBatch) region.getCoprocessorHost().findCoprocessor(HeldBatch.class.getName());
  }

  /** The next batch will be held. */
  Hold holdNext() {
    Hold hold = new Hold();
    next.set(hold);
    return hold;
  }

  /** The next batch that is in log and memory will be held. */
  Hold holdNextApplied() {
    Hold hold = new Hold();
    nextApplied.set(hold);
    return hold;
  }

  /** Whether mutations are refused one by one, which is no failure of their batch. */
  void setRefusing(boolean isRefusing) {
    this.isRefusing = isRefusing;
  }

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public void preBatchMutate(
      ObserverContext<RegionCoprocessorEnvironment> context,
      MiniBatchOperationInProgress<Mutation> mutations)
      throws IOException {
    Hold.stopAt(next);
    for (int i = 0; isRefusing && i < mutations.size(); i++) {
      mutations.setOperationStatus(
          i, new OperationStatus(OperationStatusCode.SANITY_CHECK_FAILURE, "a test wants it"));
    }
  }

  @Override
  public void postBatchMutate(
      ObserverContext<RegionCoprocessorEnvironment> context,
      MiniBatchOperationInProgress<Mutation> mutations)
      throws IOException {
    Hold.stopAt(nextApplied);
  }
}
