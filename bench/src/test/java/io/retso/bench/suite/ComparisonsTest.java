package io.retso.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.bench.report.Comparison;
import io.retso.bench.report.Percentiles;
import io.retso.bench.report.RunFigures;
import io.retso.bench.report.RunFigures.Kind;
import io.retso.bench.report.RunFigures.Target;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ComparisonsTest {
  private static RunFigures run(
      Kind kind, Target target, boolean transactions, int clients, double perSecond, double p50) {
    Percentiles latency = new Percentiles(1, p50, p50, p50, p50, p50, p50);
    return new RunFigures(
        target,
        kind,
        transactions,
        clients,
        1000,
        0,
        0,
        1,
        perSecond,
        1,
        0,
        0,
        0,
        0,
        latency,
        latency,
        latency,
        1,
        1,
        null);
  }

  @Test
  void ratiosStandBesideTheirTargets() {
    Histogram add = new Histogram(1_000_000_000L, 3);
    add.recordValue(400_000);
    List<Comparison> all =
        Comparisons.of(
            List.of(
                run(Kind.LATENCY, Target.ECHO, false, 1, 1, 0.05),
                run(Kind.LATENCY, Target.ECHO, true, 1, 1, 0.1),
                run(Kind.LATENCY, Target.LOG_OFF, false, 1, 1, 0.06),
                run(Kind.LATENCY, Target.LOG_ON, true, 1, 1, 0.75),
                run(Kind.PEAK, Target.LOG_OFF, true, 1, 800_000, 1),
                run(Kind.PEAK, Target.LOG_ON, true, 1, 600_000, 1),
                run(Kind.PEAK, Target.ECHO, true, 4, 4_000_000, 1),
                run(Kind.PEAK, Target.LOG_OFF, true, 4, 1_200_000, 1)),
            add);
    assertEquals(
        List.of(true, true, false, true, true, false),
        all.stream().map(Comparison::met).toList(),
        all::toString);
    assertEquals(0.3, all.get(2).value(), 1e-9);
    assertEquals(0.75, all.get(3).value(), 1e-9);
    assertEquals(1.2, all.get(4).value(), 1e-9);
    assertEquals(1.5, all.get(5).value(), 0.01);
  }

  @Test
  void whatWasNotMeasuredIsNotCompared() {
    assertTrue(Comparisons.of(List.of(), new Histogram(1000, 3)).isEmpty());
  }

  @Test
  void prometheusTextIsSummedUpByName() {
    Map<String, Double> samples =
        ServerMetrics.parse(
            "# HELP a b\n"
                + "# TYPE a counter\n"
                + "a{k=\"x y\"} 1\n"
                + "a{k=\"z\"} 2.5\n"
                + "b_total 7.0E3\n"
                + "nonsense\n");
    assertEquals(Map.of("a", 3.5, "b_total", 7000.0), samples);
  }
}
