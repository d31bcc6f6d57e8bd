package io.retso.hbase.coprocessor.region;

import io.retso.hbase.coprocessor.hbase.HBaseInternals;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.protocol.Timestamps;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.Store;

/**
 * Transactions whose outcome the region knows, and what readers need to know of flushes that act on
 * it; docs/decisions/0025-outcomes-adopted-by-a-region.md.
 *
 * <p>A scanner that is open at the <em>commit</em> of a flush misses what the flush has moved;
 * docs/protocol.md, "Flushes under readers", has the reasons. So a reader takes {@link #moves}
 * before it opens its scanner, and again after it has read. If both are the same, no commit came
 * between. An outcome leaves only after the commit of all of its families:
 *
 * <pre>
 *   moves() --- scanner is opened --- row is read --- moves() the same: the row is whole, and of
 *                                                     each Ts in it the outcome, if there was one,
 *                                                     was still here
 *          commit   anywhere before the second look: they differ. The reader opens a new scanner
 *                   behind the last row that was followed by a look
 *          commit   before the first look: the scanner begins with the file
 *          commit   after the second look: the row was read from what was there before
 * </pre>
 *
 * <p>The number is that of the lists of files, as no hook of HBase runs at the commit. Thread-safe.
 */
public final class RegionOutcomes {
  /** Lists of files as they were looked at, by store. */
  private record Files(List<Collection<?>> lists, long number) {}

  private final Region region;
  private final boolean isAdopting;

  /** By {@link #key}. */
  private final Map<Long, Long> outcomes = new ConcurrentHashMap<>();

  /** Those whose cells may move, which marks do not; null before the first look. */
  private volatile Store[] stores;

  private volatile Files seen = new Files(List.of(), 0);

  /**
   * No outcomes.
   *
   * @param isAdopting whether the region adopts outcomes; otherwise nothing moves
   */
  public RegionOutcomes(Region region, boolean isAdopting) {
    this.region = region;
    this.isAdopting = isAdopting;
  }

  /**
   * A start timestamp as the key of a hash table. Timestamps have zeros in their lowest bits, which
   * are those that a small table looks at: it would use each 16th of its bins only, and a thread
   * that works with one transaction would wait for those that work with others.
   */
  public static Long key(long start) {
    return Long.rotateRight(start, Timestamps.GAP_BITS);
  }

  /** Whether flushes may move cells. */
  public boolean isMoving() {
    return isAdopting;
  }

  /** The {@link Outcome} of a transaction. */
  public long outcomeOf(long start) {
    return outcomes.getOrDefault(key(start), Outcome.UNKNOWN);
  }

  /** The lowest start timestamp of a known outcome; {@link Long#MAX_VALUE} if there is none. */
  public long lowest() {
    return outcomes.keySet().stream()
        .mapToLong(key -> Long.rotateLeft(key, Timestamps.GAP_BITS))
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /** Whether the region knows how a transaction ended. */
  public boolean isKnown(long start) {
    return outcomes.containsKey(key(start));
  }

  /**
   * A transaction is adopted here. Its marks in memory are to be dropped after that, not before: a
   * reader looks for the outcome first, and then for the mark.
   *
   * @param outcome a known {@link Outcome}
   */
  public void adopted(long start, long outcome) {
    Long old = outcomes.put(key(start), outcome);
    assert old == null || old == outcome : start + ": " + old + " and " + outcome;
  }

  /**
   * The outcome leaves. Not before a scanner that is opened now meets neither a version of the
   * transaction nor a mark of it, in any family: those opened before see that {@link #moves} has
   * changed.
   */
  public void forget(long start) {
    outcomes.remove(key(start));
  }

  /**
   * A number that has changed if a flush of a data family was committed since the last call. To be
   * called while the region is open.
   */
  public long moves() {
    Files last = seen;
    Store[] all = stores();
    for (int i = 0; i < all.length; i++) {
      if (i >= last.lists.size() || HBaseInternals.files(all[i]) != last.lists.get(i)) {
        return look();
      }
    }
    return last.number;
  }

  /**
   * A list that was replaced does not come back: the next one is another object. (Empty ones are
   * not; but a store that had a file has one, as compactions that leave nothing write an empty
   * one.)
   */
  private synchronized long look() {
    Store[] all = stores();
    List<Collection<?>> lists = new ArrayList<>(all.length);
    boolean isSame = seen.lists.size() == all.length;
    for (int i = 0; i < all.length; i++) {
      Collection<?> list = HBaseInternals.files(all[i]);
      lists.add(list);
      isSame = isSame && list == seen.lists.get(i);
    }
    if (!isSame) {
      seen = new Files(lists, seen.number + 1);
    }
    return seen.number;
  }

  /** They are the same as long as the region is open. */
  private Store[] stores() {
    Store[] found = stores;
    if (found == null) {
      List<Store> data = isAdopting ? new ArrayList<>(region.getStores()) : new ArrayList<>();
      data.removeIf(store -> PendingWrite.isFamily(store.getColumnFamilyDescriptor().getName()));
      found = data.toArray(Store[]::new);
      stores = found;
    }
    return found;
  }
}
