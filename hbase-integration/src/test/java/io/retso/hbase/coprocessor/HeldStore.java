package io.retso.hbase.coprocessor;

import io.retso.hbase.coprocessor.HeldBatch.Hold;
import io.retso.hbase.layout.PendingWrite;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.Region.Operation;
import org.apache.hadoop.hbase.regionserver.ScanOptions;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hadoop.hbase.wal.WALEdit;

/**
 * Another coprocessor of a region, behind ours, that holds up what comes by: a put after our hook
 * for it, a read of family g before it begins (while the store is locked against the end of a
 * flush), a flush of family f after its memory was taken and before its file is written, one of g
 * before that file is committed, one of the marks before it begins to read that memory, a load of
 * files before they can be seen. Loaded into an open region by {@link #into}.
 */
public final class HeldStore implements RegionCoprocessor, RegionObserver {
  private final AtomicReference<Hold> nextFlush = new AtomicReference<>();
  private final AtomicReference<Hold> nextFlushOfMarks = new AtomicReference<>();
  private final AtomicReference<Hold> nextCommit = new AtomicReference<>();
  private final AtomicReference<Hold> nextLoad = new AtomicReference<>();
  private final AtomicReference<Hold> nextPut = new AtomicReference<>();
  private final AtomicReference<Hold> nextRead = new AtomicReference<>();
  private volatile boolean isRefusing;
  private volatile boolean isFamilyFCommitted;

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

  /** The next flush of marks will be held. */
  Hold holdNextFlushOfMarks() {
    Hold hold = new Hold();
    nextFlushOfMarks.set(hold);
    return hold;
  }

  /** The next flush will be held before family g is committed, and behind f. */
  Hold holdNextCommit() {
    Hold hold = new Hold();
    nextCommit.set(hold);
    return hold;
  }

  /** The next load of files will be held. */
  Hold holdNextLoad() {
    Hold hold = new Hold();
    nextLoad.set(hold);
    return hold;
  }

  /** The next put will be held. */
  Hold holdNextPut() {
    Hold hold = new Hold();
    nextPut.set(hold);
    return hold;
  }

  /** The next read will be held. */
  Hold holdNextRead() {
    Hold hold = new Hold();
    nextRead.set(hold);
    return hold;
  }

  /**
   * Whether a flush that wrote both families has come as far as to commit g since the last call of
   * {@link #beginFlush}. Families are committed by name: f is, and scanners have been told.
   */
  boolean isFamilyFCommitted() {
    return isFamilyFCommitted;
  }

  /** A flush is about to begin. */
  void beginFlush() {
    isFamilyFCommitted = false;
  }

  /** Whether batches and loads of files are refused before they begin. */
  void setRefusing(boolean isRefusing) {
    this.isRefusing = isRefusing;
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

  /** Before the file takes the place of the memory. */
  @Override
  public void postFlush(
      ObserverContext<RegionCoprocessorEnvironment> context,
      Store store,
      StoreFile file,
      FlushLifeCycleTracker tracker)
      throws IOException {
    if (Bytes.equals(store.getColumnFamilyDescriptor().getName(), RawTable.G)) {
      isFamilyFCommitted = true;
      Hold.stopAt(nextCommit);
    }
  }

  @Override
  public void preFlushScannerOpen(
      ObserverContext<RegionCoprocessorEnvironment> context,
      Store store,
      ScanOptions options,
      FlushLifeCycleTracker tracker)
      throws IOException {
    if (PendingWrite.isFamily(store.getColumnFamilyDescriptor().getName())) {
      Hold.stopAt(nextFlushOfMarks);
    }
  }

  @Override
  public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit)
      throws IOException {
    Hold.stopAt(nextPut);
  }

  @Override
  public void preStoreScannerOpen(
      ObserverContext<RegionCoprocessorEnvironment> context, Store store, ScanOptions options)
      throws IOException {
    if (Bytes.equals(store.getColumnFamilyDescriptor().getName(), RawTable.G)) {
      Hold.stopAt(nextRead);
    }
  }

  @Override
  public void postStartRegionOperation(
      ObserverContext<RegionCoprocessorEnvironment> context, Operation operation)
      throws IOException {
    if (isRefusing && operation == Operation.BATCH_MUTATE) {
      throw new DoNotRetryIOException("a test wants it");
    }
  }

  @Override
  public void postCommitStoreFile(
      ObserverContext<RegionCoprocessorEnvironment> context, byte[] family, Path from, Path to)
      throws IOException {
    Hold.stopAt(nextLoad);
  }

  @Override
  public void preBulkLoadHFile(
      ObserverContext<RegionCoprocessorEnvironment> context, List<Pair<byte[], String>> files)
      throws IOException {
    if (isRefusing) {
      throw new DoNotRetryIOException("a test wants it");
    }
  }
}
