package io.retso.bench.failover;

import io.retso.chaos.clients.Clients;
import io.retso.chaos.run.TakeOvers;
import io.retso.chaos.run.Trial;
import io.retso.chaos.run.TrialColumns;
import io.retso.report.Plot;
import io.retso.report.Plot.Axis;
import io.retso.report.Plot.Kind;
import io.retso.report.Plot.Series;
import io.retso.report.Result;
import io.retso.report.Table;
import io.retso.report.Texts;
import io.retso.report.Unit;
import io.retso.report.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Fail-overs for people. */
public final class FailoverResult {
  /** The name of the benchmark, and of its files. */
  public static final String NAME = "failover";

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

  private FailoverResult() {}

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
  private static Table table(List<FailoverReport> reports) {
    List<Row> rows = new ArrayList<>();
    for (String fault : faults(reports)) {
      for (FailoverReport report : reports) {
        List<Trial> trials = of(report, fault);
        if (!trials.isEmpty()) {
          rows.add(new Row(fault, report, trials));
        }
      }
    }
    return TrialColumns.add(
            Table.of("", rows)
                .words("fault", Row::fault)
                .words("commits/s (idle)", row -> servedAndIdle(row.report)),
            Row::trials,
            row -> row.report.uncleaned() == 0)
        .end();
  }

  /** A fault in a report. */
  private record Row(String fault, FailoverReport report, List<Trial> trials) {}

  private static String servedAndIdle(FailoverReport report) {
    return String.format(
        Locale.ROOT, "%s (%.0f %%)", Texts.rate(report.served()), 100 * report.idleShare());
  }

  /** The trials whose gaps were beyond their target, by fault, and where their time went. */
  private static Table outliers(FailoverReport report) {
    List<Trial> beyond = new ArrayList<>();
    for (String fault : faults(List.of(report))) {
      double limit = TARGETS.getOrDefault(fault, BLIP);
      of(report, fault).stream()
          .filter(trial -> Math.max(trial.beginGap(), trial.commitGap()) > limit)
          .sorted(Comparator.comparingDouble(Trial::commitGap).reversed())
          .limit(OUTLIERS_MAX)
          .forEach(beyond::add);
    }
    return Table.of("Beyond their targets, five of each fault, from the begin of the fault", beyond)
        .words("fault", Trial::fault)
        .column(Unit.MILLIS, "no begin, ms", Trial::beginGap)
        .column(Unit.MILLIS, "no commit", Trial::commitGap)
        .column(Unit.MILLIS, "noticed after", trial -> Table.known(trial.takeOvers().begun()))
        .column(Unit.MILLIS, "led after", trial -> Table.known(trial.takeOvers().led()))
        .column(Unit.COUNT, "attempts", trial -> trial.takeOvers().attempts())
        .column(Unit.COUNT, "needless", Trial::needless)
        .column(Unit.MILLIS, "clients stood still", Trial::stoodStill)
        .words("what", Trial::what)
        .end();
  }

  /**
   * Where the time of take-overs goes: of each fault, and each step of a take-over, the median of
   * when it was done, milliseconds since the fault began.
   */
  private static Table steps(FailoverReport report) {
    Map<String, List<Trial>> byFault = new LinkedHashMap<>();
    report.trials().stream()
        .filter(FailoverResult::hasSteps)
        .forEach(t -> byFault.computeIfAbsent(t.fault(), name -> new ArrayList<>()).add(t));
    Table.Rows<String> rows =
        Table.of(
                "When the steps of a take-over were done, ms since the fault, medians",
                byFault.keySet())
            .words("fault", fault -> fault)
            .column(Unit.COUNT, "trials", fault -> byFault.get(fault).size())
            .column(
                Unit.MILLIS,
                "take-over begins",
                fault -> median(byFault.get(fault), trial -> trial.takeOvers().begun()));
    byFault.values().stream()
        .flatMap(List::stream)
        .flatMap(trial -> trial.takeOvers().steps().keySet().stream())
        .distinct()
        .forEach(
            name ->
                rows.column(
                    Unit.MILLIS,
                    name,
                    fault ->
                        median(byFault.get(fault), trial -> trial.takeOvers().whenDone(name))));
    return rows.column(
            Unit.MILLIS, "no begin for", fault -> median(byFault.get(fault), Trial::beginGap))
        .column(Unit.MILLIS, "no commit for", fault -> median(byFault.get(fault), Trial::commitGap))
        .end();
  }

  private static boolean hasSteps(Trial trial) {
    return !trial.takeOvers().steps().isEmpty();
  }

  private static double median(List<Trial> trials, ToDoubleFunction<Trial> of) {
    return median(trials.stream().mapToDouble(of).toArray());
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

  /** What was found so far; the raw measurement is the report itself, to go on with. */
  public static Result of(FailoverReport report) {
    return describe(
            Result.begin(
                NAME, report.version(), report.startedAt(), report.flags(), report.machine()),
            List.of(report),
            List.of(NAME))
        .end();
  }

  /**
   * Describes reports.
   *
   * @param files of their figures
   */
  static Result.Builder describe(
      Result.Builder to, List<FailoverReport> reports, List<String> files) {
    to.table(table(reports));
    for (int i = 0; i < reports.size(); i++) {
      FailoverReport report = reports.get(i);
      if (report.trials().stream().anyMatch(FailoverResult::hasSteps)) {
        to.table(steps(report));
      }
      to.table(outliers(report))
          .note(load(report).replace("; ", ";\n"))
          .verdicts(report.comparisons())
          .plot(plot(report, files.get(i)))
          .failures(report.refused());
    }
    return to.runs(reports);
  }

  /** Medians and worst of all faults. */
  private static Plot plot(FailoverReport report, String file) {
    List<String> faults = faults(List.of(report));
    return Plot.of(
            file,
            "Time without an answer when servers fail",
            report.nodes() + ", " + Texts.rate(report.served()) + " transactions/s",
            Axis.of(
                "",
                faults.stream()
                    .map(fault -> fault.replace("leader", "l.").replace("-and-", "+"))
                    .toList()))
        .panel(
            Kind.BARS,
            Axis.linear("ms"),
            List.of(
                series(report, faults, "begin: median", "#2186eb", Trial::beginGap, false),
                series(report, faults, "begin: worst", "#93c5f9", Trial::beginGap, true),
                series(report, faults, "commit: median", "#de3a11", Trial::commitGap, false),
                series(report, faults, "commit: worst", "#f5b7a8", Trial::commitGap, true)));
  }

  private static Series series(
      FailoverReport report,
      List<String> faults,
      String name,
      String colour,
      ToDoubleFunction<Trial> of,
      boolean worst) {
    return Series.ofValues(
        name,
        colour,
        faults,
        fault -> {
          double[] all = sorted(report.trials(), fault, of);
          return worst ? all[all.length - 1] : all[all.length / 2];
        });
  }
}
