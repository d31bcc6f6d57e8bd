package io.retso.hbase.coprocessor.region;

import io.retso.hbase.layout.PendingWrite;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegion.FlushResult;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionLifeCycleTracker;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The marks of a region that are in its write-ahead log and here, and not cells of {@code !pw};
 * docs/decisions/0024-marks-in-the-memory-of-a-region.md. They count as a part of the memory of
 * that family: a flush of it writes them, and a replay of the log makes cells of them.
 *
 * <pre>
 *   add     the mark is here before its cells can be seen (a batch, under HBase's lock of updates)
 *   take    a flush of !pw writes it: it is a cell from now on (with that lock held alone)
 *   drop    its cleanup can be seen; or, of one that was taken, the file is in the store
 * </pre>
 *
 * <p><em>A flush writes what is here</em> though HBase asks only about memory that has a cell, and
 * takes the edits of an empty one for flushed. So a mark is added only while the memory of the
 * family has a cell ({@link #isAnchored}). Its cells go by a flush only, which takes the memory
 * under the lock of updates, and asks for its scanner later: what was added in between is written,
 * too, and has a cell beside it in the memory that comes after.
 *
 * <p><em>A reader</em> looks here after it has read a row, at the versions that it found. A mark
 * that is missing was dropped before the scanner was opened, and the scanner shows the row after
 * that; or while the row was read, and then {@link #removals} tells, which is raised before a mark
 * goes. A cleanup, whose row nobody else changes, looks here <em>before</em> it reads: a mark that
 * a flush drops meanwhile is in the store by then.
 *
 * <p>Bounded by the bytes that the regions of a server have together. Thread-safe.
 */
public final class RegionMarks {
  private static final Logger LOG = LoggerFactory.getLogger(RegionMarks.class);

  /** Bytes of marks that a region server keeps here, with what it takes to keep them. */
  public static final long BYTES_MAX = Math.max(16L << 20, Runtime.getRuntime().maxMemory() / 32);

  private static final byte[] FAMILY = PendingWrite.family();
  private static final Comparator<byte[]> BY_ROW = Arrays::compareUnsigned;
  private static final int COUNTERS = 256;

  /** Flushes that one reader of the marks may have to wait for, its own included. */
  private static final int FLUSHES_MAX = 10;

  private static final long FLUSH_MILLIS_MAX = TimeUnit.SECONDS.toMillis(10);

  private final HRegion region;
  private final boolean isUsed;
  private final boolean isDeciding;
  private final AtomicLong bytes;
  private final Writers writers;
  private final AtomicLongArray removals = new AtomicLongArray(COUNTERS);

  /** The store of the family; null before it is needed. */
  private volatile Store store;

  /**
   * No marks.
   *
   * @param isUsed false if each mark must be a cell
   * @param isDeciding whether the region decides outcomes
   * @param bytes of all regions of the server
   */
  public RegionMarks(
      HRegion region,
      boolean isUsed,
      boolean isDeciding,
      RegionOutcomes outcomes,
      AtomicLong bytes) {
    this.region = region;
    this.writers = new Writers(outcomes, isDeciding, this::going);
    this.isUsed = isUsed;
    this.isDeciding = isDeciding;
    this.bytes = bytes;
  }

  /**
   * Adds the marks of writes that are about to be applied, and takes their cells out of the writes,
   * but for those that must be cells. To be called under HBase's lock of updates, shared.
   *
   * @param start start timestamp of the transaction of all writes
   * @return the marks that were added, whose cells are to be logged
   */
  public List<Mark> add(long start, List<Mutation> writes) {
    List<Mutation> movable = writes.stream().filter(this::isMovable).toList();
    List<Mark> added = movable.isEmpty() ? null : addAll(start, movable);
    if (added != null) {
      movable.forEach(write -> write.getFamilyCellMap().remove(FAMILY));
    }
    if (added == null || movable.size() < writes.size()) {
      writers.real(start); // before the writes end: until then nobody decides
    }
    return added == null ? List.of() : added;
  }

  private boolean isMovable(Mutation write) {
    Cell mark = write.getFamilyCellMap().get(FAMILY).get(0);
    return write.getFamilyCellMap().size() > 1
        && !PrivateCellUtil.tagsIterator(mark).hasNext()
        && isUsable(write);
  }

  /** Returns null if there is no room, or marks that are here already stand in the way. */
  private List<Mark> addAll(long start, List<Mutation> writes) {
    NavigableMap<byte[], Mark> byRow = new TreeMap<>(BY_ROW);
    for (Mutation write : writes) {
      byte[] row = write.getRow();
      byRow.computeIfAbsent(row, key -> new Mark(row, start, logged(write)));
    }
    List<Mark> marks = List.copyOf(byRow.values());
    long size = bytesOf(marks);
    boolean isFull = bytes.addAndGet(size) > BYTES_MAX;
    List<Mark> added = isFull ? null : writers.add(marks);
    bytes.addAndGet((added == null ? 0 : bytesOf(added)) - size);
    return added;
  }

  private static long bytesOf(List<Mark> marks) {
    return marks.stream().mapToLong(Mark::bytes).sum();
  }

  /**
   * The mark as it is in the log. Who decides has no use for the number of the batch, which is for
   * cleaners without the coprocessor.
   */
  private KeyValue logged(Mutation write) {
    Cell mark = write.getFamilyCellMap().get(FAMILY).get(0);
    KeyValue logged =
        isDeciding
            ? PendingWrite.markOf(write.getRow(), PendingWrite.startOf(mark))
            : PendingWrite.stored(mark);
    logged.setSequenceId(0);
    return logged;
  }

  /** Whether a write may begin: its transaction is not decided here. {@link #endWrite} follows. */
  public boolean beginWrite(long start) {
    return writers.begin(start);
  }

  /** A write is over: applied and visible, or failed. */
  public void endWrite(long start) {
    writers.end(start);
  }

  /** The region opens with files that have versions, marks and all, up to this one. */
  public void opened(long version) {
    writers.opened(version);
  }

  /** Files were loaded that have versions up to this one. */
  public void loaded(long version) {
    writers.real(version);
  }

  /**
   * Somebody who knows nothing of transactions writes a version, or deletes up to one; to be called
   * before that is applied. What began below is not decided. A reader takes the first version that
   * is committed by its own number: that one until a flush, and what moves above it afterwards. And
   * a delete hides what is written after it, too, up to its version: what moves would come out.
   */
  public void plain(long version) {
    boolean isNow = version == HConstants.LATEST_TIMESTAMP; // of an increment or append
    writers.real(isNow ? EnvironmentEdgeManager.currentTime() : version);
  }

  /** See {@link Writers#outcomeOrFile}. */
  public long outcomeOrFile(long start) {
    return writers.outcomeOrFile(start);
  }

  /** Whether all rows of a transaction in this region can be decided; see {@link Writers}. */
  public boolean isWhole(long start, int rows) {
    return writers.isWhole(start, rows);
  }

  /**
   * Decides a transaction, if {@link #isWhole}: its marks go when the outcome is there.
   *
   * @param decision puts the outcome into {@link RegionOutcomes}
   * @return false if it is not decided
   */
  public boolean decide(long start, int rows, Runnable decision) {
    return writers.decide(start, rows, decision);
  }

  /** Whether what a mutation does to a mark may be in the log only; under the same lock. */
  public boolean isUsable(Mutation mutation) {
    Durability durability = mutation.getDurability();
    if (durability == Durability.USE_DEFAULT) {
      durability = region.getTableDescriptor().getDurability();
    }
    return isUsed && durability != Durability.SKIP_WAL && isAnchored();
  }

  /** Whether HBase will flush the memory of the family, though it knows nothing of what is here. */
  private boolean isAnchored() {
    if (store == null) {
      store = region.getStore(FAMILY);
    }
    // In-memory compaction could drop the cell.
    return store.getMemStoreSize().getCellsCount() > 0 && !store.isSloppyMemStore();
  }

  /** The mark of a row and transaction; null if none is here. */
  public Mark find(byte[] row, long start) {
    return writers.find(row, start);
  }

  /** Counts the marks that went, of this row and some others. */
  public long removals(byte[] row) {
    return removals.get(counterOf(row));
  }

  private static int counterOf(byte[] row) {
    return Math.floorMod(Arrays.hashCode(row), COUNTERS);
  }

  /** Marks in the order of a scan, from {@code row} on; they may come and go meanwhile. */
  public List<Mark> next(byte[] row, boolean isReversed, int max) {
    return writers.next(row, isReversed, max);
  }

  /**
   * The mark's cleanup is in log and memory, and not visible yet: readers need the mark, but no
   * flush writes it any more. To be called under HBase's lock of updates, shared.
   */
  public void cleaned(Mark mark) {
    mark.setCleaned();
  }

  /** The mark goes, as somebody else tells of it by now, or it is to be seen no more. */
  public void drop(Mark mark) {
    writers.remove(mark);
  }

  private void going(Mark mark) {
    removals.incrementAndGet(counterOf(mark.row()));
    bytes.addAndGet(-mark.bytes());
  }

  /** The batch that added the mark has failed: no cells tell of it, unless it was logged. */
  public void failed(Mark mark) {
    if (!mark.isLogged()) {
      drop(mark);
    }
  }

  /**
   * What a flush of the family is to write besides its memory, in order: the marks, and one cell
   * for all decisions that have not left. While no batch is under way: a cleanup that comes before
   * deletes its mark in the log only, and the mark is not written; one that comes after puts a
   * delete marker. A decision that comes before is written, its marks are not; one that comes after
   * finds that the marks are cells.
   */
  public List<Cell> take(RegionDecisions decisions) {
    if (writers.isEmpty() && decisions.isEmpty()) {
      return List.of(); // what is being added now has a cell in the memory that comes after
    }
    List<Cell> cells = new ArrayList<>();
    region.blockUpdates();
    try {
      for (Mark mark : writers.all()) {
        if (mark.isLogged() && !mark.isCleaned()) {
          mark.take();
          writers.real(mark.start());
          cells.add(mark.cell());
        }
      }
      Cell decided = decisions.cell();
      if (decided != null) {
        cells.add(decided);
      }
    } finally {
      region.unblockUpdates();
    }
    cells.sort(CellComparator.getInstance());
    return cells;
  }

  /** A flush has ended, and no other has begun: what was taken is in files that readers see. */
  public void flushed() {
    for (Mark mark : writers.all()) {
      if (mark.isTaken()) {
        drop(mark);
      }
    }
  }

  /**
   * Makes cells of all marks in a range of rows, by a flush, for a reader that looks for cells.
   *
   * @param stop the first row behind the range; empty for none
   * @throws IOException if the region closes, or cannot be flushed
   */
  public void makeCells(byte[] first, byte[] stop) throws IOException {
    for (int i = 0; hasAny(first, stop); i++) {
      if (region.isClosing() || region.isClosed()) {
        throw new NotServingRegionException("its marks are being flushed: it closes");
      }
      if (i == FLUSHES_MAX) {
        throw new RegionTooBusyException("its marks could not be flushed; try again");
      }
      // One that begins now writes all marks that are here now.
      FlushResult result = flush();
      if (result.isFlushSucceeded()) {
        return;
      }
      region.waitForFlushes(FLUSH_MILLIS_MAX);
    }
  }

  private FlushResult flush() throws IOException {
    FlushResult result = region.flushcache(List.of(FAMILY), false, FlushLifeCycleTracker.DUMMY);
    if (result.isCompactionNeeded()) {
      region.requestCompaction(
          FAMILY,
          "marks were flushed by themselves",
          Store.NO_PRIORITY,
          false,
          CompactionLifeCycleTracker.DUMMY);
    }
    return result;
  }

  /**
   * Flushes the family, if it has something in memory, when the flush that is under way is over.
   */
  public void flushBehind() {
    try {
      region.waitForFlushes(FLUSH_MILLIS_MAX);
      if (isAnchored() && !region.isClosing() && !region.isClosed()) {
        flush();
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("{}: marks are flushed later", region, e);
    }
  }

  private boolean hasAny(byte[] first, byte[] stop) {
    List<Mark> next = writers.next(first, false, 1);
    return !next.isEmpty() && (stop.length == 0 || BY_ROW.compare(next.get(0).row(), stop) < 0);
  }

  /** The region is closed. */
  public void close() {
    writers.all().forEach(this::drop);
  }
}
