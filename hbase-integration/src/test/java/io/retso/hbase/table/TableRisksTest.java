package io.retso.hbase.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.RegionSettings;
import io.retso.hbase.transaction.Inside;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

/** What {@code check} and {@code prepare} warn of, and that regions report what is so. */
@ExtendWith(RetsoCluster.Extension.class)
class TableRisksTest {
  private static final RegionSettings USUAL =
      new RegionSettings("", 3, false, true, Long.MAX_VALUE, "");
  private static final String STRIPES = "org.apache.hadoop.hbase.regionserver.StripeStoreEngine";

  private static TableDescriptorBuilder table(Durability durability) {
    return TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
        .setDurability(durability)
        .setColumnFamily(PendingWrite.familyDescriptor())
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(Fixture.F));
  }

  private static void assertRisk(String expected, List<String> found) {
    assertEquals(expected.isEmpty() ? 0 : 1, found.size(), found::toString);
    assertTrue(found.isEmpty() || found.get(0).contains(expected), found::toString);
  }

  /** HBase's rule: a table's own SYNC_WAL wins over hbase.wal.hsync. */
  @Test
  void whatALogPromisesIsSaidByTableAndServersTogether() {
    RegionSettings unforced = new RegionSettings("", 3, false, false, Long.MAX_VALUE, "");
    TableDescriptor byServers = table(Durability.USE_DEFAULT).build();
    assertRisk("", TableRisks.of(byServers, List.of(USUAL)));
    assertRisk("hbase.wal.hsync is off", TableRisks.of(byServers, List.of(USUAL, unforced)));
    assertRisk("is not known", TableRisks.of(byServers, List.of()));
    for (RegionSettings region : List.of(USUAL, unforced)) {
      assertRisk("", TableRisks.of(table(Durability.FSYNC_WAL).build(), List.of(region)));
      assertRisk(
          "its DURABILITY is SYNC_WAL",
          TableRisks.of(table(Durability.SYNC_WAL).build(), List.of(region)));
    }
    assertRisk("", TableRisks.of(table(Durability.FSYNC_WAL).build(), List.of()));
  }

  @Test
  void otherSettingsAreWarnedOf() throws Exception {
    TableDescriptor good = table(Durability.FSYNC_WAL).build();
    assertRisk(
        "timestamp.slop.millisecs is 1000",
        TableRisks.of(good, List.of(USUAL, new RegionSettings("", 3, false, true, 1000, ""))));
    assertRisk(
        "reversed scans",
        TableRisks.of(
            good, List.of(new RegionSettings("", 3, false, true, Long.MAX_VALUE, STRIPES))));
    TableDescriptorBuilder byTable = TableDescriptorBuilder.newBuilder(good);
    byTable.setValue(RegionSettings.STORE_ENGINE, STRIPES);
    assertRisk("reversed scans", TableRisks.of(byTable.build(), List.of(USUAL)));
    ColumnFamilyDescriptorBuilder f = ColumnFamilyDescriptorBuilder.newBuilder(Fixture.F);
    f.setConfiguration(RegionSettings.STORE_ENGINE, STRIPES);
    byTable.removeValue(Bytes.toBytes(RegionSettings.STORE_ENGINE));
    byTable.setCoprocessor("org.apache.hadoop.hbase.constraint.ConstraintProcessor");
    assertRisk("Tombstone.is", TableRisks.of(byTable.build(), List.of(USUAL)));
    TableDescriptorBuilder byFamily = TableDescriptorBuilder.newBuilder(good);
    byFamily.modifyColumnFamily(f.build());
    assertRisk("reversed scans", TableRisks.of(byFamily.build(), List.of(USUAL)));
    TableDescriptorBuilder secret = TableDescriptorBuilder.newBuilder(good);
    secret.modifyColumnFamily(
        ColumnFamilyDescriptorBuilder.newBuilder(Fixture.F).setEncryptionType("AES").build());
    assertRisk("!pw is not encrypted", TableRisks.of(secret.build(), List.of(USUAL)));
  }

  @Test
  void regionsTellWhatTheirServerIsConfiguredTo(Fixture fixture) throws Exception {
    List<Configuration> servers = fixture.serverConfigurations();
    TableName name = fixture.table(Options.DEFAULT);
    assertRisk("hbase.wal.hsync is off", fixture.preparation().warnings(name));
    fixture.preparing().durability(Durability.FSYNC_WAL).build().prepare(name, Options.DEFAULT);
    assertRisk("", fixture.preparation().warnings(name));
    try (Admin admin = fixture.cluster.connection().getAdmin()) {
      servers.forEach(server -> server.setLong(RegionSettings.VERSIONS_AHEAD, 0));
      try {
        admin.disableTable(name);
        admin.enableTable(name);
        assertRisk("slop.millisecs is 0", fixture.preparation().warnings(name));
      } finally {
        servers.forEach(server -> server.unset(RegionSettings.VERSIONS_AHEAD));
      }
      admin.disableTable(name);
      admin.enableTable(name);
      assertRisk("", fixture.preparation().warnings(name));
      assertThrows(
          TableNotPreparedException.class,
          () ->
              fixture
                  .preparing()
                  .durability(Durability.SKIP_WAL)
                  .build()
                  .prepare(name, Options.DEFAULT));
    }
    TableName byClients = fixture.table(Options.CLIENT_READS);
    assertRisk("is not known", fixture.preparation().warnings(byClients));
  }

  @Test
  void applicationsAreWarnedOnce(Fixture fixture) throws Exception {
    Logger log = (Logger) LoggerFactory.getLogger(TableRisks.class);
    ListAppender<ILoggingEvent> said = new ListAppender<>();
    said.start();
    log.addAppender(said);
    try {
      TableName name = fixture.table(Options.DEFAULT);
      TransactionManager manager = fixture.manager();
      for (int i = 0; i < 3; i++) {
        manager.run(tx -> Fixture.read(tx.table(name), "r"));
        Inside.tables(manager).forget(name);
      }
      List<ILoggingEvent> lines = List.copyOf(said.list);
      assertEquals(1, lines.size(), lines::toString);
      String line = lines.get(0).getFormattedMessage();
      assertTrue(line.contains(name + ": HBase does not force its log to disk"), line);
    } finally {
      log.detachAppender(said);
    }
  }
}
