package io.retso.hbase.coprocessor.region;

import io.retso.hbase.coprocessor.hbase.HBaseInternals;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.RegionSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.Store;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The marks of a region that are in its write-ahead log and here, and not cells of {@code !pw};
 * docs/decisions/0024-marks-in-the-memory-of-a-region.md. They count as a part of the memory of
 * that family: a flush of it writes them, and a replay of the log makes cells of them. What becomes
 * of one, and under which locks, is drawn in the description of the package.
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
 * goes. A cleanup, whose row is changed by no other, looks here <em>before</em> it reads: a mark
 * that a flush drops meanwhile is in the store by then.
 *
 * <p>Bounded by {@link SharedMemory}. Thread-safe.
 */
public final class RegionMarks {
  private static final Logger LOG = LoggerFactory.getLogger(RegionMarks.class);

  private static final byte[] FAMILY = PendingWrite.family();
  private static final Comparator<byte[]> BY_ROW = Arrays::compareUnsigned;
  private static final int COUNTERS = 256;

  /** Flushes that one reader of the marks may have to wait for, its own included. */
  private static final int FLUSHES_MAX = 10;

  private static final long FLUSH_MILLIS_MAX = TimeUnit.SECONDS.toMillis(10);

  /**
   * Property of region servers and tables: milliseconds between two flushes for readers of the
   * marks. Each makes a small file, and every user that may read the family can ask for one.
   */
  static final String PAUSE = "retso.marks.flush.pause";

  static final long PAUSE_MILLIS = 5_000;

  private final Region region;
  private final boolean isUsed;
  private final boolean isAdopting;
  private final SharedMemory memory;
  private final long pauseNanos;
  private final Writers writers;
  private final AtomicLongArray removals = new AtomicLongArray(COUNTERS);

  /** Those that a flush has taken since the last one ended. Guarded by itself. */
  private final List<Mark> taken = new ArrayList<>();

  /** When a reader had the family flushed last. Guarded by this. */
  private OptionalLong flushedForReader = OptionalLong.empty();

  /** The store of the family; null before it is needed. */
  private volatile Store store;

  /**
   * No marks.
   *
   * @param isUsed false if each mark must be a cell
   * @param isAdopting whether the region adopts outcomes
   * @param pauseMillis {@link #pauseMillis}
   */
  public RegionMarks(
      Region region,
      boolean isUsed,
      boolean isAdopting,
      RegionOutcomes outcomes,
      SharedMemory memory,
      long pauseMillis) {
    this.region = region;
    this.writers =
        new Writers(
            outcomes, mark -> removals.incrementAndGet(counterOf(mark.row())), memory::free);
    this.isUsed = isUsed;
    this.isAdopting = isAdopting;
    this.memory = memory;
    this.pauseNanos = TimeUnit.MILLISECONDS.toNanos(pauseMillis);
  }

  /**
   * Milliseconds between two flushes of a region for readers of its marks.
   *
   * @throws IllegalArgumentException if that is no number
   */
  public static long pauseMillis(Region region) {
    return RegionSettings.millis(region.getReadOnlyConfiguration(), PAUSE, PAUSE_MILLIS);
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
    assert added == null || added.stream().noneMatch(Mark::isNumbered)
        : "logged before it is added";
    if (added != null) {
      assert movable.stream().allMatch(write -> writers.find(write.getRow(), start) != null)
          : "a mark comes after its cells";
      movable.forEach(write -> write.getFamilyCellMap().remove(FAMILY));
    }
    if (added == null || movable.size() < writes.size()) {
      writers.raiseFloor(start); // before the writes end: until then it is not adopted
    }
    return added == null ? List.of() : added;
  }

  private boolean isMovable(Mutation write) {
    return write.getFamilyCellMap().size() > 1 && isUsable(write);
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
    List<Mark> added = memory.take(size) ? writers.add(marks) : null;
    memory.free(size - (added == null ? 0 : bytesOf(added)));
    return added;
  }

  private static long bytesOf(List<Mark> marks) {
    return marks.stream().mapToLong(Mark::bytes).sum();
  }

  /**
   * The mark as it is in the log. A region that adopts it has no use for the number of the batch,
   * which is for cleaners without the coprocessor.
   */
  private KeyValue logged(Mutation write) {
    Cell mark = write.getFamilyCellMap().get(FAMILY).get(0);
    KeyValue logged =
        isAdopting
            ? PendingWrite.markOf(write.getRow(), PendingWrite.startOf(mark))
            : PendingWrite.stored(mark);
    logged.setSequenceId(0);
    return logged;
  }

  /** The transactions that have the marks. */
  public Writers writers() {
    return writers;
  }

  /**
   * A plain writer puts a version, or deletes up to one; to be called before that is applied. What
   * began below is not adopted. A reader takes the first version that is committed by its own
   * number: that one until a flush, and what moves above it afterwards. And a delete hides what is
   * written after it, too, up to its version: what moves would come out.
   */
  public void plain(long version) {
    boolean isNow = version == HConstants.LATEST_TIMESTAMP; // an increment or append
    writers.raiseFloor(isNow ? HBaseInternals.now() : version);
  }

  /** Whether what a mutation does to a mark may be in the log only; under the same lock. */
  public boolean isUsable(Mutation mutation) {
    return isUsed && isForced(mutation) && isAnchored();
  }

