package io.retso.oracle.rows;

import java.util.Arrays;

/**
 * The newest two commits of some kind for each of a number of stripes, as the low 32 bits of their
 * sequences. Memory is allocated once. Not thread-safe.
 */
public final class CommitPairs {
  /** Bytes of memory per stripe. */
  static final int BYTES = Long.BYTES;

  private static final long LOW = 0xffff_ffffL;

  /** The newest commit below, the one before it above. */
  private final long[] pairs;

  CommitPairs(int stripes) {
    pairs = new long[stripes];
  }

  public int newest(int stripe) {
    return (int) pairs[stripe];
  }

  /** The newest before the {@link #newest}. */
  public int previous(int stripe) {
    return (int) (pairs[stripe] >>> Integer.SIZE);
  }

  /** Adds the newest commit of all. */
  public void add(int stripe, int commit) {
    long pair = pairs[stripe];
    assert commit - (int) pair >= 0 && newest(stripe) - previous(stripe) >= 0;
    if ((int) pair != commit) { // another id of the same transaction may have been here
      pairs[stripe] = pair << Integer.SIZE | commit & LOW;
    }
  }

  /** Ages the commits of a stripe; see {@link CommittedMap#held}. */
  void hold(int stripe, int now) {
    long previous = CommittedMap.held(previous(stripe), now);
    pairs[stripe] = previous << Integer.SIZE | CommittedMap.held(newest(stripe), now) & LOW;
  }

  /** All of them were at {@code now}. */
  void clear(int now) {
    Arrays.fill(pairs, (long) now << Integer.SIZE | now & LOW);
  }
}
