package io.retso.cluster.monitoring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.retso.client.OracleClient;
import io.retso.cluster.LocalCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.errors.ConflictException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.ClusterMetrics.Option;
import org.apache.hadoop.hbase.ServerMetrics;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * An oracle, an HBase and an application with their metrics, and a Prometheus that asks for them by
 * the files that operators have, every few seconds. Its alarms wait for a second, and look back for
 * eight. For one thread.
 */
final class MonitoredCluster implements AutoCloseable {
  /** Commits that may wait for their cleanup. */
  static final int UNCLEANED_MAX = 200;

  static final String TABLE = "accounts";

  private static final long REPORT_NANOS_MAX = TimeUnit.MINUTES.toNanos(1);
  private static final byte[] F = Bytes.toBytes("f");
  private static final Path DEPLOY = Path.of("..", "..", "deploy");
  private static final TransactionOptions TRANSFER =
      TransactionOptions.DEFAULT.withName("transfer");

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Path directory;
  private final LocalCluster cluster;
  private final Connection connection;
  private final TransactionManager manager;
  private final int applicationPort;
  private final Prometheus prometheus;
  private final int regionServerPort;

  /** Starts all of it, in half a minute. */
  MonitoredCluster(Path directory) throws Exception {
    this.directory = directory;
    try {
      cluster =
          opened(
              LocalCluster.in(directory)
                  .set("hbase.regionserver.info.port", "0")
                  .set("hbase.regionserver.info.bindAddress", "127.0.0.1")
                  .oracleFlags(
                      "--rows=100k", "--window-timestamps=2^16", "--uncleaned-max=" + UNCLEANED_MAX)
                  .hbaseHeapMb(512)
                  .start());
      connection = opened(ConnectionFactory.createConnection(cluster.configuration()));
      TablePreparation.builder(connection)
          .oracle(cluster.oracle())
          .build()
          .create(
              TableDescriptorBuilder.newBuilder(TableName.valueOf(TABLE))
                  .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                  .build(),
              TablePreparation.Options.DEFAULT);
      manager =
          opened(
              TransactionManager.builder(connection)
                  .oracle(cluster.oracle())
                  .clientName("teller")
                  .meterRegistry(registry)
                  .sweepInterval(Duration.ZERO)
                  .build());
      applicationPort = publish();
      regionServerPort = portOfRegionServer();
      configure();
      prometheus = opened(Prometheus.start(directory));
    } catch (Throwable e) {
      close();
      throw e;
    }
  }

  private <T extends AutoCloseable> T opened(T what) {
    opened.push(what);
    return what;
  }

  /** The application's page of metrics. */
  private int publish() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/metrics", this::answer);
    server.start();
    opened.push(() -> server.stop(0));
    return server.getAddress().getPort();
  }

  private void answer(HttpExchange exchange) throws IOException {
    byte[] page = registry.scrape().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    exchange.sendResponseHeaders(200, page.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(page);
    }
  }

  private int portOfRegionServer() throws IOException {
    long start = System.nanoTime();
    int port = 0;
    try (Admin admin = connection.getAdmin()) {
      while (port <= 0) { // until it has reported to the master
        assertTrue(System.nanoTime() - start < REPORT_NANOS_MAX, "no region server has a page");
        port =
            admin
                .getClusterMetrics(EnumSet.of(Option.LIVE_SERVERS))
                .getLiveServerMetrics()
                .values()
                .stream()
                .mapToInt(ServerMetrics::getInfoServerPort)
                .max()
                .orElse(0);
      }
    }
    return port;
  }

  /** Writes Prometheus' configuration and alarms: those of operators, with other addresses. */
  private void configure() throws IOException {
    String scrape = Files.readString(DEPLOY.resolve("prometheus.yml"));
    scrape = replaced(scrape, "127.0.0.1:7522", "127.0.0.1:" + cluster.oracleHttpPort());
    scrape = replaced(scrape, "127.0.0.1:16030", "127.0.0.1:" + regionServerPort);
    scrape = replaced(scrape, "127.0.0.1:8080", "127.0.0.1:" + applicationPort);
    scrape = replaced(scrape, "_interval: 5s", "_interval: 1s");
    scrape = replaced(scrape, "scrape_interval: 15s", "scrape_interval: 3s");
    scrape = replaced(scrape, "scrape_timeout: 10s", "scrape_timeout: 3s");
    Files.writeString(directory.resolve("prometheus.yml"), scrape);
    String alarms = Files.readString(DEPLOY.resolve("alerts.yml"));
    Files.writeString(
        directory.resolve("alerts.yml"),
        alarms.replaceAll("for: \\w+", "for: 1s").replaceAll("\\[\\d+m]", "[8s]"));
  }

  private static String replaced(String text, String what, String with) {
    assertTrue(text.contains(what), () -> "no " + what + " in " + text);
    return text.replace(what, with);
  }

  Prometheus prometheus() {
    return prometheus;
  }

  /** A client of the oracle alone, whose requests take two seconds at most. */
  OracleClient oracleClient() {
    return OracleClient.builder()
        .address(cluster.oracle())
        .requestTimeout(Duration.ofSeconds(2))
        .build();
  }

  /** An open transaction that has written so many rows, with keys of a thousand bytes. */
  Transaction written(int rows) throws IOException {
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      puts.add(put(String.format(Locale.ROOT, "%01000d", i)));
    }
    Transaction transaction = manager.begin();
    transaction.table(TABLE).put(puts);
    return transaction;
  }

  /** With a flush marks go from memory to files. */
  void flush() throws IOException {
    try (Admin admin = connection.getAdmin()) {
      admin.flush(TableName.valueOf(TABLE));
    }
  }

  private static Put put(String row) {
    return new Put(Bytes.toBytes(row)).addColumn(F, F, F);
  }

  /** Reads, commits, and one transaction that is refused. */
  void work() throws IOException {
    manager.run(
        TRANSFER,
        tx -> {
          tx.table(TABLE).put(List.of(put("alice"), put("bob")));
          return null;
        });
    byte[] read = manager.read(tx -> tx.table(TABLE).get(new Get(Bytes.toBytes("bob")))).value();
    assertEquals(Bytes.toString(F), Bytes.toString(read));
    try (Transaction late = manager.begin(TRANSFER)) {
      late.table(TABLE).put(put("alice"));
      manager.run(
          TRANSFER,
          tx -> {
            tx.table(TABLE).put(put("alice"));
            return null;
          });
      assertThrows(ConflictException.class, late::commit);
    }
  }

  /** All regions close, and open again at once. */
  void reopen() throws IOException {
    try (Admin admin = connection.getAdmin()) {
      admin.disableTable(TableName.valueOf(TABLE));
      admin.enableTable(TableName.valueOf(TABLE));
    }
  }

  void killOracle() {
    cluster.oracleProcess().kill();
  }

  /** At its old address; its metrics have another one. */
  void restartOracle() throws IOException, InterruptedException {
    cluster.restartOracle();
    configure();
    prometheus.reload();
  }

  @Override
  public void close() {
    while (!opened.isEmpty()) {
      try {
        opened.pop().close();
      } catch (Exception e) {
        throw new IllegalStateException("it does not stop", e);
      }
    }
  }
}
