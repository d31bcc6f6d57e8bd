package io.retso.verify.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.cluster.InProcessCluster;
import io.retso.verify.clients.ClusterAccess;
import io.retso.verify.faults.Fault;
import io.retso.verify.faults.TableFaults;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A fault that returns did happen; what cannot be done is refused. */
@ExtendWith(InProcessCluster.Extension.class)
@Timeout(300)
class TableFaultsTest {
  private static final TableName TABLE = TableName.valueOf("faults");

  private final Random random = new Random(1);
  private Connection connection;
  private Admin admin;

  @BeforeEach
  void createTable(InProcessCluster cluster) throws IOException {
    connection =
        ConnectionFactory.createConnection(
            HBaseConfiguration.createClusterConf(HBaseConfiguration.create(), cluster.key()));
    admin = connection.getAdmin();
    admin.createTable(
        TableDescriptorBuilder.newBuilder(TABLE)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
            .build());
  }

  @AfterEach
  void dropTable() throws IOException {
    admin.disableTable(TABLE);
    admin.deleteTable(TABLE);
    admin.close();
    connection.close();
  }

  private String strike(String name) throws Exception {
    for (Fault fault : TableFaults.of(admin, List.of(TABLE))) {
      if (fault.name().equals(name)) {
        return fault.strike().now(random);
      }
    }
    throw new IllegalArgumentException(name);
  }

  private ServerName server() throws IOException {
    try (RegionLocator locator = connection.getRegionLocator(TABLE)) {
      return locator.getAllRegionLocations().get(0).getServerName();
    }
  }

  @Test
  void everyMoveMoves() throws Exception {
    for (int i = 0; i < 8; i++) {
      ServerName before = server();
      String said = strike("move");
      assertNotEquals(before, server(), said);
    }
  }

  @Test
  void mergesAndSplitsDoWhatTheySayOrAreRefused() throws Exception {
    assertRefused("merge", "each table has one region");
    for (int regions = 1; regions < 6; ) {
      try {
        strike("split");
        regions++;
      } catch (IOException e) {
        assertTrue(e.getMessage().startsWith("a region begins at"), e::toString);
      }
      assertEquals(regions, admin.getRegions(TABLE).size());
    }
    assertRefused("split", "each table has 6 regions");
    assertEquals(6, admin.getRegions(TABLE).size(), "no merge instead");
    strike("merge");
    assertEquals(5, admin.getRegions(TABLE).size());
  }

  /** So each pass over the faults has a merge, whenever its turn comes. */
  @Test
  void theTablesOfARunCanBeMergedAtOnce(InProcessCluster cluster) throws Exception {
    try (RunTables place =
        RunTables.open(
            new ClusterAccess(cluster.key(), cluster.oracle()), "merge", RunTables.ALL_MODES)) {
      for (TableName table : place.tables()) {
        List<Fault> faults = TableFaults.of(admin, List.of(table));
        int regions = admin.getRegions(table).size();
        Fault merge =
            faults.stream().filter(fault -> fault.name().equals("merge")).findFirst().orElseThrow();
        merge.strike().now(random);
        assertEquals(regions - 1, admin.getRegions(table).size(), table::toString);
      }
    }
  }

  private void assertRefused(String name, String why) {
    assertEquals(why, assertThrows(IOException.class, () -> strike(name)).getMessage());
  }
}
