package io.retso.bench.workload;

import io.retso.bench.workload.ReadersReport.Run;
import io.retso.report.Mean;
import io.retso.report.TextTable;
import io.retso.report.Texts;
import io.retso.report.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A report of readers for the terminal, and its figures beside their targets. */
public final class ReadersText {
  private static final double WAIT_MILLIS_MAX = 50;
  private static final double WORK_MAX = 1.1;
  private static final double NEEDLESS_MAX = 0.001;
  private static final double PERCENT = 100;

  private ReadersText() {}

  /** The report as text. */
  public static String of(ReadersReport report) {
    String end = System.lineSeparator();
    StringBuilder text = new StringBuilder(end).append(table(report.runs())).append(end);
    text.append(
            "  oracle us: its processor time for an attempt of a program. safe/s: safe snapshots")
        .append(" that it issued.")
        .append(end)
        .append("  deferred, recent: the first read of a transaction. Means of all rounds.")
        .append(end);
    text.append(StorePlan.text(report.stores())).append(end);
    text.append(Verdict.table(report.comparisons()));
    report.failures().forEach(failure -> text.append("  WRONG: ").append(failure).append(end));
    return text.toString();
  }

  static TextTable table(List<Run> all) {
    TextTable table =
        new TextTable(
            "lrrrrrrrrrr",
            "store",
            "managers",
            "reads/s",
            "programs/s",
            "refused",
            "needless",
            "oracle us",
            "safe/s",
            "frames/s",
            "deferred ms: p50, p99",
            "recent ms: p50, p99");
    for (StoreKind kind : stores(all)) {
      for (int managers : managers(all, kind)) {
        List<Run> runs = of(all, kind, managers);
        table.row(
            kind.toString(),
            Integer.toString(managers),
            Texts.rate(mean(runs, Run::readsPerSecond)),
            Texts.rate(mean(runs, Run::perSecond)),
            Texts.percent(mean(runs, Run::refusedShare)),
            Texts.percent(needlessShare(runs)),
            Texts.decimal(mean(runs, run -> run.work().oracle())),
            Texts.rate(mean(runs, Run::safePerSecond)),
            Texts.rate(mean(runs, Run::framesPerSecond)),
            Texts.millis(mean(runs, run -> run.deferred().p50()))
                + ", "
                + Texts.millis(mean(runs, run -> run.deferred().p99())),
            Texts.millis(mean(runs, run -> run.recent().p50()))
                + ", "
                + Texts.millis(mean(runs, run -> run.recent().p99())));
      }
    }
    return table;
  }

  private static List<StoreKind> stores(List<Run> runs) {
    return runs.stream().map(Run::store).distinct().toList();
  }

  private static Set<Integer> managers(List<Run> runs, StoreKind kind) {
    return runs.stream()
        .filter(run -> run.store() == kind)
        .map(Run::managers)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** In the order of the rounds. */
  private static List<Run> of(List<Run> runs, StoreKind kind, int managers) {
    return runs.stream().filter(run -> run.store() == kind && run.managers() == managers).toList();
  }

  private static long sum(List<Run> runs, ToLongFunction<Run> figure) {
    return runs.stream().mapToLong(figure).sum();
  }

  private static double needlessShare(List<Run> runs) {
    return (double) sum(runs, Run::needless) / Math.max(1, sum(runs, Run::transactions));
  }

  private static double mean(List<Run> runs, ToDoubleFunction<Run> figure) {
    return runs.stream().mapToDouble(figure).average().orElse(0);
  }

  static List<Verdict> comparisons(List<Run> runs) {
    List<Verdict> all = new ArrayList<>();
    for (StoreKind kind : stores(runs)) {
      List<Run> here = runs.stream().filter(run -> run.store() == kind).toList();
      if (kind == StoreKind.POSTGRESQL) {
        continue; // beside which ours are seen
      }
      all.add(
          new Verdict(
              kind + ", a deferred reader's first read, median ms",
              mean(here, run -> run.deferred().p50()),
              false,
              WAIT_MILLIS_MAX,
              "beside transactions of up to a second"));
      TreeSet<Integer> numbers = new TreeSet<>(managers(runs, kind));
      numbers.remove(0);
      if (numbers.size() > 1) {
        all.addAll(growth(kind, runs, numbers.first(), numbers.last()));
      }
    }
    return all;
  }

  private static List<Verdict> growth(StoreKind kind, List<Run> runs, int few, int many) {
    List<Run> before = of(runs, kind, few);
    List<Run> after = of(runs, kind, many);
    Mean work =
        Mean.ofRatios(
            IntStream.range(0, Math.min(before.size(), after.size()))
                .filter(i -> before.get(i).work().oracle() > 0)
                .mapToDouble(i -> after.get(i).work().oracle() / before.get(i).work().oracle())
                .toArray());
    String beside = String.format(Locale.ROOT, "%s, %,d / %,d managers", kind, many, few);
    return List.of(
        new Verdict(
            beside + ", processor time of the oracle for an attempt",
            work.value(),
            false,
            WORK_MAX,
            String.format(
                Locale.ROOT, "median of %d rounds' ratios, +- %.2f", work.count(), work.error()),
            work.doubt(WORK_MAX)),
        new Verdict(
            String.format(Locale.ROOT, "%s, %,d managers, needless refusals, percent", kind, many),
            PERCENT * needlessShare(after),
            false,
            PERCENT * NEEDLESS_MAX,
            String.format(
                Locale.ROOT, "%,d managers: %s", few, Texts.percent(needlessShare(before))),
            Mean.doubt(sum(after, Run::needless), sum(after, Run::transactions), NEEDLESS_MAX)));
  }
}
