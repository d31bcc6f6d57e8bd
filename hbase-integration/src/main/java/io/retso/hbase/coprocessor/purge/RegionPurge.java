package io.retso.hbase.coprocessor.purge;

import io.retso.hbase.coprocessor.oracle.OracleLink;
import io.retso.hbase.coprocessor.region.Horizon;
import io.retso.hbase.coprocessor.region.LoggedDecisions;
import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.coprocessor.region.RegionDecisions;
import io.retso.hbase.coprocessor.region.RegionMarks;
import io.retso.hbase.layout.PendingWrite;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.MemStoreSize;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.regionserver.StoreUtils;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequest;
import org.apache.hadoop.hbase.regionserver.querymatcher.DeleteTracker;
import org.apache.hadoop.hbase.regionserver.querymatcher.ScanDeleteTracker;

/**
 * What a region drops at flushes and compactions. Neither ever fails or hangs for the oracle's
 * sake: without a newer watermark the last horizon serves, and without any nothing is purged.
 * Thread-safe.
 */
public final class RegionPurge {
  /** Waiting for batches in flight, before the purge goes on with the last active horizon. */
  private static final long ACTIVATE_MILLIS = 1_000;

  private final Region region;
  private final Horizon horizon;
  private final OracleLink link;
  private final RegionMarks marks;
  private final RegionDecisions decisions;
  private final ObserverMetrics metrics;

  public RegionPurge(
      Region region,
      Horizon horizon,
      OracleLink link,
      RegionMarks marks,
      RegionDecisions decisions,
      ObserverMetrics metrics) {
    this.region = region;
    this.horizon = horizon;
    this.marks = marks;
    this.decisions = decisions;
    this.link = link;
    this.metrics = metrics;
  }

