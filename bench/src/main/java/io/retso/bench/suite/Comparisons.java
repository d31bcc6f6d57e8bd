package io.retso.bench.suite;

import io.retso.bench.report.Comparison;
import io.retso.bench.report.ReportText;
import io.retso.bench.report.RunFigures;
import io.retso.bench.report.RunFigures.Kind;
import io.retso.bench.report.RunFigures.Target;
import io.retso.bench.report.Texts;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * The figures that were hoped for beside those that were reached. Both sides of each ratio come
 * from neighbouring runs of one benchmark; of repeated runs the median counts, of latencies the
 * p50.
 */
final class Comparisons {
  private static final double LOG_OFF_PER_SECOND = 1_000_000;
  private static final double LOG_ON_PER_SECOND = 500_000;
  private static final double ECHO_SHARE = 0.5;
  private static final double DURABLE_SHARE = 0.7;
  private static final double LATENCY_FACTOR = 1.3;

  private final List<RunFigures> medians;
  private final List<Comparison> all = new ArrayList<>();

  private Comparisons(List<RunFigures> runs) {
    medians = ReportText.medians(runs);
  }

  static List<Comparison> of(List<RunFigures> runs, Histogram addNanos) {
    Comparisons comparisons = new Comparisons(runs);
    comparisons.throughput();
    comparisons.latency(
        addNanos.getTotalCount() == 0 ? 0 : addNanos.getValueAtPercentile(50) / 1e6);
    return List.copyOf(comparisons.all);
  }

  private void throughput() {
    Optional<RunFigures> echo = find(Kind.PEAK, Target.ECHO, 4, true);
    Optional<RunFigures> off = find(Kind.PEAK, Target.LOG_OFF, 4, true);
    off.ifPresent(
        run ->
            all.add(
                new Comparison(
                    "log off, 4000 outstanding, TPS",
                    run.perSecond(),
                    true,
                    LOG_OFF_PER_SECOND,
                    "")));
    medians.stream()
        .filter(run -> run.kind() == Kind.PEAK && run.target() == Target.LOG_ON)
        .max((a, b) -> Double.compare(a.perSecond(), b.perSecond()))
        .ifPresent(
            run ->
                all.add(
                    new Comparison(
                        "log on, peak, TPS",
                        run.perSecond(),
                        true,
                        LOG_ON_PER_SECOND,
                        run.clients() + " x " + run.outstanding())));
    ratio("log off / echo, 4000 outstanding", off, echo, ECHO_SHARE);
    ratio(
        "log on / log off, 1000 outstanding",
        find(Kind.PEAK, Target.LOG_ON, 1, true),
        find(Kind.PEAK, Target.LOG_OFF, 1, true),
        DURABLE_SHARE);
  }

  private void ratio(
      String what, Optional<RunFigures> over, Optional<RunFigures> under, double target) {
    if (over.isPresent() && under.isPresent()) {
      double a = over.get().perSecond();
      double b = under.get().perSecond();
      all.add(
          new Comparison(
              what,
              a / b,
              true,
              target,
              Texts.rate(a) + " / " + Texts.rate(b) + " TPS" + append(over.get())));
    }
  }

  /** In a closed loop nothing is faster than its outstanding transactions by the append's time. */
  private static String append(RunFigures run) {
    return run.log() == null
        ? ""
        : "; one append takes " + Texts.millis(run.log().appendMillisMean()) + " ms on average";
  }

  private void latency(double addMillis) {
    Optional<RunFigures> echoBegin = find(Kind.LATENCY, Target.ECHO, 1, false);
    Optional<RunFigures> echo = find(Kind.LATENCY, Target.ECHO, 1, true);
    for (Target target : List.of(Target.LOG_OFF, Target.LOG_ON)) {
      Optional<RunFigures> begin = find(Kind.LATENCY, target, 1, false);
      if (begin.isPresent() && echoBegin.isPresent()) {
        double a = begin.get().begin().p50();
        double b = echoBegin.get().begin().p50();
        all.add(
            new Comparison(
                "begin / echo of it, 1 x 1, " + target,
                a / b,
                false,
                LATENCY_FACTOR,
                Texts.millis(a) + " / " + Texts.millis(b) + " ms"));
      }
    }
    Optional<RunFigures> durable = find(Kind.LATENCY, Target.LOG_ON, 1, true);
    if (durable.isPresent() && echo.isPresent() && addMillis > 0) {
      double a = durable.get().commit().p50();
      double b = echo.get().commit().p50();
      all.add(
          new Comparison(
              "durable commit / (echo of it + BookKeeper add), 1 x 1",
              a / (b + addMillis),
              false,
              LATENCY_FACTOR,
              Texts.millis(a)
                  + " / ("
                  + Texts.millis(b)
                  + " + "
                  + Texts.millis(addMillis)
                  + ") ms"));
    }
  }

  private Optional<RunFigures> find(Kind kind, Target target, int clients, boolean transactions) {
    return medians.stream()
        .filter(
            run ->
                run.kind() == kind
                    && run.target() == target
                    && run.clients() == clients
                    && run.transactions() == transactions)
        .findFirst();
  }
}
