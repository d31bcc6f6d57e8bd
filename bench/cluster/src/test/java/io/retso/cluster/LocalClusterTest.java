package io.retso.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.retso.hbase.ReadTransaction;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalClusterTest {
  private static final String TABLE = "t";
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] OPEN = Bytes.toBytes("open");
  private static final int ROWS = 100;

  @TempDir Path directory;

  private static Put put(byte[] row, String value) {
    return new Put(row).addColumn(F, F, Bytes.toBytes(value));
  }

  private static String read(ReadTransaction tx, byte[] row) throws IOException {
    return Bytes.toString(tx.table(TABLE).get(new Get(row)).getValue(F, F));
  }

  private static void writeAll(TransactionManager manager, String value) throws IOException {
    manager.run(
        tx -> {
          for (int i = 0; i < ROWS; i++) {
            tx.table(TABLE).put(put(Bytes.toBytes(i), value));
          }
          return null;
        });
  }

  /**
   * Kills what can be killed: nothing that was acknowledged is lost, and marks come back from the
   * WAL with the cells that they are about.
   */
  @Test
  void transactionsSurviveThatRegionServerAndOracleAreKilled() throws Exception {
    try (LocalCluster cluster =
            LocalCluster.in(directory).regionServers(1).oracleFlags("--rows=100000").start();
        Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        TransactionManager manager =
            TransactionManager.builder(cluster.configuration())
                .cleanupDelay(Duration.ofHours(1)) // all marks are still there in the end
                .closeTimeout(Duration.ZERO)
                .build()) {
      TablePreparation.builder(connection)
          .oracle(cluster.oracle())
          .build()
          .create(
              TableDescriptorBuilder.newBuilder(TableName.valueOf(TABLE))
                  .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                  .build(),
              TablePreparation.Options.DEFAULT);
      writeAll(manager, "old");
      Transaction old = manager.begin();
      writeAll(manager, "new");
      Transaction open = manager.begin();
      open.table(TABLE).put(put(OPEN, "mine"));
      assertEquals("mine", read(open, OPEN), "now it is in the region, and pending");

      cluster.oracleProcess().kill();
      assertSame(cluster.oracleProcess(), cluster.awaitFirstEnd());
      cluster.hbaseProcesses().get(1).kill();
      cluster.restartRegionServer(1);
      cluster.restartOracle();

      try (ReadTransaction now = manager.beginReadOnly()) {
        for (int i = 0; i < ROWS; i++) {
          assertEquals("old", read(old, Bytes.toBytes(i)));
          assertEquals("new", read(now, Bytes.toBytes(i)));
        }
        assertNull(read(now, OPEN));
        assertEquals("mine", read(open, OPEN));
        open.commit();
        assertNull(read(now, OPEN), "it is not in this snapshot");
      }
      old.rollback();
      assertEquals("mine", manager.run(tx -> read(tx, OPEN)));
    }
  }
}
