package io.retso.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.hbase.HeldSnapshot;
import io.retso.hbase.HoldOptions;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.text.Text;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jobs over a held snapshot beside jobs over the same table without one, in turn, when nothing is
 * left to clean up. By hand, {@code -Dretso.jobs.rows=200000}.
 */
@EnabledIfSystemProperty(named = "retso.jobs.rows", matches = "\\d+")
class JobSpeedTest {
  private static final int ROWS = Integer.getInteger("retso.jobs.rows", 0);
  private static final int ROWS_AT_A_TIME = 500;
  private static final int REGIONS = 4;
  private static final int WARM_UP = 3;
  private static final int ROUNDS = 21;
  private static final TableName TABLE = TableName.valueOf("speed");

  @TempDir private Path directory;

  @Test
  void isMeasured() throws Exception {
    try (Servers servers = new Servers(directory);
        Connection connection = ConnectionFactory.createConnection(servers.configuration());
        TransactionManager manager =
            TransactionManager.builder(servers.configuration())
                .oracle(servers.addresses())
                .build()) {
      fill(connection, servers.addresses(), manager);
      try (HeldSnapshot held =
          manager.hold(HoldOptions.named("speed").ttl(Duration.ofMinutes(10)))) {
        Scan plain = new Scan().addFamily(Bank.FAMILY).setCaching(1_000).setCacheBlocks(false);
        Scan snapshot = held.scan(TABLE, plain);
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

  private static byte[] row(int number) {
    return Bytes.toBytes(Text.of("row-%08d", number));
  }

  private static void fill(Connection connection, String oracle, TransactionManager manager)
      throws Exception {
    byte[][] splits = new byte[REGIONS - 1][];
    for (int i = 0; i < splits.length; i++) {
      splits[i] = row(ROWS / REGIONS * (i + 1));
    }
    TablePreparation.builder(connection)
        .oracle(oracle)
        .build()
        .create(
            TableDescriptorBuilder.newBuilder(TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(Bank.FAMILY))
                .build(),
            Options.DEFAULT,
            splits);
    for (int from = 0; from < ROWS; from += ROWS_AT_A_TIME) {
      List<Put> puts = new ArrayList<>();
      for (int i = from; i < Math.min(ROWS, from + ROWS_AT_A_TIME); i++) {
        puts.add(
            new Put(row(i))
                .addColumn(Bank.FAMILY, Bank.BALANCE, Bytes.toBytes(1L))
                .addColumn(Bank.FAMILY, Bytes.toBytes("note"), new byte[100]));
      }
      manager.run(
          tx -> {
            tx.table(TABLE).put(puts);
            return null;
          });
    }
    Servers.eventually("no mark is left", () -> manager.sweep().marks() == 0);
    compact(connection);
  }

  private static void compact(Connection connection) throws Exception {
    try (Admin admin = connection.getAdmin()) {
      admin.flush(TABLE);
      long before = admin.getLastMajorCompactionTimestamp(TABLE);
      admin.majorCompact(TABLE);
      Servers.eventually(
          "a compaction",
          () ->
              admin.getLastMajorCompactionTimestamp(TABLE) > before
                  && admin.getCompactionState(TABLE) == CompactionState.NONE);
    }
  }

  private static void measure(Engine engine, Scan plain, Scan snapshot) throws Exception {
    List<Double> plainRates = new ArrayList<>();
    List<Double> snapshotRates = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    for (int round = -WARM_UP; round < ROUNDS; round++) {
      boolean plainFirst = round % 2 == 0;
      double first = rate(engine, plainFirst ? plain : snapshot);
      double second = rate(engine, plainFirst ? snapshot : plain);
      if (round >= 0) {
        plainRates.add(plainFirst ? first : second);
        snapshotRates.add(plainFirst ? second : first);
        ratios.add(plainFirst ? second / first : first / second);
      }
    }
    System.out.println(
        Text.of(
            "%s: %d rows; rows a second, quartiles of %d rounds: plain %s, snapshot %s, ratio %s",
            engine.getClass().getSimpleName(),
            ROWS,
            ROUNDS,
            quartiles(plainRates, "%.0f"),
            quartiles(snapshotRates, "%.0f"),
            quartiles(ratios, "%.3f")));
  }

  private static double rate(Engine engine, Scan scan) throws Exception {
    long begun = System.nanoTime();
    assertEquals(new Engine.Found(ROWS, ROWS), engine.run(Map.of(TABLE, scan)));
    return ROWS * 1e9 / (System.nanoTime() - begun);
  }

  private static String quartiles(List<Double> all, String form) {
    Collections.sort(all);
    return Text.of(
        form + " " + form + " " + form,
        all.get(ROUNDS / 4),
        all.get(ROUNDS / 2),
        all.get(ROUNDS * 3 / 4));
  }
}
