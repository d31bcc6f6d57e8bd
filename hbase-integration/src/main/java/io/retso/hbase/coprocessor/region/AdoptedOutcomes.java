package io.retso.hbase.coprocessor.region;

import io.retso.hbase.coprocessor.hbase.HBaseInternals;
import io.retso.hbase.layout.AdoptionCell;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.TableSettings;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * How long a region must know the outcomes that it adopted, and where they are if it crashes;
 * docs/decisions/0025-outcomes-adopted-by-a-region.md. Readers look into {@link RegionOutcomes}.
 *
 * <p><em>An outcome leaves</em> when every data family has written to a file what it had in memory
 * when the transaction was adopted: a file has all edits of its family up to its sequence number,
 * and the transaction's writes have numbers below that of the adoption. A family that has nothing
 * in memory, at some moment after the adoption, has written it, too.
 *
 * <p><em>After a crash</em> HBase replays the log, of each family what is not in its files. Each
 * adoption is a cell of {@code !pw}, so those that a replay needs are there: they are in the log,
 * or were in a flush of {@code !pw}, which writes those that have not left. That flush takes them
 * while no batch is under way, as it does with the marks; an adoption that comes later is in the
 * memory that comes after. What a flush of data needs of them it reads ({@link LoggedAdoptions}).
 *
 * <p><em>A region that opens</em> may find a mark of an adopted transaction that is a cell: HBase
 * flushed amid the replay, before it had read the adoption, and the transaction's versions are in a
 * file as they were written; or the mark has no versions any more. The oracle may have forgotten
 * the transaction, and such a mark would be taken for that of an aborted one. So the outcome is
 * known here ({@link #load}) before any client reads, writes or cleans up, until the row is cleaned
 * up ({@code ReplayCleanup}). Those moves are new edits, so no horizon is activated before ({@link
 * #isReplayDone}).
 *
 * <p>Outcomes count in {@link SharedMemory}, without being refused: an adoption makes room, as its
 * marks were larger. Thread-safe.
 */
public final class AdoptedOutcomes {
  private static final int OUTCOME_BYTES = 100;

  /**
   * Outcomes that are known at one moment.
   *
   * @param adopted since the region opened: start timestamps
   * @param found start timestamps
   * @param sequence of the last adoption; 0 if there is none
   */
  record Noted(List<long[]> adopted, Set<Long> found, long sequence) {}

  private final Region region;
  private final RegionOutcomes outcomes;
  private final SharedMemory memory;

  /** Transactions that were adopted since the region opened, by the number of the adoption. */
  private final NavigableMap<Long, long[]> adopted = new ConcurrentSkipListMap<>();

  /** Transactions that were adopted before it opened, and have marks; few, if any. */
  private final Set<Long> found = ConcurrentHashMap.newKeySet();

  private final AtomicLong cells = new AtomicLong();

  /** How many {@link #adopted} has. */
  private final AtomicLong count = new AtomicLong();

  /** Up to which number the data families have written their edits to files. */
  private final Map<String, Long> written = new ConcurrentHashMap<>();

  /** Up to which number the flush under way writes them; touched by the thread that flushes. */
  private final Map<String, Long> writing = new ConcurrentHashMap<>();

  private final boolean isUsed;
  private volatile boolean isLoaded;

  /**
   * No adoptions.
   *
   * @param isUsed whether the region adopts outcomes
   */
  public AdoptedOutcomes(
      Region region, boolean isUsed, RegionOutcomes outcomes, SharedMemory memory) {
    this.region = region;
    this.outcomes = outcomes;
    this.memory = memory;
    this.isUsed = isUsed;
    boolean isReplica = region.getRegionInfo().getReplicaId() != RegionInfo.DEFAULT_REPLICA_ID;
    this.isLoaded = isReplica || !areIn(region.getTableDescriptor());
  }

  /**
   * Whether regions of a table may have adoptions in their log, whatever else its settings say: its
   * version may have been another one when it was written.
   */
  public static boolean areIn(TableDescriptor table) {
    return TableSettings.isPrepared(table) && table.hasColumnFamily(PendingWrite.family());
  }

  /** The region is open. */
  public void opened() {
    memory.open(this);
  }

  /** Whether the region adopts outcomes. */
  public boolean isUsed() {
    return isUsed;
  }

  /**
   * Reads the adoptions from before the region opened, unless that was done. No request may read,
   * write or clean up for a transaction before.
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
    Map<Long, Long> logged = LoggedAdoptions.read(region);
    if (!logged.isEmpty()) {
      LoggedAdoptions.marks(
          region,
          HConstants.EMPTY_START_ROW,
          mark -> {
            long start = PendingWrite.startOf(mark);
            Long outcome = logged.get(start);
            if (outcome != null && found.add(start)) {
              outcomes.adopted(start, outcome);
              memory.take(OUTCOME_BYTES);
            }
            return true;
          });
    }
    isLoaded = true;
  }

  /** Whether nothing is left to do for adoptions from before the region opened. */
  public boolean isReplayDone() {
    return isLoaded && found.isEmpty();
  }

  /** Whether the transaction was adopted before the region opened, and has marks. */
  public boolean isFound(long start) {
    return found.contains(start);
  }

  /** Those have no marks any more. */
  public void replayDone() {
    found.forEach(outcomes::forget);
    memory.free(OUTCOME_BYTES * (long) found.size());
    found.clear();
  }

  /** A cell for outcomes that are about to be adopted. */
  public KeyValue newCell(NavigableMap<Long, Long> outcomesByStart) {
    return AdoptionCell.of(
        LoggedAdoptions.row(region),
        HBaseInternals.openedAt(region),
        cells.incrementAndGet(),
        outcomesByStart);
  }

  /** Whether the region has adopted the transaction, and not yet written all of it to files. */
  public boolean isAdopted(long start, long outcome) {
    return outcomes.outcomeOf(start) == outcome && !found.contains(start);
  }

  /**
   * Transactions were adopted, and their outcomes are in {@link RegionOutcomes}. To be called under
   * HBase's lock of updates, shared, by the batch that adopted them.
   *
   * @param sequence of the cell of the adoption
   */
  public void adopted(long[] starts, long sequence) {
    assert LongStream.of(starts).allMatch(outcomes::isKnown);
    assert starts.length == 0 || sequence > 0 : "the cell of an adoption has no number";
    memory.take(OUTCOME_BYTES * (long) starts.length);
    count.addAndGet(starts.length);
    adopted.merge(
        sequence,
        starts,
        (old, more) -> LongStream.concat(LongStream.of(old), LongStream.of(more)).toArray());
    assert count.get() >= starts.length : count;
  }

  /** See {@link SharedMemory#makeRoom}. */
  public void makeRoom() throws IOException {
    memory.makeRoom();
  }

  /** Whether the memory may have versions of transactions that were adopted. */
  public boolean areInMemory() {
    return !adopted.isEmpty();
  }

  /** Transactions that the region has adopted and not yet written to files. */
  long count() {
    return count.get();
  }

  /** A flush, which outcomes leave with. */
  void requestFlush() throws IOException {
    region.requestFlush(FlushLifeCycleTracker.DUMMY);
  }

  /** What there is for {@link #cell}. To be called while no batch is under way. */
  Noted note() {
    return new Noted(
        List.copyOf(adopted.values()),
        Set.copyOf(found),
        adopted.isEmpty() ? 0 : adopted.lastKey());
  }

  /**
   * All that a flush of {@code !pw} has to write, as one cell; null if there is nothing. What
   * leaves meanwhile may be in it or not: its last mark is gone.
   */
  KeyValue cell(Noted noted) {
    LongStream adoptedHere = noted.adopted.stream().flatMapToLong(LongStream::of);
    LongStream adoptedBefore = noted.found.stream().mapToLong(Long::longValue);
    long[] starts = LongStream.concat(adoptedHere, adoptedBefore).sorted().distinct().toArray();
    long[] ends = new long[starts.length]; // not a map: there may be a million
    int count = 0;
    for (long start : starts) {
      long outcome = outcomes.outcomeOf(start);
      if (Outcome.isKnown(outcome)) {
        starts[count] = start;
        ends[count] = outcome;
        count++;
      }
    }
    if (count == 0) {
      return null;
    }
    assert noted.adopted.isEmpty() == (noted.sequence == 0) : noted.sequence;
    KeyValue cell =
        AdoptionCell.of(
            LoggedAdoptions.row(region),
            HBaseInternals.openedAt(region),
            cells.incrementAndGet(),
            starts,
            ends,
            count);
    cell.setSequenceId(noted.sequence);
    return cell;
  }

  /** Whether a cell of adoptions has one that has not left: a compaction must keep it. */
  public boolean isNeeded(Cell adoptions) {
    boolean[] isNeeded = {!isLoaded};
    AdoptionCell.read(adoptions, (start, outcome) -> isNeeded[0] |= outcomes.isKnown(start));
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
   * <p>Adoptions come before the look at the memories. All that their transactions wrote was there
   * when they were adopted, and nothing comes after. So a memory that is empty now has been
   * written, and no adoption that comes meanwhile is among those that leave. Batches need not wait.
   *
   * @return whether there are files of data among them
   */
  public boolean flushed() {
    boolean hasData = !writing.isEmpty();
    written.putAll(writing);
    writing.clear();
    Map<Long, long[]> before = new HashMap<>(adopted);
    if (!before.isEmpty()) {
      long upTo = flushedUpTo();
      before.keySet().removeIf(sequence -> sequence > upTo);
      before.forEach(this::forget);
    }
    memory.flushed(this);
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

  /** What one batch adopted, unless more came with the same number: that leaves later. */
  private void forget(long sequence, long[] starts) {
    if (adopted.remove(sequence, starts)) {
      LongStream.of(starts).forEach(outcomes::forget);
      memory.free(OUTCOME_BYTES * (long) starts.length);
      long left = count.addAndGet(-starts.length);
      assert left >= 0 : left;
    }
  }

  /** The region is closed. */
  public void close() {
    replayDone();
    adopted.forEach(this::forget);
    memory.close(this);
  }
}