  /**
   * Raises the horizon: before the memory is taken for a flush, and before a compaction. None is
   * activated while rows of decided transactions wait for their cleanup, which moves them by edits
   * of its own, wherever the horizon is by then ({@link RegionDecisions}). What a flush moves is an
   * edit from before the decision, hence from before any horizon above it.
   *
   * @throws InterruptedIOException if the region is being closed
   */
  public void raiseHorizon() throws InterruptedIOException {
    horizon.refuse(link.watermarkSoon());
    if (!decisions.isSettled()) {
      return;
    }
    try {
      horizon.activate(ACTIVATE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for batches in flight");
    }
  }

  /**
   * All that a flush of {@code store} has to write: in the memory of marks are some more, and data
   * is written as its transactions were decided.
   *
   * @throws IOException if another coprocessor does not say what is deleted: then the flush must
   *     fail, as HBase's own part of it does
   */
  public InternalScanner whole(Store store, InternalScanner source) throws IOException {
    if (isOfMarks(store)) {
      return new MemoryMarkScanner(source, marks.take(decisions));
    }
    return decisions.isUsed()
        ? new DecidingScanner(source, marks::outcomeOrFile, deletesOf(store), metrics)
        : source;
  }

  /** As HBase's own scanners have it: where there are visibility labels, it goes by them. */
  @SuppressWarnings("deprecation") // of HBase 3, which has nothing else
  private static DeleteTracker deletesOf(Store store) throws IOException {
    return ((HStore) store)
        .getCoprocessorHost()
        .postInstantiateDeleteTracker(new ScanDeleteTracker(store.getComparator()));
  }

  /**
   * What a flush writes in a region that is not open yet: HBase replays the log. Decisions that
   * stand further behind in the log are not known yet; their marks come before them, and are cells
   * by now.
   *
   * @throws IOException if the decisions cannot be read: then the flush must fail
   */
  public static InternalScanner ofReplay(HRegion region, Store store, InternalScanner source)
      throws IOException {
    Map<Long, Long> logged = LoggedDecisions.read(region);
    return logged.isEmpty() ? source : ofReplay(region, store, source, logged);
  }

  private static InternalScanner ofReplay(
      HRegion region, Store store, InternalScanner source, Map<Long, Long> logged)
      throws IOException {
    return isOfMarks(store)
        ? new ReplayedMarkScanner(region, source, logged::containsKey)
        : new DecidingScanner(
            source, start -> logged.getOrDefault(start, 0L), deletesOf(store), null);
  }

  private static boolean isOfMarks(Store store) {
    return PendingWrite.isFamily(store.getColumnFamilyDescriptor().getName());
  }

  /** What a flush of {@code store} writes. It is one file among others: tombstones stay. */
  public InternalScanner flush(Store store, InternalScanner source) {
    return purging(store, source, 0, List.of());
  }

  /** What a compaction of {@code store} writes. */
  public InternalScanner compact(Store store, InternalScanner source, CompactionRequest request) {
    return purging(
        store,
        isOfMarks(store) ? new DecisionPurge(source, decisions) : source,
        tombstoneHorizon(store, request),
        request == null ? List.of() : request.getFiles());
  }

  private InternalScanner purging(
      Store store,
      InternalScanner source,
      long tombstoneHorizon,
      Collection<? extends StoreFile> rewritten) {
    long readPoint = store.getSmallestReadPoint();
    InternalScanner purge =
        isOfMarks(store)
            ? new MarkScanner(source, readPoint, this::found)
            : new VersionPurge(source, horizon.active(), tombstoneHorizon, readPoint, metrics);
    return new CleanupDeletePurge(purge, inOtherFiles(store, rewritten), metrics);
  }

  private void found(Cell mark) {
    if (PendingWrite.isWellFormed(mark)) {
      link.orphans().offer(region, CellUtil.cloneRow(mark), PendingWrite.startOf(mark));
    }
  }

  /**
   * Decides of a version whether a file of the store, other than those that are rewritten, may have
   * it. Files that come later do not count: they hold what is in memory now, or what is rewritten.
   */
  private static LongPredicate inOtherFiles(
      Store store, Collection<? extends StoreFile> rewritten) {
    if (!(store instanceof HStore hstore)) {
      return version -> true;
    }
    List<HStoreFile> others = new ArrayList<>(hstore.getStorefiles());
    others.removeAll(rewritten);
    others.removeIf(file -> file.getReader() != null && isEmpty(file.getReader()));
    long[] first = new long[others.size()];
    long[] last = new long[others.size()];
    for (int i = 0; i < first.length; i++) {
      // Without a reader, or its range, anything may be there.
      boolean isKnown = others.get(i).getReader() != null;
      first[i] = isKnown ? others.get(i).getMinimumTimestamp().orElse(0) : 0;
      last[i] =
          isKnown ? others.get(i).getMaximumTimestamp().orElse(Long.MAX_VALUE) : Long.MAX_VALUE;
    }
    return version -> {
      for (int i = 0; i < first.length; i++) {
        if (first[i] <= version && version <= last[i]) {
          return true;
        }
      }
      return false;
    };
  }

  /**
   * The horizon below which the compacted files contain every committed version that the store has
   * or ever will have; 0 if that cannot be known.
   *
   * <p>The last active horizon, if the memory was empty at some moment after it became active;
   * otherwise the one that was active before the last flush. In both cases the files at that moment
   * or later, all of them, contain what is below it.
   *
   * <p>The second rests on flushes that take all of the memory, as those of HBase 2.5 and 2.6 do,
   * its in-memory compaction included (nobody calls {@code setCompositeSnapshot(false)}). Were
   * older edits to stay behind, a tombstone could go before a cell below it has come to a file.
   */
  private long tombstoneHorizon(Store store, CompactionRequest request) {
    if (request == null || !(store instanceof HStore hstore)) {
      return 0;
    }
    long active = horizon.active();
    boolean memoryEmpty =
        isEmpty(store.getMemStoreSize())
            && isEmpty(store.getSnapshotSize())
            && isEmpty(store.getFlushableSize());
    Collection<HStoreFile> files = hstore.getStorefiles(); // after the look at the memory
    if (!new HashSet<Object>(request.getFiles()).equals(new HashSet<Object>(files))) {
      return 0;
    }
    if (memoryEmpty) {
      return active;
    }
    return horizon.activeBy(StoreUtils.getMaxSequenceIdInList(files).orElse(0));
  }

  /**
   * Whether a file has no cells, so that its time range, which is all times then, says nothing.
   *
   * <p>All of the file counts, also if the region has only the half of it that a split or merge
   * left it: the entries of a half are an estimate, half of those of the file, and none for a file
   * with one cell, which may be in this half.
   */
  public static boolean isEmpty(StoreFileReader file) {
    return file.getHFileReader().getEntries() == 0;
  }

  private static boolean isEmpty(MemStoreSize size) {
    return size.getCellsCount() == 0;
  }
}
