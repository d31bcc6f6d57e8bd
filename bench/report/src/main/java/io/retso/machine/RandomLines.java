package io.retso.machine;

/**
 * The memory's own limit: independent reads of random cache lines of a table. If it is far larger
 * than the cache, it is that of written rows: the oracle reads one such line per row and writes to
 * it, so it cannot decide more rows than this in a second. If it is as large as the oracle's table
 * of reads, it is that of rows that are read and certified.
 */
public final class RandomLines {
  private static final int LINE_WORDS = 8;
  private static final int MEMORY_BITS = 23; // 512 MB
  private static final int READS = 10_000_000;

  private final long[] words;
  private final int lineBits;

  /** Keeps the compiler from dropping the reads. */
  private long sum;

  /** Allocates and fills a table that no cache holds: 512 MB. */
  public RandomLines() {
    this(MEMORY_BITS);
  }

  /** Allocates and fills a table of 2^{@code lineBits} lines. */
  public RandomLines(int lineBits) {
    this.lineBits = lineBits;
    words = new long[LINE_WORDS << lineBits];
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
      total += w[(int) (mixed >>> Long.SIZE - lineBits) * LINE_WORDS];
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
