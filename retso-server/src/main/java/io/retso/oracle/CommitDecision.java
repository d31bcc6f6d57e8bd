package io.retso.oracle;

import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;

/**
 * Algorithm 3: whether an open transaction of the window commits, judged by the rows of its request
 * and by nothing else. The isolation level is decided here: snapshot isolation looks at the rows
 * that a transaction writes.
 *
 * <p>Whether a transaction may still be decided at all is tested before, by {@link StatusOracle}.
 */
final class CommitDecision {
  private static final int PIECE = CommitBatch.ROWS_ENOUGH;

  private final CommittedMap map;
  private final TransactionWindow window;
  private final Changes changes;
  private final OracleCounters counters;

  CommitDecision(
      CommittedMap map, TransactionWindow window, Changes changes, OracleCounters counters) {
    this.map = map;
    this.window = window;
    this.changes = changes;
    this.counters = counters;
  }

  /**
   * Finds the rows of all requests of a batch in the map; comes before they are judged. The lines
   * of a single large request would push each other out of the cache before they are looked at: its
   * pieces are located one after the other, which is four times as fast.
   */
  void locate(CommitBatch batch) {
    if (!batch.isLarge()) {
      map.locate(batch.rows, 0, batch.rowCount, batch.lines);
    }
  }

  /**
   * Lines 1 to 11: decides an open transaction by its rows from {@code from} to {@code to} of the
   * batch. One of them is in the map with a later commit (line 4); or only rows that are not in the
   * map may have been committed, as T_max is later (line 8); or certainly nobody did.
   *
   * @return its outcome: the commit timestamp, which is above all that were issued, or an abort
   */
  long decide(long start, CommitBatch batch, int from, int to) {
    long sequence = start >>> Timestamps.GAP_BITS;
    boolean unchanged = true;
    boolean certainly = false;
    for (int at = from; at < to && !certainly; at += PIECE) {
      int end = Math.min(at + PIECE, to);
      if (batch.isLarge()) {
        map.locate(batch.rows, at, end, batch.lines);
      }
      if (map.conflicts(batch.rows, at, end, batch.lines, (int) sequence)) {
        unchanged = false;
        certainly = map.conflictsCertainly(batch.rows, at, end, batch.lines, (int) sequence);
      }
    }
    if (unchanged) {
      return commit(start, batch, from, to);
    }
    window.setState(sequence, TransactionWindow.HALF_ABORTED);
    changes.aborted(start);
    if (certainly) {
      counters.conflicts++;
      return Outcome.ABORTED_CONFLICT;
    }
    counters.evicted++;
    return Outcome.ABORTED_TOO_OLD;
  }

  /**
   * Lines 12 to 14. All rows were judged before the first is written here, and nothing else is
   * decided in between: however many they are, they are one step of the oracle's thread.
   */
  private long commit(long start, CommitBatch batch, int from, int to) {
    long commitSequence = window.next();
    put(batch, from, to, (int) commitSequence);
    // Before the timestamp is taken: taking it may push this very transaction out of the window.
    window.remember(start >>> Timestamps.GAP_BITS, commitSequence, from == to);
    window.issue(TransactionWindow.NO_TRANSACTION);
    long commit = commitSequence << Timestamps.GAP_BITS;
    changes.committed(start, commit, batch.rows, from, to);
    counters.commits++;
    counters.rows += to - from;
    return commit;
  }

  private void put(CommitBatch batch, int from, int to, int commit) {
    for (int at = from; at < to; at += PIECE) {
      int end = Math.min(at + PIECE, to);
      if (batch.isLarge()) {
        map.touch(batch.lines, at, end);
      }
      map.put(batch.rows, at, end, batch.lines, commit);
    }
  }
}
