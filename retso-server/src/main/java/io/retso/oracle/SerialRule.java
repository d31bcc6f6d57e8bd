package io.retso.oracle;

import io.retso.protocol.Outcome;

/**
 * Where a serializable transaction has its place among those that committed, if it has one. All
 * numbers are timestamps or lie between two of them.
 *
 * <p>Both rules accept serializable histories only; {@link #INTERVALS} refuses fewer without need,
 * and its histories are strictly serializable.
 */
enum SerialRule {
  /**
   * A position s for each transaction, such that s(A) &lt; s(B) for each dependency A -&gt; B:
   * above everything that the transaction depends on, and below everything that depends on it.
   */
  INTERVALS {
    @Override
    long position(long commit, long kept) {
      return commit - kept;
    }

    @Override
    long place(
        boolean readOnly, long start, long commit, long successor, long lowest, long readAt) {
      if (readOnly) {
        return start < lowest ? start : Outcome.ABORTED_READ_ONLY;
      }
      long position = lowest == NONE ? commit : lowest - 1;
      return Math.max(start, readAt) < position ? position : Outcome.ABORTED_PIVOT;
    }

    @Override
    long kept(long commit, long placed) {
      return commit - placed;
    }

    @Override
    long readAt(boolean readOnly, long start, long commit, long placed) {
      return placed;
    }
  },

  /**
   * Dangerous structures T1 -&gt; T2 -&gt; T3 where T3 commits first (Ports and Grittner, sections
   * 3.3.1 and 4.1): of a commit the first one is kept that changed what it had read.
   */
  FIRST_COMMITTER {
    @Override
    long position(long commit, long kept) {
      return kept == 0 ? NONE : commit - kept;
    }

    @Override
    long place(
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
    long kept(long commit, long placed) {
      return commit - placed;
    }

    @Override
    long readAt(boolean readOnly, long start, long commit, long placed) {
      return readOnly ? start : commit;
    }
  };

  /** No successor. */
  static final long NONE = Long.MAX_VALUE;

  /** Of a commit of which so much was kept: what {@code lowest} is the minimum of. */
  abstract long position(long commit, long kept);

  /**
   * Places a transaction.
   *
   * @param commit the timestamp that it will have
   * @param successor of those that committed after its start and changed something that it read,
   *     the first one's commit timestamp, or less; {@link #NONE} if nobody did
   * @param lowest the lowest of their {@link #position}s, or less
   * @param readAt the highest position at which something was read that it wrote; 0 if there is no
   *     successor, as then it does not matter
   * @return above 0 its place, otherwise the outcome of its abort
   */
  abstract long place(
      boolean readOnly, long start, long commit, long successor, long lowest, long readAt);

  /** What is kept of a commit at such a place, below 2^32. */
  abstract long kept(long commit, long placed);

  /** At which position a transaction at such a place has read. */
  abstract long readAt(boolean readOnly, long start, long commit, long placed);
}
