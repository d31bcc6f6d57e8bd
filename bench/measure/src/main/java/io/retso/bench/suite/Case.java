package io.retso.bench.suite;

import io.retso.bench.load.LoadPlan;
import io.retso.report.RunFigures.Kind;
import io.retso.report.RunFigures.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One load at one target, measured in one or several rounds.
 *
 * @param transactions whether transactions are repeated, or only start timestamps
 */
record Case(
    Kind kind, Target target, boolean transactions, int clients, int outstanding, double rate) {

  /** The micro-benchmarks of section 4, in groups whose members are compared with each other. */
  static List<List<Case>> micro(List<Target> servers) {
    List<Case> latency = new ArrayList<>();
    List<Case> thousand = new ArrayList<>();
    List<Case> paperPeak = new ArrayList<>();
    List<Case> peak = new ArrayList<>();
    latency.add(new Case(Kind.LATENCY, Target.ECHO, false, 1, 1, 0));
    latency.add(new Case(Kind.LATENCY, Target.ECHO, true, 1, 1, 0));
    peak.add(new Case(Kind.PEAK, Target.ECHO, true, 4, 1000, 0));
    for (Target target : servers) {
      latency.add(new Case(Kind.LATENCY, target, false, 1, 1, 0));
      latency.add(new Case(Kind.LATENCY, target, true, 1, 1, 0));
      thousand.add(new Case(Kind.PEAK, target, true, 1, 1000, 0));
      paperPeak.add(new Case(Kind.PEAK, target, true, 3, 1000, 0));
      peak.add(new Case(Kind.PEAK, target, true, 4, 1000, 0));
    }
    return List.of(latency, thousand, paperPeak, peak);
  }

  /** Commits with reads at a durable server, certified or not: the same frames but for a flag. */
  static List<List<Case>> reads() {
    return List.of(
        List.of(
            new Case(Kind.READS, Target.LOG_ON, true, 4, 1000, 0),
            new Case(Kind.CERTIFIED, Target.LOG_ON, true, 4, 1000, 0)));
  }

  /** What is repeated, if transactions usually do this. */
  LoadPlan.Work work(LoadPlan.Work usual) {
    return switch (kind) {
      case READS -> LoadPlan.Work.READS;
      case CERTIFIED -> LoadPlan.Work.CERTIFIED_READS;
      case LATENCY, PEAK, SCALE, RATE -> transactions ? usual : LoadPlan.Work.BEGINS;
    };
  }

  /** The scalability sweep of section 4. */
  static List<List<Case>> scale(List<Target> servers, List<Integer> clients, int outstanding) {
    List<List<Case>> groups = new ArrayList<>();
    for (int count : clients) {
      groups.add(
          servers.stream()
              .map(target -> new Case(Kind.SCALE, target, true, count, outstanding, 0))
              .toList());
    }
    return groups;
  }

  /** An open loop of so many transactions a second. */
  static List<List<Case>> rate(
      List<Target> servers, List<Integer> clients, int outstanding, double rate) {
    List<List<Case>> groups = new ArrayList<>();
    for (int count : clients) {
      groups.add(
          servers.stream()
              .map(target -> new Case(Kind.RATE, target, true, count, outstanding, rate))
              .toList());
    }
    return groups;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%-9s %-8s %2d x %,d%s",
        kind,
        target,
        clients,
        outstanding,
        transactions ? "" : " (begins)");
  }
}
