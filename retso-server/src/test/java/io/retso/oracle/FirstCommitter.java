package io.retso.oracle;

import io.retso.protocol.Outcome;

/**
 * The rule of PostgreSQL (Ports and Grittner, sections 3.3.1 and 4.1), to compare with: there is a
 * dangerous structure T1 -&gt; T2 -&gt; T3 only if T3 commits first, and if T1 only reads, only if
 * T3 committed before T1's snapshot. Of a commit the first one is kept that changed what it read.
 */
final class FirstCommitter implements SerialRule {
  @Override
  public long position(long commit, long kept) {
    return kept == 0 ? NONE : commit - kept;
  }

  @Override
  public long place(
      boolean readOnly, long start, long commit, long successor, long lowest, long readAt) {
    if (lowest <= readAt(readOnly, start, commit, 0)) { // this is T1
      return readOnly ? Outcome.ABORTED_READ_ONLY : Outcome.ABORTED_PIVOT;
    }
    if (readOnly) {
      return start;
    }
    if (successor <= readAt) { // this is T2
      return Outcome.ABORTED_PIVOT;
    }
    return Math.min(successor, commit);
  }

  @Override
  public long kept(long commit, long placed) {
    return commit - placed;
  }

  @Override
  public long readAt(boolean readOnly, long start, long commit, long placed) {
    return readOnly ? start : commit;
  }
}