  /** Whether a mutation is in the log, and that on disk, before it can be seen. */
  public boolean isForced(Mutation mutation) {
    Durability durability = mutation.getDurability();
    if (durability == Durability.USE_DEFAULT) {
      durability = region.getTableDescriptor().getDurability();
    }
    return durability != Durability.SKIP_WAL && durability != Durability.ASYNC_WAL;
  }

  /** Whether HBase will flush the memory of the family, though it knows nothing of what is here. */
  private boolean isAnchored() {
    if (store == null) {
      store = region.getStore(FAMILY);
    }
    // In-memory compaction could drop the cell.
    return store.getMemStoreSize().getCellsCount() > 0 && !store.isSloppyMemStore();
  }

  /** Counts the marks that went, of this row and some others. */
  public long removals(byte[] row) {
    return removals.get(counterOf(row));
  }

  private static int counterOf(byte[] row) {
    return Math.floorMod(Arrays.hashCode(row), COUNTERS);
  }

  /**
   * The batch that added the mark is in log and memory. To be called under HBase's lock of updates,
   * shared. Some may have no number: other coprocessors have refused all writes of the batch.
   */
  public void applied(Mark mark) {
    if (mark.isNumbered()) {
      mark.setApplied();
    }
  }

  /**
   * The mark's cleanup is in log and memory, and not visible yet: readers need the mark, but no
   * flush writes it any more. To be called under HBase's lock of updates, shared.
   */
  public void cleaned(Mark mark) {
    mark.setCleaned();
  }

  /** The batch with the mark's cleanup is over: visible, even if something failed afterwards. */
  public void cleanupEnded(Mark mark) {
    if (mark.isCleaned()) {
      writers.remove(mark);
    }
  }

  /**
   * The batch that added the mark is over. If it failed before the mark was numbered, no cells tell
   * of it. Afterwards its data may be in log and memory, whatever HBase says of the batch.
   */
  public void writeEnded(Mark mark) {
    if (!mark.isNumbered()) {
      writers.remove(mark);
    }
  }

  /**
   * What a flush of the family is to write besides its memory, in order: the marks, and one cell
   * for all adoptions that have not left. While no batch is under way: a cleanup that comes before
   * deletes its mark in the log only, and the mark is not written; one that comes after puts a
   * delete marker. An adoption that comes before is written, its marks are not; one that comes
   * after finds that the marks are cells. Batches wait while what is there is noted, not while it
   * is sorted: neither marks nor outcomes change.
   */
  public List<Cell> take(AdoptedOutcomes adoptions) {
    List<Cell> cells = new ArrayList<>();
    AdoptedOutcomes.Noted noted;
    HBaseInternals.blockUpdates(region);
    try {
      writers.forEach(
          mark -> {
            if (mark.isNumbered() && !mark.isCleaned()) {
              take(mark);
              cells.add(mark.cell());
            }
          });
      noted = adoptions.note();
    } finally {
      HBaseInternals.unblockUpdates(region);
    }
    Cell adopted = adoptions.cell(noted);
    if (adopted != null) {
      cells.add(adopted);
    }
    cells.sort(CellComparator.getInstance());
    return cells;
  }

  /** With HBase's lock of updates held alone: no batch is under way. */
  private void take(Mark mark) {
    mark.take();
    writers.raiseFloor(mark.start());
    synchronized (taken) {
      taken.add(mark);
    }
  }

  /** A flush has ended, and no other has begun: what was taken is in files that readers see. */
  public void flushed() {
    synchronized (taken) {
      for (Mark mark : taken) {
        assert mark.isTaken() : mark;
        writers.remove(mark);
      }
      taken.clear();
    }
  }

  /**
   * Makes cells of all marks in a range of rows, by a flush, for a reader that looks for cells.
   *
   * @param stop the first row behind the range; empty for none
   * @throws IOException if the region closes, cannot be flushed, or was flushed for a reader a
   *     moment ago: HBase's client asks again
   */
  public void makeCells(byte[] first, byte[] stop) throws IOException {
    for (int i = 0; hasAny(first, stop); i++) {
      if (i == 0) {
        takeTurn();
      }
      if (region.isClosing() || region.isClosed()) {
        throw new NotServingRegionException("its marks are being flushed: it closes");
      }
      if (i == FLUSHES_MAX) {
        throw new RegionTooBusyException("its marks could not be flushed; try again");
      }
      // One that begins now writes all marks that are here now.
      if (HBaseInternals.flush(region, FAMILY)) {
        return;
      }
      region.waitForFlushes(FLUSH_MILLIS_MAX);
    }
  }

  private synchronized void takeTurn() throws RegionTooBusyException {
    long now = System.nanoTime();
    if (flushedForReader.isPresent() && now - flushedForReader.getAsLong() < pauseNanos) {
      throw new RegionTooBusyException(
          "the marks of transactions were flushed for another reader less than "
              + TimeUnit.NANOSECONDS.toMillis(pauseNanos)
              + " ms ago ("
              + PAUSE
              + "); try again");
    }
    flushedForReader = OptionalLong.of(now);
  }

  /**
   * Flushes the family, if it has something in memory, when the flush that is under way is over.
   * Not while files are loaded: HBase flushes for that itself, and if it cannot, the files count as
   * older than what is in memory.
   */
  public void flushBehind() {
    try {
      region.waitForFlushes(FLUSH_MILLIS_MAX);
      if (!writers.isLoading() && isAnchored() && !region.isClosing() && !region.isClosed()) {
        HBaseInternals.flush(region, FAMILY);
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
    writers.close();
  }
}
