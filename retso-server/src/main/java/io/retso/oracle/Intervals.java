package io.retso.oracle;

import io.retso.protocol.Outcome;

/**
 * The rule of intervals: a position s for each transaction, such that s(A) &lt; s(B) for each
 * dependency A -&gt; B: above everything that the transaction depends on, and below everything that
 * depends on it. As late as possible: its commit timestamp if no other has changed what it read.
 * What is accepted is strictly serializable. Decision record 22 has the proof.
 */
final class Intervals implements SerialRule {
  @Override
  public long position(long commit, long kept) {
    return commit - kept;
  }

  @Override
  public long place(
      boolean readOnly, long start, long commit, long successor, long lowest, long readAt) {
    if (readOnly) {
      return start < lowest ? start : Outcome.ABORTED_READ_ONLY;
    }
    long position = lowest == NONE ? commit : lowest - 1;
    return Math.max(start, readAt) < position ? position : Outcome.ABORTED_PIVOT;
  }

  @Override
  public long kept(long commit, long placed) {
    return commit - placed;
  }

  @Override
  public long readAt(boolean readOnly, long start, long commit, long placed) {
    return placed;
  }
}
