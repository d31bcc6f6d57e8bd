package io.retso.verify.run;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes one history of those that several processes of one machine recorded.
 *
 * <p><strong>Why the order is right.</strong> Every line bears the time at which it was recorded,
 * all by one clock: {@link System#nanoTime} is {@code CLOCK_MONOTONIC} on Linux, the same for all
 * processes ({@link ClientPool} tests it at each start). An invocation is recorded before the
 * transaction begins, a completion after it ended. So if the completion of A has a smaller time
 * than the invocation of B, then A did end before B began, and what the merged order claims about
 * real time is true. Of equal times the invocations come first: that claims less.
 *
 * <p>A file that was cut because its writer was killed loses its last line.
 */
final class HistoryMerge {
  private static final Pattern HEAD = Pattern.compile("\\{:index \\d+, :time (-?\\d+), ");

  /** A file at one of its lines. */
  private static final class Source implements Closeable {
    private final Path file;
    private final BufferedReader reader;
    private final boolean isCut;
    private String line;
    private String next;
    private long time;
    private int headLength;

    Source(Path file) throws IOException {
      this.file = file;
      this.isCut = isCut(file);
      this.reader = Files.newBufferedReader(file, StandardCharsets.UTF_8);
      this.next = reader.readLine();
    }

    private static boolean isCut(Path file) throws IOException {
      try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "r")) {
        if (bytes.length() == 0) {
          return false;
        }
        bytes.seek(bytes.length() - 1);
        return bytes.read() != '\n';
      }
    }

    /** Goes to the next line; false at the end. */
    boolean advance() throws IOException {
      line = next;
      next = line == null ? null : reader.readLine();
      if (line == null || next == null && isCut) {
        return false;
      }
      Matcher head = HEAD.matcher(line);
      if (!head.lookingAt()) {
        throw new IOException(file + " has a line that no recorder of this program wrote: " + line);
      }
      headLength = head.end();
      time = Long.parseLong(head.group(1));
      return true;
    }

    long time() {
      return time;
    }

    boolean isCompletion() {
      return !line.startsWith(":type :invoke", headLength);
    }

    @Override
    public void close() throws IOException {
      reader.close();
    }
  }

  private HistoryMerge() {}

  /**
   * Merges histories.
   *
   * @param files recorded with one origin of time, each by processes that no other has
   * @param merged is written; replaced if it exists
   */
  static void merge(List<Path> files, Path merged) throws IOException {
    PriorityQueue<Source> sources =
        new PriorityQueue<>(
            Comparator.comparingLong(Source::time).thenComparing(Source::isCompletion));
    List<Source> opened = new ArrayList<>();
    try (BufferedWriter writer = Files.newBufferedWriter(merged, StandardCharsets.UTF_8)) {
      for (Path file : files) {
        Source source = new Source(file);
        opened.add(source);
        if (source.advance()) {
          sources.add(source);
        }
      }
      long index = 0;
      while (!sources.isEmpty()) {
        Source first = sources.poll();
        writer.write("{:index " + index++ + ", :time " + first.time + ", ");
        writer.write(first.line, first.headLength, first.line.length() - first.headLength);
        writer.write('\n');
        if (first.advance()) {
          sources.add(first);
        }
      }
    } finally {
      for (Source source : opened) {
        source.close();
      }
    }
  }
}
