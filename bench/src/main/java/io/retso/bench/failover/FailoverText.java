package io.retso.bench.failover;

import io.retso.bench.report.Comparison;
import io.retso.bench.report.GroupedBars;
import io.retso.bench.report.ReportText;
import io.retso.bench.report.Texts;
import io.retso.chaos.clients.Clients;
import io.retso.chaos.run.ChaosText;
import io.retso.chaos.run.Trial;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Fail-overs for people. */
public final class FailoverText {
  private static final int TRIALS_ENOUGH = 100;
  private static final double IDLE_TARGET = 1.3;

  /** Milliseconds without an answer, at most. */
  private static final Map<String, Double> TARGETS =
      Map.of(
          "kill-leader", 500.0,
          "kill-leader-and-bookie", 700.0,
          "pause-leader", 1500.0,
          "partition-leader", 1500.0,
          "hand-over", 100.0);

  private FailoverText() {}

  private static double[] sorted(List<Trial> trials, String fault, ToDoubleFunction<Trial> of) {
    return trials.stream()
        .filter(trial -> trial.fault().equals(fault))
        .mapToDouble(of)
        .sorted()
        .toArray();
  }

  static List<Comparison> comparisons(
      FailoverSettings settings, List<Trial> trials, List<Clients.Idle> idle) {
    List<Comparison> all = new ArrayList<>();
    for (String fault : FailoverSettings.FAULTS) {
      double[] begins = sorted(trials, fault, Trial::beginGap);
      double[] commits = sorted(trials, fault, Trial::commitGap);
      if (TARGETS.containsKey(fault) && begins.length > 0) {
        String doubt = doubt(settings, begins.length);
        String made = "worst of " + begins.length + " trials, ms";
        double target = TARGETS.get(fault);
        all.add(
            new Comparison(
                fault + ": first begin", begins[begins.length - 1], false, target, made, doubt));
        all.add(
            new Comparison(
                fault + ": first commit", commits[commits.length - 1], false, target, made, doubt));
      }
    }
    if (!idle.isEmpty()) {
      double begin = median(idle.stream().mapToDouble(Clients.Idle::begin).toArray());
      double echo = median(idle.stream().mapToDouble(Clients.Idle::echo).toArray());
      all.add(
          new Comparison(
              "begin after an idle time / echo",
              begin / echo,
              false,
              IDLE_TARGET,
              String.format(
                  Locale.ROOT,
                  "medians of %d, each after %d s: %.0f and %.0f us",
                  idle.size(),
                  settings.idleMillis() / 1000,
                  begin / 1000,
                  echo / 1000)));
    }
    return all;
  }

  private static String doubt(FailoverSettings settings, int trials) {
    if (settings.counts().oracles() == 1) {
      return "one oracle: the start of the server counts, nobody takes over";
    }
    return trials < TRIALS_ENOUGH ? "worst of only " + trials + " trials" : "";
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
  }

  /** What the load was, and that it was served. */
  static String load(FailoverReport report) {
    return String.format(
        Locale.ROOT,
        "%s; %d clients with %d connections begin %s transactions a second, of which %s are"
            + " committed when nothing fails; %,d commits are not cleaned up.",
        report.nodes(),
        report.clients(),
        report.connections(),
        Texts.rate(report.asked()),
        Texts.rate(report.served()),
        report.uncleaned());
  }

  /** The whole report. */
  public static String of(FailoverReport report) {
    StringBuilder text = new StringBuilder("\n");
    text.append(ChaosText.table(report.trials()));
    text.append("\n  ").append(load(report)).append("\n\n");
    text.append(ReportText.comparisons(report.comparisons()));
    report.refused().forEach(line -> text.append("  WRONG: ").append(line).append('\n'));
    return text.toString();
  }

  /** Medians and worst of all faults. */
  public static String figure(FailoverReport report) {
    List<String> faults =
        FailoverSettings.FAULTS.stream()
            .filter(fault -> report.trials().stream().anyMatch(t -> t.fault().equals(fault)))
            .toList();
    List<GroupedBars.Series> series =
        List.of(
            series(report, faults, "begin: median", "#2186eb", Trial::beginGap, false),
            series(report, faults, "begin: worst", "#93c5f9", Trial::beginGap, true),
            series(report, faults, "commit: median", "#de3a11", Trial::commitGap, false),
            series(report, faults, "commit: worst", "#f5b7a8", Trial::commitGap, true));
    return GroupedBars.of(
        "Time without an answer when servers fail",
        report.nodes() + ", " + Texts.rate(report.served()) + " transactions/s",
        "ms",
        faults.stream().map(fault -> fault.replace("leader", "l.").replace("-and-", "+")).toList(),
        series);
  }

  private static GroupedBars.Series series(
      FailoverReport report,
      List<String> faults,
      String name,
      String colour,
      ToDoubleFunction<Trial> of,
      boolean worst) {
    double[] values =
        faults.stream()
            .map(fault -> sorted(report.trials(), fault, of))
            .mapToDouble(all -> worst ? all[all.length - 1] : all[all.length / 2])
            .toArray();
    return new GroupedBars.Series(name, colour, values);
  }
}
