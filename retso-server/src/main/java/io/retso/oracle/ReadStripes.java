package io.retso.oracle;

import java.util.Arrays;

/**
 * What serializable transactions have read, and what the oracle remembers of granules: a fixed
 * number of places without keys (stripes), to which ids are hashed. A stripe keeps a maximum of
 * each of four numbers over all ids that share it:
 *
 * <pre>
 *   word 0    read: the highest serial      past: the newest commit whose serial position
 *             position that has read it     lies before its commit timestamp
 *   word 1    last: the newest commit       previous: the newest one before it
 *             that wrote a granule
 * </pre>
 *
 * <p>Two ids that share a stripe look as if both had been read and changed. Each of the four
 * numbers can only refuse a commit by being too high, so that is safe, and it takes two mishaps: a
 * transaction is judged by them only if something that it read was changed (or, for granules, looks
 * so).
 *
 * <p>All four are the low 32 bits of sequences, a position being rounded up to one, and are
 * compared by difference. So none may fall more than 2^31 behind: like the map's commits they are
 * held at {@link CommittedMap#AGE_MAX} by a sweep ({@link #advance}). Memory is allocated once. Not
 * thread-safe.
 */
final class ReadStripes {
  /** Stripes, at most: 16 MiB. */
  static final int STRIPES_MAX = 1 << 20;

  private static final int STRIPES_MIN = 1 << 10;

  /** Bytes of memory per stripe. */
  static final int BYTES_PER_STRIPE = 16;

  /** The sweep visits every stripe once in so many sequences. */
  private static final int SWEEP_PERIOD = 1 << 29;

  private static final long LOW = 0xffff_ffffL;

  private final long[] words;
  private final int shift;
  private final int sequencesPerWord;
  private int sweptAt;
  private int sweepWord;

  /** Keeps the compiler from dropping the loads of {@link #touch}. */
  private long touched;

  /**
   * Allocates the stripes: as many as a map has rows, from 2^10 to {@link #STRIPES_MAX}.
   *
   * @param rows of the map
   */
  ReadStripes(long rows) {
    int stripes = (int) Math.max(STRIPES_MIN, Math.min(STRIPES_MAX, Long.highestOneBit(rows)));
    words = new long[2 * stripes];
    shift = Long.SIZE - Integer.numberOfTrailingZeros(stripes);
    sequencesPerWord = SWEEP_PERIOD / words.length;
  }

  /** Touches the stripes of ids, so that their loads from memory overlap. */
  void touch(long[] ids, int from, int to) {
    long sum = 0;
    for (int i = from; i < to; i++) {
      sum += words[place(ids[i])];
    }
    touched = sum;
  }

  /** The highest position that has read, as a sequence. */
  int read(long id) {
    return (int) words[place(id)];
  }

  /** The newest commit that changed it and has its position before its commit timestamp. */
  int past(long id) {
    return (int) (words[place(id)] >>> Integer.SIZE);
  }

  /** The newest commit that wrote the granule. */
  int last(long id) {
    return (int) words[place(id) + 1];
  }

  /** The newest commit that wrote the granule before the {@link #last} one. */
  int previous(long id) {
    return (int) (words[place(id) + 1] >>> Integer.SIZE);
  }

  /** It was read at this position, rounded up to a sequence. */
  void setRead(long id, int sequence) {
    int place = place(id);
    long word = words[place];
    words[place] = word & ~LOW | later((int) word, sequence) & LOW;
  }

  /** This commit changed it, and has its position before its commit timestamp. */
  void setPast(long id, int commit) {
    int place = place(id);
    words[place] = words[place] & LOW | (long) commit << Integer.SIZE; // the newest of all commits
  }

  /** This commit wrote the granule. */
  void setLast(long id, int commit) {
    int place = place(id) + 1;
    int last = (int) words[place];
    if (last != commit) {
      words[place] = (long) last << Integer.SIZE | commit & LOW;
    }
  }

  private static int later(int a, int b) {
    return b - a > 0 ? b : a;
  }

  private int place(long id) {
    return (int) (mix(id) >>> shift) << 1;
  }

  /** Another mixing than the map's: ids of one line are spread over the stripes. */
  private static long mix(long id) {
    long x = (id ^ id >>> 32) * 0xD6E8FEB86659FD93L;
    return (x ^ x >>> 29) * 0x9E3779B97F4A7C15L;
  }

  /**
   * Forgets everything, on the safe side: all was read, and changed in the past, at {@code now}.
   */
  void clear(int now) {
    long pair = (long) now << Integer.SIZE | now & LOW;
    Arrays.fill(words, pair);
    sweptAt = now;
    sweepWord = 0;
  }

  /** Whether the next {@link #advance} to {@code now} has work to do. */
  boolean isDue(int now) {
    return now - sweptAt >= sequencesPerWord;
  }

  /** Advances time: ages as many stripes as are due. */
  void advance(int now) {
    int steps = Math.min((now - sweptAt) / sequencesPerWord, words.length);
    for (int i = 0; i < steps; i++) {
      long word = words[sweepWord];
      words[sweepWord] =
          (long) held((int) (word >>> Integer.SIZE), now) << Integer.SIZE
              | held((int) word, now) & LOW;
      sweepWord = sweepWord + 1 & words.length - 1;
    }
    sweptAt = steps == words.length ? now : sweptAt + steps * sequencesPerWord;
    assert !isDue(now);
  }

  private static int held(int sequence, int now) {
    // Unsigned: an age beyond 2^31 would look like the future.
    return Integer.compareUnsigned(now - sequence, CommittedMap.AGE_MAX) > 0
        ? now - CommittedMap.AGE_MAX
        : sequence;
  }
}
