package io.retso.oracle;

import io.retso.protocol.Limits;
import io.retso.protocol.Timestamps;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/**
 * The snapshots that are held beyond the window and the time limit of transactions, so that many
 * processes can read them for hours.
 *
 * <p><strong>Safety.</strong> Let S be the timestamp of a snapshot that was answered as held, and
 * not released or expired since. Claim: no low watermark above S is answered, by any server, so no
 * region drops what a reader at S needs.
 *
 * <ul>
 *   <li>Before it was taken: S was the next timestamp then, and a watermark is never above that.
 *   <li>From then on in the same term: {@link Watermark#sequence} is at most the lowest of these.
 *   <li>In later terms: the answer waited for its record in the log ({@link Changes#held}), so each
 *       successor has replayed it before it answers anything. Each segment's list has all that are
 *       held then, so the record outlives the segments that are deleted. Only the record {@link
 *       Changes#released} takes it away again, at the same place of the log for all servers; a
 *       standby forgets none by itself.
 * </ul>
 *
 * <p>What is answered after a release rests on its record as all answers rest on what was changed
 * before them: a watermark that has risen leaves when that record is durable, so no successor has
 * the snapshot back, and the watermark does not fall.
 *
 * <p>That W stays at S or below is all that regions need: what they do with the writers of marks
 * that they meet does not depend on the window. A commit below S is known by its version, or is in
 * the table of uncleaned commits, or was cleaned up; so readers at S see it, however far the window
 * has gone on.
 *
 * <p>At most {@link Limits#HOLDS_MAX}. Of the oracle's thread.
 */
public final class Holds {
  private final TreeMap<Long, Hold> byTimestamp = new TreeMap<>();

  /** The sequence of the lowest; {@code Long.MAX_VALUE} without any. */
  private long lowest = Long.MAX_VALUE;

  /** All of them, oldest first; a copy. */
  public List<Hold> all() {
    return List.copyOf(byTimestamp.values());
  }

  /** Those taken behind a timestamp, oldest first; a view. */
  public Collection<Hold> behind(long timestamp) {
    return byTimestamp.tailMap(timestamp, false).values();
  }

  /** How many there are. */
  public int size() {
    return byTimestamp.size();
  }

  /** Whether a snapshot is held. */
  public boolean has(long timestamp) {
    return byTimestamp.containsKey(timestamp);
  }

  boolean isFull() {
    return byTimestamp.size() >= Limits.HOLDS_MAX;
  }

  /** The one with a name; null if there is none. */
  Hold named(String name) {
    for (Hold hold : byTimestamp.values()) {
      if (hold.name().equals(name)) {
        return hold;
      }
    }
    return null;
  }

  /** The sequence of the lowest; {@code Long.MAX_VALUE} without any. */
  long lowest() {
    return lowest;
  }

  void add(Hold hold) {
    byTimestamp.put(hold.timestamp(), hold);
    findLowest();
  }

  /** Returns whether there was one. */
  boolean remove(long timestamp) {
    boolean wasHeld = byTimestamp.remove(timestamp) != null;
    findLowest();
    return wasHeld;
  }

  void clear() {
    byTimestamp.clear();
    findLowest();
  }

  private void findLowest() {
    lowest =
        byTimestamp.isEmpty() ? Long.MAX_VALUE : byTimestamp.firstKey() >>> Timestamps.GAP_BITS;
  }

  /** Sets what is counted of them at this moment. */
  void describe(OracleCounters counters, long next) {
    counters.holds = byTimestamp.size();
    counters.holdLag = byTimestamp.isEmpty() ? 0 : next - lowest;
    counters.oldestHoldMillis =
        byTimestamp.isEmpty() ? 0 : byTimestamp.firstEntry().getValue().sinceMillis();
  }
}
