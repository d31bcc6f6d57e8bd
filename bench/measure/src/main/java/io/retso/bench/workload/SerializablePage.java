package io.retso.bench.workload;

import io.retso.bench.workload.SmallBankReport.Case;
import io.retso.bench.workload.SmallBankReport.Run;
import io.retso.report.MarkedPage;
import io.retso.report.ReportJson;
import io.retso.report.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Puts what benchmarks of workloads have found into a page of Markdown, which has marks of
 * smallbank, sibench and readers. What was not measured stays as it is.
 */
public final class SerializablePage {
  /** Rounds of one report, at most: those of the next one are further ones. */
  private static final int ROUNDS_MAX = 1000;

  private SerializablePage() {}

  /**
   * Publishes all reports of some directories. Those of the same kind count as one.
   *
   * @return the files that were written
   * @throws IOException if files cannot be read or written, or the page lacks a mark
   */
  public static List<Path> publish(List<Path> from, Path page) throws IOException {
    MarkedPage open = MarkedPage.open(page);
    Map<String, String> figures = new LinkedHashMap<>();
    List<SmallBankReport> banks = all(from, "smallbank.json", SmallBankReport.class);
    if (!banks.isEmpty()) {
      SmallBankReport report = merged(banks);
      figures.putAll(SmallBankFigures.of(withSeveralLevels(report)));
      open.put("smallbank", smallBank(report, List.copyOf(figures.keySet())));
    }
    List<SibenchReport> scans = all(from, "sibench.json", SibenchReport.class);
    if (!scans.isEmpty()) {
      SibenchReport last = scans.get(scans.size() - 1);
      figures.put("sibench.svg", SibenchText.figure(last));
      open.put("sibench", sibench(last));
    }
    List<ReadersReport> readers = all(from, "readers.json", ReadersReport.class);
    if (!readers.isEmpty()) {
      open.put("readers", readers(readers.get(readers.size() - 1)));
    }
    return open.write(figures);
  }

  private static <T extends Record> List<T> all(List<Path> from, String name, Class<T> type)
      throws IOException {
    List<T> all = new ArrayList<>();
    for (Path directory : from) {
      Path file = directory.resolve(name);
      if (Files.exists(file)) {
        all.add(ReportJson.read(file, type));
      }
    }
    return all;
  }

  /** Ratios are taken within rounds, so rounds of different reports remain different. */
  private static SmallBankReport merged(List<SmallBankReport> reports) {
    List<Run> runs = new ArrayList<>();
    List<String> failures = new ArrayList<>();
    List<String> flags = new ArrayList<>();
    Map<String, Map<String, String>> stores = new LinkedHashMap<>();
    for (int i = 0; i < reports.size(); i++) {
      int before = i * ROUNDS_MAX;
      reports.get(i).runs().forEach(run -> runs.add(run.inRound(before + run.round())));
      failures.addAll(reports.get(i).failures());
      flags.add(String.join(" ", reports.get(i).flags()));
      stores.putAll(reports.get(i).stores());
    }
    SmallBankReport first = reports.get(0);
    return new SmallBankReport(
        first.version(),
        first.startedAt(),
        flags,
        first.machine(),
        first.settings(),
        stores,
        runs,
        failures,
        SmallBankComparisons.of(runs));
  }

  /** A line needs more than a point. */
  private static SmallBankReport withSeveralLevels(SmallBankReport report) {
    List<Run> runs =
        report.runs().stream()
            .filter(run -> SmallBankText.clients(SmallBankText.runs(report, run.of())).size() > 1)
            .toList();
    return new SmallBankReport(
        report.version(),
        report.startedAt(),
        report.flags(),
        report.machine(),
        report.settings(),
        report.stores(),
        runs,
        report.failures(),
        report.comparisons());
  }

  private static String smallBank(SmallBankReport report, List<String> figures) {
    StringBuilder part = new StringBuilder();
    part.append(
        MarkedPage.origin(report.version(), report.startedAt(), report.machine(), report.flags()));
    part.append(facts(report.stores()));
    for (Case of : SmallBankText.cases(report)) {
      List<Run> runs = SmallBankText.runs(report, of);
      int level = SmallBankText.mainLevel(SmallBankText.clients(runs));
      part.append("### ").append(of).append("\n\n");
      part.append(
          SmallBankText.throughput(
                  runs.stream()
                      .filter(run -> run.clients() == 1 || run.clients() == level)
                      .toList())
              .markdown());
      part.append("\n").append(SmallBankText.refusals(runs).markdown()).append("\n");
      SmallBankFigures.names(runs).stream()
          .filter(figures::contains)
          .forEach(name -> part.append(MarkedPage.image(name)));
    }
    return part.append(comparisons(report.comparisons(), report.failures())).toString();
  }

  private static String sibench(SibenchReport report) {
    List<String> command = List.of(String.join(" ", report.flags()));
    return MarkedPage.origin(report.version(), report.startedAt(), report.machine(), command)
        + facts(report.stores())
        + SibenchText.table(report).markdown()
        + "\n"
        + MarkedPage.image("sibench.svg")
        + comparisons(report.comparisons(), report.failures());
  }

  private static String readers(ReadersReport report) {
    List<String> command = List.of(String.join(" ", report.flags()));
    return MarkedPage.origin(report.version(), report.startedAt(), report.machine(), command)
        + ReadersText.table(report.runs()).markdown()
        + "\n"
        + comparisons(report.comparisons(), report.failures());
  }

  private static String facts(Map<String, Map<String, String>> stores) {
    String facts = StorePlan.text(stores);
    return facts.isEmpty() ? "" : facts.strip() + ".\n\n";
  }

  private static String comparisons(List<Verdict> comparisons, List<String> failures) {
    return Verdict.table(comparisons).markdown()
        + failures.stream()
            .map(failure -> "\nWRONG: " + failure + "\n")
            .collect(Collectors.joining());
  }
}
