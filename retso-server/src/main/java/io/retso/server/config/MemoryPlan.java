package io.retso.server.config;

import io.retso.oracle.StatusOracle;
import java.util.Optional;

/**
 * The memory that a configuration needs. Of the heap: what its settings say, plus a constant; all
 * of the first part is allocated at the start and never grows. Of the process: that heap, and what
 * is outside of it.
 *
 * @param map bytes of the map of committed rows
 * @param window bytes of the window of transactions
 * @param uncleaned bytes of the table of uncleaned commits
 * @param rest bytes for everything else: reads of serializable transactions, connections, metrics,
 *     and if they are embedded ZooKeeper and the bookies
 * @param outside bytes outside of the heap, without what the collector keeps about the heap
 */
public record MemoryPlan(long map, long window, long uncleaned, long rest, long outside) {
  /**
   * With 3000 transactions outstanding and an embedded log 25 MiB are live in all; the rest is room
   * for the garbage collector.
   */
  public static final long REST_BYTES = 64L << 20;

  public static final long EMBEDDED_BYTES = 32L << 20;
  public static final long EMBEDDED_BOOKIE_BYTES = 32L << 20;

  /**
   * Code and its compilers, classes, threads, the collector, buffers of connections: 110 MiB were
   * counted after 16 million transactions. Connections that are behind add their buffers.
   */
  public static final long OUTSIDE_BYTES = 128L << 20;

  /** When a leader is deposed the log may still use its entries, and the next term has its own. */
  private static final long TERMS = 2;

  /** A log entry at its largest. */
  private static final long LOG_ENTRY_BYTES = 5L << 19;

  /** What ZooKeeper adds. */
  public static final long OUTSIDE_EMBEDDED_BYTES = 32L << 20;

  /** 100 MiB of direct memory, and RocksDB. */
  public static final long OUTSIDE_BOOKIE_BYTES = 128L << 20;

  /** What the collector keeps about the heap is 4.2 % of it. */
  private static final long HEAP_PER_COLLECTOR = 20;

  private static final long LINE_BYTES = 64;
  private static final long LINE_ROWS = 5;
  private static final long WINDOW_TIMESTAMP_BYTES = 8;
  private static final long UNCLEANED_PLACE_BYTES = 16;
  private static final long MEBIBYTE = 1L << 20;

  /** A heap limit that is so many times what is needed is worth a warning. */
  private static final int EXCESS_FACTOR = 2;

  public static MemoryPlan of(ServerConfig config) {
    long bookies = config.isEmbedded() ? config.get(Settings.EMBEDDED_BOOKIES) : 0;
    return new MemoryPlan(
        mapBytes(config.get(Settings.ROWS)),
        config.get(Settings.WINDOW_TIMESTAMPS) * WINDOW_TIMESTAMP_BYTES,
        uncleanedBytes(config.get(Settings.UNCLEANED_MAX)),
        REST_BYTES
            + StatusOracle.CERTIFIER_BYTES_MAX
            + (config.isEmbedded() ? EMBEDDED_BYTES : 0)
            + bookies * EMBEDDED_BOOKIE_BYTES,
        OUTSIDE_BYTES
            + TERMS * (config.get(Settings.LOG_INFLIGHT) + 1) * LOG_ENTRY_BYTES
            + (config.isEmbedded() ? OUTSIDE_EMBEDDED_BYTES : 0)
            + bookies * OUTSIDE_BOOKIE_BYTES);
  }

  private static long mapBytes(long rows) {
    return (rows + LINE_ROWS - 1) / LINE_ROWS * LINE_BYTES;
  }

  /** The table is a power of two, at most half full. */
  private static long uncleanedBytes(long commits) {
    return (Long.highestOneBit(2 * commits - 1) << 1) * UNCLEANED_PLACE_BYTES;
  }

  public long total() {
    return map + window + uncleaned + rest;
  }

  /** What is allocated at the start and lives as long as the server. */
  public long tables() {
    return map + window + uncleaned;
  }

  /**
   * The most that the process should be seen to take of the machine's memory.
   *
   * @param heapBytes the heap's limit
   */
  public long resident(long heapBytes) {
    return heapBytes + heapBytes / HEAP_PER_COLLECTOR + outside;
  }

  /** The heap limit to start a JVM with: what is needed, rounded up to 64 MiB. */
  public long recommendedMebibytes() {
    long step = 64 * MEBIBYTE;
    return (total() + step - 1) / step * step / MEBIBYTE;
  }

  /**
   * What to say about a heap limit that is far above what is needed: the collector lets garbage
   * grow into it before it collects. Empty if it is not.
   */
  public Optional<String> excess(long heapBytes) {
    long recommended = recommendedMebibytes() * MEBIBYTE;
    if (heapBytes <= EXCESS_FACTOR * recommended) {
      return Optional.empty();
    }
    return Optional.of(
        "the heap limit is "
            + mebibytes(heapBytes)
            + ", and the process will grow to about that by garbage; the settings need "
            + mebibytes(recommended)
            + ": start it with RETSO_OPTS=-Xmx"
            + recommendedMebibytes()
            + "m");
  }

  /**
   * Refuses a configuration that does not fit, before anything is allocated.
   *
   * @param heapBytes what the JVM may use at most
   */
  public void check(long heapBytes) throws ConfigException {
    if (total() <= heapBytes) {
      return;
    }
    long rowsThatFit = (heapBytes - (total() - map)) / LINE_BYTES * LINE_ROWS / 1_000_000;
    String smaller =
        rowsThatFit >= 1
            ? "or set rows = " + rowsThatFit + "M"
            : "or make rows, window.timestamps and uncleaned.max smaller";
    throw new ConfigException(
        "the settings need "
            + mebibytes(total())
            + " of heap (rows "
            + mebibytes(map)
            + ", window.timestamps "
            + mebibytes(window)
            + ", uncleaned.max "
            + mebibytes(uncleaned)
            + ", everything else "
            + mebibytes(rest)
            + "), but this JVM has "
            + mebibytes(heapBytes)
            + ": start it with RETSO_OPTS=-Xmx"
            + recommendedMebibytes()
            + "m, "
            + smaller);
  }

  /** Bytes for people, in MiB. */
  public static String mebibytes(long bytes) {
    return (bytes + MEBIBYTE - 1) / MEBIBYTE + " MiB";
  }
}
