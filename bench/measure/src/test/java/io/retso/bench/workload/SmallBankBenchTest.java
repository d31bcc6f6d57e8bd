package io.retso.bench.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.bench.server.ServersPlan;
import io.retso.bench.stores.StoreKind;
import io.retso.bench.stores.StorePlan;
import io.retso.cluster.InProcessServer;
import io.retso.report.Result;
import io.retso.workload.smallbank.Mix;
import io.retso.workload.smallbank.Strategy;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whole benchmarks in short, on an oracle in this process. */
@Timeout(120)
class SmallBankBenchTest {
  private static final Duration SHORT = Duration.ofMillis(100);
  private static final Duration LONG = Duration.ofSeconds(5);

  @TempDir Path directory;

  private final StringWriter out = new StringWriter();

  private StorePlan plan(InProcessServer server) {
    return new StorePlan(
        List.of(StoreKind.ORACLE),
        new ServersPlan(
            false, false, Optional.of(server.address()), 0, directory, "", List.of(), List.of()),
        Optional.empty(),
        "",
        directory);
  }

  @Test
  void allStrategiesAreMeasuredAndNothingIsWrong() throws Exception {
    try (InProcessServer server = new InProcessServer(1_000_000, 1 << 20, 100_000)) {
      Result report =
          new SmallBankBench(
                  new SmallBankSettings(
                      plan(server),
                      List.of(new Mix(400, 100, 60)),
                      List.of(Strategy.values()),
                      List.of(1, 6),
                      SHORT,
                      SHORT,
                      2,
                      SHORT,
                      1),
                  new PrintWriter(out),
                  false)
              .run("1", List.of());
      assertEquals(List.of(), report.failures());
      assertEquals(2 * 2 * (Strategy.values().length - 1), report.runs().size());
      assertFalse(
          report.runs(SmallBankRun.class).stream()
              .map(SmallBankRun::strategy)
              .anyMatch(Strategy.READ_COMMITTED::equals));
      assertTrue(
          report.runs(SmallBankRun.class).stream().mapToDouble(SmallBankRun::perSecond).sum() > 0);
      assertTrue(out.toString().contains("; MaterializeALL at 6, round 1"), out.toString());
    }
  }

  @Test
  void aRunThatWasStoppedGoesOn() throws Exception {
    try (InProcessServer server = new InProcessServer(1_000_000, 1 << 20, 100_000)) {
      List<Double> rates = new ArrayList<>();
      for (int rounds = 1; rounds <= 2; rounds++) {
        Result report =
            new SmallBankBench(
                    new SmallBankSettings(
                        plan(server),
                        List.of(new Mix(100, 10, 60)),
                        List.of(Strategy.SI, Strategy.SERIALIZABLE),
                        List.of(4),
                        SHORT,
                        SHORT,
                        rounds,
                        SHORT,
                        1),
                    new PrintWriter(out),
                    false,
                    true)
                .run("1", List.of());
        assertEquals(List.of(), report.failures());
        List<SmallBankRun> runs = report.runs(SmallBankRun.class);
        assertEquals(2 * rounds, runs.size());
        runs.forEach(run -> rates.add(run.perSecond()));
      }
      assertEquals(rates.subList(0, 2), rates.subList(2, 4));
    }
  }

  @Test
  void sibenchMeasuresBothLevels() throws Exception {
    try (InProcessServer server = new InProcessServer(1_000_000, 1 << 20, 100_000)) {
      Result report =
          new SibenchBench(
                  new SibenchBench.Settings(
                      plan(server), List.of(10, 50), 3, SHORT, SHORT, 2, LONG, 1),
                  new PrintWriter(out),
                  false)
              .run("1", List.of());
      assertEquals(List.of(), report.failures());
      assertTrue(report.runs().size() >= 2 * 2 * 6, "no fewer are clear");
      assertEquals(2 * 2, report.verdicts().size());
      assertTrue(report.runs(SibenchRun.class).stream().anyMatch(run -> run.work().client() > 0));
    }
  }

  @Test
  void readersThatWaitGetTheirSnapshots() throws Exception {
    try (InProcessServer server = new InProcessServer(1_000_000, 1 << 20, 100_000)) {
      Result report =
          new ReadersBench(
                  new ReadersBench.Settings(
                      plan(server), 100, List.of(0, 1), 3, SHORT, SHORT, 2, 1),
                  new PrintWriter(out),
                  false)
              .run("1", List.of());
      assertEquals(List.of(), report.failures());
      assertEquals(2, report.runs().size()); // rows in memory have one manager
      assertTrue(
          report.runs(ReadersRun.class).stream().allMatch(run -> run.deferred().count() > 0));
      assertTrue(report.text().contains("a deferred reader's first read"));
    }
  }
}
