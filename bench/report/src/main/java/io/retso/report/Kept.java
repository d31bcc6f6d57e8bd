package io.retso.report;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Measurements that are written to a file as they are made, so that a run that was stopped in any
 * way can go on: what is in the file is not measured again. For one thread.
 *
 * <p>The file has a line of JSON that says what was measured, where and by what, and a line for
 * each measurement. A last line that was cut off is left out.
 */
public final class Kept implements AutoCloseable {
  /** The fact of a machine that is another one in each run. */
  private static final String LOAD = "loadAverageBefore";

  private final Map<Key, Line> lines = new HashMap<>();
  private final Writer file;

  /**
   * What measurements have to have in common to be compared.
   *
   * @param version of ReTSO, with its commit
   * @param settings all that decides what one measurement gives; not how many there are
   * @param machine as {@code Machine.facts()} has it
   */
  public record Origin(String version, Map<String, String> settings, Map<String, String> machine) {
    /** An origin with all facts as text. */
    public static Origin of(
        String version, Map<String, Object> settings, Map<String, Object> machine) {
      Map<String, Object> lasting = new LinkedHashMap<>(machine);
      lasting.remove(LOAD);
      return new Origin(version, texts(settings), texts(lasting));
    }

    private static Map<String, String> texts(Map<String, Object> facts) {
      Map<String, String> texts = new LinkedHashMap<>();
      facts.forEach((name, value) -> texts.put(name, String.valueOf(value)));
      return texts;
    }

    /** In what another one differs, for people; empty if it does not. */
    String difference(Origin other) {
      List<String> all = new ArrayList<>();
      add(all, "version", version, other.version);
      addAll(all, "", settings, other.settings);
      addAll(all, "machine: ", machine, other.machine);
      return String.join("; ", all);
    }

    private static void addAll(
        List<String> to, String kind, Map<String, String> ours, Map<String, String> theirs) {
      TreeSet<String> names = new TreeSet<>(ours.keySet());
      names.addAll(theirs.keySet());
      names.forEach(name -> add(to, kind + name, ours.get(name), theirs.get(name)));
    }

    private static void add(List<String> to, String name, String ours, String theirs) {
      if (!Objects.equals(ours, theirs)) {
        to.add(name + " was " + text(theirs) + " and is " + text(ours));
      }
    }

    private static String text(String fact) {
      return Objects.requireNonNullElse(fact, "not there");
    }
  }

  private record Key(String of, int round) {}

  /** What a line has: a measurement, and what is wrong with the data that it left. */
  private record Line(String of, int round, String wrong, Object result) {
    Key key() {
      return new Key(of, round);
    }
  }

  private Kept(Writer file) {
    this.file = file;
  }

  /** Measurements that are not written anywhere. */
  public static Kept nowhere() {
    return new Kept(Writer.nullWriter());
  }

  /**
   * Begins a file; one that is there is replaced.
   *
   * @throws BenchException if it cannot be written
   */
  public static Kept begin(Path file, Origin origin) throws BenchException {
    return write(file, origin, List.of());
  }

  /**
   * Goes on with a file; if there is none, it begins.
   *
   * @throws BenchException if measurements would not be comparable with those in the file, or it
   *     cannot be read or written
   */
  public static Kept goOn(Path file, Origin origin) throws BenchException {
    if (!Files.exists(file)) {
      return begin(file, origin);
    }
    List<Line> kept = new ArrayList<>();
    try {
      String text = Files.readString(file);
      List<String> whole = text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
      if (!whole.isEmpty()) {
        String difference = origin.difference(ReportJson.line(whole.get(0), Origin.class));
        if (!difference.isEmpty()) {
          throw new BenchException(
              "the measurements in "
                  + file
                  + " cannot be continued: "
                  + difference
                  + ". Run what was run, without --continue, or choose another --out");
        }
        for (String line : whole.subList(1, whole.size())) {
          kept.add(ReportJson.line(line, Line.class));
        }
      }
    } catch (IOException e) {
      throw new BenchException(
          file + " has no measurements to continue: " + e + "; run without --continue", e);
    }
    return write(file, origin, kept);
  }

  private static Kept write(Path file, Origin origin, List<Line> lines) throws BenchException {
    Path next = file.resolveSibling(file.getFileName() + ".next");
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      StringBuilder text = new StringBuilder(ReportJson.line(origin));
      for (Line line : lines) {
        text.append(ReportJson.line(line));
      }
      Files.writeString(next, text);
      Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
      Kept kept =
          new Kept(
              Files.newBufferedWriter(file, StandardCharsets.UTF_8, StandardOpenOption.APPEND));
      lines.forEach(line -> kept.lines.put(line.key(), line));
      return kept;
    } catch (IOException e) {
      throw new BenchException("cannot write " + file + ": " + e + "; choose another --out", e);
    }
  }

  /**
   * What was measured.
   *
   * @param of the case: its text is what tells it from others
   */
  public <R> Optional<R> find(Object of, int round, Class<R> type) {
    return Optional.ofNullable(lines.get(new Key(of.toString(), round)))
        .map(line -> ReportJson.of(ReportJson.tree(line.result), type));
  }

  /** What is wrong with the data that a measurement has left; empty if nothing is. */
  public String wrong(Object of, int round) {
    Line line = lines.get(new Key(of.toString(), round));
    return line == null ? "" : line.wrong;
  }

  /** Keeps a measurement, at once. */
  public void add(Object of, int round, String wrong, Object result) throws IOException {
    Line line = new Line(of.toString(), round, wrong, result);
    file.write(ReportJson.line(line));
    file.flush();
    lines.put(line.key(), line);
  }

  @Override
  public void close() throws BenchException {
    try {
      file.close();
    } catch (IOException e) {
      throw new BenchException("what was measured cannot be written: " + e, e);
    }
  }
}
