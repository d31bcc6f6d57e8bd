package io.retso.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A page of Markdown with parts that benchmarks write, between marks: {@code <!-- begin NAME -->}
 * and {@code <!-- end NAME -->}. What is outside of them is written by people.
 */
public final class MarkedPage {
  /** Figures lie in this directory, beside the page. */
  private static final String FIGURES = "benchmarks";

  private final Path page;
  private String text;

  private MarkedPage(Path page, String text) {
    this.page = page;
    this.text = text;
  }

  /** Reads a page. */
  public static MarkedPage open(Path page) throws IOException {
    return new MarkedPage(page, Files.readString(page));
  }

  /** Replaces a part. */
  public void put(String name, String part) throws IOException {
    String begin = "<!-- begin " + name + " -->\n";
    String end = "<!-- end " + name + " -->";
    int from = text.indexOf(begin);
    int to = text.indexOf(end);
    if (from < 0 || to < from) {
      throw new IOException(page + " has no lines " + begin.strip() + " and " + end);
    }
    text = text.substring(0, from + begin.length()) + part + text.substring(to);
  }

  /**
   * Writes the page, and figures by the names of their files; returns the files that were written.
   */
  public List<Path> write(Map<String, String> figures) throws IOException {
    List<Path> written = new ArrayList<>();
    Path directory = page.resolveSibling(FIGURES);
    Files.createDirectories(directory);
    for (Map.Entry<String, String> figure : figures.entrySet()) {
      written.add(Files.writeString(directory.resolve(figure.getKey()), figure.getValue()));
    }
    written.add(Files.writeString(page, text));
    return written;
  }

  /** The line that shows a figure. */
  public static String image(String figure) {
    return "![" + figure.replace(".svg", "") + "](" + FIGURES + "/" + figure + ")\n\n";
  }

  /** When and where figures were measured, and by which commands. */
  public static String origin(
      String version, String startedAt, Map<String, Object> machine, List<String> flags) {
    return String.format(
        Locale.ROOT,
        "%s, %s, %s, %s cores; load when it began: %.1f.\n%s\n",
        startedAt.replaceFirst("\\.\\d+", ""),
        version.lines().findFirst().orElse(""),
        machine.get("cpu"),
        machine.get("cores"),
        ((Number) machine.getOrDefault("loadAverageBefore", 0)).doubleValue(),
        flags.stream()
            .filter(command -> !command.isEmpty())
            .map(command -> "\n    ./retso " + command)
            .collect(Collectors.joining("", "", "\n")));
  }
}
