package io.retso.hbase.coprocessor.region;

import java.io.IOException;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the marks and outcomes of all regions of a server take that work with one oracle, and which
 * region makes room when that is nearly all there may be: once it is full, marks are cells, and
 * transactions are cleaned up row by row.
 *
 * <p>Outcomes leave with a flush. So the region that has most of them is to be flushed, and the
 * next one when it has, or after a while: a flush that was asked for may come late. Thread-safe.
 */
public final class SharedMemory {
  /** Bytes that there may be, with what it takes to keep them. */
  public static final long BYTES_MAX = Math.max(16L << 20, Runtime.getRuntime().maxMemory() / 32);

  /** Beyond so many a region is to be flushed. */
  private static final long ENOUGH_BYTES = BYTES_MAX / 4 * 3;

  /** A region that has fewer outcomes is not flushed for their sake: its files would be small. */
  public static final int MANY = 1_000;

  /** From one look for such a region to the next. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** ... if one was asked for, and its flush has not ended. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final AtomicLong bytes = new AtomicLong();
  private final Set<AdoptedOutcomes> regions = ConcurrentHashMap.newKeySet();

  /** The region that is to be flushed; null if there is none. Guarded by this. */
  private AdoptedOutcomes flushing;

  /** When one was looked for last. Guarded by this. */
  private long lookedAt = System.nanoTime() - PATIENCE_NANOS;

  /** Nothing. */
  public SharedMemory() {}

  /** Adds bytes, which are to be freed; whether there is room for them. */
  boolean take(long more) {
    return bytes.addAndGet(more) <= BYTES_MAX;
  }

  /** Bytes that were added are free. */
  void free(long less) {
    long left = bytes.addAndGet(-less);
    assert left >= 0 : left + " bytes after " + less + " went";
  }

  /** What is taken. */
  public long bytes() {
    return bytes.get();
  }

  void open(AdoptedOutcomes region) {
    regions.add(region);
  }

  void close(AdoptedOutcomes region) {
    regions.remove(region);
    flushed(region);
  }

  /** A flush of the region has ended. */
  synchronized void flushed(AdoptedOutcomes region) {
    if (flushing == region) {
      flushing = null;
    }
  }

  /**
   * Asks HBase for the flush of a region, if it is time. To be called without locks; it waits for
   * nothing.
   */
  void makeRoom() throws IOException {
    AdoptedOutcomes most = bytes.get() > ENOUGH_BYTES ? next() : null;
    if (most != null) {
      most.requestFlush();
    }
  }

  private synchronized AdoptedOutcomes next() {
    long now = System.nanoTime();
    if (now - lookedAt < (flushing == null ? PAUSE_NANOS : PATIENCE_NANOS)) {
      return null;
    }
    lookedAt = now;
    flushing =
        regions.stream()
            .filter(region -> region.count() >= MANY)
            .max(Comparator.comparingLong(AdoptedOutcomes::count))
            .orElse(null);
    return flushing;
  }
}
