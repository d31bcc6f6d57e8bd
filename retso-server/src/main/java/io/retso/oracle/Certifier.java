package io.retso.oracle;

import io.retso.oracle.rows.CommitPairs;
import io.retso.oracle.rows.CommittedMap;
import io.retso.oracle.rows.GranuleStripes;
import io.retso.oracle.rows.GranuleWrites;
import io.retso.oracle.rows.RecordedSince;
import io.retso.oracle.rows.RowStripes;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;

/**
 * Decides, of a serializable transaction that has no conflict, whether what it has read allows it
 * to commit (decision record 22). A {@link SerialRule} places it; here is found what the rule asks
 * about: which transaction has changed what it read, and at which position one has read what it
 * wrote.
 *
 * <p>The map knows a row's last commit c, not the first one after a start. If c is the only one
 * after it, its window slot says all; otherwise the first one is unknown, and is taken to be as low
 * as it can be: right above the start, unless a commit of the row's stripe after the start has its
 * position before its commit timestamp, and so perhaps below the start. The map is asked only about
 * rows that may have been written since the start, as {@link RowStripes} says.
 */
final class Certifier {
  /** Stripes of rows, at most: their lines stay in a processor's own cache mostly. */
  private static final int ROW_STRIPES_MAX = 1 << 16;

  /** Stripes of granules, at most. */
  private static final int GRANULE_STRIPES_MAX = 1 << 18;

  /** Stripes, at least. */
  private static final int STRIPES_MIN = 1 << 10;

  /** What it allocates, in bytes, at most. */
  static final long BYTES_MAX =
      (long) ROW_STRIPES_MAX * RowStripes.BYTES + (long) GRANULE_STRIPES_MAX * GranuleStripes.BYTES;

  private static final int PIECE = CommitBatch.ROWS_ENOUGH;

  /**
   * In place of a row's place: others have changed it since the start, or may have. Then it need
   * not be known that it was read: a transaction that changes it after this one began after that
   * other change, or has a conflict, so it is above. That holds for a row that is absent from the
   * map, too, since T_max of its line stands for its last change.
   */
  private static final int CHANGED = -1;

  private final SerialRule rule;
  private final CommittedMap map;
  private final TransactionWindow window;
  private final RowStripes rows;
  private final GranuleStripes granules;
  private final RecordedSince recorded;

  /** The newest snapshot of readers that are never judged: a timestamp. */
  private long safeSnapshot;

  // About the transaction that is judged now.
  private long start;
  private long successor;
  private long lowest;
  private boolean unknown;

  /** Where the batch has the read that left the transaction this lowest place, or none. */
  private int offending;

  /** Allocates stripes: as many as the map has rows, within bounds. */
  Certifier(SerialRule rule, CommittedMap map, TransactionWindow window) {
    this.rule = rule;
    this.map = map;
    this.window = window;
    rows = new RowStripes(stripes(ROW_STRIPES_MAX));
    granules = new GranuleStripes(stripes(GRANULE_STRIPES_MAX));
    // Awake for an eighth of the window: seconds of a busy oracle.
    int awake = Math.max(1, window.capacity() / 8);
    recorded = new RecordedSince(awake);
  }

  private int stripes(int most) {
    return (int) Math.max(STRIPES_MIN, Math.min(most, Long.highestOneBit(map.capacity())));
  }

  /**
   * Readers that are never judged read at {@code timestamp}, which was issued just now: a
   * transaction that commits later has its place above it.
   */
  void setSafeSnapshot(long timestamp) {
    assert timestamp >= safeSnapshot;
    safeSnapshot = timestamp;
  }

  /**
   * Forgets which transactions have read what, on the safe side: everything was read, and every
   * granule written, at {@code next}, and all of it in the past.
   */
  void clear(long next) {
    rows.clear((int) next);
    granules.clear((int) next);
    recorded.clear(next);
    safeSnapshot = next << Timestamps.GAP_BITS;
  }

  /** Finds the stripes of all ids of a batch that will be looked at. */
  void locate(CommitBatch batch) {
    boolean needsRows = batch.hasSerializable || recorded.isAwake(window.next());
    if (!batch.hasGranules) {
      if (needsRows) {
        rows.locate(batch.rows, 0, batch.rowCount(), batch.stripes);
      }
      return;
    }
    for (int i = 0; i < batch.size; i++) {
      if (needsRows) {
        int end = batch.serializable[i] ? batch.readsEnd(i) : batch.writesEnd(i);
        rows.locate(batch.rows, batch.from(i), end, batch.stripes);
      }
      granules.locate(batch.rows, batch.readsEnd(i), batch.end(i), batch.stripes);
    }
  }

