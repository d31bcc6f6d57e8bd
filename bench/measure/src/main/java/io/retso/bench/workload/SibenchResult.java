package io.retso.bench.workload;

import io.retso.bench.stores.StoreKind;
import io.retso.bench.workload.SibenchRun.Subject;
import io.retso.report.Mean;
import io.retso.report.Plot;
import io.retso.report.Plot.Axis;
import io.retso.report.Plot.Kind;
import io.retso.report.Plot.Series;
import io.retso.report.Result;
import io.retso.report.Rounds;
import io.retso.report.Table;
import io.retso.report.Unit;
import io.retso.report.Verdict;
import io.retso.workload.Isolation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** What runs of SIBENCH are, for people. */
final class SibenchResult {
  private static final double RATIO_MIN = 0.95;
  private static final double WORK_MAX = 1.05;

  private SibenchResult() {}

  /** Describes runs. */
  static void describe(Result.Builder to, Rounds<Subject, SibenchRun> runs) {
    List<Subject> subjects =
        runs.cases().stream()
            .sorted(
                Comparator.comparing(Subject::store)
                    .thenComparing(Subject::rows)
                    .thenComparing(Subject::isolation))
            .toList();
    to.table(
        Table.of("", subjects)
            .words("store", Subject::store)
            .column(Unit.COUNT, "rows", Subject::rows)
            .words("isolation", Subject::isolation)
            .column(Unit.RATE, "per s", of -> runs.mean(of, SibenchRun::perSecond))
            .column(
                Unit.RATIO,
                "of SNAPSHOT",
                of ->
                    of.isolation() == Isolation.SERIALIZABLE
                        ? ratio(runs, of, SibenchRun::perSecond)
                        : null)
            .column(Unit.MILLIS, "ms", of -> runs.mean(of, SibenchRun::millis).value())
            .column(Unit.RATE, "CPU us", of -> runs.mean(of, run -> run.work().sum()).value())
            .column(Unit.SHARE, "refused", of -> runs.mean(of, SibenchRun::refusedShare).value())
            .end());
    List<Verdict> verdicts = new ArrayList<>();
    for (Subject of : subjects) {
      if (of.isolation() == Isolation.SERIALIZABLE && isJudged(of.store())) {
        String what =
            String.format(
                Locale.ROOT, "%s, %,d rows, SERIALIZABLE / SNAPSHOT", of.store(), of.rows());
        Mean rate = ratio(runs, of, SibenchRun::perSecond);
        Mean work = ratio(runs, of, run -> run.work().sum());
        String how = "median of " + rate.count() + " rounds' ratios";
        verdicts.add(Verdict.ofRatio(what + ", throughput", rate, true, RATIO_MIN, how));
        verdicts.add(
            Verdict.ofRatio(what + ", processor time of an attempt", work, false, WORK_MAX, how));
      }
    }
    to.verdicts(verdicts)
        .plot(plot(runs, subjects))
        .runs(runs.runs().stream().map(Rounds.Run::result).toList());
  }

  /** Throughput of serializable transactions beside snapshot isolation, by the table's size. */
  private static Plot plot(Rounds<Subject, SibenchRun> runs, List<Subject> subjects) {
    List<Integer> sizes = subjects.stream().map(Subject::rows).distinct().sorted().toList();
    List<Series> lines = new ArrayList<>();
    for (StoreKind kind : subjects.stream().map(Subject::store).distinct().toList()) {
      lines.add(
          Series.ofMeans(
              kind.toString(),
              "",
              sizes,
              rows ->
                  ratio(
                      runs,
                      new Subject(kind, rows, Isolation.SERIALIZABLE),
                      SibenchRun::perSecond)));
    }
    return Plot.of(
            "sibench",
            "SIBENCH: throughput of SERIALIZABLE / SNAPSHOT",
            "half of the transactions update a row, half look at all; bars: 95 % confidence",
            Axis.of("rows", sizes))
        .panel(Kind.LINES, Axis.linear("ratio"), lines);
  }

  /** A figure beside that of snapshot isolation in the same round. */
  private static Mean ratio(
      Rounds<Subject, SibenchRun> runs, Subject of, ToDoubleFunction<SibenchRun> figure) {
    return runs.ratio(of, of.with(Isolation.SNAPSHOT), figure);
  }

  /** Whether further rounds would hardly change what is judged. */
  static boolean isClear(Rounds<Subject, SibenchRun> runs, StoreKind kind, int rows) {
    Subject of = new Subject(kind, rows, Isolation.SERIALIZABLE);
    return !isJudged(kind)
        || ratio(runs, of, SibenchRun::perSecond).isClear(RATIO_MIN)
            && ratio(runs, of, run -> run.work().sum()).isClear(WORK_MAX);
  }

  private static boolean isJudged(StoreKind kind) {
    return kind == StoreKind.HBASE || kind == StoreKind.ORACLE;
  }
}
