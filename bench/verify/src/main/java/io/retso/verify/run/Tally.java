package io.retso.verify.run;

import io.retso.verify.clients.ListWorker;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts transactions in histories that are being written, by other processes too. For one thread.
 */
final class Tally {
  private static final String TYPE = ":type :";
  private static final String PROCESS = ":process ";
  private static final int CHUNK_BYTES = 1 << 20;

  private final Map<Path, Long> positions = new HashMap<>();
  private long committed;
  private long conflicts;
  private long refused;
  private long failed;
  private long unknown;
  private long skewed;
  private long refusedPairs;

  /** Takes what was appended to the files since the last time. */
  void update(List<Path> files) throws IOException {
    for (Path file : files) {
      if (Files.exists(file)) {
        positions.put(file, follow(file, positions.getOrDefault(file, 0L)));
      }
    }
  }

  private long follow(Path file, long from) throws IOException {
    long position = from;
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "r")) {
      byte[] chunk = new byte[CHUNK_BYTES];
      bytes.seek(position);
      StringBuilder pending = new StringBuilder();
      int read = bytes.read(chunk);
      while (read > 0) {
        pending.append(new String(chunk, 0, read, StandardCharsets.ISO_8859_1));
        int from0 = 0;
        int end = pending.indexOf("\n", from0);
        while (end >= 0) {
          count(pending, from0, end);
          from0 = end + 1;
          end = pending.indexOf("\n", from0);
        }
        position += from0;
        pending.delete(0, from0);
        read = bytes.read(chunk);
      }
    }
    return position;
  }

  private void count(StringBuilder text, int from, int to) {
    int type = text.indexOf(TYPE, from) + TYPE.length();
    if (type >= TYPE.length() && type + 3 < to) {
      switch (text.substring(type, type + 3)) {
        case "ok," -> {
          committed++;
          skewed += isPartner(text, type) ? 1 : 0;
        }
        case "fai" -> {
          failed++;
          String line = text.substring(from, to);
          if (line.endsWith(":error \"" + ListWorker.CONFLICT + "\"}")) {
            conflicts++;
          } else if (line.contains(":error \"" + ListWorker.REFUSED)) {
            refused++;
            refusedPairs += isPartner(text, type) ? 1 : 0;
          }
        }
        case "inf" -> {
          if (text.indexOf(":process :", type) != type + "info, ".length()) {
            unknown++;
          }
        }
        default -> {} // an invocation
      }
    }
  }

  private static boolean isPartner(StringBuilder text, int from) {
    int process = text.indexOf(PROCESS, from) + PROCESS.length();
    return ListWorker.isPartner(Long.parseLong(text, process, text.indexOf(",", process), 10));
  }

  /** Transactions whose clients know that they committed. */
  long committed() {
    return committed;
  }

  /** Those that failed since another one got ahead. */
  long conflicts() {
    return conflicts;
  }

  /** Those that were refused since they might not be serializable. */
  long refused() {
    return refused;
  }

  /** All that failed. */
  long failed() {
    return failed;
  }

  /** Those of which their clients say that the outcome is not known. */
  long unknown() {
    return unknown;
  }

  /** Pairs that overlapped and both committed; see {@link io.retso.verify.clients.Work}. */
  long skewed() {
    return skewed;
  }

  /** Pairs of which the second was refused. */
  long refusedPairs() {
    return refusedPairs;
  }
}
