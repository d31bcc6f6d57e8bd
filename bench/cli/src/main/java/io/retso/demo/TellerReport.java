package io.retso.demo;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.HdrHistogram.Histogram;

/**
 * What the tellers say in their files, followed while they are written. A line without an end
 * belongs to a process that was killed, or that has not finished it: it is looked at again.
 *
 * <p>Not thread-safe.
 */
final class TellerReport {
  private static final long LATENCY_MICROS_MAX = 60_000_000;

  private final Map<Path, Long> positions = new HashMap<>();
  private final Set<String> begun = new HashSet<>();
  private final Set<String> done = new HashSet<>();
  private final Set<String> conflicts = new HashSet<>();
  private final Set<String> failed = new HashSet<>();
  private final Histogram micros = new Histogram(LATENCY_MICROS_MAX, 2);
  private long unknown;
  private long broken;
  private String lastFailure = "";
  private String lastBroken = "";

  /** Follows a file from its beginning; it may not exist yet. */
  void follow(Path file) {
    positions.put(file, 0L);
  }

  /** Reads what is new. */
  void read() throws IOException {
    for (Map.Entry<Path, Long> entry : positions.entrySet()) {
      if (Files.exists(entry.getKey())) {
        entry.setValue(read(entry.getKey(), entry.getValue()));
      }
    }
  }

  private long read(Path path, long position) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
      byte[] fresh = new byte[Math.toIntExact(file.length() - position)];
      file.seek(position);
      file.readFully(fresh);
      String text = new String(fresh, StandardCharsets.UTF_8);
      int end = text.lastIndexOf('\n') + 1;
      text.substring(0, end).lines().forEach(this::take);
      return position + text.substring(0, end).getBytes(StandardCharsets.UTF_8).length;
    }
  }

  private void take(String line) {
    String[] words = line.split(" ", 3);
    switch (words[0]) {
      case "begun" -> begun.add(words[1]);
      case "done" -> {
        done.add(words[1]);
        micros.recordValue(Math.min(LATENCY_MICROS_MAX, Long.parseLong(words[2])));
      }
      case "conflict" -> conflicts.add(words[1]);
      default -> takeFailure(words[0], words[1], line);
    }
  }

  private void takeFailure(String word, String id, String line) {
    switch (word) {
      case "failed" -> failed.add(id);
      case "unknown" -> unknown++;
      case "broken" -> {
        broken++;
        lastBroken = line;
      }
      default -> throw new IllegalArgumentException("no teller says: " + line);
    }
    lastFailure = line;
  }

  /** Every transfer that a teller set out to make. */
  Set<String> begun() {
    return begun;
  }

  /** Transfers that were acknowledged. */
  Set<String> done() {
    return done;
  }

  /** Transfers that were refused because of a conflict. */
  Set<String> conflicts() {
    return conflicts;
  }

  /** Transfers that failed otherwise, with the promise that nothing is committed. */
  Set<String> failed() {
    return failed;
  }

  /** Transfers whose outcome a teller that lived could not learn. */
  long unknown() {
    return unknown;
  }

  /** Transfers that ended in what no correct program sees. */
  long broken() {
    return broken;
  }

  /** What the last of those said, or nothing. */
  String lastBroken() {
    return lastBroken;
  }

  /** Transfers whose teller ended before it learned the outcome. */
  long withoutAnswer() {
    int answered = done.size() + conflicts.size() + failed.size();
    return begun.size() - answered - unknown - broken;
  }

  /** What the last that failed other than by a conflict said, or nothing. */
  String lastFailure() {
    return lastFailure;
  }

  /** Time of an acknowledged transfer at a percentile, milliseconds. */
  double millisAt(double percentile) {
    return micros.getValueAtPercentile(percentile) / 1000.0;
  }
}
