package io.retso.hbase.coprocessor.purge;

import io.retso.hbase.coprocessor.hbase.HBaseInternals;
import io.retso.hbase.coprocessor.oracle.OracleLink;
import io.retso.hbase.coprocessor.region.AdoptedOutcomes;
import io.retso.hbase.coprocessor.region.Horizon;
import io.retso.hbase.coprocessor.region.LoggedAdoptions;
import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.coprocessor.region.RegionMarks;
import io.retso.hbase.layout.AdoptionCell;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequest;

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
  private final AdoptedOutcomes adoptions;
  private final ObserverMetrics metrics;

  public RegionPurge(
      Region region,
      Horizon horizon,
      OracleLink link,
      RegionMarks marks,
      AdoptedOutcomes adoptions,
      ObserverMetrics metrics) {
    this.region = region;
    this.horizon = horizon;
    this.marks = marks;
    this.adoptions = adoptions;
    this.link = link;
    this.metrics = metrics;
  }

  /**
   * Raises the horizon: before the memory is taken for a flush, and before a compaction. None is
   * activated while rows of adopted transactions wait for their cleanup, which moves them by edits
   * of its own, wherever the horizon is by then ({@link AdoptedOutcomes}). What a flush moves is an
   * edit from before the adoption, hence from before any horizon above it.
   *
   * @throws InterruptedIOException if the region is being closed
   */
  public void raiseHorizon() throws InterruptedIOException {
    horizon.refuse(link.watermarkSoon());
    if (!adoptions.isReplayDone()) {
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
   * is written as its transactions were adopted.
   *
   * @throws IOException if another coprocessor does not say what is deleted: then the flush must
   *     fail, as HBase's own part of it does
   */
  public InternalScanner whole(Store store, InternalScanner source) throws IOException {
    if (isOfMarks(store)) {
      return new MemoryMarkScanner(source, marks.take(adoptions));
    }
    return adoptions.isUsed()
        ? new AdoptingScanner(
            source, marks.writers()::outcomeForFlush, HBaseInternals.deletesOf(store), metrics)
        : source;
  }

  /**
   * What a flush writes in a region that is not open yet: HBase replays the log. Adoptions that
   * stand further behind in the log are not known yet; their marks come before them, and are cells
   * by now.
   *
   * @throws IOException if the adoptions cannot be read: then the flush must fail
   */
  public static InternalScanner ofReplay(Region region, Store store, InternalScanner source)
      throws IOException {
    Map<Long, Long> logged = LoggedAdoptions.read(region);
    return logged.isEmpty() ? source : ofReplay(region, store, source, logged);
  }

  private static InternalScanner ofReplay(
      Region region, Store store, InternalScanner source, Map<Long, Long> logged)
      throws IOException {
    return isOfMarks(store)
        ? RewritingScanner.without(movedMarks(region, logged::containsKey), source)
        : new AdoptingScanner(
            source,
            start -> logged.getOrDefault(start, Outcome.UNKNOWN),
            HBaseInternals.deletesOf(store),
            null);
  }

  /**
   * Marks of transactions that were adopted and whose versions are in memory: flushes of the data
   * move those. So after most crashes no row is left to be cleaned up.
   *
   * <p>A mark is in one edit with its data. If no family of data has a file with edits as young,
   * the data is in memory, and the flush of each family comes by. If the server dies in between,
   * the data is replayed once more, and the adoptions, which this flush writes, are found in a
   * file. Otherwise the mark stays: the data may have been flushed unadopted, before the crash or
   * amid the replay.
   */
  private static Predicate<Cell> movedMarks(Region region, LongPredicate isAdopted) {
    long last = 0;
    for (Store store : region.getStores()) {
      last = isOfMarks(store) ? last : Math.max(last, store.getMaxSequenceId().orElse(0));
    }
    long inFiles = last;
    return cell ->
        cell.getType() == Cell.Type.Put
            && PendingWrite.isWellFormed(cell)
            && RewritingScanner.sequence(cell) > inFiles
            && isAdopted.test(PendingWrite.startOf(cell));
  }

  private static boolean isOfMarks(Store store) {
    return PendingWrite.isFamily(store.getColumnFamilyDescriptor().getName());
  }

  /** What a flush of {@code store} writes. It is one file among others: tombstones stay. */
  public InternalScanner flush(Store store, InternalScanner source) {
    return purging(store, source, 0, List.of());
  }

  /**
   * What a compaction of {@code store} writes. Adoptions that have left the region are not among
   * it: what they were about is in files, where it belongs, and no replay needs them.
   */
  public InternalScanner compact(Store store, InternalScanner source, CompactionRequest request) {
    Predicate<Cell> needless = cell -> AdoptionCell.is(cell) && !adoptions.isNeeded(cell);
    return purging(
        store,
        isOfMarks(store) ? RewritingScanner.without(needless, source) : source,
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
    return new CleanupDeletePurge(purge, HBaseInternals.versionsOfFiles(store, rewritten), metrics);
  }

  private void found(Cell mark) {
    if (PendingWrite.isWellFormed(mark)) {
      link.orphans().offer(region, CellUtil.cloneRow(mark), PendingWrite.startOf(mark));
    }
  }

  /**
   * The horizon below which the compacted files contain every committed version that the store has
   * or ever will have; 0 if that cannot be known.
   *
   * <p>The last active horizon, if the memory was empty at some moment after it became active;
   * otherwise the one that was active before the last flush. In both cases the files at that moment
   * or later, all of them, contain what is below it.
   */
  private long tombstoneHorizon(Store store, CompactionRequest request) {
    if (request == null) {
      return 0;
    }
    long active = horizon.active();
    boolean memoryEmpty = HBaseInternals.isMemoryEmpty(store);
    Collection<? extends StoreFile> files = HBaseInternals.files(store); // after the memory
    if (!new HashSet<Object>(request.getFiles()).equals(new HashSet<Object>(files))) {
      return 0;
    }
    return memoryEmpty ? active : horizon.activeBy(HBaseInternals.lastSequence(files));
  }
}
