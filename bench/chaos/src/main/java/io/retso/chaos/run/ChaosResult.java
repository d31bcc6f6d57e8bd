package io.retso.chaos.run;

import io.retso.chaos.load.Successes;
import io.retso.report.Plot;
import io.retso.report.Plot.Axis;
import io.retso.report.Plot.Kind;
import io.retso.report.Plot.Series;
import io.retso.report.Plot.Span;
import io.retso.report.Result;
import io.retso.report.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Runs under faults for people. */
public final class ChaosResult {
  private static final double STEP_SECONDS = Successes.STEP_MILLIS / 1000.0;

  private ChaosResult() {}

  /** All that was seen, of which the raw measurements are the report itself. */
  public static Result of(ChaosReport report) {
    Map<String, List<Trial>> byFault =
        report.trials().stream()
            .collect(Collectors.groupingBy(Trial::fault, TreeMap::new, Collectors.toList()));
    Result.Builder result =
        Result.begin(
                "chaos", report.version(), report.startedAt(), report.flags(), report.machine())
            .table(
                TrialColumns.add(
                        Table.of("", byFault.keySet()).words("fault", fault -> fault),
                        byFault::get,
                        fault -> true)
                    .end())
            .note(
                """
                Median and worst are of all clients together; 'one client' waited longest for its \
                next answer.
                Lost transfers and wrong sums of the bank; needless: a leader that was well lost \
                its place.
                """)
            .note(
                String.format(
                    Locale.ROOT,
                    "%s, load of %,.0f transactions a second.",
                    report.nodes(),
                    report.load()));
    report.refused().forEach(line -> result.note("not made: " + line));
    List<ChaosReport.Round> rounds = report.rounds();
    result.note(
        String.format(
            Locale.ROOT,
            "%d faults; judged: %,d transactions on lists, %,d transfers, %,d audits."
                + " Acknowledged commits lost: %,d. Wrong answers: %,d.",
            report.trials().size(),
            rounds.stream().mapToLong(ChaosReport.Round::committed).sum(),
            rounds.stream().mapToLong(ChaosReport.Round::transfers).sum(),
            rounds.stream().mapToLong(ChaosReport.Round::audits).sum(),
            rounds.stream().mapToLong(ChaosReport.Round::lost).sum(),
            rounds.stream().mapToLong(r -> r.anomalies() + r.violations().size()).sum()));
    return result.plot(plot(report)).runs(List.of(report)).end();
  }

  /** Throughput, waits, leaders and faults over time. */
  private static Plot plot(ChaosReport report) {
    double[] commits =
        Arrays.stream(report.commits().counts()).mapToDouble(c -> c / STEP_SECONDS).toArray();
    return Plot.of(
            "chaos",
            "A cluster under faults",
            report.nodes() + "; seed " + report.seed(),
            Axis.linear("seconds"))
        .panel(
            Kind.CURVES,
            Axis.linear("commits a second"),
            List.of(Series.ofSteps("", STEP_SECONDS, commits, false)))
        .panel(
            Kind.CURVES,
            Axis.log("longest wait, ms"),
            List.of(waits("begin", report.begins()), waits("commit", report.commits())))
        .over(
            report.trials().stream().map(t -> new Span(t.fault(), t.from(), t.to())).toList(),
            leaders(report));
  }

  private static Series waits(String name, Successes.Steps steps) {
    double[] slowest = new double[steps.slowestMillis().length];
    Arrays.setAll(slowest, i -> steps.slowestMillis()[i]);
    return Series.ofSteps(name, STEP_SECONDS, slowest, true);
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
