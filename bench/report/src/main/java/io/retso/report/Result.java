package io.retso.report;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a benchmark found, as data: {@link #text}, {@link ReportJson} and {@link Drawing} write it,
 * and {@link Publication} does all of that.
 *
 * @param name of the benchmark, and of its files
 * @param version of ReTSO, with its commit if it was built from a checkout
 * @param startedAt ISO-8601
 * @param flags as given
 * @param machine where it ran
 * @param settings what was measured
 * @param tables in their order
 * @param verdicts figures beside their targets
 * @param plots figures to draw
 * @param notes lines below the tables: what columns are, and what else is to be said
 * @param failures runs that are wrong; with one the command fails
 * @param runs what the tables were made of: the raw measurements, to be merged with those of other
 *     results and described anew
 */
public record Result(
    String name,
    String version,
    String startedAt,
    List<String> flags,
    Map<String, Object> machine,
    Map<String, Object> settings,
    List<Table> tables,
    List<Verdict> verdicts,
    List<Plot> plots,
    List<String> notes,
    List<String> failures,
    JsonNode runs) {

  /** Begins a result, now, so that it is to be called before anything is measured. */
  public static Builder begin(
      String name, String version, List<String> flags, Map<String, Object> machine) {
    return begin(name, version, Instant.now().toString(), flags, machine);
  }

  /** Begins a result of what was begun earlier. */
  public static Builder begin(
      String name,
      String version,
      String startedAt,
      List<String> flags,
      Map<String, Object> machine) {
    return new Builder(name, version, startedAt, flags, machine);
  }

  /**
   * Reads a result that {@link Publication} has written.
   *
   * @throws IOException if it cannot be read, or another version wrote it
   */
  public static Result read(Path file) throws IOException {
    Result result = ReportJson.read(file, Result.class);
    if (result.runs == null || result.flags == null) {
      throw new IOException(
          file + " was written by another version of retso: measure anew, or choose another --out");
    }
    return result;
  }

  /**
   * Begins a result of what several measured, in the first one's place: with the notes and failures
   * of all, their commands as flags, and nothing that follows from their runs.
   */
  public static Builder merged(List<Result> all) {
    Result first = all.get(0);
    List<String> commands = all.stream().map(one -> String.join(" ", one.flags)).toList();
    Builder merged =
        new Builder(first.name, first.version, first.startedAt, commands, first.machine)
            .settings(first.settings);
    for (Result one : all) {
      one.notes.forEach(merged::note);
      merged.failures(one.failures);
    }
    return merged;
  }

  /** This result with its flags as one command, for pages. */
  public Result asCommand() {
    Builder same = merged(List.of(this)).verdicts(verdicts);
    tables.forEach(same::table);
    plots.forEach(same::plot);
    return same.end();
  }

  /** The raw measurements, as what they were. */
  public <T> List<T> runs(Class<T> type) {
    List<T> all = new ArrayList<>();
    runs.forEach(run -> all.add(ReportJson.of(run, type)));
    return all;
  }

  /** All of it for the terminal. */
  public String text() {
    String end = System.lineSeparator();
    StringBuilder text = new StringBuilder();
    for (Table table : tables) {
      text.append(end);
      if (!table.name().isEmpty()) {
        text.append("  ").append(table.name()).append(end).append(end);
      }
      text.append(table);
    }
    if (!notes.isEmpty()) {
      text.append(end);
      notes.forEach(note -> text.append("  ").append(note).append(end));
    }
    if (!verdicts.isEmpty()) {
      text.append(end).append(Verdict.table(verdicts));
    }
    failures.forEach(failure -> text.append("  WRONG: ").append(failure).append(end));
    return text.toString();
  }

  /** A result under way. For one thread. */
  public static final class Builder {
    private final String name;
    private final String version;
    private final String startedAt;
    private final List<String> flags;
    private final Map<String, Object> machine;
    private final List<Table> tables = new ArrayList<>();
    private final List<Verdict> verdicts = new ArrayList<>();
    private final List<Plot> plots = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private Map<String, Object> settings = Map.of();
    private JsonNode runs = ReportJson.tree(List.of());

    private Builder(
        String name,
        String version,
        String startedAt,
        List<String> flags,
        Map<String, Object> machine) {
      this.name = name;
      this.version = version;
      this.startedAt = startedAt;
      this.flags = List.copyOf(flags);
      this.machine = machine;
    }

    /** What was measured. */
    public Builder settings(Map<String, Object> facts) {
      settings = facts;
      return this;
    }

    /** Adds a table. */
    public Builder table(Table table) {
      tables.add(table);
      return this;
    }

    /** Adds figures beside their targets. */
    public Builder verdicts(List<Verdict> all) {
      verdicts.addAll(all);
      return this;
    }

    /** Adds a figure. */
    public Builder plot(Plot plot) {
      plots.add(plot);
      return this;
    }

    /** Adds lines below the tables; blank ones, and those that are there, are left out. */
    public Builder note(String text) {
      text.lines()
          .map(String::strip)
          .filter(line -> !line.isEmpty() && !notes.contains(line))
          .forEach(notes::add);
      return this;
    }

    /** Adds runs that are wrong; those that are there are left out. */
    public Builder failures(List<String> all) {
      all.stream().filter(failure -> !failures.contains(failure)).forEach(failures::add);
      return this;
    }

    /** Keeps the raw measurements. */
    public Builder runs(List<?> all) {
      runs = ReportJson.tree(all);
      return this;
    }

    /** The result. */
    public Result end() {
      return new Result(
          name, version, startedAt, flags, machine, settings, tables, verdicts, plots, notes,
          failures, runs);
    }
  }
}
