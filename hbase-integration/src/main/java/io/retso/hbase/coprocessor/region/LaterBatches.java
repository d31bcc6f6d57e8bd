package io.retso.hbase.coprocessor.region;

import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The highest number of a batch, of the transactions that have sent this region more than their
 * first one. It stays when a transaction's marks go from memory: what is written to a cell last
 * counts, a cell of {@code !pw} or an outcome in the place of its mark or not, and a write of a
 * former batch must not be it.
 *
 * <p>There are at most {@value #MAX}, of the youngest transactions; most send one batch. A region
 * that opens has none. Thread-safe; the numbers of one transaction are changed under its lock.
 */
final class LaterBatches {
  static final int MAX = 10_000;

  /** By {@link RegionOutcomes#key}, which grows with the start timestamp. */
  private final ConcurrentNavigableMap<Long, Integer> numbers = new ConcurrentSkipListMap<>();

  private final AtomicInteger size = new AtomicInteger();

  /** The highest number of a transaction; 0 if it has sent the first batch only, or none. */
  int highest(long key) {
    return numbers.getOrDefault(key, 0);
  }

  /** A batch begins whose number is above {@link #highest}. */
  void begin(long key, int number) {
    assert number > highest(key) : number + " is not above " + highest(key);
    if (number > 1 && numbers.put(key, number) == null && size.incrementAndGet() > MAX) {
      numbers.pollFirstEntry();
      size.decrementAndGet();
    }
  }
}
