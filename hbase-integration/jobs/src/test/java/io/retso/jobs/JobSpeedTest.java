package io.retso.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.hbase.HeldSnapshot;
import io.retso.hbase.HoldOptions;
import io.retso.hbase.TransactionManager;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jobs over a held snapshot beside jobs over the same table without one, in turn, when nothing is
 * left to clean up. By hand, {@code -Dretso.jobs.rows=500000}.
 */
@EnabledIfSystemProperty(named = "retso.jobs.rows", matches = "\\d+")
class JobSpeedTest {
  private static final int ROWS = Integer.getInteger("retso.jobs.rows", 0);

  @TempDir private Path directory;

  @Test
  void isMeasured() throws Exception {
    try (Servers servers = new Servers(directory);
        Connection connection = ConnectionFactory.createConnection(servers.configuration());
        TransactionManager manager =
            TransactionManager.builder(servers.configuration())
                .oracle(servers.addresses())
                .build()) {
      SpeedTable.fill(connection, servers.addresses(), manager, ROWS);
      try (HeldSnapshot held =
          manager.hold(HoldOptions.named("speed").ttl(Duration.ofMinutes(10)))) {
        Scan plain = new Scan().addFamily(Bank.FAMILY).setCaching(1_000).setCacheBlocks(false);
        Scan snapshot = held.scan(SpeedTable.NAME, plain);
        try (Engine engine =
            new MapReduceEngine(servers.configuration(), directory.resolve("mapreduce"))) {
          measure(engine, plain, snapshot);
        }
        try (Engine engine = new SparkEngine(servers.configuration(), directory.resolve("spark"))) {
          measure(engine, plain, snapshot);
        }
      }
    }
  }

  private static void measure(Engine engine, Scan plain, Scan snapshot) throws Exception {
    Pairs.print(
        engine.getClass().getSimpleName() + ", " + ROWS + " rows: rows",
        "plain",
        () -> rate(engine, plain),
        "snapshot",
        () -> rate(engine, snapshot));
  }

  private static double rate(Engine engine, Scan scan) throws Exception {
    long begun = System.nanoTime();
    assertEquals(new Engine.Found(ROWS, ROWS), engine.run(Map.of(SpeedTable.NAME, scan)));
    return ROWS * 1e9 / (System.nanoTime() - begun);
  }
}