  /**
   * Judges the i-th request of the batch, an open transaction without conflicts.
   *
   * @param commit the timestamp that it will have if it commits
   * @return above 0 its place, for {@link #committed}; otherwise the outcome of its abort
   */
  long place(CommitBatch batch, int i, long commit) {
    start = batch.starts[i];
    successor = SerialRule.NONE;
    lowest = SerialRule.NONE;
    unknown = false;
    offending = Refusals.NONE;
    lookAtRows(batch, batch.validatedEnd(i), batch.readsEnd(i), commit >>> Timestamps.GAP_BITS);
    lookAtGranules(batch, i);
    if (unknown) {
      return Outcome.ABORTED_UNKNOWN_SUCCESSOR;
    }
    boolean readOnly = batch.from(i) == batch.writesEnd(i);
    long readAt = successor == SerialRule.NONE || readOnly ? 0 : readAt(batch, i);
    return rule.place(readOnly, start, commit, successor, lowest, readAt);
  }

  private void lookAtRows(CommitBatch batch, int from, int to, long now) {
    if (from == to) {
      return;
    }
    recorded.wake(now);
    boolean known = recorded.knows(start >>> Timestamps.GAP_BITS, now);
    if (known && !mayBeWritten(batch, from, to)) {
      return; // most of the time
    }
    for (int at = from; at < to; at += PIECE) {
      int end = Math.min(at + PIECE, to);
      // The map's lines are touched first, so that their loads overlap.
      for (int k = at; k < end; k++) {
        if (!known || mayBeWritten(batch, k, k + 1)) {
          map.touch(batch.rows[k]);
        }
      }
      for (int k = at; k < end; k++) {
        if (!known || mayBeWritten(batch, k, k + 1)) {
          askMap(batch, k);
        }
      }
    }
  }

  private boolean mayBeWritten(CommitBatch batch, int from, int to) {
    int since = (int) (start >>> Timestamps.GAP_BITS);
    return rows.mayBeWritten(batch.rows, batch.stripes, from, to, since);
  }

  private void askMap(CommitBatch batch, int k) {
    int place = map.find(batch.rows[k]);
    int last = map.commitAt(place);
    if (isAfterStart(last)) {
      int before = CommittedMap.isPresent(place) ? overwritten(last) : last;
      changed(k, rows.past(), RowStripes.stripe(batch.stripes[k]), last, before);
      batch.stripes[k] = CHANGED;
    }
  }

  /** The newest commit that a commit overwrote, or a later one, as sequences. */
  private int overwritten(int commit) {
    int behind = window.overwrittenBehind(longOf(commit));
    return commit - behind; // itself if that is not known
  }

  private void lookAtGranules(CommitBatch batch, int i) {
    GranuleWrites writes = granules.writes();
    for (int k = batch.readsEnd(i); k < batch.rangeReadsEnd(i); k++) {
      int stripe = batch.stripes[k];
      int place = writes.find(batch.rows[k], stripe);
      if (isAfterStart(writes.newest(place))) {
        changed(k, granules.past(), stripe, writes.newest(place), writes.previous(place));
      }
    }
  }

  /**
   * Something that was read was changed after the start.
   *
   * @param k where the batch has it
   * @param past of its kind
   * @param last the newest change
   * @param before the newest change before it, or a later one, not above it
   */
  private void changed(int k, CommitPairs past, int stripe, int last, int before) {
    boolean only = !isAfterStart(before);
    boolean wasKnown = !unknown;
    long change = only ? longOf(last) << Timestamps.GAP_BITS : start + Timestamps.GAP;
    long position = only ? positionOf(last) : lowestAfterStart(past, stripe);
    if (wasKnown && (unknown || position < lowest)) {
      offending = k;
    }
    successor = Math.min(successor, change);
    lowest = Math.min(lowest, position);
  }

  /** The lowest position that a commit after the start may have which changed what was read. */
  private long lowestAfterStart(CommitPairs past, int stripe) {
    long atItsTime = rule.position(start + Timestamps.GAP, 0);
    if (!isAfterStart(past.newest(stripe))) { // all of them are where they committed
      return atItsTime;
    }
    if (!isAfterStart(past.previous(stripe))) { // all of them but one
      return Math.min(atItsTime, positionOf(past.newest(stripe)));
    }
    unknown = true;
    return atItsTime;
  }

  private boolean isAfterStart(int sequence) {
    return sequence - (int) (start >>> Timestamps.GAP_BITS) > 0;
  }

  /** The position of a commit of the window. */
  private long positionOf(int commitSequence) {
    long commit = longOf(commitSequence);
    return rule.position(commit << Timestamps.GAP_BITS, window.positionBehind(commit));
  }

  /** The sequence of which these are the low bits: it is at most 2^31 from the start. */
  private long longOf(int sequence) {
    long startSequence = start >>> Timestamps.GAP_BITS;
    return startSequence + (sequence - (int) startSequence);
  }

