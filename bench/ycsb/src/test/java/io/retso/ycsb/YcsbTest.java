package io.retso.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.testkit.RetsoExtension;
import io.retso.testkit.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;

@ExtendWith(RetsoExtension.class)
@Timeout(300)
class YcsbTest {
  private static final int THREADS = 4;

  @TempDir Path directory;

  private final Properties properties = new Properties();

  @BeforeEach
  void configure(TestCluster cluster) {
    for (Map.Entry<String, String> each : cluster.configuration()) {
      if (each.getKey().startsWith("hbase.zookeeper.") || each.getKey().startsWith("zookeeper.")) {
        properties.setProperty(each.getKey(), each.getValue());
      }
    }
    properties.setProperty("retso.oracle", cluster.oracleAddress());
    properties.setProperty("retso.create", "true");
    properties.setProperty("recordcount", "4");
  }

  @ParameterizedTest
  @ValueSource(strings = {"snapshot", "serializable"})
  void moneyStaysInTransactions(String isolation) throws Exception {
    properties.setProperty("table", "economy_" + isolation);
    properties.setProperty("retso.isolation", isolation);
    assertEquals(0, economy(RetsoClient::new, 100));
  }

  /** Four threads that read and then write lose updates without transactions. */
  @Test
  void moneyIsLostOnPlainHBase() throws Exception {
    properties.setProperty("table", "economy_plain");
    while (economy(PlainHBaseClient::new, 500) == 0) { // the time limit of the tests ends it
      System.out.println("what was lost adds up to nothing; once more");
    }
  }

  @Test
  void oneLostUpdateIsFound() throws Exception {
    properties.setProperty("table", "economy_lost");
    properties.setProperty("economy.read.percent", "0");
    properties.setProperty("economy.scan.percent", "0");
    ClosedEconomyWorkload workload = loaded(RetsoClient::new);
    DB db = opened(new RetsoClient());
    try {
      assertTrue(workload.doTransaction(db, workload.initThread(properties, 0, 1)));
      assertEquals(0, workload.anomalyScore(db));
      assertTrue(db.update("economy_lost", "account0000002", money(17)).isOk());
      assertTrue(workload.anomalyScore(db) > 0);
    } finally {
      db.cleanup();
    }
  }

  @Test
  void aConflictIsSaidAndWritesNothing() throws Exception {
    properties.setProperty("table", "conflicts");
    DB one = opened(new RetsoClient());
    properties.setProperty("retso.operations", "2");
    DB two = opened(new RetsoClient());
    try {
      assertEquals(Status.BATCHED_OK, two.update("conflicts", "a", money(1)));
      assertEquals(Status.OK, one.update("conflicts", "a", money(2)));
      assertEquals(RetsoClient.CONFLICT, two.update("conflicts", "b", money(1)));
      assertEquals(Status.NOT_FOUND, one.read("conflicts", "b", null, new HashMap<>()));
      Map<String, ByteIterator> row = new HashMap<>();
      assertEquals(Status.OK, one.read("conflicts", "a", Set.of("balance"), row));
      assertEquals("2", row.get("balance").toString());
      assertEquals(Status.OK, one.delete("conflicts", "a"));
      assertEquals(Status.NOT_FOUND, one.read("conflicts", "a", null, new HashMap<>()));
    } finally {
      one.cleanup();
      two.cleanup();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "retso.oracle=",
        "retso.isolation=none",
        "retso.operations=0",
        "retso.operations=1001",
        "retso.create=yes"
      })
  void aBadPropertyIsNamed(String bad) {
    String[] parts = bad.split("=", 2);
    properties.setProperty(parts[0], parts[1]);
    DBException refused = assertThrows(DBException.class, () -> opened(new RetsoClient()));
    assertTrue(refused.getMessage().startsWith(parts[0]), refused::toString);
  }

  /** YCSB's own client in a process of its own, as people start it. */
  @ParameterizedTest
  @ValueSource(strings = {"workloadf", "economy"})
  void theClientOfYcsbRunsWorkloads(String workload) throws Exception {
    properties.setProperty("table", "core_" + workload);
    properties.setProperty("recordcount", "50");
    properties.setProperty("operationcount", "100");
    properties.setProperty("retso.operations", "5");
    assertTrue(client("-load", workload).good().contains("[INSERT], Return="));
    String ran = client("-t", workload).good();
    assertRan(ran);
    assertEquals(
        workload.equals("economy"), ran.contains("[ECONOMY], AnomalyScore, 0.000000"), ran);
  }

  /** As YCSB has it: all but E and its inserts begin with the records of A. */
  @Test
  void theOtherWorkloadsShareARun() throws Exception {
    properties.setProperty("table", "core");
    properties.setProperty("recordcount", "50");
    properties.setProperty("operationcount", "60");
    properties.setProperty("retso.operations", "5");
    client("-load", "workloada").good();
    Map<String, List<String>> kinds = new LinkedHashMap<>();
    kinds.put("workloadb", List.of("READ", "UPDATE"));
    kinds.put("workloadc", List.of("READ"));
    kinds.put("workloadd", List.of("READ", "INSERT"));
    kinds.put("workloade", List.of("SCAN", "INSERT"));
    for (Map.Entry<String, List<String>> each : kinds.entrySet()) {
      String ran = client("-t", each.getKey()).good();
      assertRan(ran);
      // The rarer kind is one operation in twenty: it may be missing.
      assertTrue(ran.contains("[" + each.getValue().get(0) + "], Return=OK"), ran);
      for (String other : List.of("READ", "UPDATE", "SCAN", "INSERT")) {
        assertTrue(each.getValue().contains(other) || !ran.contains("[" + other + "], R"), ran);
      }
    }
  }

