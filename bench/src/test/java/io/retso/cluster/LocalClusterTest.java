package io.retso.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import java.nio.file.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalClusterTest {
  private static final TableName TABLE = TableName.valueOf("t");
  private static final byte[] F = Bytes.toBytes("f");

  @TempDir Path directory;

  /** Kills what can be killed: nothing that was acknowledged is lost. */
  @Test
  void regionServerAndOracleSurviveBeingKilled() throws Exception {
    try (LocalCluster cluster =
            LocalCluster.in(directory).regionServers(1).oracleFlags("--rows=100000").start();
        Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = connection.getAdmin();
        Table table = connection.getTable(TABLE);
        OracleClient oracle = OracleClient.builder().address(cluster.oracle()).build()) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(TABLE)
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
              .build());
      for (int i = 0; i < 100; i++) {
        table.put(new Put(Bytes.toBytes(i)).addColumn(F, F, Bytes.toBytes(i)));
      }
      long start = oracle.begin();
      long commit = oracle.commit(start, 1).commitTimestamp();

      cluster.oracleProcess().kill();
      cluster.hbaseProcesses().get(1).kill();
      cluster.restartRegionServer(1);
      cluster.restartOracle();

      for (int i = 0; i < 100; i++) {
        assertEquals(i, Bytes.toInt(table.get(new Get(Bytes.toBytes(i))).getValue(F, F)));
      }
      long later = oracle.begin();
      assertTrue(later > commit);
      assertEquals(commit, oracle.status(start, later).commitTimestamp());
    }
  }
}
