package io.retso.hbase.coprocessor.write;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the changes of a region's rows that are neither a transaction's writes nor cleanups, so
 * that a cleanup knows whether the row is still as it was read. Transactions touch no version but
 * their own; all others may change any. Thread-safe.
 */
public final class PlainChanges {
  /** What {@link #moment} says while one is under way. */
  private static final long UNDER_WAY = -1;

  private final AtomicLong begun = new AtomicLong();

  /** Counted after they are visible. */
  private final AtomicLong ended = new AtomicLong();

  /** One is about to be applied; {@link #end} follows when it is visible, or failed. */
  public void begin() {
    begun.incrementAndGet();
  }

  /** The end of one that began. */
  public void end() {
    long last = ended.incrementAndGet();
    assert last <= begun.get() : "more ended than began";
  }

  /** To be taken before a row is read, for {@link #isCurrent}. */
  long moment() {
    long last = ended.get();
    return begun.get() == last ? last : UNDER_WAY; // in this order: none is under way
  }

  /** Whether none was under way since that moment. */
  boolean isCurrent(long moment) {
    return moment != UNDER_WAY && moment == begun.get();
  }
}
