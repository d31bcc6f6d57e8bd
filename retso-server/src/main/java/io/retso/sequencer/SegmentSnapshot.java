package io.retso.sequencer;

import io.retso.log.LogEntry;
import io.retso.oracle.Hold;
import io.retso.oracle.StatusOracle;

/**
 * The list of all commits that are not cleaned up, and before them of all held snapshots, with
 * which a segment of the log begins. A long one is written a step at a time, and requests go on
 * meanwhile: their changes stand among the list's records in the order in which they happened, so
 * the segment's entries up to the end of the list, applied in their order, give all uncleaned
 * commits (the claim of {@code UncleanedSnapshot}).
 *
 * <p>They give all held snapshots, too. One that was taken after the segment began has its own
 * record in it. One from before is listed, in the order of the timestamps, unless it was released
 * before the list came to it; if it is released later, the record of that stands behind its line.
 *
 * <p>Until the list is complete and durable, a recovery needs the segments before this one, back to
 * one with a complete list. They are there. A writer starts no segment before the list of its own
 * segment before is complete and durable. And the log deletes only what lies in front of a segment
 * that is older than the one before the newest; the latter, which stays, has its list.
 *
 * <p>Of the sequencer's thread. Allocates nothing after construction.
 */
final class SegmentSnapshot {
  /** The part of an entry that one step may take, so that requests find room beside it. */
  private static final int ENTRY_SHARE = 8;

  /** For so many bytes of an entry a step looks at one place of the oracle's tables. */
  private static final int BYTES_PER_PLACE = 4;

  private static final int RECORD_BYTES = 2 * Long.BYTES;

  private final StatusOracle oracle;
  private final int entryBytesEnough;
  private final StatusOracle.UncleanedVisitor record = this::record;
  private LogEntry entry;
  private boolean complete = true;

  /** The timestamp of the held snapshot that was listed last; 0 before the first. */
  private long listed;

  /** Snapshots from this timestamp on were taken after the segment began. */
  private long takenLater;

  /**
   * Makes a complete one, of no segment.
   *
   * @param entryBytesEnough bytes after which an entry is closed
   */
  SegmentSnapshot(StatusOracle oracle, int entryBytesEnough) {
    this.oracle = oracle;
    this.entryBytesEnough = entryBytesEnough;
  }

  boolean isComplete() {
    return complete;
  }

  /** A segment begins with {@code first}: writes the first step into it. */
  void begin(LogEntry first) {
    assert complete;
    complete = false;
    listed = 0;
    takenLater = oracle.nextTimestamp();
    oracle.beginSnapshot();
    proceed(first);
  }

  /**
   * Writes a step into an entry, if the list is not complete and the entry not full: at most an
   * eighth of it, and a quarter as many places of the oracle's tables are looked at as it has
   * bytes. With the usual sizes that is some hundred microseconds. A step lists either held
   * snapshots, one at least, or commits.
   *
   * @return whether the entry must be written although it may be empty: so another acknowledgement
   *     comes, and with it the next step
   */
  boolean proceed(LogEntry current) {
    if (complete || current.bytes() >= entryBytesEnough) {
      return false;
    }
    entry = current;
    if (listHolds()) {
      return true;
    }
    int commitsMax = Math.max(1, entryBytesEnough / ENTRY_SHARE / RECORD_BYTES);
    complete = oracle.snapshotOn(entryBytesEnough / BYTES_PER_PLACE, commitsMax, record);
    if (complete) {
      current.continued();
    }
    return true;
  }

  /** Lists some of the held snapshots; returns whether there were any left. */
  private boolean listHolds() {
    int left = Math.max(1, entryBytesEnough / ENTRY_SHARE / LogEntry.HELD_BYTES);
    boolean any = false;
    for (Hold hold : oracle.holds().behind(listed)) {
      if (hold.timestamp() >= takenLater || left-- == 0) {
        break;
      }
      entry.held(hold);
      listed = hold.timestamp();
      any = true;
    }
    return any;
  }

  private void record(long start, long commit) {
    entry.uncleaned(start, commit);
  }
}
