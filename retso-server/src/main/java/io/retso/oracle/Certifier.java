package io.retso.oracle;

import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;

/**
 * Decides, of a serializable transaction that has no conflict, whether what it has read allows it
 * to commit (decision record 22). A {@link SerialRule} places it; here is found what the rule asks
 * about: who has changed what it read, and at which position somebody has read what it wrote.
 *
 * <p>The map knows a row's last commit c, not the first one after a start. If c is the only one
 * after it, its window slot says all; otherwise the first one is unknown, and is taken to be as low
 * as it can be: right above the start, unless a commit of the row's stripe after the start has its
 * position before its commit timestamp, and so perhaps below the start.
 */
final class Certifier {
  /** Stripes of rows, at most: 12 MiB; and a quarter as many of granules, 5 MiB. */
  static final int ROW_STRIPES_MAX = 1 << 20;

  /** Stripes of rows, at least. */
  private static final int ROW_STRIPES_MIN = 1 << 10;

  private static final int PIECE = CommitBatch.ROWS_ENOUGH;

  /**
   * In place of a row's place in the map: others have changed it since the start, or may have. Then
   * nobody needs to know that it was read: whoever changes it after this transaction began after
   * that other change, or has a conflict, so it is above. That holds for a row that is absent from
   * the map, too, since T_max of its line stands for its last change.
   */
  private static final int CHANGED = -1;

  private final SerialRule rule;
  private final CommittedMap map;
  private final TransactionWindow window;
  private final ReadStripes rows;
  private final ReadStripes granules;

  /** The newest snapshot that readers have who are never judged: a timestamp. */
  private long safeSnapshot;

  // Of the transaction that is judged now.
  private long start;
  private long successor;
  private long lowest;
  private boolean unknown;
  private boolean anyChanged;

  /** Allocates stripes: as many as the map has rows, within bounds. */
  Certifier(SerialRule rule, CommittedMap map, TransactionWindow window) {
    this.rule = rule;
    this.map = map;
    this.window = window;
    long stripes = Math.min(ROW_STRIPES_MAX, Long.highestOneBit(map.capacity()));
    rows = ReadStripes.ofRows((int) Math.max(ROW_STRIPES_MIN, stripes));
    granules = ReadStripes.ofGranules((int) Math.max(ROW_STRIPES_MIN, stripes) / 4);
  }

  /**
   * Readers that are never judged read at {@code timestamp}, which was issued just now: whoever
   * commits later has its place above it.
   */
  void setSafeSnapshot(long timestamp) {
    assert timestamp >= safeSnapshot;
    safeSnapshot = timestamp;
  }

  /**
   * Forgets who has read what, on the safe side: everything was read, and every granule written, at
   * {@code next}, and all of it in the past.
   */
  void clear(long next) {
    rows.clear((int) next);
    granules.clear((int) next);
    safeSnapshot = next << Timestamps.GAP_BITS;
  }

  /** Touches what will be looked at for a request, so that the loads overlap. */
  void locate(CommitBatch batch, int i) {
    rows.touch(batch.rows, batch.writesEnd(i), batch.readsEnd(i));
    granules.touch(batch.rows, batch.readsEnd(i), batch.rowsEnd[i]);
  }

  /**
   * Judges the i-th request of the batch, an open transaction without conflicts. Changes nothing.
   *
   * @param commit the timestamp that it will have if it commits
   * @return above 0 its place, for {@link #committed}; otherwise the outcome of its abort
   */
  long place(CommitBatch batch, int i, long commit) {
    start = batch.starts[i];
    successor = SerialRule.NONE;
    lowest = SerialRule.NONE;
    unknown = false;
    anyChanged = false;
    lookAtRows(batch, i);
    lookAtGranules(batch, i);
    if (unknown) {
      return Outcome.ABORTED_UNKNOWN_SUCCESSOR;
    }
    boolean readOnly = batch.from(i) == batch.writesEnd(i);
    long readAt = successor == SerialRule.NONE || readOnly ? 0 : readAt(batch, i);
    return rule.place(readOnly, start, commit, successor, lowest, readAt);
  }

