package io.retso.hbase.coprocessor.hbase;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.metrics.MetricRegistries;
import org.apache.hadoop.hbase.metrics.MetricRegistry;
import org.apache.hadoop.hbase.metrics.MetricRegistryInfo;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegion.FlushResult;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.regionserver.StoreScanner;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.querymatcher.DeleteTracker;
import org.apache.hadoop.hbase.regionserver.querymatcher.DeleteTracker.DeleteResult;
import org.apache.hadoop.hbase.regionserver.querymatcher.ScanDeleteTracker;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.hbase.security.visibility.VisibilityController;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;

/**
 * What the coprocessor uses of HBase's region servers that HBase keeps for itself ({@code
 * InterfaceAudience.Private}), and what it relies on there: with another version of HBase, this is
 * to be compared. Written for HBase 2.6.4; {@code HBaseInternalsTest} asserts what is cheap to.
 *
 * <p>No other class of the coprocessor names such types ({@code ArchitectureTest}), but for those
 * of cells and filters (KeyValue, KeyValueUtil, ExtendedCell, PrivateCellUtil, TagType, TimeRange,
 * FilterBase). The coprocessor relies on the order of hooks, too; the classes that use them say
 * how. Stateless.
 */
public final class HBaseInternals {
  private HBaseInternals() {}

  // Metrics.

  /**
   * Uses a registry of metrics, which is in use, once more, and for good; once for each name.
   *
   * <p>Rests on: HBase drops a registry with the last region whose coprocessor uses it, and makes a
   * new one for the next such region. But what publishes registries ({@code
   * GlobalMetricRegistriesAdapter.doRun}) looks for new ones every ten seconds, and takes one for
   * known whose name it knows.
   *
   * <p>Else: if the last region closes and another one opens between two looks, the old registry is
   * published for ever; it may even be that of a region without transactions, which is empty.
   *
   * @param kept names of registries that are kept; thread-safe
   */
  public static void keep(MetricRegistry registry, Set<String> kept) {
    MetricRegistryInfo info = registry.getMetricRegistryInfo();
    if (kept.add(info.getMetricsName())) {
      MetricRegistries.global().create(info); // it is there: its uses are counted
    }
  }

  // Rights.

  /**
   * Whether the user of a request may do everything to the table; all may where no {@link
   * AccessController} watches.
   *
   * <p>Rests on: one that watches a region is among its coprocessors, and judges the user of the
   * request, or that of the server if it is the server's own.
   *
   * <p>Else: a user who may only write could delete marks of others.
   */
  public static boolean isAdmin(ObserverContext<RegionCoprocessorEnvironment> context)
      throws IOException {
    HRegion region = (HRegion) context.getEnvironment().getRegion();
    AccessController rights = region.getCoprocessorHost().findCoprocessor(AccessController.class);
    if (rights == null) {
      return true;
    }
    try {
      TableName table = region.getTableDescriptor().getTableName();
      rights.requirePermission(context, "deletes of marks", table, null, null, Action.ADMIN);
      return true;
    } catch (AccessDeniedException e) {
      return false;
    }
  }

  /**
   * Fails unless the user of a request may read one of the families of the table.
   *
   * <p>Rests on: as {@link #isAdmin}. Where rights of cells are looked for, HBase itself lets a
   * user without any right to the table pass, and filters what it reads.
   *
   * <p>Else: a user who may read nothing would be told how the table is made.
   */
  public static void requireReader(ObserverContext<RegionCoprocessorEnvironment> context)
      throws IOException {
    HRegion region = (HRegion) context.getEnvironment().getRegion();
    AccessController rights = region.getCoprocessorHost().findCoprocessor(AccessController.class);
    if (rights == null) {
      return;
    }
    TableDescriptor table = region.getTableDescriptor();
    AccessDeniedException denied = null;
    for (byte[] family : table.getColumnFamilyNames()) {
      try {
        String what = "settings of transactions";
        rights.requirePermission(context, what, table.getTableName(), family, null, Action.READ);
        return;
      } catch (AccessDeniedException e) {
        denied = e;
      }
    }
    throw denied;
  }

  /**
   * The first of HBase's coprocessors for rights and visibility labels that is asked after ours;
   * null if there is none.
   *
   * <p>Rests on: hooks are called in the order of priorities, then in that of loading; all are
   * loaded before a region is open.
   *
   * <p>Else: reads that a region answers by itself would pass them by, and others be answered
   * without a look at what is not decided.
   */
  public static String rightsBehind(RegionCoprocessorEnvironment ours) {
    RegionCoprocessorHost host = ((HRegion) ours.getRegion()).getCoprocessorHost();
    List<RegionCoprocessor> rights = new ArrayList<>(host.findCoprocessors(AccessController.class));
    rights.addAll(host.findCoprocessors(VisibilityController.class));
    for (RegionCoprocessor each : rights) {
      String name = each.getClass().getName();
      CoprocessorEnvironment<?> theirs = host.findCoprocessorEnvironment(name);
      if (theirs.getPriority() > ours.getPriority()
          || theirs.getPriority() == ours.getPriority()
              && theirs.getLoadSequence() > ours.getLoadSequence()) {
        return name;
      }
    }
    return null;
  }

