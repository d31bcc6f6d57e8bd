package io.retso.bench.workload;

import io.retso.bench.stores.StoreKind;
import io.retso.bench.workload.ReadersRun.Subject;
import io.retso.report.Mean;
import io.retso.report.Result;
import io.retso.report.Rounds;
import io.retso.report.Table;
import io.retso.report.Texts;
import io.retso.report.Unit;
import io.retso.report.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** What runs of readers are, for people, beside their targets. */
final class ReadersResult {
  private static final double WAIT_MILLIS_MAX = 50;
  private static final double WORK_MAX = 1.1;
  private static final double NEEDLESS_MAX = 0.001;
  private static final double PERCENT = 100;

  private ReadersResult() {}

  /** Describes runs. */
  static void describe(Result.Builder to, Rounds<Subject, ReadersRun> runs) {
    List<Subject> subjects =
        runs.cases().stream()
            .sorted(Comparator.comparing(Subject::store).thenComparing(Subject::managers))
            .toList();
    to.table(
        Table.of("", subjects)
            .words("store", Subject::store)
            .column(Unit.COUNT, "managers", Subject::managers)
            .column(Unit.RATE, "reads/s", of -> mean(runs, of, ReadersRun::readsPerSecond))
            .column(Unit.RATE, "programs/s", of -> mean(runs, of, ReadersRun::perSecond))
            .column(Unit.SHARE, "refused", of -> mean(runs, of, ReadersRun::refusedShare))
            .column(Unit.SHARE, "needless", of -> needlessShare(runs, of))
            .column(Unit.RATIO, "oracle us", of -> mean(runs, of, run -> run.work().oracle()))
            .column(Unit.RATE, "safe/s", of -> mean(runs, of, ReadersRun::safePerSecond))
            .column(Unit.RATE, "frames/s", of -> mean(runs, of, ReadersRun::framesPerSecond))
            .column(Unit.MILLIS, "deferred: p50", of -> mean(runs, of, run -> run.deferred().p50()))
            .column(Unit.MILLIS, "p99", of -> mean(runs, of, run -> run.deferred().p99()))
            .column(Unit.MILLIS, "recent: p50", of -> mean(runs, of, run -> run.recent().p50()))
            .column(Unit.MILLIS, "p99", of -> mean(runs, of, run -> run.recent().p99()))
            .end());
    to.note(
        """
        oracle us: its processor time for an attempt of a program. safe/s: safe snapshots that it \
        issued.
        deferred, recent: the first read of a transaction, ms. Means of all rounds.
        """);
    to.verdicts(verdicts(runs, subjects))
        .runs(runs.runs().stream().map(Rounds.Run::result).toList());
  }

  private static double mean(
      Rounds<Subject, ReadersRun> runs, Subject of, ToDoubleFunction<ReadersRun> figure) {
    return runs.mean(of, figure).value();
  }

  private static double needlessShare(Rounds<Subject, ReadersRun> runs, Subject of) {
    return runs.sum(of, ReadersRun::needless) / Math.max(1, runs.sum(of, ReadersRun::transactions));
  }

  private static List<Verdict> verdicts(Rounds<Subject, ReadersRun> runs, List<Subject> subjects) {
    List<Verdict> all = new ArrayList<>();
    for (StoreKind kind : subjects.stream().map(Subject::store).distinct().toList()) {
      if (kind == StoreKind.POSTGRESQL) {
        continue; // beside which ours are seen
      }
      all.add(
          new Verdict(
              kind + ", a deferred reader's first read, median ms",
              runs.of(of -> of.store() == kind).runs().stream()
                  .mapToDouble(run -> run.result().deferred().p50())
                  .average()
                  .orElse(0),
              false,
              WAIT_MILLIS_MAX,
              "beside transactions of up to a second"));
      List<Subject> some =
          subjects.stream().filter(of -> of.store() == kind && of.managers() > 0).toList();
      if (some.size() > 1) {
        all.addAll(growth(runs, some.get(0), some.get(some.size() - 1)));
      }
    }
    return all;
  }

  private static List<Verdict> growth(Rounds<Subject, ReadersRun> runs, Subject few, Subject many) {
    Mean work = runs.ratio(many, few, run -> run.work().oracle());
    String of = String.format(Locale.ROOT, "%s, %,d", many.store(), many.managers());
    return List.of(
        Verdict.ofRatio(
            of + " / " + few.managers() + " managers, processor time of the oracle for an attempt",
            work,
            false,
            WORK_MAX,
            "median of " + work.count() + " rounds' ratios"),
        new Verdict(
            of + " managers, needless refusals, percent",
            PERCENT * needlessShare(runs, many),
            false,
            PERCENT * NEEDLESS_MAX,
            few.managers() + " managers: " + Texts.percent(needlessShare(runs, few)),
            Mean.doubt(
                (long) runs.sum(many, ReadersRun::needless),
                (long) runs.sum(many, ReadersRun::transactions),
                NEEDLESS_MAX)));
  }
}