  private void lookAtRows(CommitBatch batch, int i) {
    int end = batch.readsEnd(i);
    int sequence = (int) (start >>> Timestamps.GAP_BITS);
    for (int at = batch.validatedEnd(i); at < end; at += PIECE) {
      int pieceEnd = Math.min(at + PIECE, end);
      if (batch.isLarge()) {
        map.locate(batch.rows, at, pieceEnd, batch.lines);
      }
      if (map.newestSince(batch.rows, at, pieceEnd, batch.lines, sequence) <= 0) {
        continue; // most of the time
      }
      for (int k = at; k < pieceEnd; k++) {
        int last = map.lastCommit(batch.rows[k], batch.lines, k);
        if (isAfterStart(last)) {
          boolean isPresent = CommittedMap.isPresent(batch.lines[k]);
          changed(rows, batch.rows[k], last, isPresent ? overwritten(last) : last);
          batch.lines[k] = CHANGED;
          anyChanged = true;
        }
      }
    }
  }

  /** The newest commit that a commit overwrote, or a later one, as sequences. */
  private int overwritten(int commit) {
    int behind = window.overwrittenBehind(longOf(commit));
    return commit - behind; // itself if that is not known
  }

  private void lookAtGranules(CommitBatch batch, int i) {
    for (int k = batch.readsEnd(i); k < batch.rangeReadsEnd(i); k++) {
      long id = batch.rows[k];
      int last = granules.last(id);
      if (isAfterStart(last)) {
        changed(granules, id, last, granules.previous(id));
      }
    }
  }

  /**
   * Something that was read was changed after the start.
   *
   * @param last the newest change
   * @param before the newest change before it, or a later one, not above it
   */
  private void changed(ReadStripes stripes, long id, int last, int before) {
    if (!isAfterStart(before)) { // it is the only one
      successor = Math.min(successor, longOf(last) << Timestamps.GAP_BITS);
      lowest = Math.min(lowest, positionOf(last));
    } else {
      successor = Math.min(successor, start + Timestamps.GAP);
      lowest = Math.min(lowest, lowestAfterStart(stripes, id));
    }
  }

  /** The lowest position that a commit after the start may have which changed what was read. */
  private long lowestAfterStart(ReadStripes stripes, long id) {
    long atItsTime = rule.position(start + Timestamps.GAP, 0);
    if (!isAfterStart(stripes.past(id))) { // all of them are where they committed
      return atItsTime;
    }
    if (!isAfterStart(stripes.pastBefore(id))) { // all of them but one
      return Math.min(atItsTime, positionOf(stripes.past(id)));
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
      highest = Math.max(highest, longOf(rows.read(batch.rows[k])) << Timestamps.GAP_BITS);
    }
    for (int k = batch.rangeReadsEnd(i); k < batch.rowsEnd[i]; k++) {
      highest = Math.max(highest, longOf(granules.read(batch.rows[k])) << Timestamps.GAP_BITS);
    }
    return highest;
  }

  /** What the window keeps of a commit at this place. */
  long kept(long commit, long placed) {
    return rule.kept(commit, placed);
  }

  /** The request, placed as {@link #place} said, has committed. */
  void committed(CommitBatch batch, int i, long commit, long placed) {
    boolean readOnly = batch.from(i) == batch.writesEnd(i);
    long readAt = rule.readAt(readOnly, batch.starts[i], commit, placed);
    int position = (int) (readAt + Timestamps.GAP - 1 >>> Timestamps.GAP_BITS); // rounded up
    // Rows that it validated were read, too, and nobody has changed them.
    if (anyChanged) {
      for (int k = batch.writesEnd(i); k < batch.readsEnd(i); k++) {
        rows.setRead(batch.rows, k, batch.lines[k] == CHANGED ? k : k + 1, position);
      }
    } else {
      rows.setRead(batch.rows, batch.writesEnd(i), batch.readsEnd(i), position);
    }
    granules.setRead(batch.rows, batch.readsEnd(i), batch.rangeReadsEnd(i), position);
    if (!readOnly) {
      wrote(batch, i, commit, rule.kept(commit, placed) > 0);
    }
  }

  /** A commit of any isolation: what is kept of its writes here. */
  void wrote(CommitBatch batch, int i, long commit, boolean inThePast) {
    int sequence = (int) (commit >>> Timestamps.GAP_BITS);
    for (int k = batch.rangeReadsEnd(i); k < batch.rowsEnd[i]; k++) {
      granules.setLast(batch.rows[k], sequence);
      if (inThePast) {
        granules.setPast(batch.rows[k], sequence);
      }
    }
    if (inThePast) {
      for (int k = batch.from(i); k < batch.writesEnd(i); k++) {
        rows.setPast(batch.rows[k], sequence);
      }
    }
  }

  /** Ages what is kept, as time goes on. */
  void age(int now) {
    if (rows.isDue(now)) {
      rows.advance(now);
    }
    if (granules.isDue(now)) {
      granules.advance(now);
    }
  }
}
