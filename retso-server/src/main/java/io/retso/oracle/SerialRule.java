package io.retso.oracle;

/**
 * Where a serializable transaction has its place among those that committed, if it has one. All
 * numbers are timestamps or lie between two of them.
 *
 * <p>{@link Intervals} is what the oracle uses; the seam is here so that rules can be compared.
 * Stateless.
 */
interface SerialRule {
  /** No successor. */
  long NONE = Long.MAX_VALUE;

  /** What {@code lowest} is the minimum of, for a commit of which so much was kept. */
  long position(long commit, long kept);

  /**
   * Places a transaction.
   *
   * @param commit the timestamp that it will have
   * @param successor of those that committed after its start and changed something that it read,
   *     the first one's commit timestamp, or less; {@link #NONE} if none did
   * @param lowest the lowest of their {@link #position}s, or less
   * @param readAt the highest position at which something was read that it wrote; 0 if there is no
   *     successor, as then it does not matter
   * @return above 0 its place, otherwise the outcome of its abort
   */
  long place(boolean readOnly, long start, long commit, long successor, long lowest, long readAt);

  /** What is kept of a commit at such a place, below 2^32; 0 for one without successors. */
  long kept(long commit, long placed);

  /** At which position a transaction at such a place has read. */
  long readAt(boolean readOnly, long start, long commit, long placed);
}
