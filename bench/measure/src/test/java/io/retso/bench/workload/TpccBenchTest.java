package io.retso.bench.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.bench.server.ServersPlan;
import io.retso.client.OracleClient;
import io.retso.cluster.InProcessServer;
import io.retso.report.Comparison;
import io.retso.report.Percentiles;
import io.retso.workload.Isolation;
import io.retso.workload.Reason;
import io.retso.workload.Row;
import io.retso.workload.Store;
import io.retso.workload.StoreTransaction;
import io.retso.workload.store.OracleStore;
import io.retso.workload.tpcc.Scale;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whole benchmarks in short, on an oracle in this process; and what is made of their runs. */
@Timeout(120)
class TpccBenchTest {
  private static final Duration SHORT = Duration.ofMillis(100);

  @TempDir Path directory;

  private final StringWriter out = new StringWriter();

  private TpccBench bench(InProcessServer server) {
    StorePlan plan =
        new StorePlan(
            List.of(StoreKind.ORACLE),
            new ServersPlan(
                false,
                false,
                Optional.of(server.address()),
                0,
                directory,
                "",
                List.of(),
                List.of()),
            Optional.empty(),
            "",
            directory);
    return new TpccBench(
        new TpccBench.Settings(
            plan,
            new Scale(1, 2, 20, 100),
            List.of(8, 100),
            3,
            SHORT,
            SHORT,
            2,
            Duration.ofMillis(20),
            1),
        new PrintWriter(out),
        false);
  }

  private static InProcessServer server() throws Exception {
    return new InProcessServer(1_000_000, 1 << 20, 100_000);
  }

  @Test
  void levelsAndSharesTakeTurnsAndNothingIsWrong() throws Exception {
    try (InProcessServer server = server()) {
      TpccFindings findings = bench(server).run("1", List.of());
      assertEquals(List.of(), findings.failures());
      List<String> order =
          findings.runs().stream().map(run -> run.share() + " " + run.isolation()).toList();
      assertEquals(
          List.of(
              "8 SNAPSHOT",
              "8 SERIALIZABLE",
              "100 SNAPSHOT",
              "100 SERIALIZABLE",
              "8 SERIALIZABLE",
              "8 SNAPSHOT",
              "100 SERIALIZABLE",
              "100 SNAPSHOT"),
          order);
      assertTrue(findings.runs().stream().allMatch(run -> run.perSecond() > 0));
      assertEquals(2, findings.deferred().size());
      assertTrue(findings.deferred().stream().allMatch(readers -> readers.waits().count() >= 4));
      assertTrue(TpccText.of(findings).contains("the oracle alone"));
      assertTrue(TpccText.figure(findings).startsWith("<svg"));
    }
  }

  /** A store that loses every payment in the history. */
  private static Store withoutHistory(Store store) {
    return proxy(
        Store.class,
        store,
        result ->
            result instanceof StoreTransaction tx
                ? proxy(StoreTransaction.class, tx, same -> same)
                : result);
  }

  private static <T> T proxy(Class<T> type, T of, UnaryOperator<Object> after) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().equals("insert")
                  && ((Row) arguments[0]).table().contains("history")) {
                return null;
              }
              try {
                return after.apply(method.invoke(of, arguments));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  @Test
  void aRunWhoseCheckFailsIsAFailure() throws Exception {
    try (InProcessServer server = server();
        OracleStore store =
            new OracleStore(
                OracleClient.builder()
                    .address("127.0.0.1:" + server.address().getPort())
                    .build())) {
      TpccBench bench = bench(server);
      bench.measure(Map.of(StoreKind.ORACLE, withoutHistory(store)));
      assertFalse(bench.failures().isEmpty());
      assertTrue(bench.failures().get(0).contains("condition 1: paid"), bench.failures().get(0));
    }
  }

  private static TpccRun run(Isolation level, int round, double perSecond, long refused) {
    return new TpccRun(
        StoreKind.HBASE,
        8,
        level,
        round,
        perSecond,
        1,
        100_000,
        refused / 1e5,
        41_000,
        Map.of("Delivery", Map.of(Reason.PIVOT, refused, Reason.CONFLICT, 7L)));
  }

  @Test
  void ratiosAndRefusalsAreComparedWithThePapers() {
    List<TpccRun> runs = new ArrayList<>();
    for (int round = 0; round < 6; round++) {
      runs.add(run(Isolation.SNAPSHOT, round, 100, 0));
      runs.add(run(Isolation.SERIALIZABLE, round, 97, 100));
    }
    List<Comparison> comparisons = TpccText.comparisons(runs);
    assertEquals(0.97, comparisons.get(0).value(), 1e-9);
    assertEquals("met", comparisons.get(0).verdict());
    assertEquals(0.1, comparisons.get(1).value(), 1e-9);
    assertEquals("met", comparisons.get(1).verdict());
    String text =
        TpccText.of(
            new TpccFindings(
                "1",
                "",
                List.of(),
                Map.of(),
                Map.of(),
                runs,
                List.of("round 1: condition 4"),
                List.of(
                    new TpccFindings.Deferred(
                        StoreKind.HBASE,
                        Isolation.SERIALIZABLE,
                        new Percentiles(9, 1, 12, 34, 50, 55, 56)))));
    assertTrue(text.contains("WRONG: round 1: condition 4"), text);
    assertTrue(text.contains("0.97 +- 0.00"), text);
    assertTrue(
        text.matches("(?s).*ReTSO on HBase +SERIALIZABLE +9 +12\\.0 +34\\.0 +56\\.0.*"), text);
  }

  @Test
  void theLengthIsSaidBeforehand() {
    TpccBench.Settings quick =
        new TpccBench.Settings(
            new StorePlan(List.of(StoreKind.HBASE), null, Optional.empty(), "", directory),
            Scale.of(1, 30),
            List.of(8, 50),
            4,
            Duration.ofMillis(300),
            Duration.ofMillis(1500),
            2,
            SHORT,
            1);
    assertEquals(8 * 2.8 + 2 * 7 + 20, quick.length().toMillis() / 1000.0, 0.01);
  }
}
