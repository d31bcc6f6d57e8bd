package io.retso.oracle;

import java.util.Arrays;

/**
 * What serializable transactions have read, and what the oracle remembers of granules: a fixed
 * number of places without keys (stripes), to which ids are hashed. Of all ids that share it, a
 * stripe keeps the newest of each of these:
 *
 * <pre>
 *   word 0    read: the highest serial position that has read it
 *             past: the newest commit whose position lies before its commit timestamp
 *   word 1    past before: the newest commit of this kind before that one
 *   word 2    last: the newest commit that wrote a granule            (of granules only)
 *             previous: the newest one before it
 *   word 3    nothing, so that a stripe lies in one cache line
 * </pre>
 *
 * <p>Two ids that share a stripe look as if both had been read and changed. Each of these numbers
 * can only refuse a commit by being too high, so that is safe, and it takes two mishaps: a
 * transaction is judged by them only if something that it read was changed (or, for granules, looks
 * so).
 *
 * <p>All of them are the low 32 bits of sequences, a position being rounded up to one, and are
 * compared by difference. So none may fall more than 2^31 behind: like the map's commits they are
 * held at {@link CommittedMap#AGE_MAX} by a sweep ({@link #advance}). Memory is allocated once. Not
 * thread-safe.
 */
final class ReadStripes {
  /** Bytes of memory per stripe of rows. */
  static final int ROW_BYTES = 16;

  /** Bytes of memory per stripe of granules. */
  static final int GRANULE_BYTES = 32;

  /** The sweep visits every stripe once in so many sequences. */
  private static final int SWEEP_PERIOD = 1 << 29;

  private static final long LOW = 0xffff_ffffL;

  private final long[] words;
  private final int stripeShift;
  private final int hashShift;
  private final int sequencesPerWord;
  private int sweptAt;
  private int sweepWord;

  /** Keeps the compiler from dropping the loads of {@link #touch}. */
  private long touched;

  private ReadStripes(int stripes, int bytesPerStripe) {
    words = new long[stripes * (bytesPerStripe / Long.BYTES)];
    stripeShift = Integer.numberOfTrailingZeros(bytesPerStripe / Long.BYTES);
    hashShift = Long.SIZE - Integer.numberOfTrailingZeros(stripes);
    sequencesPerWord = SWEEP_PERIOD / words.length;
  }

  /** Allocates stripes of rows: a power of two. */
  static ReadStripes ofRows(int stripes) {
    return new ReadStripes(stripes, ROW_BYTES);
  }

  /** Allocates stripes of granules: a power of two. */
  static ReadStripes ofGranules(int stripes) {
    return new ReadStripes(stripes, GRANULE_BYTES);
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

  /** The newest commit of this kind before the {@link #past} one. */
  int pastBefore(long id) {
    return (int) words[place(id) + 1];
  }

  /** The newest commit that wrote the granule. */
  int last(long id) {
    return (int) words[place(id) + 2];
  }

  /** The newest commit that wrote the granule before the {@link #last} one. */
  int previous(long id) {
    return (int) (words[place(id) + 2] >>> Integer.SIZE);
  }

  /** It was read at this position, rounded up to a sequence. */
  void setRead(long id, int sequence) {
    int place = place(id);
    long word = words[place];
    words[place] = word & ~LOW | later((int) word, sequence) & LOW;
  }

  /** This commit, the newest of all, changed it, and has its position before its timestamp. */
  void setPast(long id, int commit) {
    int place = place(id);
    long past = words[place] >>> Integer.SIZE;
    if ((int) past != commit) { // another id of the same transaction may have been here
      words[place] = words[place] & LOW | (long) commit << Integer.SIZE;
      words[place + 1] = past;
    }
  }

  /** This commit, the newest of all, wrote the granule. */
  void setLast(long id, int commit) {
    int place = place(id) + 2;
    int last = (int) words[place];
    if (last != commit) {
      words[place] = (long) last << Integer.SIZE | commit & LOW;
    }
  }

  private static int later(int a, int b) {
    return b - a > 0 ? b : a;
  }

  private int place(long id) {
    return (int) (mix(id) >>> hashShift) << stripeShift;
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
