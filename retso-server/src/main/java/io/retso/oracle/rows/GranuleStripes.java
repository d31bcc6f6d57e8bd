package io.retso.oracle.rows;

import java.util.Arrays;

/**
 * What the oracle remembers of granules: a fixed number of places (stripes), to which ids are
 * hashed. Of all ids that share it, a stripe keeps the newest of each of these:
 *
 * <ul>
 *   <li>read: the highest serial position that has read it;
 *   <li>past: the newest two commits that wrote it and have their position before their commit
 *       timestamp.
 * </ul>
 *
 * <p>Beside them are the newest two commits that wrote each granule, by its name: {@link
 * GranuleWrites}. A transaction that has read nothing that others changed is never refused, so
 * these are the ones that decide how often ids that share a place refuse a commit.
 *
 * <p>Two ids that share a stripe look as if both had been read. Each of these numbers can only
 * refuse a commit by being too high, so that is safe.
 *
 * <p>All are the low 32 bits of sequences, a position being rounded up to one, and are compared by
 * difference. So none may fall more than 2^31 behind: like the map's commits they are held at
 * {@link CommittedMap#AGE_MAX} by a sweep. Memory is allocated once. Not thread-safe.
 */
public final class GranuleStripes {
  /** Bytes of memory per stripe. */
  public static final int BYTES = Integer.BYTES + CommitPairs.BYTES + GranuleWrites.BYTES;

  private final int[] read;
  private final CommitPairs past;
  private final GranuleWrites writes;
  private final StripeSweep sweep;
  private final int shift;

  /** Keeps the compiler from dropping the loads of {@link #locate}. */
  private int touched;

  /** Allocates stripes: a power of two. */
  public GranuleStripes(int stripes) {
    read = new int[stripes];
    past = new CommitPairs(stripes);
    writes = new GranuleWrites(stripes);
    sweep = new StripeSweep(stripes, this::hold);
    shift = Long.SIZE - Integer.numberOfTrailingZeros(stripes);
  }

  /**
   * Finds the stripes of many ids, and touches what was written of them, so that the loads overlap.
   *
   * @param found receives the stripe of each id
   */
  public void locate(long[] ids, int from, int to, int[] found) {
    int sum = 0;
    for (int i = from; i < to; i++) {
      found[i] = (int) (RowStripes.mix(ids[i]) >>> shift);
      sum += writes.touch(found[i]);
    }
    touched = sum;
  }

  /** The highest position that has read, as a sequence. */
  public int read(int stripe) {
    return read[stripe];
  }

  /** Commits that changed it and have their position before their commit timestamp. */
  public CommitPairs past() {
    return past;
  }

  /** Commits that wrote granules; a stripe is the number of a line. */
  public GranuleWrites writes() {
    return writes;
  }

  /** These were read at this position, rounded up to a sequence. */
  public void setRead(int[] located, int from, int to, int sequence) {
    int[] positions = read;
    for (int i = from; i < to; i++) {
      int before = positions[located[i]];
      positions[located[i]] = before + Math.max(sequence - before, 0);
    }
  }

  /**
   * Forgets everything, on the safe side: all was read, and written in the past, at {@code now}.
   */
  public void clear(int now) {
    Arrays.fill(read, now);
    past.clear(now);
    writes.clear(now);
    sweep.clear(now);
  }

  /** Ages what is kept, as time goes on. */
  public void age(int now) {
    if (sweep.isDue(now)) {
      sweep.advance(now);
    }
  }

  private void hold(int stripe, int now) {
    read[stripe] = CommittedMap.held(read[stripe], now);
    past.hold(stripe, now);
    writes.hold(stripe, now);
  }
}
