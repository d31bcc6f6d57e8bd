package io.retso.bench.kernel;

import io.retso.bench.load.RowSource;
import io.retso.oracle.CommitBatch;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Outcome;

/**
 * Counts false aborts: beside the usual load, every few transactions one begins that will live for
 * so many others, and asks to commit then. It is aborted falsely if none of its rows was written
 * meanwhile, as far as the map can tell, but one of them may have been and was evicted.
 */
final class LongLived {
  private static final int EVERY = 8;

  private final StatusOracle oracle;
  private final Transactions others;
  private final RowSource source;
  private final CommitBatch batch = new CommitBatch(RowSource.ROWS_PER_TRANSACTION_MAX);
  private final long[] starts;
  private int next;
  private long begun;
  private long decided;
  private long conflicts;
  private long falseAborts;

  LongLived(StatusOracle oracle, Transactions others, RowSource source, int lifetime) {
    this.oracle = oracle;
    this.others = others;
    this.source = source;
    starts = new long[lifetime / EVERY];
  }

  /** Lets so many long-lived transactions end. */
  void run(long transactions) {
    long before = others.decided();
    long due = 0;
    while (decided < transactions) {
      others.run(1);
      for (; due < others.decided() - before; due += EVERY) {
        if (begun++ >= starts.length) {
          commit(starts[next]);
        }
        starts[next] = oracle.begin(1);
        next = next + 1 == starts.length ? 0 : next + 1;
      }
    }
  }

  private void commit(long start) {
    int count = source.nextCount();
    int at = batch.add(start, false, count);
    for (int i = 0; i < count; i++) {
      batch.rows()[at + i] = source.nextRow();
    }
    oracle.commit(batch);
    long outcome = batch.outcome(0);
    batch.clear();
    decided++;
    if (outcome == Outcome.ABORTED_CONFLICT) {
      conflicts++;
    } else if (outcome == Outcome.ABORTED_TOO_OLD) {
      falseAborts++;
    } else {
      oracle.cleaned(start);
    }
  }

  long decided() {
    return decided;
  }

  /** Those with a true conflict. */
  long conflicts() {
    return conflicts;
  }

  long falseAborts() {
    return falseAborts;
  }
}
