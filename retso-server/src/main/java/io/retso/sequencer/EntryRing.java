package io.retso.sequencer;

import io.retso.log.LogEntry;
import java.nio.ByteBuffer;

/**
 * The log's entries in memory, by position: the outstanding ones, whose bytes the log may still
 * read, and the one that is being filled.
 *
 * <p>Of the sequencer's thread.
 */
final class EntryRing {
  private final LogEntry[] entries;

  /** Position of the entry that is being filled. Positions have no gaps. */
  private long filling = 1;

  /** Invariant: durable &lt; filling, and filling - 1 - durable entries are outstanding. */
  private long durable;

  /**
   * Allocates all entries.
   *
   * @param inFlightMax appends outstanding at a time, at least 1
   * @param entryBytes capacity of an entry
   */
  EntryRing(int inFlightMax, int entryBytes) {
    entries = new LogEntry[inFlightMax + 1];
    for (int i = 0; i < entries.length; i++) {
      entries[i] = new LogEntry(entryBytes);
    }
  }

  /** Begins behind the last position of an earlier writer, 0 if there was none. */
  void startBehind(long lastPosition) {
    durable = lastPosition;
    filling = lastPosition + 1;
  }

  /** Position of the entry that is being filled. */
  long filling() {
    return filling;
  }

  /** Everything up to this position is durable. */
  long durable() {
    return durable;
  }

  /** Whether as many entries are outstanding as may be: no further one may be appended. */
  boolean isFull() {
    return filling - durable >= entries.length;
  }

  /** Whether nothing is outstanding. */
  boolean isIdle() {
    return filling - durable == 1;
  }

  /** The entry that was being filled is outstanding. */
  void appended() {
    filling++;
  }

  /** Everything up to {@code position} is durable. */
  void durable(long position) {
    assert position >= durable : durable + " was durable already, not only " + position;
    assert position < filling : position + " is durable and was not appended";
    durable = position;
  }

  /** The bytes of an outstanding entry. */
  ByteBuffer outstanding(long position) {
    assert position > durable && position < filling : position + " is not outstanding";
    return entries[slot(position)].sealed();
  }

  /** The entry to be filled, empty. */
  LogEntry next() {
    LogEntry entry = entries[slot(filling)];
    entry.clear();
    return entry;
  }

  private int slot(long position) {
    return (int) (position % entries.length);
  }
}
