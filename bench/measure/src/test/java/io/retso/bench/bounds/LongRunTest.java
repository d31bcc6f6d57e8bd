package io.retso.bench.bounds;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.bench.bounds.DyingClients.Death;
import io.retso.bench.bounds.LongRun.Observation;
import io.retso.client.OracleClient;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.embedded.EmbeddedHBase;
import io.retso.server.RetsoServer;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.metrics.Gauge;
import org.apache.hadoop.hbase.metrics.MetricRegistries;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code retso bench bounds} does at length, in short: no growth from phase to phase. */
class LongRunTest {
  private static final TableName TABLE = TableName.valueOf("long-run");
  private static final int PHASES = 4;
  private static final int DEATHS_OF_A_PHASE = 24;
  private static final int UPDATES_BETWEEN_DEATHS = 40;

  /** An update and a death leave 100 to 300 bytes each until a flush, and some are flushed late. */
  private static final int MARK_BYTES_MAX = 2 * DEATHS_OF_A_PHASE * UPDATES_BETWEEN_DEATHS * 300;

  /** When all is quiet and flushed: of the reads since. */
  private static final int MARK_BYTES_MIN = 10_000;

  @TempDir Path directory;

  @Test
  @Timeout(300)
  void aRowThatIsUpdatedForeverLeavesOneVersionHoweverManyClientsDie() throws Exception {
    try (RetsoServer server = startOracle();
        EmbeddedHBase hbase = EmbeddedHBase.in(directory).start()) {
      String address = "127.0.0.1:" + server.port();
      Configuration configuration = hbase.configuration();
      configuration.set("retso.oracle", address);
      try (Connection connection = ConnectionFactory.createConnection(configuration);
          OracleClient oracle = OracleClient.builder().address(address).build();
          TransactionManager manager =
              TransactionManager.builder(connection).sweepInterval(Duration.ZERO).build()) {
        TablePreparation.builder(connection)
            .oracle(address)
            .build()
            .create(
                TableDescriptorBuilder.newBuilder(TABLE)
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.of(LongRun.FAMILY))
                    .build(),
                TablePreparation.Options.DEFAULT);
        try (LongRun run = new LongRun(connection, manager, oracle, TABLE, server.httpPort(), 0)) {
          run(run, hbase);
        }
      }
    }
  }

  private static void run(LongRun run, EmbeddedHBase hbase) throws Exception {
    long firstBytes = 0;
    for (int phase = 1; phase <= PHASES; phase++) {
      double most = 0; // before flushes
      for (int i = 0; i < DEATHS_OF_A_PHASE; i++) {
        run.update(UPDATES_BETWEEN_DEATHS);
        run.die(Death.values()[i % Death.values().length]);
        if (i == 0) { // no read, flush or sweep since: it must still be there
          assertTrue(run.marks() > 0, "a client that dies before its commit leaves marks");
        }
        if (i % 8 == 7) {
          most = Math.max(most, markBytes());
          run.flush();
        }
      }
      String bytes = most + " bytes of marks";
      assertTrue(most > 0 && most < MARK_BYTES_MAX, bytes);
      run.awaitQuiet(() -> compact(hbase));
      Observation observed = run.observe();
      assertEquals(phase * DEATHS_OF_A_PHASE, observed.deaths());
      assertEquals(phase * DEATHS_OF_A_PHASE * UPDATES_BETWEEN_DEATHS, observed.updates());
      assertEquals(1, observed.versions(), "versions after phase " + phase);
      assertEquals(0, observed.marks(), "marks after phase " + phase);
      assertTrue(markBytes() < MARK_BYTES_MIN, () -> markBytes() + " bytes of marks, flushed");
      firstBytes = phase == 1 ? observed.storeBytes() : firstBytes;
      // There are the same rows, with one version each, in one file.
      assertTrue(
          observed.storeBytes() < firstBytes * 1.5, () -> "the table's files grow: " + observed);
    }
  }

  /** Region servers are in this process. */
  private static double markBytes() {
    return MetricRegistries.global().getMetricRegistries().stream()
        .flatMap(registry -> registry.get("markBytes").stream())
        .mapToLong(gauge -> ((Gauge<?>) gauge).getValue() instanceof Long bytes ? bytes : 0)
        .max()
        .orElseThrow();
  }

  private static void compact(EmbeddedHBase hbase) throws IOException {
    for (var thread : hbase.cluster().getLiveRegionServers()) {
      for (HRegion region : thread.getRegionServer().getRegions(TABLE)) {
        region.compact(true);
        for (HStore store : region.getStores()) {
          store.closeAndArchiveCompactedFiles(); // or they would count as the table's
        }
      }
    }
  }

  /** Two seconds are enough for a transaction of the test, and few to wait for a dead one. */
  private static RetsoServer startOracle() throws Exception {
    return RetsoServer.start(
        ServerConfig.builder()
            .set(Settings.LISTEN_PORT, 0)
            .set(Settings.HTTP_PORT, 0)
            .set(Settings.ROWS, "100k")
            .set(Settings.WINDOW_TIMESTAMPS, "2^17")
            .set(Settings.UNCLEANED_MAX, "1k")
            .set(Settings.TRANSACTION_TIMEOUT, "2s")
            .set(Settings.LOG, "memory")
            .build());
  }
}
