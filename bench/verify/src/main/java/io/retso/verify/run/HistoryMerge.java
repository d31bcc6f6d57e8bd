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
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes one history of those that several processes of one machine recorded.
 *
 * <p><strong>Why the order is right.</strong> Every line bears the time at which it was recorded,
 * all by one clock: {@link System#nanoTime} is {@code CLOCK_MONOTONIC} on Linux, the same for all
 * processes ({@link io.retso.verify.clients.ClientPool} tests it at each start). An invocation is
 * recorded before the transaction begins, a completion after it ended. So if the completion of A
 * has a smaller time than the invocation of B, then A did end before B began, and what the merged
 * order claims about real time is true. Of equal times the invocations come first: that claims
 * less.
 *
 * <p>A file that was cut because its writer was killed loses its last line. Transactions that were
 * not completed then are completed with {@code :info} at the end of the merged history: to this
 * program's reader that says nothing new, but others want a completion for each invocation.
 */
final class HistoryMerge {
  private static final Pattern HEAD = Pattern.compile("\\{:index \\d+, :time (-?\\d+), ");

  /** What follows the head. Lines of the nemesis have a keyword for the process. */
  private static final Pattern EVENT =
      Pattern.compile(":type :(invoke|ok|fail|info), (:process (\\d+), .*)}");

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
      long time = 0;
      Map<Long, String> open = new TreeMap<>();
      while (!sources.isEmpty()) {
        Source first = sources.poll();
        time = first.time;
        String rest = first.line.substring(first.headLength);
        writer.write("{:index " + index++ + ", :time " + time + ", " + rest + "\n");
        note(rest, open);
        if (first.advance()) {
          sources.add(first);
        }
      }
      for (String invoked : open.values()) {
        writer.write("{:index " + index++ + ", :time " + time + ", :type :info, " + invoked);
        writer.write(", :error \"its client ended\"}\n");
      }
    } finally {
      for (Source source : opened) {
        source.close();
      }
    }
  }

  /** Keeps what processes have invoked and not completed. */
  private static void note(String rest, Map<Long, String> open) {
    Matcher event = EVENT.matcher(rest);
    if (event.matches()) {
      long process = Long.parseLong(event.group(3));
      if (event.group(1).equals("invoke")) {
        open.put(process, event.group(2));
      } else {
        open.remove(process);
      }
    }
  }
}
