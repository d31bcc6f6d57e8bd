package io.retso.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A page of Markdown with parts that benchmarks write, between marks: {@code <!-- begin NAME -->}
 * and {@code <!-- end NAME -->}. What is outside of them is written by people.
 */
public final class MarkedPage {
  private final Path page;

  /** Beside the page, with its name: figures of another page stay as they are. */
  private final String directory;

  private final Map<String, String> figures = new TreeMap<>();
  private String text;

  private MarkedPage(Path page, String text) {
    this.page = page;
    this.directory = page.getFileName().toString().replaceFirst("\\.md$", "");
    this.text = text;
  }

  /** Reads a page. */
  public static MarkedPage open(Path page) throws IOException {
    return new MarkedPage(page, Files.readString(page));
  }

  /** Whether it has marks of a name. */
  public boolean has(String name) {
    return text.contains("<!-- begin " + name + " -->\n");
  }

  /** Replaces a part. */
  private void put(String name, String part) throws IOException {
    String begin = "<!-- begin " + name + " -->\n";
    String end = "<!-- end " + name + " -->";
    int from = text.indexOf(begin);
    int to = text.indexOf(end);
    if (from < 0 || to < from) {
      throw new IOException(page + " has no lines " + begin.strip() + " and " + end);
    }
    text = text.substring(0, from + begin.length()) + part + text.substring(to);
  }

  /** Writes the page and the figures of its parts; returns the files that were written. */
  public List<Path> write() throws IOException {
    List<Path> written = new ArrayList<>();
    Path drawn = page.resolveSibling(directory);
    Files.createDirectories(drawn);
    for (Map.Entry<String, String> figure : figures.entrySet()) {
      written.add(Files.writeString(drawn.resolve(figure.getKey()), figure.getValue()));
    }
    written.add(Files.writeString(page, text));
    return written;
  }

  /**
   * Replaces the part of a result's name: where it was measured, its tables, figures, verdicts and
   * failures. The figures are to be written with {@link #write}.
   *
   * @param result of which each flag is a command, as of {@link Result#merged}
   */
  public void put(Result result) throws IOException {
    StringBuilder part = new StringBuilder(origin(result));
    result.notes().forEach(note -> part.append(note).append('\n'));
    for (Table table : result.tables()) {
      part.append(table.name().isEmpty() ? "\n" : "\n### " + table.name() + "\n\n");
      part.append(table.markdown());
    }
    part.append('\n');
    for (Plot plot : result.plots()) {
      part.append("![" + plot.file() + "](" + directory + "/" + plot.file() + ".svg)\n\n");
      figures.put(plot.file() + ".svg", Drawing.of(plot));
    }
    if (!result.verdicts().isEmpty()) {
      part.append(Verdict.table(result.verdicts()).markdown());
    }
    result.failures().forEach(failure -> part.append("\nWRONG: " + failure + "\n"));
    put(result.name(), part.toString());
  }

  /** When and where figures were measured, and by which commands. */
  private static String origin(Result result) {
    Map<String, Object> machine = result.machine();
    return String.format(
        Locale.ROOT,
        "%s, %s, %s, %s cores; load when it began: %.1f.\n%s\n\n",
        result.startedAt().replaceFirst("\\.\\d+", ""),
        result.version().lines().findFirst().orElse(""),
        machine.get("cpu"),
        machine.get("cores"),
        ((Number) machine.getOrDefault("loadAverageBefore", 0)).doubleValue(),
        result.flags().stream()
            .filter(command -> !command.isEmpty())
            .map(command -> "\n    ./retso " + command)
            .collect(Collectors.joining()));
  }
}
