package io.retso.oracle;

import io.retso.oracle.rows.CommittedMap;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;

/**
 * Whether an open transaction of the window commits, judged by its request and by nothing else:
 * Algorithm 3, for the rows that it writes or validates; and {@link Certifier}, if it is
 * serializable, for what it reads.
 *
 * <p>Whether a transaction may still be decided at all is tested before, by {@link StatusOracle}.
 */
final class CommitDecision {
  private static final int PIECE = CommitBatch.ROWS_ENOUGH;

  private final CommittedMap map;
  private final TransactionWindow window;
  private final Certifier certifier;
  private final Changes changes;
  private final OracleCounters counters;
  private final HotIds hot;

  /** The newest commit of the rows that were judged last, as its distance from the start. */
  private int newest;

  /** Where the last piece of them begins that has a reason to refuse the transaction. */
  private int refusedAt;

  /** Where that piece ends. */
  private int refusedEnd;

  CommitDecision(
      CommittedMap map,
      TransactionWindow window,
      Certifier certifier,
      Changes changes,
      OracleCounters counters,
      HotIds hot) {
    this.map = map;
    this.window = window;
    this.certifier = certifier;
    this.changes = changes;
    this.counters = counters;
    this.hot = hot;
  }

  /**
   * Finds the rows of all requests of a batch in the map; comes before they are judged. The lines
   * of a single large request would push each other out of the cache before they are looked at: its
   * pieces are located one after the other, which is four times as fast.
   */
  void locate(CommitBatch batch) {
    if (!batch.isLarge()) {
      if (batch.hasReads) {
        map.locate(batch.rows, batch.mapped, batch.gatherMapped(), batch.lines);
      } else {
        map.locate(batch.rows, 0, batch.rowCount(), batch.lines);
      }
    }
    certifier.locate(batch);
  }

  /**
   * Decides the i-th request of the batch, of an open transaction.
   *
   * @return its outcome: the commit timestamp, which is above all that were issued, or an abort
   */
  long decide(CommitBatch batch, int i) {
    long start = batch.starts[i];
    int sequence = (int) (start >>> Timestamps.GAP_BITS);
    long refusal = judge(batch, batch.writesEnd(i), batch.validatedEnd(i), sequence);
    if (refusal == Outcome.DONE) {
      refusal = judge(batch, batch.from(i), batch.writesEnd(i), sequence);
    }
    long commit = window.next() << Timestamps.GAP_BITS;
    long placed = commit;
    if (refusal == Outcome.DONE && batch.serializable[i]) {
      placed = certifier.place(batch, i, commit);
      refusal = Math.min(placed, Outcome.DONE);
    }
    return refusal == Outcome.DONE ? commit(batch, i, placed) : abort(batch, i, refusal);
  }

  /** Says which id of a request that was refused just now is the reason, and by which commit. */
  private void explain(CommitBatch batch, int i, long refusal) {
    boolean certainly = refusal == Outcome.ABORTED_CONFLICT;
    if (!certainly && refusal != Outcome.ABORTED_TOO_OLD) {
      certifier.explain(batch, i, refusal);
      return;
    }
    long sequence = batch.starts[i] >>> Timestamps.GAP_BITS;
    for (int k = refusedAt; k < refusedEnd; k++) {
      int place = map.find(batch.rows[k]);
      int after = map.commitAt(place) - (int) sequence;
      if (after > 0 && CommittedMap.isPresent(place) == certainly) {
        long met = certainly ? sequence + after << Timestamps.GAP_BITS : 0;
        batch.refusals.set(i, k - batch.from(i), met, Refusals.NONE);
        return;
      }
    }
    assert false : "no row of a request that was refused is a reason";
  }

  /**
   * Lines 1 to 11: one of the rows is in the map with a later commit (line 4); or only rows that
   * are not in the map may have been committed, as T_max is later (line 8); or certainly no
   * transaction did, {@link Outcome#DONE}.
   */
  private long judge(CommitBatch batch, int from, int to, int sequence) {
    newest = -CommittedMap.AGE_MAX;
    boolean certainly = false;
    for (int at = from; at < to && !certainly; at += PIECE) {
      int end = Math.min(at + PIECE, to);
      if (batch.isLarge()) {
        map.locate(batch.rows, at, end, batch.lines);
      }
      int newestOfPiece = map.newestSince(batch.rows, at, end, batch.lines, sequence);
      newest = Math.max(newest, newestOfPiece);
      if (newestOfPiece > 0) {
        refusedAt = at;
        refusedEnd = end;
        certainly = map.conflictsCertainly(batch.rows, at, end, batch.lines, sequence);
      }
    }
    if (newest <= 0) {
      return Outcome.DONE;
    }
    return certainly ? Outcome.ABORTED_CONFLICT : Outcome.ABORTED_TOO_OLD;
  }

  private long abort(CommitBatch batch, int i, long refusal) {
    batch.refusals.clear(i);
    explain(batch, i, refusal);
    int offending = batch.refusals.offending(i);
    if (offending != Refusals.NONE) {
      hot.refused(batch.id(i, offending), batch.refusals.met(i));
    }
    long start = batch.starts[i];
    window.setState(start >>> Timestamps.GAP_BITS, TransactionWindow.HALF_ABORTED);
    changes.aborted(start);
    counters.countRefusal(refusal);
    return refusal;
  }

  /**
   * Lines 12 to 14. All rows were judged before the first is written here, and nothing else is
   * decided in between: however many they are, they are one step of the oracle's thread.
   */
  private long commit(CommitBatch batch, int i, long placed) {
    long start = batch.starts[i];
    int from = batch.from(i);
    int to = batch.writesEnd(i);
    long sequence = start >>> Timestamps.GAP_BITS;
    long commitSequence = window.next();
    long commit = commitSequence << Timestamps.GAP_BITS;
    int overwrittenBehind = (int) Math.min(commitSequence - sequence - newest, Integer.MAX_VALUE);
    batch.putInto(map, from, to, (int) commitSequence);
    // Before the timestamp is taken: taking it may push this very transaction out of the window.
    window.remember(sequence, commitSequence, from == to);
    window.issueCommit(certifier.kept(commit, placed), overwrittenBehind);
    if (batch.serializable[i]) {
      certifier.committed(batch, i, commit, placed);
    }
    certifier.wrote(batch, i, commitSequence);
    changes.committed(start, commit, batch.rows, from, to);
    counters.commits++;
    counters.rows += to - from;
    batch.committed(to - from);
    return commit;
  }
}
