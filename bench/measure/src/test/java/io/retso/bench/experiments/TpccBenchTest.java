package io.retso.bench.experiments;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.bench.stores.StoreKind;
import io.retso.bench.stores.StorePlan;
import io.retso.client.OracleClient;
import io.retso.cluster.InProcessServer;
import io.retso.report.Percentiles;
import io.retso.report.Publication;
import io.retso.report.Result;
import io.retso.report.Rounds;
import io.retso.report.Verdict;
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
import java.nio.file.Files;
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
    return new TpccBench(
        new TpccBench.Settings(
            Plans.onOracle(server, directory),
            new Scale(1, 2, 20, 100),
            List.of(8, 100),
            Duration.ofMillis(20)),
        new PrintWriter(out),
        false);
  }

  @Test
  void levelsAndSharesTakeTurnsAndNothingIsWrong() throws Exception {
    try (InProcessServer server = Plans.server()) {
      Result result = bench(server).run("1", List.of());
      assertEquals(List.of(), result.failures());
      List<String> order = new ArrayList<>();
      result
          .runs()
          .forEach(run -> order.add(run.at("/of/value") + " " + run.at("/of/level").asText()));
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
      for (int level = 0; level < 2; level++) { // in a round that was short nothing may have ended
        double all = 0;
        for (int run = level; run < order.size(); run += 2) {
          all += result.runs().get(run).at("/result/perSecond").asDouble();
        }
        assertTrue(all > 0, result.runs()::toString);
      }
      assertEquals(4, result.tables().get(0).rows().size());
      List<List<Object>> readers = result.tables().get(1).rows();
      assertEquals(2, readers.size());
      readers.forEach(row -> assertTrue((long) row.get(2) >= 4, row.toString()));
      Publication.publish(result, new PrintWriter(out), directory);
      assertTrue(out.toString().contains("the oracle alone, 8 % read-only, SERIALIZABLE"));
      assertTrue(Files.readString(directory.resolve("tpcc.svg")).contains("<svg"));
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
    try (InProcessServer server = Plans.server();
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

  private static ProgramCounts counts(double perSecond, long refused) {
    return new ProgramCounts(
        perSecond,
        1,
        2,
        100_000,
        refused / 1e5,
        0,
        Map.of("Delivery", Map.of(Reason.PIVOT, refused, Reason.CONFLICT, 7L)));
  }

  @Test
  void ratiosAndRefusalsAreComparedWithThePapers() {
    Rounds<LevelCase, ProgramCounts> rounds = new Rounds<>();
    LevelCase snapshot = TpccResult.of(StoreKind.HBASE, 8, Isolation.SNAPSHOT);
    for (int round = 0; round < 6; round++) {
      rounds.add(snapshot, round, counts(100, 0));
      rounds.add(snapshot.at(Isolation.SERIALIZABLE), round, counts(97, 100));
    }
    TpccResult found = new TpccResult(rounds);
    List<Verdict> verdicts = found.verdicts();
    assertEquals(0.97, verdicts.get(0).value(), 1e-9);
    assertEquals("met", verdicts.get(0).verdict());
    assertEquals(0.1, verdicts.get(1).value(), 1e-9);
    assertEquals("met", verdicts.get(1).verdict());
    String text = found.table().toString();
    assertTrue(
        text.matches("(?s).*SERIALIZABLE +97 +97 +0\\.97 +1\\.00 +0\\.10% +0\\.10%.*"), text);
    Percentiles waits = new Percentiles(9, 1, 12, 34, 50, 55, 56);
    String readers =
        TpccResult.deferred(
                List.of(new TpccResult.Deferred(StoreKind.HBASE, Isolation.SERIALIZABLE, waits)))
            .toString();
    assertTrue(readers.matches("(?s).*HBase +SERIALIZABLE +9 +12\\.0 +34\\.0 +56\\.0.*"), readers);
  }

  @Test
  void theLengthIsSaidBeforehand() {
    TpccBench.Settings quick =
        new TpccBench.Settings(
            new ExperimentPlan(
                new StorePlan(List.of(StoreKind.HBASE), null, Optional.empty(), "", directory),
                4,
                Duration.ofMillis(300),
                Duration.ofMillis(1500),
                2,
                1),
            Scale.of(1, 30),
            List.of(8, 50),
            SHORT);
    assertEquals(8 * 2.8 + 2 * 7.3 + 20, quick.length().toMillis() / 1000.0, 0.01);
  }
}
