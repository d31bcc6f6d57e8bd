package io.retso.bench.failover;

import io.retso.chaos.clients.Clients;
import io.retso.chaos.run.TakeOvers;
import io.retso.chaos.run.Trial;
import io.retso.chaos.run.TrialColumns;
import io.retso.report.GroupedBars;
import io.retso.report.TextTable;
import io.retso.report.Texts;
import io.retso.report.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
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
          "hand-over", 100.0,
          "end-leader", 100.0);

  /** What stands for the target of faults without one. */
  private static final double BLIP = 100;

  private static final int OUTLIERS_MAX = 5;

  /** Milliseconds from which it is worth a word. */
  private static final double STOOD_STILL = 20;

  private FailoverText() {}

  private static double[] sorted(List<Trial> trials, String fault, ToDoubleFunction<Trial> of) {
    return trials.stream()
        .filter(trial -> trial.fault().equals(fault))
        .mapToDouble(of)
        .sorted()
        .toArray();
  }

  static List<Verdict> comparisons(
      FailoverSettings settings, List<Trial> trials, List<Clients.Idle> idle) {
    List<Verdict> all = new ArrayList<>();
    for (String fault : FailoverSettings.FAULTS) {
      double[] begins = sorted(trials, fault, Trial::beginGap);
      double[] commits = sorted(trials, fault, Trial::commitGap);
      if (TARGETS.containsKey(fault) && begins.length > 0) {
        String doubt = doubt(settings, begins.length);
        String made = "worst of " + begins.length + " trials, ms";
        double target = TARGETS.get(fault);
        all.add(
            new Verdict(
                fault + ": first begin", begins[begins.length - 1], false, target, made, doubt));
        all.add(
            new Verdict(
                fault + ": first commit", commits[commits.length - 1], false, target, made, doubt));
      }
    }
    if (!idle.isEmpty()) {
      double begin = median(idle.stream().mapToDouble(Clients.Idle::begin).toArray());
      double echo = median(idle.stream().mapToDouble(Clients.Idle::echo).toArray());
      all.add(
          new Verdict(
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
      return "one oracle: the start of the server counts, none takes over";
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
        "%s; %d clients with %d connections begin %s transactions a second; when nothing fails %s"
            + " are committed, and %.0f %% of the processors are idle; the most that was committed"
            + " in this run, at the full rate, is %s; %,d commits are not cleaned up.",
        report.nodes(),
        report.clients(),
        report.connections(),
        Texts.rate(report.asked()),
        Texts.rate(report.served()),
        100 * report.idleShare(),
        Texts.rate(report.mostServed()),
        report.uncleaned());
  }

  /** Whether all recovered, and nothing was lost or wrong. */
  public static boolean isGood(FailoverReport report) {
    return report.refused().isEmpty()
        && report.trials().stream().allMatch(trial -> trial.lost() == 0 && trial.wrong() == 0);
  }

  private static List<String> faults(List<FailoverReport> reports) {
    return FailoverSettings.FAULTS.stream()
        .filter(fault -> reports.stream().anyMatch(report -> !of(report, fault).isEmpty()))
        .toList();
  }

  private static List<Trial> of(FailoverReport report, String fault) {
    return report.trials().stream().filter(trial -> trial.fault().equals(fault)).toList();
  }

  /** Each fault, with a row for each report. */
  static TextTable table(List<FailoverReport> reports) {
    TextTable table = TrialColumns.behind("fault", "commits/s (idle)");
    for (String fault : faults(reports)) {
      for (FailoverReport report : reports) {
        List<Trial> trials = of(report, fault);
        if (!trials.isEmpty()) {
          boolean isJudged = report.uncleaned() == 0;
          TrialColumns.row(table, trials, isJudged, fault, servedAndIdle(report));
        }
      }
    }
    return table;
  }

  private static String servedAndIdle(FailoverReport report) {
    return String.format(
        Locale.ROOT, "%s (%.0f %%)", Texts.rate(report.served()), 100 * report.idleShare());
  }

  /** The trials whose gaps were beyond their target, by fault, and where their time went. */
  static TextTable outliers(FailoverReport report) {
    TextTable table =
        new TextTable(
            "lrrrrrrrl",
            "fault",
            "no begin, ms",
            "no commit",
            "noticed after",
            "led after",
            "attempts",
            "needless",
            "clients stood still",
            "what");
    for (String fault : faults(List.of(report))) {
      double limit = TARGETS.getOrDefault(fault, BLIP);
      of(report, fault).stream()
          .filter(trial -> Math.max(trial.beginGap(), trial.commitGap()) > limit)
          .sorted(Comparator.comparingDouble(Trial::commitGap).reversed())
          .limit(OUTLIERS_MAX)
          .forEach(trial -> outlier(table, trial));
    }
    return table;
  }

  /**
   * Where the time of take-overs goes: of each fault, and each step of a take-over, the median of
   * when it was done, milliseconds since the fault began.
   */
  static TextTable steps(FailoverReport report) {
    List<Trial> all = report.trials().stream().filter(FailoverText::hasSteps).toList();
    List<String> names =
        all.stream()
            .flatMap(trial -> trial.takeOvers().steps().keySet().stream())
            .distinct()
            .toList();
    List<String> head = new ArrayList<>(List.of("fault", "trials", "take-over begins"));
    head.addAll(names);
    head.addAll(List.of("no begin for", "no commit for"));
    TextTable table = new TextTable("l" + "r".repeat(head.size() - 1), head.toArray(String[]::new));
    for (String fault : faults(List.of(report))) {
      List<Trial> trials = all.stream().filter(trial -> trial.fault().equals(fault)).toList();
      if (!trials.isEmpty()) {
        List<String> row = new ArrayList<>(List.of(fault, Integer.toString(trials.size())));
        row.add(medianMillis(trials, trial -> trial.takeOvers().begun()));
        for (String name : names) {
          row.add(medianMillis(trials, trial -> trial.takeOvers().whenDone(name)));
        }
        row.add(medianMillis(trials, Trial::beginGap));
        row.add(medianMillis(trials, Trial::commitGap));
        table.row(row.toArray(String[]::new));
      }
    }
    return table;
  }

  private static boolean hasSteps(Trial trial) {
    return !trial.takeOvers().steps().isEmpty();
  }

  private static String medianMillis(List<Trial> trials, ToDoubleFunction<Trial> of) {
    return Texts.millis(median(trials.stream().mapToDouble(of).toArray()));
  }

  private static void outlier(TextTable table, Trial trial) {
    TakeOvers takeOvers = trial.takeOvers();
    table.row(
        trial.fault(),
        Texts.millis(trial.beginGap()),
        Texts.millis(trial.commitGap()),
        takeOvers.begun() < 0 ? "-" : Texts.millis(takeOvers.begun()),
        takeOvers.led() < 0 ? "-" : Texts.millis(takeOvers.led()),
        Integer.toString(takeOvers.attempts()),
        Integer.toString(trial.needless()),
        Texts.millis(trial.stoodStill()),
        trial.what());
  }

  /** A trial, and where its time went. */
  static String line(Trial trial) {
    StringBuilder line = new StringBuilder();
    line.append(
        String.format(
            Locale.ROOT,
            "%s: no begin for %.0f ms, no commit for %.0f ms",
            trial.fault(),
            trial.beginGap(),
            trial.commitGap()));
    TakeOvers takeOvers = trial.takeOvers();
    if (takeOvers.attempts() > 0) {
      line.append(String.format(Locale.ROOT, "; noticed after %.0f, ", takeOvers.begun()));
      line.append(
          takeOvers.leaders() == 0
              ? "never led"
              : String.format(Locale.ROOT, "led after %.0f", takeOvers.led()));
    }
    if (takeOvers.attempts() > 1) {
      line.append("; ").append(takeOvers.attempts()).append(" attempts to take over");
    }
    if (trial.needless() > 0) {
      line.append("; ").append(trial.needless()).append(" needless");
    }
    if (trial.stoodStill() > STOOD_STILL) {
      line.append(
          String.format(Locale.ROOT, "; the clients did not run for %.0f", trial.stoodStill()));
    }
    if (trial.lost() + trial.wrong() > 0) {
      line.append("; LOST ").append(trial.lost()).append(", WRONG ").append(trial.wrong());
    }
    return line.append(" (").append(trial.what()).append(')').toString();
  }

  /** The whole report. */
  public static String of(FailoverReport report) {
    StringBuilder text = new StringBuilder("\n");
    text.append(table(List.of(report)));
    text.append("\n  ").append(load(report)).append("\n\n");
    text.append(Verdict.table(report.comparisons()));
    if (report.trials().stream().anyMatch(FailoverText::hasSteps)) {
      text.append("\n  When the steps of a take-over were done, ms since the fault, medians:\n");
      text.append(steps(report));
    }
    text.append("\n  Beyond their targets, five of each fault, from the begin of the fault:\n");
    text.append(outliers(report));
    report.refused().forEach(line -> text.append("  WRONG: ").append(line).append('\n'));
    return text.toString();
  }

  /** Medians and worst of all faults. */
  public static String figure(FailoverReport report) {
    List<String> faults = faults(List.of(report));
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
