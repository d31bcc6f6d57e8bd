package io.retso.hbase.coprocessor.region;

import io.retso.hbase.layout.PendingWrite;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
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
import org.apache.hadoop.hbase.util.Bytes;
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

  private static final int OVERHEAD_BYTES = 220;
  private static final int COUNTERS = 256;

  /** Flushes that one reader of the marks may have to wait for, its own included. */
  private static final int FLUSHES_MAX = 10;

  private static final long FLUSH_MILLIS_MAX = TimeUnit.SECONDS.toMillis(10);

  private static final Comparator<Mark> BY_ROW =
      (one, other) -> {
        int order = Arrays.compareUnsigned(one.row, other.row); // of the JVM: faster than HBase's
        return order != 0 ? order : Long.compare(one.start, other.start);
      };

  /** A mark. */
  public static final class Mark {
    private final byte[] row;
    private final long start;

    /** As it is in the log; null in what is looked for. */
    private final KeyValue cell;

    /** Whether a flush writes it or has written it. */
    private volatile boolean taken;

    /** Whether its cleanup is in log and memory, and the mark goes when that is visible. */
    private volatile boolean cleaned;

    /** Its neighbours among those of one transaction: {@link Writers}. */
    Mark previous;

    Mark next;

    private Mark(byte[] row, long start, KeyValue cell) {
      this.row = row;
      this.start = start;
      this.cell = cell;
    }

    public byte[] row() {
      return row;
    }

    public long start() {
      return start;
    }

    /** What stands for it in the log, and later in a file. */
    public KeyValue cell() {
      return cell;
    }

    /** Whether it is a cell of the family, or about to be one. */
    public boolean isTaken() {
      return taken;
    }

    /** It has no neighbours any more; returns what was the next one. */
    Mark takeNext() {
      Mark old = next;
      next = null;
      previous = null;
      return old;
    }

    /** HBase numbers a cell when it appends it to the log. */
    private boolean isLogged() {
      return cell.getSequenceId() != 0;
    }

    private int size() {
      return OVERHEAD_BYTES + row.length + cell.getLength();
    }
  }

  private final HRegion region;
  private final boolean isUsed;
  private final boolean isDeciding;
  private final AtomicLong bytes;
  private final Writers writers;
  private final ConcurrentNavigableMap<Mark, Mark> marks = new ConcurrentSkipListMap<>(BY_ROW);
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
    this.writers = new Writers(outcomes, isDeciding);
    this.isUsed = isUsed;
    this.isDeciding = isDeciding;
    this.bytes = bytes;
  }

  /**
   * Adds the mark of a write that is about to be applied, unless it must be a cell. To be called
   * under HBase's lock of updates, shared.
   *
   * @return what is to be logged instead of the mark's cell; null if the cell stays where it is
   */
  public Mark add(Mutation write, long start) {
    Mark mark = addUnlessCell(write, start);
    if (mark == null) {
      writers.real(start); // before the write ends: until then nobody decides
    }
    return mark;
  }

  private Mark addUnlessCell(Mutation write, long start) {
    List<Cell> family = write.getFamilyCellMap().get(PendingWrite.family());
    Cell cell = family.get(0);
    if (write.getFamilyCellMap().size() == 1
        || PrivateCellUtil.tagsIterator(cell).hasNext()
        || !isUsable(write)) {
      return null;
    }
    Mark mark = new Mark(write.getRow(), start, logged(cell));
    boolean isFull = bytes.addAndGet(mark.size()) > BYTES_MAX;
    Mark old = isFull ? null : marks.putIfAbsent(mark, mark);
    if (isFull || old != null) {
      bytes.addAndGet(-mark.size());
      boolean isThere = old != null && old.isLogged() && !old.taken; // if not logged, it may fail
      return isThere ? mark : null;
    }
    writers.add(mark);
    return mark;
  }

  /**
   * The mark as it is in the log. Who decides has no use for the number of the batch, which is for
   * cleaners without the coprocessor.
   */
  private KeyValue logged(Cell mark) {
    KeyValue logged =
        isDeciding
            ? PendingWrite.markOf(CellUtil.cloneRow(mark), PendingWrite.startOf(mark))
            : KeyValueUtil.copyToNewKeyValue(mark);
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
    List<Mark> decided = writers.decide(start, rows, decision);
    if (decided != null) {
      decided.forEach(this::drop);
    }
    return decided != null;
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
      store = region.getStore(PendingWrite.family());
    }
    // In-memory compaction could drop the cell.
    return store.getMemStoreSize().getCellsCount() > 0 && !store.isSloppyMemStore();
  }

  /** The mark of a row and transaction; null if none is here. */
  public Mark find(byte[] row, long start) {
    return marks.get(new Mark(row, start, null));
  }

  /** Counts the marks that went, of this row and some others. */
  public long removals(byte[] row) {
    return removals.get(counterOf(row));
  }

  private static int counterOf(byte[] row) {
    return Math.floorMod(Arrays.hashCode(row), COUNTERS);
  }

  /** Marks in the order of a scan, from {@code row} on; they may come and go meanwhile. */
  public Iterator<Mark> from(byte[] row, boolean isReversed) {
    NavigableMap<Mark, Mark> rest =
        isReversed
            ? marks.headMap(new Mark(row, Long.MAX_VALUE, null), true).descendingMap()
            : marks.tailMap(new Mark(row, 0, null), true);
    return rest.keySet().iterator();
  }

  /**
   * The mark's cleanup is in log and memory, and not visible yet: readers need the mark, but no
   * flush writes it any more. To be called under HBase's lock of updates, shared.
   */
  public void cleaned(Mark mark) {
    mark.cleaned = true;
  }

  /** The mark goes, as somebody else tells of it by now, or it is to be seen no more. */
  public void drop(Mark mark) {
    removals.incrementAndGet(counterOf(mark.row));
    if (marks.remove(mark, mark)) {
      bytes.addAndGet(-mark.size());
      writers.remove(mark);
    }
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
    if (marks.isEmpty() && decisions.isEmpty()) {
      return List.of(); // what is being added now has a cell in the memory that comes after
    }
    List<Cell> cells = new ArrayList<>();
    region.blockUpdates();
    try {
      for (Mark mark : marks.keySet()) {
        if (mark.isLogged() && !mark.cleaned) {
          mark.taken = true;
          writers.real(mark.start);
          cells.add(mark.cell);
        }
      }
      Cell decided = decisions.cell();
      if (decided != null) {
        cells.add(decided);
        cells.sort(CellComparator.getInstance());
      }
    } finally {
      region.unblockUpdates();
    }
    return cells;
  }

  /** A flush has ended, and no other has begun: what was taken is in files that readers see. */
  public void flushed() {
    for (Mark mark : marks.keySet()) {
      if (mark.taken) {
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
    FlushResult result =
        region.flushcache(List.of(PendingWrite.family()), false, FlushLifeCycleTracker.DUMMY);
    if (result.isCompactionNeeded()) {
      region.requestCompaction(
          PendingWrite.family(),
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
    Mark next = marks.ceilingKey(new Mark(first, 0, null));
    return next != null && (stop.length == 0 || Bytes.compareTo(next.row, stop) < 0);
  }

  /** The region is closed. */
  public void close() {
    marks.keySet().forEach(this::drop);
  }
}