  private static void assertRan(String said) {
    assertTrue(said.contains("[OVERALL], Throughput(ops/sec)"), said);
    assertFalse(said.contains("Return=ERROR") || said.contains("Return=NOT_FOUND"), said);
  }

  @Test
  void theProcessFailsIfMoneyIsMissing() throws Exception {
    properties.setProperty("table", "economy_failed");
    properties.setProperty("operationcount", "5");
    loaded(RetsoClient::new);
    DB db = opened(new RetsoClient());
    try {
      assertTrue(db.update("economy_failed", "account0000002", money(17)).isOk());
    } finally {
      db.cleanup();
    }
    Ended failed = client("-t", "economy");
    assertEquals(1, failed.code, failed.said);
    assertTrue(failed.said.contains("[ECONOMY], AnomalyScore, 196.6"), failed.said); // 983 / 5
    assertTrue(failed.said.contains("pass -p economy.fail=false"), failed.said);
    assertRan(failed.said); // YCSB's measurements are there nevertheless
    properties.setProperty("economy.fail", "false");
    String said = client("-t", "economy").good();
    assertTrue(said.contains("AnomalyScore, 196.6") && !said.contains("Failed"), said);
  }

  @Test
  void theProcessFailsIfNothingCanBeJudged() throws Exception {
    properties.setProperty("table", "economy_empty");
    properties.setProperty("operationcount", "5");
    Ended failed = client("-t", "economy");
    assertEquals(1, failed.code, failed.said);
    assertTrue(failed.said.contains("load the accounts first"), failed.said);
  }

  /** YCSB ends a thread that is told false. */
  @Test
  void aTransactionThatFailsEndsNoThread() throws Exception {
    ClosedEconomyWorkload workload = new ClosedEconomyWorkload();
    workload.init(properties);
    assertTrue(workload.doTransaction(new Failing(), workload.initThread(properties, 0, 1)));
    assertEquals(1, workload.transactions());
    assertEquals(0, workload.committed());
  }

  private record Ended(int code, String said) {
    String good() {
      assertEquals(0, code, said);
      return said;
    }
  }

  private Ended client(String phase, String workload) throws IOException, InterruptedException {
    Path file = directory.resolve("properties");
    try (var writer = Files.newBufferedWriter(file)) {
      properties.store(writer, null);
    }
    Path output = directory.resolve("output");
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            "site.ycsb.Client",
            phase,
            "-db",
            RetsoClient.class.getName(),
            "-P",
            Path.of("workloads", workload).toString(),
            "-P",
            file.toString());
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertTrue(process.waitFor(100, TimeUnit.SECONDS), () -> "no end: " + output);
    } finally {
      process.destroyForcibly();
    }
    return new Ended(process.exitValue(), Files.readString(output));
  }

  private static final class Failing extends DB {
    @Override
    public Status read(
        String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
      return Status.ERROR;
    }

    @Override
    public Status scan(
        String table,
        String startKey,
        int records,
        Set<String> fields,
        Vector<HashMap<String, ByteIterator>> result) {
      return Status.ERROR;
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
      return Status.ERROR;
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
      return Status.ERROR;
    }

    @Override
    public Status delete(String table, String key) {
      return Status.ERROR;
    }
  }

  private double economy(Callable<DB> binding, int transactions) throws Exception {
    ClosedEconomyWorkload workload = loaded(binding);
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> ends = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        ends.add(
            threads.submit(
                () -> {
                  transactions(workload, binding, thread, transactions);
                  return null;
                }));
      }
      for (Future<?> end : ends) {
        end.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertEquals(THREADS * transactions, workload.transactions());
    assertTrue(workload.committed() > 0);
    DB db = opened(binding.call());
    try {
      return workload.anomalyScore(db);
    } finally {
      db.cleanup();
    }
  }

  private void transactions(
      ClosedEconomyWorkload workload, Callable<DB> binding, int thread, int transactions)
      throws Exception {
    DB db = opened(binding.call());
    try {
      Object state = workload.initThread(properties, thread, THREADS);
      for (int i = 0; i < transactions; i++) {
        assertTrue(workload.doTransaction(db, state));
      }
    } finally {
      db.cleanup();
    }
  }

  private ClosedEconomyWorkload loaded(Callable<DB> binding) throws Exception {
    ClosedEconomyWorkload workload = new ClosedEconomyWorkload();
    workload.init(properties);
    DB db = opened(binding.call());
    try {
      for (int i = 0; i < 4; i++) {
        assertTrue(workload.doInsert(db, null));
      }
    } finally {
      db.cleanup();
    }
    return workload;
  }

  private DB opened(DB db) throws DBException {
    db.setProperties(properties);
    db.init();
    return db;
  }

  private static Map<String, ByteIterator> money(long amount) {
    return Map.of("balance", new StringByteIterator(Long.toString(amount)));
  }
}
