package io.retso.hbase.resolve;

import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.Outcome;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Remembers decided transactions: start timestamp to commit timestamp, or aborted.
 *
 * <p>Decisions are final, so an entry never becomes wrong; it may only be displaced by that of a
 * younger transaction. Undecided states do not enter: {@code OPEN} is an answer to one reader.
 *
 * <p>Memory is fixed: about 36 bytes an entry, allocated as entries come. Lock-free and
 * thread-safe: an entry is immutable and published whole, so no reader can combine the halves of
 * two.
 */
public final class StatusCache {
  /** Entries that compete for the same places; the youngest of them stay. */
  private static final int WAYS = 4;

  private static final int CAPACITY_MAX = 1 << 24;

  private final AtomicReferenceArray<Decided> entries;
  private final int setMask;

  private record Decided(long start, long value) {}

  /**
   * An empty cache.
   *
   * @param capacity transactions, 4 to 2^24, rounded up to a power of two
   */
  public StatusCache(int capacity) {
    if (capacity < WAYS || capacity > CAPACITY_MAX) {
      throw new IllegalArgumentException(
          "capacity " + capacity + " is not within " + WAYS + " and " + CAPACITY_MAX);
    }
    int rounded = Integer.highestOneBit(capacity - 1) << 1;
    this.entries = new AtomicReferenceArray<>(rounded);
    this.setMask = rounded / WAYS - 1;
  }

  /** The {@link Outcome}, as far as it is remembered. */
  public long get(long start) {
    int first = firstOfSet(start);
    for (int i = first; i < first + WAYS; i++) {
      Decided entry = entries.get(i);
      if (entry != null && entry.start == start) {
        return entry.value;
      }
    }
    return Outcome.UNKNOWN;
  }

  /**
   * Remembers that the transaction committed.
   *
   * @throws IllegalArgumentException unless both are timestamps and the commit is the later one
   */
  public void committed(long start, long commitTimestamp) {
    if (CellVersion.checkTimestamp(commitTimestamp) <= start) {
      throw new IllegalArgumentException(
          "commit timestamp " + commitTimestamp + " is not above start timestamp " + start);
    }
    put(start, commitTimestamp);
  }

  /**
   * Remembers that the transaction aborted.
   *
   * <p>Only what the oracle itself calls aborted may be put here. "Forgotten, and the mark is still
   * there" is proof for that row alone: a late duplicate of a write can bring back a mark of a
   * transaction that committed and was cleaned up, and another reader may still hold cells that it
   * read before that cleanup.
   */
  public void aborted(long start) {
    put(start, Outcome.ABORTED);
  }

  private void put(long start, long value) {
    CellVersion.checkTimestamp(start);
    int first = firstOfSet(start);
    int victim = first;
    long oldest = Long.MAX_VALUE;
    for (int i = first; i < first + WAYS; i++) {
      Decided entry = entries.get(i);
      if (entry != null && entry.start == start) {
        return; // decisions are final
      }
      long age = entry == null ? 0 : entry.start;
      if (age < oldest) {
        oldest = age;
        victim = i;
      }
    }
    // Racing writers may displace one another: a lost entry is asked again.
    if (oldest < start) {
      entries.set(victim, new Decided(start, value));
    }
  }

  private int firstOfSet(long start) {
    // Fibonacci hashing; the low four bits of timestamps are always zero.
    long mixed = (start >>> 4) * 0x9E3779B97F4A7C15L;
    return ((int) (mixed >>> 32) & setMask) * WAYS;
  }
}
