package io.retso.bench.hbase;

import io.retso.bench.server.ServerMetrics;
import io.retso.cluster.LocalCluster;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.hadoop.conf.Configuration;

/**
 * How many requests an operation takes: those to region servers by the metrics of HBase's client,
 * those to the oracle by its own. Cleanup behind the replies is counted, too: it is waited for
 * after each operation, so that nothing of it is batched.
 */
final class RequestCounts {
  private static final int OPERATIONS = 50;
  private static final int BATCH = 10;

  private final LocalCluster cluster;
  private final TablesSettings settings;
  private final ServerMetrics metrics = new ServerMetrics();

  RequestCounts(LocalCluster cluster, TablesSettings settings) {
    this.cluster = cluster;
    this.settings = settings;
  }

  List<TablesFigures.Requests> measure() throws IOException, InterruptedException {
    Configuration counting = cluster.configuration();
    counting.setBoolean("hbase.client.metrics.enable", true);
    counting.set("hbase.client.metrics.scope", "retso-bench");
    try (BenchTables tables = new BenchTables(cluster, counting, settings.isolation())) {
      PlainOperations plain = new PlainOperations(tables);
      TransactionOperations transactions = new TransactionOperations(tables);
      List<TablesFigures.Requests> all = new ArrayList<>();
      String gets = Contest.gets(BATCH);
      String puts = Contest.puts(BATCH);
      all.add(count(tables, gets, Contest.PLAIN, plain.gets(BATCH)));
      all.add(count(tables, gets, Contest.TRANSACTIONS, transactions.gets(BATCH)));
      all.add(count(tables, puts, Contest.PLAIN, plain.puts(BATCH)));
      all.add(count(tables, puts, Contest.TRANSACTIONS, transactions.puts(BATCH)));
      return all;
    }
  }

  private TablesFigures.Requests count(
      BenchTables tables, String what, String variant, Operation.Maker maker)
      throws IOException, InterruptedException {
    Rows rows =
        new Rows(settings.rows(), settings.valueBytes(), settings.seed(), Rows.Draw.UNIFORM);
    try (Operation operation = maker.make(rows)) {
      repeat(tables, operation); // knows all regions now
      long hbase = hbaseRequests();
      Map<String, Double> before = oracle();
      repeat(tables, operation);
      Map<String, Double> after = oracle();
      return new TablesFigures.Requests(
          what + ", " + variant,
          (double) (hbaseRequests() - hbase) / OPERATIONS,
          grown(before, after, "retso_request_frames_total") / OPERATIONS,
          grown(before, after, "retso_status_queries_total") / OPERATIONS);
    }
  }

  private static void repeat(BenchTables tables, Operation operation) throws IOException {
    for (int i = 0; i < OPERATIONS; i++) {
      operation.run();
      tables.awaitCleanup();
    }
  }

  private static double grown(Map<String, Double> before, Map<String, Double> after, String name) {
    return after.getOrDefault(name, Double.NaN) - before.getOrDefault(name, Double.NaN);
  }

  private Map<String, Double> oracle() throws InterruptedException {
    // A scrape may be a tenth of a second old: the second one is newer than this call.
    metrics.read(cluster.oracleHttpPort());
    Thread.sleep(150);
    return metrics.read(cluster.oracleHttpPort());
  }

  /** Counters {@code rpcCount_...} of all connections of this process. */
  private static long hbaseRequests() throws IOException {
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    try {
      long sum = 0;
      for (ObjectName name : beans.queryNames(null, null)) {
        String key = name.getKeyProperty("name");
        if (key != null && key.contains("rpcCount_ClientService_")) {
          sum += (Long) beans.getAttribute(name, "Count");
        }
      }
      return sum;
    } catch (JMException e) {
      throw new IOException("the metrics of HBase's client cannot be read", e);
    }
  }
}
