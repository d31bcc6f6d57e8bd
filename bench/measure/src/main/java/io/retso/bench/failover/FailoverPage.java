package io.retso.bench.failover;

import io.retso.report.MarkedPage;
import io.retso.report.Result;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

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
    List<Result> results = new ArrayList<>();
    List<FailoverReport> reports = new ArrayList<>();
    List<String> files = new ArrayList<>();
    for (Path directory : from) {
      Result result = Result.read(directory.resolve(REPORT));
      results.add(result);
      reports.addAll(result.runs(FailoverReport.class));
      files.add(FailoverResult.NAME + "-" + reports.size());
    }
    open.put(FailoverResult.describe(Result.merged(results), reports, files).end());
    return open.write();
  }
}
