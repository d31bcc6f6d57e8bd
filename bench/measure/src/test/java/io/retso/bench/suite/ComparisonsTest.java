package io.retso.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.bench.server.ServerMetrics;
import io.retso.report.CpuFigures;
import io.retso.report.Percentiles;
import io.retso.report.RunFigures;
import io.retso.report.RunFigures.Kind;
import io.retso.report.RunFigures.Target;
import io.retso.report.Verdict;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ComparisonsTest {
  private static RunFigures run(
      Kind kind, Target target, boolean transactions, int clients, double perSecond, double p50) {
    return run(
        kind, target, transactions, clients, perSecond, p50, new CpuFigures(1, 0.9, 0, 0, 0.1, 0));
  }

  private static RunFigures run(
      Kind kind,
      Target target,
      boolean transactions,
      int clients,
      double perSecond,
      double p50,
      CpuFigures cpu) {
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
        cpu,
        null);
  }

  @Test
  void ratiosStandBesideTheirTargets() {
    Histogram add = new Histogram(1_000_000_000L, 3);
    add.recordValue(400_000);
    List<Verdict> all =
        Comparisons.of(
            List.of(
                run(Kind.LATENCY, Target.ECHO, false, 1, 1, 0.05),
                run(Kind.LATENCY, Target.ECHO, true, 1, 1, 0.1),
                run(Kind.LATENCY, Target.LOG_OFF, false, 1, 1, 0.06),
                run(Kind.LATENCY, Target.LOG_ON, true, 1, 1, 0.75),
                run(Kind.PEAK, Target.ECHO, true, 4, 12_000_000, 1),
                run(Kind.PEAK, Target.LOG_OFF, true, 4, 1_200_000, 1),
                run(Kind.PEAK, Target.LOG_ON, true, 4, 600_000, 1)),
            new OracleFigures.Kernel(40_000_000, 1_600_000, 0.4),
            add);
    assertEquals(
        List.of("missed", "missed", "met", "missed", "met", "missed"),
        all.stream().map(Verdict::verdict).toList(),
        all::toString);
    assertEquals(0.4, all.get(0).value(), 1e-9);
    assertEquals(0.75, all.get(1).value(), 1e-9);
    assertEquals(0.1, all.get(2).value(), 1e-9);
    assertEquals(0.5, all.get(3).value(), 1e-9);
    assertEquals(1.2, all.get(4).value(), 1e-9);
    assertEquals(1.5, all.get(5).value(), 0.01);
  }

  @Test
  void certificationIsJudgedByTheProcessorTimeOfTheServer() {
    Verdict dear = certification(800_000);
    assertEquals("missed", dear.verdict());
    assertEquals(25, dear.value(), 1e-9); // 1,250 ns instead of 1,000, and ten ids
    assertEquals("met", certification(900_000).verdict());
  }

  private static Verdict certification(long perSecond) {
    List<Verdict> all =
        Comparisons.of(
            List.of(
                run(Kind.READS, Target.LOG_ON, true, 4, 1_000_000, 1),
                run(Kind.CERTIFIED, Target.LOG_ON, true, 4, perSecond, 1)),
            null,
            new Histogram(1000, 3));
    assertEquals(1, all.size());
    return all.get(0);
  }

  @Test
  void aServerThatWasKeptFromTheProcessorIsNotJudged() {
    RunFigures starved =
        run(
            Kind.PEAK,
            Target.LOG_OFF,
            true,
            4,
            700_000,
            1,
            new CpuFigures(0.6, 0.55, 0.35, 0, 0.1, 0));
    List<Verdict> all =
        Comparisons.of(
            List.of(run(Kind.PEAK, Target.ECHO, true, 4, 12_000_000, 1), starved),
            null,
            new Histogram(1000, 3));
    assertEquals(1, all.size());
    assertEquals("not judged", all.get(0).verdict());
    assertEquals(
        "the server's thread had 0.6 of a core, and waited for one for 35 % of the time",
        all.get(0).doubt());
  }

  @Test
  void whatWasNotMeasuredIsNotCompared() {
    assertTrue(Comparisons.of(List.of(), null, new Histogram(1000, 3)).isEmpty());
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
                + "h_bucket{le=\"0.01\"} 3\n"
                + "nonsense\n");
    assertEquals(Map.of("a", 3.5, "b_total", 7000.0, "h_bucket/0.01", 3.0), samples);
  }
}
