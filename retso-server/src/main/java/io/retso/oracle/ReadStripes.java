package io.retso.oracle;

import java.util.Arrays;

/**
 * What serializable transactions have read, and what the oracle remembers of granules: a fixed
 * number of places without keys (stripes), to which ids are hashed. Of all ids that share it, a
 * stripe keeps the newest of each of these:
 *
 * <ul>
 *   <li>read: the highest serial position that has read it. In an array of its own, four bytes a
 *       stripe, as each row that is read comes here, and hardly any to the others;
 *   <li>past: the newest two commits whose position lies before their commit timestamp;
 *   <li>last: of granules only, the newest two commits that wrote it.
 * </ul>
 *
 * <p>Two ids that share a stripe look as if both had been read and changed. Each of these numbers
 * can only refuse a commit by being too high, so that is safe, and it takes two mishaps: a
 * transaction is judged by them only if something that it read was changed (or, for granules, looks
 * so).
 *
 * <p>All are the low 32 bits of sequences, a position being rounded up to one, and are compared by
 * difference. So none may fall more than 2^31 behind: like the map's commits they are held at
 * {@link CommittedMap#AGE_MAX} by a sweep ({@link #advance}). Memory is allocated once. Not
 * thread-safe.
 */
final class ReadStripes {
  /** Bytes of memory per stripe of rows. */
  static final int ROW_BYTES = Integer.BYTES + Long.BYTES;

  /** Bytes of memory per stripe of granules. */
  static final int GRANULE_BYTES = ROW_BYTES + Long.BYTES;

  private static final long LOW = 0xffff_ffffL;

  private final int[] read;

  /** The newest commit below, the one before it above; so in {@link #writes}. */
  private final long[] past;

  /** Empty for rows: the map knows who wrote them. */
  private final long[] writes;

  private final int shift;
  private final int sequencesPerStripe;
  private int sweptAt;
  private int sweepStripe;

  private ReadStripes(int stripes, boolean ofGranules) {
    read = new int[stripes];
    past = new long[stripes];
    writes = new long[ofGranules ? stripes : 0];
    shift = Long.SIZE - Integer.numberOfTrailingZeros(stripes);
    sequencesPerStripe = CommittedMap.SWEEP_PERIOD / stripes;
  }

  /** Allocates stripes of rows: a power of two. */
  static ReadStripes ofRows(int stripes) {
    return new ReadStripes(stripes, false);
  }

  /** Allocates stripes of granules: a power of two. */
  static ReadStripes ofGranules(int stripes) {
    return new ReadStripes(stripes, true);
  }

  /** The stripe of an id; of id 0, that of its name in the map. */
  int of(long id) {
    return (int) (mix(CommittedMap.named(id)) >>> shift);
  }

  /**
   * Finds the stripes of many ids.
   *
   * @param found receives the stripe of each id
   */
  void locate(long[] ids, int from, int to, int[] found) {
    for (int i = from; i < to; i++) {
      found[i] = of(ids[i]);
    }
  }

  /** The highest position that has read, as a sequence. */
  int read(int stripe) {
    return read[stripe];
  }

  /** The newest commit that changed it and has its position before its commit timestamp. */
  int past(int stripe) {
    return (int) past[stripe];
  }

  /** The newest commit of this kind before the {@link #past} one. */
  int pastBefore(int stripe) {
    return (int) (past[stripe] >>> Integer.SIZE);
  }

  /** The newest commit that wrote the granule. */
  int last(int stripe) {
    return (int) writes[stripe];
  }

  /** The newest commit that wrote the granule before the {@link #last} one. */
  int previous(int stripe) {
    return (int) (writes[stripe] >>> Integer.SIZE);
  }

  /**
   * These were read at this position, rounded up to a sequence.
   *
   * @param located stripes; what is below 0 is left out
   */
  void setRead(int[] located, int from, int to, int sequence) {
    int[] positions = read;
    for (int i = from; i < to; i++) {
      int stripe = located[i];
      if (stripe >= 0) {
        int before = positions[stripe];
        positions[stripe] = before + Math.max(sequence - before, 0);
      }
    }
  }

  /** This commit, the newest of all, changed it, and has its position before its timestamp. */
  void setPast(int stripe, int commit) {
    push(past, stripe, commit);
  }

  /** This commit, the newest of all, wrote the granule. */
  void setLast(int stripe, int commit) {
    push(writes, stripe, commit);
  }

  private static void push(long[] pairs, int stripe, int commit) {
    long pair = pairs[stripe];
    if ((int) pair != commit) { // another id of the same transaction may have been here
      pairs[stripe] = pair << Integer.SIZE | commit & LOW;
    }
  }

  /** Another mixing than the map's: ids of one line are spread over the stripes. */
  private static long mix(long id) {
    long x = (id ^ id >>> 32) * 0xD6E8FEB86659FD93L;
    return (x ^ x >>> 29) * 0x9E3779B97F4A7C15L;
  }

  /**
   * Forgets everything, on the safe side: all was read, and written in the past, at {@code now}.
   */
  void clear(int now) {
    long pair = (long) now << Integer.SIZE | now & LOW;
    Arrays.fill(read, now);
    Arrays.fill(past, pair);
    Arrays.fill(writes, pair);
    sweptAt = now;
    sweepStripe = 0;
  }

  /** Whether the next {@link #advance} to {@code now} has work to do. */
  boolean isDue(int now) {
    return now - sweptAt >= sequencesPerStripe;
  }

  /** Advances time: ages as many stripes as are due. */
  void advance(int now) {
    int steps = Math.min((now - sweptAt) / sequencesPerStripe, read.length);
    for (int i = 0; i < steps; i++) {
      read[sweepStripe] = CommittedMap.held(read[sweepStripe], now);
      holdPair(past, sweepStripe, now);
      if (writes.length > 0) {
        holdPair(writes, sweepStripe, now);
      }
      sweepStripe = sweepStripe + 1 & read.length - 1;
    }
    sweptAt = steps == read.length ? now : sweptAt + steps * sequencesPerStripe;
    assert !isDue(now);
  }

  private static void holdPair(long[] pairs, int stripe, int now) {
    int above = CommittedMap.held((int) (pairs[stripe] >>> Integer.SIZE), now);
    pairs[stripe] =
        (long) above << Integer.SIZE | CommittedMap.held((int) pairs[stripe], now) & LOW;
  }
}
