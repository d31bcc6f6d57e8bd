package io.retso.oracle;

import java.util.Arrays;

/**
 * A filter of rows that nobody wrote lately: most rows that a serializable transaction has read are
 * certified by it, without a look at the map, whose line would have to come from memory. Of each
 * stripe of rows it keeps the newest commit that wrote one of them, as the low 32 bits of its
 * sequence. It is small: most of it stays in a processor's own cache.
 *
 * <p>Its errors are on the safe side: what was not written may look written, and then the map is
 * asked. That is so for rows that share a stripe, for everything before it was woken up, and for a
 * stripe that nobody wrote for 2^31 sequences: its commit then looks like one of the future. So
 * nothing here has to be aged.
 *
 * <p>It gets what is written only while it is awake: so long as transactions are certified. Memory
 * is allocated once. Not thread-safe.
 */
final class RecentWrites {
  /** Bytes of memory per stripe. */
  static final int STRIPE_BYTES = Integer.BYTES;

  private final int[] written;
  private final long awake;

  /** It has every commit from this sequence on, and will have those before the other. */
  private long knownSince;

  private long awakeUntil;

  /**
   * Allocates the filter.
   *
   * @param stripes as many as {@link ReadStripes} has of rows
   * @param awake sequences for which it stays awake, above 0
   */
  RecentWrites(int stripes, long awake) {
    written = new int[stripes];
    this.awake = awake;
  }

  /** Whether it must get the commit at {@code sequence}, the next one. */
  boolean isAwake(long sequence) {
    return sequence < awakeUntil;
  }

  /** A transaction is certified at {@code now}, the next sequence: keep awake, or wake up. */
  void wake(long now) {
    if (!isAwake(now)) {
      knownSince = now; // it knows nothing of the commits before
    }
    awakeUntil = now + awake;
  }

  /** Whether it has all commits after {@code start}. */
  boolean knows(long start, long now) {
    return start >= knownSince && isAwake(now);
  }

  /**
   * Whether one of these rows may have been written after {@code start}; only if it {@link #knows}.
   */
  boolean mayBeWritten(int[] stripes, int from, int to, long start) {
    int[] w = written;
    int newest = 0;
    for (int i = from; i < to; i++) {
      newest = Math.max(newest, w[stripes[i]] - (int) start);
    }
    return newest > 0;
  }

  /** The commit at {@code sequence}, the newest, wrote rows with these stripes. */
  void wrote(int[] stripes, int from, int to, long sequence) {
    int[] w = written;
    for (int i = from; i < to; i++) {
      w[stripes[i]] = (int) sequence;
    }
  }

  /** Forgets everything and sleeps; {@code now} is the next sequence. */
  void clear(long now) {
    Arrays.fill(written, (int) now);
    awakeUntil = now;
  }
}
