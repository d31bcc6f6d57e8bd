package io.retso.hbase.coprocessor.write;

import io.retso.hbase.coprocessor.write.RowLatches.Latch;
import io.retso.hbase.layout.PendingWrite;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.Mutation;

/**
 * What transactions wrote into the rows of a region a moment ago, so that the cleanup which follows
 * within some tens of milliseconds needs no read: a third of a region server's work for a write.
 *
 * <p>An entry has the cells of one batch's write for a row and a transaction. It may stand for what
 * a read of the version {@code Ts} would find, because
 *
 * <ul>
 *   <li><em>it has all cells</em>: a cleanup uses it only if its number is that of the only batch
 *       that wrote the row, which the client says that wrote it. Duplicates of that batch have the
 *       same cells.
 *   <li><em>the mark is there</em>: the write put it, and what could have removed it since takes
 *       the entry away: a cleanup of the row and transaction, whoever asks for it, at its very
 *       beginning; {@link RowLatches} keep it apart from writes of the two.
 *   <li><em>nothing is gone or was changed</em>: transactional writes and cleanups touch no version
 *       but their own. All others, <em>plain</em> changes, are counted when they begin, and an
 *       entry is used only while the count is what it was when its write began ({@link #moment}).
 *       Nothing is remembered of writes that begin while one is under way, for row locks are shared
 *       and either may come last. Purge drops nothing at or above the horizon, and below it a
 *       cleanup only deletes, be it there or not.
 *   <li><em>nothing hides it</em>: HBase's deletes of columns and families hide what is written
 *       after them, too, up to their version. So only writes with {@code Ts} above all versions
 *       that plain deletes named, and above all versions in the files that the region opened with
 *       or that were loaded, are remembered.
 * </ul>
 *
 * <p>A region that opens, moves or splits begins with an empty memory. What is not here is read.
 *
 * <p>Thread-safe.
 */
public final class RecentWrites {
  /** Entries of a region server, used ones included until they are old. */
  static final int ENTRIES_MAX = 20_000;

  /** Bytes of cells that a region server remembers, with what it takes to keep them. */
  static final long BYTES_MAX = 8L << 20;

  /** Bytes of the largest cell that is remembered. */
  static final int CELL_BYTES_MAX = 64 << 10;

  /** Older entries are dropped: cleanups that come so late are few. */
  static final long AGE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int ENTRY_OVERHEAD_BYTES = 250;
  private static final int CELL_OVERHEAD_BYTES = 70;

  /** What the regions of a region server remember together, and its bounds; oldest goes first. */
  public static final class Shared {
    private final LongSupplier nanoClock;
    private final Deque<Entry> byAge = new ArrayDeque<>();
    private final AtomicLong bytes = new AtomicLong();

    public Shared(LongSupplier nanoClock) {
      this.nanoClock = nanoClock;
    }

    private synchronized void add(List<Entry> entries) {
      long now = nanoClock.getAsLong();
      for (Entry entry : entries) {
        entry.since = now;
        byAge.add(entry);
      }
      while (!byAge.isEmpty() && isOneTooMany(byAge.peek(), now)) {
        byAge.poll().drop();
      }
    }

    private boolean isOneTooMany(Entry oldest, long now) {
      return byAge.size() > ENTRIES_MAX
          || bytes.get() > BYTES_MAX
          || now - oldest.since > AGE_NANOS;
    }

    /** Bytes of all entries that were not used, nor dropped. */
    long bytes() {
      return bytes.get();
    }
  }

  /** What one batch wrote into a row for a transaction. */
  static final class Entry {
    private final RecentWrites owner;
    private final Latch latch;
    private final int number;
    private final int size;

    /** The plain changes that had begun when its batch did. */
    private long moment;

    /** Null once it is used or dropped, by whoever removed it from the owner's map. */
    private List<KeyValue> cells;

    /** Guarded by {@link Shared}. */
    private long since;

    private Entry(RecentWrites owner, Latch latch, int number, List<KeyValue> cells, int size) {
      this.owner = owner;
      this.latch = latch;
      this.number = number;
      this.cells = cells;
      this.size = size;
    }

    private void drop() {
      if (owner.entries.remove(latch, this)) {
        release();
      }
    }

    private List<KeyValue> release() {
      List<KeyValue> released = cells;
      cells = null;
      owner.shared.bytes.addAndGet(-size);
      return released;
    }
  }

  private final Shared shared;
  private final ConcurrentMap<Latch, Entry> entries = new ConcurrentHashMap<>();

