package io.retso.bench.machine;

/**
 * The memory's own limit: independent reads of random cache lines of a table that is far larger
 * than the cache. The oracle reads one such line per row and writes to it, so it cannot decide more
 * rows than this in a second.
 */
public final class RandomLines {
  private static final int LINE_WORDS = 8;
  private static final int LINE_BITS = 23; // 512 MB
  private static final int READS = 10_000_000;

  private final long[] words = new long[LINE_WORDS << LINE_BITS];

  /** Keeps the compiler from dropping the reads. */
  private long sum;

  /** Allocates and fills the table: 512 MB. */
  public RandomLines() {
    for (int i = 0; i < words.length; i += LINE_WORDS) {
      words[i] = i;
    }
  }

  /** Reads for a fraction of a second; returns the reads in a second of this thread's time. */
  public double readsPerSecond(long seed) {
    long[] w = words;
    long total = 0;
    long begin = Machine.threadCpuNanos();
    for (int i = 0; i < READS; i++) {
      long mixed = (seed * READS + i) * 0x9E37_79B9_7F4A_7C15L;
      mixed = (mixed ^ mixed >>> 32) * 0xD6E8_FEB8_6659_FD93L;
      total += w[(int) (mixed >>> Long.SIZE - LINE_BITS) * LINE_WORDS];
    }
    double seconds = (Machine.threadCpuNanos() - begin) / 1e9;
    sum += total;
    return READS / seconds;
  }

  /** The sum of what was read. */
  public long sum() {
    return sum;
  }
}