  // Updates.

  /**
   * Waits until no batch is between its preBatchMutate and its postBatchMutate, and lets none begin
   * until {@link #unblockUpdates}.
   *
   * <p>Rests on: a batch holds the lock of updates, shared, over both hooks, the log and the memory
   * ({@code doMiniBatchMutate}); a flush takes the memory of all its stores while it holds the lock
   * alone ({@code internalPrepareFlush}). So what is done here is before or after each batch and
   * each snapshot as a whole.
   *
   * <p>Else: a flush of marks would write a mark whose delete is in the log only, or leave out both
   * the mark and the adoption of a transaction.
   */
  public static void blockUpdates(Region region) {
    ((HRegion) region).blockUpdates();
  }

  /** The end of {@link #blockUpdates}, by the same thread. */
  public static void unblockUpdates(Region region) {
    ((HRegion) region).unblockUpdates();
  }

  /**
   * A sequence number that no edit has that is made visible from now on.
   *
   * <p>Rests on: batches get ascending numbers, and become visible in that order ({@code
   * MultiVersionConcurrencyControl}); the number of a file is that of its last edit.
   *
   * <p>Else: a tombstone could be purged before what it hides has come to a file.
   */
  public static long readPoint(Region region) {
    return ((HRegion) region).getReadPoint(IsolationLevel.READ_COMMITTED);
  }

  /**
   * A number that differs each time that a region opens, and grows.
   *
   * <p>Rests on: it is above all numbers that were read from files and logs at opening.
   *
   * <p>Else: adoptions of two lives of a region might have the same key, and hide one another.
   */
  public static long openedAt(Region region) {
    return ((HRegion) region).getOpenSeqNum();
  }

  /**
   * The clock by which HBase gives versions to cells without one.
   *
   * <p>Else: what an increment writes might be above what counts as its version, and a transaction
   * below it be adopted.
   */
  public static long now() {
    return EnvironmentEdgeManager.currentTime();
  }

  // Flushes.

  /**
   * Flushes one family.
   *
   * <p>Rests on: a flush that begins now takes what is in memory now; one at a time runs in a
   * region, and while another does (of whatever families), or the region closes, this does nothing;
   * all files are in the stores when it returns, and the hooks have run.
   *
   * @return false if it was not flushed, as another flush is under way or there is nothing
   */
  public static boolean flush(Region region, byte[] family) throws IOException {
    FlushResult result =
        ((HRegion) region).flushcache(List.of(family), false, FlushLifeCycleTracker.DUMMY);
    if (result.isCompactionNeeded()) {
      region.requestCompaction(
          family,
          "it was flushed by itself",
          Store.NO_PRIORITY,
          false,
          CompactionLifeCycleTracker.DUMMY);
    }
    return result.isFlushSucceeded();
  }

  /** Flushes all families, as {@link #flush} does one, unless another flush is under way. */
  public static void flush(Region region) throws IOException {
    ((HRegion) region).flush(true);
  }

  // Memory.

  /**
   * Whether a store had all its edits in files, at some moment of the call.
   *
   * <p>Rests on: memory goes to the snapshot of a flush, all of it, and from there to a file; a
   * snapshot is there until the file is in the store. So the look is in this order. In-memory
   * compaction has segments in between, which count as flushable.
   *
   * <p>Else: an outcome would leave while a family has versions of its transaction in memory; a
   * tombstone could be purged before what it hides.
   */
  public static boolean isMemoryEmpty(Store store) {
    return store.getMemStoreSize().getCellsCount() == 0
        && store.getFlushableSize().getCellsCount() == 0
        && store.getSnapshotSize().getCellsCount() == 0;
  }

  // Files.

  /**
   * The files of a store. The collection is never changed: another one takes its place at the
   * commit of a flush, compaction or load.
   *
   * <p>Rests on: {@code DefaultStoreFileManager} makes a new list for each; it does so under the
   * store's lock, under which the memory that was flushed is given up as well, and scanners are
   * opened. Scanners that are open are told afterwards.
   *
   * <p>Else: readers would not notice that a flush has moved versions to where they have been
   * already ({@code RegionOutcomes.moves}), and miss commits.
   */
  public static Collection<? extends StoreFile> files(Store store) {
    return store.getStorefiles();
  }