  /** The highest position at which something was read that the request has written. */
  private long readAt(CommitBatch batch, int i) {
    long highest = safeSnapshot;
    for (int k = batch.from(i); k < batch.writesEnd(i); k++) {
      highest = Math.max(highest, longOf(rows.read(batch.stripes[k])) << Timestamps.GAP_BITS);
    }
    for (int k = batch.rangeReadsEnd(i); k < batch.end(i); k++) {
      highest = Math.max(highest, longOf(granules.read(batch.stripes[k])) << Timestamps.GAP_BITS);
    }
    return highest;
  }

  /**
   * Says why {@link #place} refused the request that it was asked about last, before anything else
   * is decided: which read was changed, and when last; and of a pivot, which of its writes was read
   * after its start, if one was.
   */
  void explain(CommitBatch batch, int i, long refusal) {
    if (offending == Refusals.NONE) {
      return; // a rule of tests refuses what others accept
    }
    long met;
    if (offending >= batch.readsEnd(i)) {
      GranuleWrites writes = granules.writes();
      met =
          timestampOf(writes.newest(writes.find(batch.rows[offending], batch.stripes[offending])));
    } else {
      int place = map.find(batch.rows[offending]);
      met = CommittedMap.isPresent(place) ? timestampOf(map.commitAt(place)) : 0;
    }
    int alsoRead = refusal == Outcome.ABORTED_PIVOT ? readAfterStart(batch, i) : Refusals.NONE;
    batch.refusals.set(i, offending - batch.from(i), met, alsoRead);
  }

  private long timestampOf(int commitSequence) {
    return longOf(commitSequence) << Timestamps.GAP_BITS;
  }

  /**
   * Which of the request's ids, of what it writes, was read at the highest position, if that is
   * above its start and is not that of a safe snapshot.
   */
  private int readAfterStart(CommitBatch batch, int i) {
    int found = Refusals.NONE;
    long highest = Math.max(start, safeSnapshot);
    for (int k = batch.from(i); k < batch.end(i); k++) {
      boolean isRow = k < batch.writesEnd(i);
      if (isRow || k >= batch.rangeReadsEnd(i)) {
        int stripe = batch.stripes[k];
        long position = timestampOf(isRow ? rows.read(stripe) : granules.read(stripe));
        found = position > highest ? k - batch.from(i) : found;
        highest = Math.max(highest, position);
      }
    }
    return found;
  }

  /** What the window keeps of a commit at this place. */
  long kept(long commit, long placed) {
    return rule.kept(commit, placed);
  }

  /** The request, placed as {@link #place} said, has committed. */
  void committed(CommitBatch batch, int i, long commit, long placed) {
    assert !unknown && placed >= start && placed <= commit : placed + " is not its place";
    boolean readOnly = batch.from(i) == batch.writesEnd(i);
    long readAt = rule.readAt(readOnly, batch.starts[i], commit, placed);
    int position = (int) (readAt + Timestamps.GAP - 1 >>> Timestamps.GAP_BITS); // rounded up
    // Rows that it validated were read, too, and no other has changed them.
    if (successor == SerialRule.NONE && readAt == commit) { // none has read later, by now
      rows.setReadNow(batch.stripes, batch.writesEnd(i), batch.readsEnd(i), position);
    } else {
      rows.setRead(batch.stripes, batch.writesEnd(i), batch.readsEnd(i), position);
    }
    granules.setRead(batch.stripes, batch.readsEnd(i), batch.rangeReadsEnd(i), position);
    if (!readOnly && rule.kept(commit, placed) > 0) {
      wroteInThePast(batch, i, (int) (commit >>> Timestamps.GAP_BITS));
    }
  }

  private void wroteInThePast(CommitBatch batch, int i, int sequence) {
    for (int k = batch.from(i); k < batch.writesEnd(i); k++) {
      rows.past().add(RowStripes.stripe(batch.stripes[k]), sequence);
    }
    for (int k = batch.rangeReadsEnd(i); k < batch.end(i); k++) {
      granules.past().add(batch.stripes[k], sequence);
    }
  }

  /** The i-th request of the batch, of any isolation, has committed at this sequence. */
  void wrote(CommitBatch batch, int i, long sequence) {
    if (recorded.isAwake(sequence)) {
      rows.wrote(batch.rows, batch.stripes, batch.from(i), batch.writesEnd(i), (int) sequence);
    }
    granules
        .writes()
        .wrote(batch.rows, batch.stripes, batch.rangeReadsEnd(i), batch.end(i), (int) sequence);
  }

  /** Ages what is kept, as time goes on. */
  void age(int now) {
    rows.age(now);
    granules.age(now);
  }
}
