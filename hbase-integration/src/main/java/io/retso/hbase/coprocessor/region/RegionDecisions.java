package io.retso.hbase.coprocessor.region;

import io.retso.hbase.coprocessor.hbase.HBaseInternals;
import io.retso.hbase.layout.DecisionCell;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.TableSettings;
import java.io.IOException;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * How long a region must know the outcomes that it decided, and where they are if it crashes;
 * docs/decisions/0025-outcomes-decided-by-a-region.md. Readers look into {@link RegionOutcomes}.
 *
 * <p><em>An outcome leaves</em> when every data family has written to a file what it had in memory
 * when the transaction was decided: a file has all edits of its family up to its sequence number,
 * and the transaction's writes have numbers below that of the decision. A family that has nothing
 * in memory, at some moment after the decision, has written it, too.
 *
 * <p><em>After a crash</em> HBase replays the log, of each family what is not in its files. Each
 * decision is a cell of {@code !pw}, so those that a replay needs are there: they are in the log,
 * or were in a flush of {@code !pw}, which writes those that have not left. That flush takes them
 * while no batch is under way, as it does with the marks; a decision that comes later is in the
 * memory that comes after. What a flush of data needs of them it reads ({@link LoggedDecisions}).
 *
 * <p><em>A region that opens</em> may find a mark of a decided transaction that is a cell: HBase
 * flushed amid the replay, before it had read the decision, and the transaction's versions are in a
 * file as they were written; or the mark has no versions any more. The oracle may have forgotten
 * the transaction, and such a mark would be taken for that of an aborted one. So the outcome is
 * known here ({@link #load}) before anybody reads, writes or cleans up, until the row is cleaned up
 * ({@code Settlement}). Those moves are new edits, so no horizon is activated before ({@link
 * #isSettled}).
 *
 * <p>Outcomes count among the bytes of {@link RegionMarks}. A decision makes room: its marks were
 * larger. Thread-safe.
 */
public final class RegionDecisions {
  private static final int OUTCOME_BYTES = 100;

  /** Beyond so many bytes of all regions, one that has many outcomes is to be flushed. */
  private static final long ENOUGH_BYTES = RegionMarks.BYTES_MAX / 4 * 3;

  /** A region that has fewer is not flushed for their sake: its files would be small. */
  public static final int MANY = 10_000;

  private final Region region;
  private final RegionOutcomes outcomes;
  private final AtomicLong bytes;

  /** Transactions that were decided since the region opened, by the number of the decision. */
  private final NavigableMap<Long, long[]> decided = new ConcurrentSkipListMap<>();

  /** Transactions that were decided before it opened, and have marks. */
  private final Set<Long> found = ConcurrentHashMap.newKeySet();

  private final AtomicLong cells = new AtomicLong();

  /** How many {@link #decided} has. */
  private final AtomicLong count = new AtomicLong();

  /** Up to which number the data families have written their edits to files. */
  private final Map<String, Long> written = new ConcurrentHashMap<>();

  /** The same of the flush that is under way; of the thread that flushes. */
  private final Map<String, Long> writing = new ConcurrentHashMap<>();

  private final boolean isUsed;
  private volatile boolean isLoaded;

  /**
   * No decisions.
   *
   * @param isUsed whether the region decides outcomes
   * @param bytes of all regions of the server
   */
  public RegionDecisions(Region region, boolean isUsed, RegionOutcomes outcomes, AtomicLong bytes) {
    this.region = region;
    this.outcomes = outcomes;
    this.bytes = bytes;
    this.isUsed = isUsed;
    boolean isReplica = region.getRegionInfo().getReplicaId() != RegionInfo.DEFAULT_REPLICA_ID;
    this.isLoaded = isReplica || !areIn(region.getTableDescriptor());
  }

  /**
   * Whether regions of a table may have decisions in their log, whatever else its settings say: its
   * version may have been another one when it was written.
   */
  public static boolean areIn(TableDescriptor table) {
    return TableSettings.isPrepared(table) && table.hasColumnFamily(PendingWrite.family());
  }

  /** Whether the region decides outcomes. */
  public boolean isUsed() {
    return isUsed;
  }

  /**
   * Reads the decisions from before the region opened, unless that was done. Nobody may read, write
   * or clean up for a transaction before.
   *
   * @throws IOException if they cannot be read; the next call tries again
   */
  public void load() throws IOException {
    if (!isLoaded) {
      loadOnce();
    }
  }

  private synchronized void loadOnce() throws IOException {
    if (isLoaded) {
      return;
    }
    Map<Long, Long> logged = LoggedDecisions.read(region);
    if (!logged.isEmpty()) {
      LoggedDecisions.marks(
          region,
          mark -> {
            long start = PendingWrite.startOf(mark);
            Long outcome = logged.get(start);
            if (outcome != null && found.add(start)) {
              outcomes.decided(start, outcome);
              bytes.addAndGet(OUTCOME_BYTES);
            }
          });
    }
    isLoaded = true;
  }

  /** Whether nothing is left to do for decisions from before the region opened. */
  public boolean isSettled() {
    return isLoaded && found.isEmpty();
  }

  /** Whether the transaction was decided before the region opened, and has marks. */
  public boolean isFound(long start) {
    return found.contains(start);
  }

  /** Those have no marks any more. */
  public void settled() {
    found.forEach(outcomes::forget);
    bytes.addAndGet(-OUTCOME_BYTES * (long) found.size());
    found.clear();
  }

  /** A cell for outcomes that are about to be decided. */
  public KeyValue newCell(NavigableMap<Long, Long> outcomesByStart) {
    return DecisionCell.of(
        LoggedDecisions.row(region),
        HBaseInternals.openedAt(region),
        cells.incrementAndGet(),
        outcomesByStart);
  }

  /** Whether the region has decided the transaction, and not yet written all of it to files. */
  public boolean isDecided(long start, long outcome) {
    return outcomes.outcomeOf(start) == outcome && !found.contains(start);
  }

  /**
   * Transactions were decided, and their outcomes are in {@link RegionOutcomes}. To be called under
   * HBase's lock of updates, shared, by the batch that decided them.
   *
   * @param sequence of the cell of the decision
   */
  public void decided(long[] starts, long sequence) {
    bytes.addAndGet(OUTCOME_BYTES * (long) starts.length);
    count.addAndGet(starts.length);
    decided.merge(
        sequence,
        starts,
        (old, more) -> LongStream.concat(LongStream.of(old), LongStream.of(more)).toArray());
  }

  /**
   * Asks HBase for a flush, which outcomes leave with, if the memory for them is nearly full and
   * many are of this region: once it is full, transactions are cleaned up row by row. To be called
   * without locks; it waits for nothing.
   */
  public void makeRoom() throws IOException {
    if (count.get() >= MANY && bytes.get() > ENOUGH_BYTES) {
      region.requestFlush(FlushLifeCycleTracker.DUMMY);
    }
  }

  /** Whether the memory may have versions of transactions that were decided. */
  public boolean areInMemory() {
    return !decided.isEmpty();
  }

  boolean isEmpty() {
    return decided.isEmpty() && found.isEmpty();
  }

  /**
   * All that a flush of {@code !pw} has to write, as one cell; null if there is nothing. To be
   * called while no batch is under way.
   */
  KeyValue cell() {
    NavigableMap<Long, Long> all = new TreeMap<>();
    decided.values().forEach(starts -> LongStream.of(starts).forEach(start -> add(start, all)));
    found.forEach(start -> add(start, all));
    if (all.isEmpty()) {
      return null;
    }
    KeyValue cell = newCell(all);
    cell.setSequenceId(decided.isEmpty() ? 0 : decided.lastKey());
    return cell;
  }

  private void add(long start, Map<Long, Long> all) {
    long outcome = outcomes.outcomeOf(start);
    if (outcome != 0) {
      all.put(start, outcome);
    }
  }

  /** Whether a cell of decisions has one that has not left: a compaction must keep it. */
  public boolean isNeeded(Cell decisions) {
    boolean[] isNeeded = {!isLoaded};
    DecisionCell.read(decisions, (start, outcome) -> isNeeded[0] |= outcomes.outcomeOf(start) != 0);
    return isNeeded[0];
  }

  /** A flush has written the file of a family; it is not in the store yet. */
  public void writing(byte[] family, long sequence) {
    if (!PendingWrite.isFamily(family)) {
      writing.put(Bytes.toString(family), sequence);
    }
  }

  /**
   * A flush has ended, and no other has begun: its files are in the stores.
   *
   * @return whether there are files of data among them
   */
  public boolean flushed() {
    boolean hasData = !writing.isEmpty();
    written.putAll(writing);
    writing.clear();
    if (!decided.isEmpty()) {
      HBaseInternals.blockUpdates(
          region); // what a family has in memory, it has from before any later decision
      try {
        forget(decided.headMap(flushedUpTo(), true));
      } finally {
        HBaseInternals.unblockUpdates(region);
      }
    }
    return hasData;
  }

  private long flushedUpTo() {
    long flushed = Long.MAX_VALUE;
    for (Store store : region.getStores()) {
      if (!PendingWrite.isFamily(store.getColumnFamilyDescriptor().getName())
          && !HBaseInternals.isMemoryEmpty(store)) {
        flushed = Math.min(flushed, written.getOrDefault(store.getColumnFamilyName(), 0L));
      }
    }
    return flushed;
  }

  private void forget(NavigableMap<Long, long[]> flushed) {
    flushed
        .values()
        .forEach(
            starts -> {
              LongStream.of(starts).forEach(outcomes::forget);
              bytes.addAndGet(-OUTCOME_BYTES * (long) starts.length);
              count.addAndGet(-starts.length);
            });
    flushed.clear();
  }

  /** The region is closed. */
  public void close() {
    settled();
    forget(decided);
  }
}
