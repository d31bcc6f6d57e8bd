package io.retso.chaos.run;

import io.retso.chaos.load.Successes;
import io.retso.report.TextTable;
import io.retso.report.TimelineFigure;
import io.retso.report.TimelineFigure.Span;
import io.retso.report.TimelineFigure.Waits;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Runs under faults for people. */
public final class ChaosText {
  private static final double STEP_SECONDS = Successes.STEP_MILLIS / 1000.0;

  private ChaosText() {}

  /** For each fault how often it happened, and what clients noticed. */
  public static TextTable table(List<Trial> trials) {
    Map<String, List<Trial>> byFault =
        trials.stream()
            .collect(Collectors.groupingBy(Trial::fault, TreeMap::new, Collectors.toList()));
    TextTable table = TrialColumns.behind("fault");
    byFault.forEach((fault, of) -> TrialColumns.row(table, of, true, fault));
    return table;
  }

  /** The whole report. */
  public static String of(ChaosReport report) {
    StringBuilder text = new StringBuilder(table(report.trials()).toString());
    text.append(
        String.format(
            Locale.ROOT,
            "%n  Median and worst are of all clients together; 'one client' waited longest for its"
                + " next answer.%n  Lost transfers and wrong sums of the bank; needless: a leader"
                + " that was well lost its place.%n  %s, load of %,.0f transactions a second.%n",
            report.nodes(),
            report.load()));
    report.refused().forEach(line -> text.append("  not made: ").append(line).append('\n'));
    List<ChaosReport.Round> rounds = report.rounds();
    text.append(
        String.format(
            Locale.ROOT,
            "  %d faults; judged: %,d transactions on lists, %,d transfers, %,d audits."
                + " Acknowledged commits lost: %,d. Wrong answers: %,d.%n",
            report.trials().size(),
            rounds.stream().mapToLong(ChaosReport.Round::committed).sum(),
            rounds.stream().mapToLong(ChaosReport.Round::transfers).sum(),
            rounds.stream().mapToLong(ChaosReport.Round::audits).sum(),
            rounds.stream().mapToLong(ChaosReport.Round::lost).sum(),
            rounds.stream().mapToLong(r -> r.anomalies() + r.violations().size()).sum()));
    return text.toString();
  }

  /** Throughput, waits, leaders and faults over time. */
  public static String figure(ChaosReport report) {
    return TimelineFigure.of(
        "A cluster under faults",
        report.nodes() + "; seed " + report.seed(),
        STEP_SECONDS,
        report.commits().counts(),
        List.of(
            new Waits("begin", report.begins().slowestMillis()),
            new Waits("commit", report.commits().slowestMillis())),
        leaders(report),
        report.trials().stream().map(t -> new Span(t.fault(), t.from(), t.to())).toList());
  }

  private static List<Span> leaders(ChaosReport report) {
    List<Span> spans = new ArrayList<>();
    List<ChaosReport.Led> all = report.leaders();
    for (int i = 0; i < all.size(); i++) {
      double end =
          i + 1 < all.size()
              ? all.get(i + 1).from()
              : report.commits().counts().length * STEP_SECONDS;
      spans.add(new Span(all.get(i).oracle(), all.get(i).from(), end));
    }
    return spans;
  }
}
