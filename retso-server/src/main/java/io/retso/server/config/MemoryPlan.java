package io.retso.server.config;

import java.util.Optional;

/**
 * The heap that a configuration needs: what its settings say, plus a constant. All of the first
 * part is allocated at the start and never grows.
 *
 * @param map bytes of the map of committed rows
 * @param window bytes of the window of transactions
 * @param uncleaned bytes of the table of uncleaned commits
 * @param rest bytes for everything else: connections, metrics, and if they are embedded ZooKeeper
 *     and the bookies
 */
public record MemoryPlan(long map, long window, long uncleaned, long rest) {
  /**
   * With 3000 transactions outstanding and an embedded log 25 MiB are live in all; the rest is room
   * for the garbage collector.
   */
  public static final long REST_BYTES = 64L << 20;

  public static final long EMBEDDED_BYTES = 32L << 20;
  public static final long EMBEDDED_BOOKIE_BYTES = 32L << 20;

  private static final long LINE_BYTES = 64;
  private static final long LINE_ROWS = 5;
  private static final long WINDOW_TIMESTAMP_BYTES = 8;
  private static final long UNCLEANED_PLACE_BYTES = 16;
  private static final long MEBIBYTE = 1L << 20;

  /** A heap limit that is so many times what is needed is worth a warning. */
  private static final int EXCESS_FACTOR = 2;

  public static MemoryPlan of(ServerConfig config) {
    long embedded = EMBEDDED_BYTES + config.get(Settings.EMBEDDED_BOOKIES) * EMBEDDED_BOOKIE_BYTES;
    return new MemoryPlan(
        mapBytes(config.get(Settings.ROWS)),
        config.get(Settings.WINDOW_TIMESTAMPS) * WINDOW_TIMESTAMP_BYTES,
        uncleanedBytes(config.get(Settings.UNCLEANED_MAX)),
        REST_BYTES + (config.isEmbedded() ? embedded : 0));
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

  /** The heap limit to start a JVM with: what is needed, rounded up to 64 MiB. */
  public long recommendedMebibytes() {
    long step = 64 * MEBIBYTE;
    return (total() + step - 1) / step * step / MEBIBYTE;
  }

  /**
   * What to tell about a heap limit that is far above what is needed: the collector lets garbage
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