  /** Plain changes that have begun. Those that ended are counted after they are visible. */
  private final AtomicLong plainBegun = new AtomicLong();

  private final AtomicLong plainEnded = new AtomicLong();

  /** Writes up to here may be hidden by deletes; nothing is known of a region that is not open. */
  private final AtomicLong hiddenUpTo = new AtomicLong(Long.MAX_VALUE);

  public RecentWrites(Shared shared) {
    this.shared = shared;
  }

  /** The region is open. Its files have versions up to {@code version}. */
  public void opened(long version) {
    hiddenUpTo.set(version);
  }

  /** Plain deletes name versions up to {@code version}; to be called before they are applied. */
  public void hidden(long version) {
    hiddenUpTo.accumulateAndGet(version, Math::max);
  }

  /** Whether a plain writer's delete, or what was in files, may hide writes of a transaction. */
  boolean mayBeHidden(long start) {
    return start <= hiddenUpTo.get();
  }

  /** The region is closed: what it remembers counts no more. */
  public void closed() {
    entries.values().forEach(Entry::drop);
  }

  /**
   * Changes that are neither a transaction's writes nor cleanups are about to be applied; {@link
   * #plainEnds} when they are visible, or failed.
   */
  public void plainBegins() {
    plainBegun.incrementAndGet();
  }

  /** The end of what began. */
  public void plainEnds() {
    plainEnded.incrementAndGet();
  }

  /** Nothing that is remembered is used any more. */
  public void clear() {
    plainBegins();
    plainEnds();
  }

  /** To be taken before a write is applied, for {@link #remember}; negative: it is in vain. */
  long moment() {
    long ended = plainEnded.get();
    return plainBegun.get() == ended ? ended : -1; // in this order: none is under way
  }

  /**
   * What was written under the latch, to be remembered; null if it is too large or may be hidden.
   *
   * @param number of the batch
   */
  Entry entry(Latch latch, int number, Mutation write) {
    if (mayBeHidden(latch.start())) {
      return null;
    }
    int size = ENTRY_OVERHEAD_BYTES;
    List<KeyValue> copies = new ArrayList<>(2);
    for (Map.Entry<byte[], List<Cell>> family : write.getFamilyCellMap().entrySet()) {
      if (PendingWrite.isFamily(family.getKey())) {
        continue;
      }
      for (Cell cell : family.getValue()) {
        int bytes = cell.getSerializedSize();
        if (bytes > CELL_BYTES_MAX || PrivateCellUtil.tagsIterator(cell).hasNext()) {
          return null; // a tag can limit its life
        }
        size += bytes + CELL_OVERHEAD_BYTES;
        copies.add(KeyValueUtil.copyToNewKeyValue(cell)); // the request's memory is given back
      }
    }
    return new Entry(this, latch, number, copies, size);
  }

  /** Whether a write has nothing but puts of its own row and version. */
  static boolean isRegular(Latch latch, Mutation write) {
    for (List<Cell> family : write.getFamilyCellMap().values()) {
      for (Cell cell : family) {
        if (cell.getTimestamp() != latch.start()
            || cell.getType() != Cell.Type.Put
            || !CellUtil.matchingRows(cell, latch.row())) {
          return false;
        }
      }
    }
    return true;
  }

  /**
   * Remembers writes that are visible, unless something plain was under way since {@code moment}.
   * Their rows are still latched, so that no cleanup can use an entry before it is taken back.
   */
  void remember(List<Entry> writes, long moment) {
    if (moment != plainBegun.get() || writes.isEmpty()) {
      return;
    }
    for (Entry entry : writes) {
      entry.moment = moment;
      shared.bytes.addAndGet(entry.size);
      Entry old = entries.put(entry.latch, entry);
      if (old != null) {
        old.release();
      }
    }
    shared.add(writes);
  }

  /**
   * A cleanup begins: whatever was remembered of this row and transaction is forgotten.
   *
   * @param number of the only batch that wrote the row, or 0 if there may be several
   * @return the cells of the version Ts, which the caller may change; null if they must be read
   */
  List<KeyValue> take(Latch latch, int number) {
    Entry entry = entries.remove(latch);
    if (entry == null) {
      return null;
    }
    List<KeyValue> cells = entry.release();
    boolean isUnchanged = entry.moment == plainBegun.get();
    return number > 0 && entry.number == number && isUnchanged ? cells : null;
  }

  /** Entries, of which some may not be used any more. */
  int size() {
    return entries.size();
  }
}
