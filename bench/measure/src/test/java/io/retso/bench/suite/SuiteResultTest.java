package io.retso.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.report.CpuFigures;
import io.retso.report.DiskFigures;
import io.retso.report.Drawing;
import io.retso.report.Percentiles;
import io.retso.report.Result;
import io.retso.report.RunFigures;
import io.retso.report.RunFigures.Kind;
import io.retso.report.RunFigures.LogFigures;
import io.retso.report.RunFigures.Target;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SuiteResultTest {
  private static RunFigures run(
      Kind kind, Target target, int clients, double perSecond, double millis) {
    Percentiles latency =
        new Percentiles(1000, millis, millis, 2 * millis, 3 * millis, 4 * millis, 5 * millis);
    return new RunFigures(
        target,
        kind,
        true,
        clients,
        100,
        0,
        0,
        5,
        perSecond,
        990,
        10,
        0,
        0,
        0.01,
        latency,
        latency,
        latency,
        new CpuFigures(1.25, 0.9, 0.01, 0, 0.5, 0),
        target == Target.LOG_ON ? new LogFigures(10, 12_345, 99, 0.5) : null);
  }

  private static Result result() {
    Result.Builder result = Result.begin("bench", "0.1.0", List.of("bench"), Map.of());
    OracleFigures figures =
        new OracleFigures(
            List.of(new DiskFigures(4096, 10, 0.125, 2.5)),
            new Percentiles(10, 1, 0.9, 1.1, 1.2, 1.3, 1.4),
            List.of(
                run(Kind.SCALE, Target.LOG_OFF, 1, 500_000, 0.2),
                run(Kind.SCALE, Target.LOG_OFF, 16, 1_000_000, 1.6),
                run(Kind.SCALE, Target.LOG_ON, 1, 100_000, 1),
                run(Kind.SCALE, Target.LOG_ON, 16, 500_000, 3.2)),
            null);
    SuiteResult.describe(result, figures, "0 to 20 rows");
    return result.end();
  }

  @Test
  void tableHasARowForEachRun() {
    String text = result().text().replaceAll(" +", " ");
    assertTrue(text.contains("log off 1 x 100 500k 0.200"), text);
    assertTrue(text.contains("log on 16 x 100 500k 3.20"), text);
    assertTrue(text.contains("99 / 12 KB"), text);
    assertTrue(text.contains("fdatasync of 4 KB: p50 0.125 ms, p99 2.50 ms"), text);
  }

  @Test
  void ofRepeatedRunsTheMedianIsShown() {
    List<RunFigures> runs =
        List.of(
            run(Kind.PEAK, Target.LOG_ON, 4, 100, 1),
            run(Kind.PEAK, Target.LOG_ON, 4, 300, 1),
            run(Kind.PEAK, Target.LOG_OFF, 4, 900, 1),
            run(Kind.PEAK, Target.LOG_ON, 4, 200, 1));
    List<RunFigures> medians = SuiteResult.medians(runs);
    assertEquals(List.of(200.0, 900.0), medians.stream().map(RunFigures::perSecond).toList());
  }

  @Test
  void whatWasMeasuredIsKeptAsItIs() {
    List<RunFigures> runs = result().runs(RunFigures.class);
    assertEquals(4, runs.size());
    assertEquals(Target.LOG_ON, runs.get(3).target());
    assertEquals(9.6, runs.get(3).transaction().p99(), 1e-9);
    assertEquals(99, runs.get(3).log().transactionsPerEntry());
  }

  @Test
  void theFigureHasThePaperBeside() {
    String svg = Drawing.of(result().plots().get(0));
    assertTrue(svg.contains("log on (fsync)") && svg.contains("the paper, 2011"), svg);
  }
}