  /**
   * The highest version in the files of a region, all families; {@link Long#MAX_VALUE} if it is not
   * known.
   *
   * <p>Rests on: the time range of a file is that of all its cells, delete markers included.
   *
   * <p>Else: a transaction would be adopted though a delete in a file hides what it wrote.
   */
  public static long lastVersion(Region region) {
    long last = 0;
    for (Store store : region.getStores()) {
      for (StoreFile file : store.getStorefiles()) {
        last = Math.max(last, lastVersion((HStoreFile) file));
      }
    }
    return last;
  }

  private static long lastVersion(HStoreFile file) {
    StoreFileReader reader = file.getReader();
    if (reader == null) {
      return Long.MAX_VALUE; // it is closed: anything may be there
    }
    // Compactions that leave nothing write an empty file, whose time range is all times.
    return isEmpty(reader) ? 0 : reader.getMaxTimestamp();
  }

  /**
   * Decides of a version whether a file of the store, other than those that are rewritten, may have
   * it. Files that come later do not count: they hold what is in memory now, or what is rewritten.
   *
   * <p>Rests on: as {@link #lastVersion}.
   *
   * <p>Else: the delete marker of a cleanup would go before its cell, which comes out.
   */
  public static LongPredicate versionsOfFiles(
      Store store, Collection<? extends StoreFile> rewritten) {
    List<HStoreFile> others = new ArrayList<>(((HStore) store).getStorefiles());
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
   * Whether a file has no cells, so that its time range, which is all times then, says nothing.
   *
   * <p>All of the file counts, also if the region has only the half of it that a split or merge
   * left it: the entries of a half are an estimate, half of those of the file, and none for a file
   * with one cell, which may be in this half.
   */
  private static boolean isEmpty(StoreFileReader file) {
    return file.getHFileReader().getEntries() == 0;
  }

  /**
   * The number up to which files have all edits of their store; 0 for none.
   *
   * <p>Rests on: flushes take all of the memory, as those of HBase 2.5 and 2.6 do, its in-memory
   * compaction included ({@code setCompositeSnapshot(false)} is called nowhere).
   *
   * <p>Else: were older edits to stay behind, a tombstone could go before a cell below it has come
   * to a file.
   */
  public static long lastSequence(Collection<? extends StoreFile> files) {
    long last = 0;
    for (StoreFile file : files) {
      last = Math.max(last, file.getMaxSequenceId());
    }
    return last;
  }

  // Reads.

  /**
   * Reads one family of a region, also of one that is not open yet, as HBase replays its log.
   *
   * <p>Rests on: the scanner of a store takes the memory and the files, whatever the read point,
   * replayed edits included, with the numbers that they had in the log.
   *
   * <p>Else: a flush of a replay would write versions of adopted transactions as they are, and
   * aborted data be read.
   *
   * @param found is given each cell, valid during the call; says whether to go on
   */
  public static void read(Region region, byte[] family, Scan scan, Predicate<Cell> found)
      throws IOException {
    HStore store = ((HRegion) region).getStore(family);
    try (KeyValueScanner scanner = store.getScanner(scan, null, Long.MAX_VALUE)) {
      List<Cell> cells = new ArrayList<>();
      boolean more = true;
      while (more) {
        more = ((StoreScanner) scanner).next(cells);
        for (Cell cell : cells) {
          more = found.test(cell) && more;
        }
        cells.clear();
      }
    }
  }

  /** What delete markers hide, row by row; of one thread. */
  public interface Deletes {
    /** A marker; before all that it hides. It is kept until the next row. */
    void add(Cell marker);

    /** Whether a put is hidden. */
    boolean hide(Cell put);

    /** The next row begins. */
    void nextRow();
  }

  /**
   * HBase's judgement of what is deleted in a store: where there are visibility labels, a marker
   * hides what has the same ones.
   *
   * <p>Rests on: HBase's own scanners of a store without {@code NEW_VERSION_BEHAVIOR} ask the same
   * tracker ({@code ScanQueryMatcher.getTrackers}), which other coprocessors may replace, in the
   * same order: markers of a row and column first.
   *
   * <p>Else: a flush would drop what was committed, or bring out what was deleted.
   *
   * @throws IOException if another coprocessor does not say
   */
  @SuppressWarnings("deprecation") // for HBase 3, which has nothing else
  public static Deletes deletesOf(Store store) throws IOException {
    return deletes(
        ((HStore) store)
            .getCoprocessorHost()
            .postInstantiateDeleteTracker(new ScanDeleteTracker(store.getComparator())));
  }

  private static Deletes deletes(DeleteTracker tracker) {
    return new Deletes() {
      @Override
      public void add(Cell marker) {
        tracker.add(marker);
      }

      @Override
      public boolean hide(Cell put) {
        return tracker.isDeleted(put) != DeleteResult.NOT_DELETED;
      }

      @Override
      public void nextRow() {
        tracker.reset();
      }
    };
  }
}
