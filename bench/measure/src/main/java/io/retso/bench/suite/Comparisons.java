package io.retso.bench.suite;

import io.retso.bench.kernel.KernelBench;
import io.retso.bench.load.LoadPlan;
import io.retso.report.RunFigures;
import io.retso.report.RunFigures.Kind;
import io.retso.report.RunFigures.Target;
import io.retso.report.Texts;
import io.retso.report.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * What was reached beside what is hoped for: ratios to limits that were measured in neighbouring
 * runs of one benchmark, in processor time where throughput is meant. Of repeated runs the median
 * counts, of latencies the p50. A run whose server did not get the processor is not judged.
 */
final class Comparisons {
  private static final double FRAMING_SHARE = 0.15;
  private static final double KERNEL_SHARE = 0.8;
  private static final double DURABLE_SHARE = 0.6;

  /**
   * Nanoseconds: a place of a table of stripes in a processor's own cache, its hash, a comparison
   * and a store. A ratio would say how dear everything else is.
   */
  private static final double CERTIFIED_NANOS_PER_ID = 13;

  private static final double LATENCY_FACTOR = 1.3;

  private final List<RunFigures> medians;
  private final List<Verdict> all = new ArrayList<>();

  private Comparisons(List<RunFigures> runs) {
    medians = SuiteResult.medians(runs);
  }

  /**
   * Compares.
   *
   * @param kernel the oracle alone beside the runs; {@code null} if it was not measured
   */
  static List<Verdict> of(List<RunFigures> runs, OracleFigures.Kernel kernel, Histogram addNanos) {
    Comparisons comparisons = new Comparisons(runs);
    comparisons.throughput(kernel);
    comparisons.latency(
        addNanos.getTotalCount() == 0 ? 0 : addNanos.getValueAtPercentile(50) / 1e6);
    return List.copyOf(comparisons.all);
  }

  private void throughput(OracleFigures.Kernel kernel) {
    Optional<RunFigures> echo = find(Kind.PEAK, Target.ECHO, 4, true);
    Optional<RunFigures> off = find(Kind.PEAK, Target.LOG_OFF, 4, true);
    Optional<RunFigures> on = find(Kind.PEAK, Target.LOG_ON, 4, true);
    if (kernel != null) {
      all.add(
          new Verdict(
              "oracle alone, share of the memory's lines",
              kernel.shareOfLines(),
              true,
              KernelBench.LINES_SHARE,
              Texts.rate(kernel.perSecond())
                  + " x 10 rows / "
                  + Texts.rate(kernel.linesPerSecond())
                  + " lines"));
      off.filter(run -> run.cpu().server() > 0).ifPresent(run -> besideKernel(run, kernel));
    }
    threadTimes("framing (echo / log off), 4 x 1000", echo, off, false, FRAMING_SHARE);
    threadTimes("log off / log on, 4 x 1000", off, on, true, DURABLE_SHARE);
    certification();
  }

  /** What a server takes for a transaction with reads, certified or not. */
  private void certification() {
    Optional<RunFigures> reads = find(Kind.READS, Target.LOG_ON, 4, true);
    Optional<RunFigures> certified = find(Kind.CERTIFIED, Target.LOG_ON, 4, true);
    if (reads.isEmpty() || certified.isEmpty() || certified.get().serverNanos() <= 0) {
      return;
    }
    RunFigures without = reads.get();
    RunFigures with = certified.get();
    String doubt = without.cpu().doubt();
    all.add(
        new Verdict(
            "certification, ns an id, 9 reads, 1 write, log on, 4 x 1000, CPU of the server",
            (with.serverNanos() - without.serverNanos()) / LoadPlan.IDS_OF_READS,
            false,
            CERTIFIED_NANOS_PER_ID,
            String.format(
                Locale.ROOT,
                "%.0f / %.0f ns a transaction, oracle's thread %.0f / %.0f, by the clock %s / %s",
                without.serverNanos(),
                with.serverNanos(),
                without.oracleNanos(),
                with.oracleNanos(),
                Texts.rate(with.perSecond()),
                Texts.rate(without.perSecond())),
            doubt.isEmpty() ? with.cpu().doubt() : doubt));
  }

  private void besideKernel(RunFigures off, OracleFigures.Kernel kernel) {
    double perCoreSecond = off.perSecond() / off.cpu().server();
    all.add(
        new Verdict(
            "log off, 4 x 1000 / oracle alone, per core-second",
            perCoreSecond / kernel.perSecond(),
            true,
            KERNEL_SHARE,
            Texts.rate(perCoreSecond) + " / " + Texts.rate(kernel.perSecond()),
            off.cpu().doubt()));
  }

  /** Two runs by what the server's deciding thread takes for a transaction. */
  private void threadTimes(
      String what,
      Optional<RunFigures> over,
      Optional<RunFigures> under,
      boolean atLeast,
      double target) {
    if (over.isEmpty() || under.isEmpty()) {
      return;
    }
    double a = over.get().oracleNanos();
    double b = under.get().oracleNanos();
    if (a > 0 && b > 0) {
      String first = over.get().cpu().doubt();
      all.add(
          new Verdict(
              what + ", CPU of the oracle's thread",
              a / b,
              atLeast,
              target,
              String.format(Locale.ROOT, "%.0f / %.0f ns a transaction", a, b),
              first.isEmpty() ? under.get().cpu().doubt() : first));
    }
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
            new Verdict(
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
          new Verdict(
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
