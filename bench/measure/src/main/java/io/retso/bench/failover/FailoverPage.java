package io.retso.bench.failover;

import io.retso.report.MarkedPage;
import io.retso.report.ReportJson;
import io.retso.report.Verdict;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The page of the documentation that has figures of fail-overs; it begins with the first ones. */
public final class FailoverPage {
  /** The report in a directory of results. */
  public static final String REPORT = "failover.json";

  private static final String TEMPLATE = "/retso/benchmarks-failover.md";

  private FailoverPage() {}

  /**
   * Publishes the reports of some directories.
   *
   * @return the files that were written
   */
  public static List<Path> publish(List<Path> from, Path page) throws IOException {
    if (!Files.exists(page)) {
      try (InputStream template = FailoverPage.class.getResourceAsStream(TEMPLATE)) {
        Files.write(page, template.readAllBytes());
      }
    }
    MarkedPage open = MarkedPage.open(page);
    List<FailoverReport> reports = new ArrayList<>();
    for (Path directory : from) {
      reports.add(ReportJson.read(directory.resolve(REPORT), FailoverReport.class));
    }
    StringBuilder text = new StringBuilder(FailoverText.table(reports).markdown()).append('\n');
    Map<String, String> figures = new LinkedHashMap<>();
    for (FailoverReport report : reports) {
      String figure = "failover-" + (figures.size() + 1) + ".svg";
      figures.put(figure, FailoverText.figure(report));
      text.append(part(report, figure));
    }
    open.put("failover", text.toString());
    return open.write(figures);
  }

  private static String part(FailoverReport report, String figure) {
    StringBuilder text = new StringBuilder();
    text.append(
        MarkedPage.origin(
            report.version(),
            report.startedAt(),
            report.machine(),
            List.of(String.join(" ", report.flags()))));
    text.append(FailoverText.load(report).replace("; ", ";\n")).append("\n\n");
    text.append(MarkedPage.image(figure));
    text.append(Verdict.table(report.comparisons()).markdown());
    text.append(
        "\nThose beyond their targets, five of each fault; times from the begin of the fault:\n\n");
    text.append(FailoverText.outliers(report).markdown());
    report.refused().forEach(line -> text.append("\nWRONG: ").append(line).append('\n'));
    return text.append('\n').toString();
  }
}
