package io.retso.bench.hbase;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.bench.server.ServerMetrics;
import io.retso.cluster.LocalCluster;
import io.retso.hbase.options.Isolation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** On a real cluster: what the oracle alone is asked for is what transactions ask it for. */
@Timeout(180)
class OracleAloneTest {
  private static final int OPERATIONS = 50;
  private static final int LOADED = 1000;

  /** Rows of a transaction behind the others: more than all of them write. */
  private static final int LAST_ROWS = 20_000;

  private static final String ROWS = "retso_committed_rows_total";
  private static final String QUESTIONS = "retso_status_queries_total";
  private static final String CLEANUPS = "retso_cleanups_total";

  /** Whatever a transaction may ask for, with what the one behind the others asks. */
  private static final Map<String, Integer> COUNTERS =
      Map.of(
          "retso_begins_total",
          1,
          "retso_commits_total",
          1,
          ROWS,
          LAST_ROWS,
          CLEANUPS,
          0,
          "retso_aborts_total",
          0,
          QUESTIONS,
          0,
          "retso_timestamps_total",
          0,
          "retso_safe_snapshots_total",
          0);

  @TempDir Path directory;
  private final ServerMetrics metrics = new ServerMetrics();
  private LocalCluster cluster;
  private BenchTables tables;

  /** Rows in the figures that were read last. */
  private double known;

  @Test
  void theOracleAloneIsAskedForWhatTransactionsAskFor() throws Exception {
    TablesSettings settings = TablesSettings.standard(true, LOADED, 1, directory);
    try (LocalCluster started = LocalCluster.in(directory).start();
        BenchTables opened = new BenchTables(started, Isolation.SNAPSHOT)) {
      cluster = started;
      tables = opened;
      tables.load(cluster, settings);
      TransactionOperations transactions = new TransactionOperations(tables);

      Map<String, Integer> tenPuts = asked(transactions.puts(10));
      assertEquals(OPERATIONS, tenPuts.get(CLEANUPS), tenPuts::toString);
      assertEquals(tenPuts, asked(transactions.oracleOnly(10)));
      Map<String, Integer> transfers = asked(transactions.readModifyWrites(2));
      transfers.put(QUESTIONS, 0); // about rows that those before have just written
      assertEquals(transfers, asked(transactions.oracleOnly(2)));

      Map<String, Integer> reads = asked(transactions.oracleOnly(Mix.C));
      assertTrue(reads.values().stream().allMatch(count -> count == 0), reads::toString);
      Map<String, Integer> mix = asked(transactions.oracleOnly(Mix.A));
      int writers = mix.get(ROWS);
      assertTrue(writers > OPERATIONS / 5 && writers < OPERATIONS * 4 / 5, mix::toString);
      for (String counter : COUNTERS.keySet()) {
        int each = tenPuts.get(counter) == 0 ? 0 : writers;
        assertEquals(each, mix.get(counter), mix::toString);
      }
    }
  }

  /** By how much the counters grow by operations of one thread. */
  private Map<String, Integer> asked(Operation.Maker maker)
      throws IOException, InterruptedException {
    Map<String, Double> before = counted();
    try (Operation operation = maker.make(new Rows(LOADED, 10, 1, Rows.Draw.UNIFORM))) {
      for (int i = 0; i < OPERATIONS; i++) {
        operation.run();
      }
    }
    Map<String, Double> after = counted();
    Map<String, Integer> grown = new TreeMap<>();
    COUNTERS.forEach(
        (name, last) -> grown.put(name, (int) (after.get(name) - before.get(name)) - last));
    return grown;
  }

  /**
   * Figures that hold everything that was asked for before this call. The oracle's copy of them may
   * be older, so one more transaction shows by its many rows that the copy is new enough.
   */
  private Map<String, Double> counted() throws InterruptedException {
    tables.awaitCleanup();
    tables.oracle.commit(tables.oracle.begin(), LongStream.range(0, LAST_ROWS).toArray());
    Map<String, Double> all = metrics.read(cluster.oracleHttpPort());
    while (all.getOrDefault(ROWS, 0.0) < known + LAST_ROWS) {
      all = metrics.read(cluster.oracleHttpPort());
    }
    known = all.get(ROWS);
    return all;
  }
}
