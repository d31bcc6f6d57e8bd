package io.retso.hbase.admin;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static io.retso.hbase.Fixture.scan;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.layout.OracleSettings;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Reads;
import io.retso.hbase.table.TableRules;
import io.retso.server.RetsoServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Preparing tables: what is set, what is refused, and that nothing is changed then. */
@ExtendWith(RetsoCluster.Extension.class)
class TablePreparationTest {
  private Fixture fixture;
  private Admin admin;
  private TableName name;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    admin = fixture.opened(fixture.cluster.connection().getAdmin());
    name = fixture.cluster.freshName("p");
  }

  private void refused(String hint, TableName table, Options options) throws Exception {
    TableDescriptor before = admin.tableExists(table) ? admin.getDescriptor(table) : null;
    Exception e =
        assertThrows(
            TableNotPreparedException.class, () -> fixture.preparation().prepare(table, options));
    assertTrue(e.getMessage().contains(hint), e.getMessage());
    if (before != null) {
      assertEquals(before, admin.getDescriptor(table), "nothing was changed");
    }
  }

  @Test
  void existingTableWithDataBecomesTransactional() throws Exception {
    admin.createTable(Fixture.descriptor(name).build());
    try (Table plain = fixture.cluster.connection().getTable(name)) {
      plain.put(new Put(bytes("old")).addColumn(F, Q, 3, bytes("plain")));
    }
    assertFalse(fixture.preparation().check(name).isEmpty());
    TableDescriptor prepared = fixture.preparation().prepare(name, Options.CLIENT_READS);
    assertTrue(prepared.hasColumnFamily(PendingWrite.family()));
    assertEquals(Integer.MAX_VALUE, prepared.getColumnFamily(F).getMaxVersions());
    assertEquals(List.of(), fixture.preparation().check(name));
    TransactionManager manager = fixture.manager();
    assertEquals("plain", manager.run(tx -> read(tx.table(name), "old")));
    manager.run(
        tx -> {
          tx.table(name).put(put("old", "new"));
          return null;
        });
    assertEquals("new", manager.run(tx -> read(tx.table(name), "old")));
    assertEquals(prepared, fixture.preparation().prepare(name, Options.CLIENT_READS), "idempotent");
  }

  /** Managers and regions would learn of it one by one, and disagree meanwhile. */
  @Test
  void tablesAreUsedOtherwiseOnlyAfterTheyWereDisabled() throws Exception {
    fixture.preparation().create(Fixture.descriptor(name).build(), Options.DEFAULT);
    for (Options options :
        List.of(
            Options.DEFAULT.withConflicts(Conflicts.CELL),
            Options.CLIENT_READS.withConflicts(Conflicts.CELL),
            Options.CLIENT_READS,
            Options.DEFAULT)) {
      String value = options.toString();
      fixture
          .manager()
          .run(
              tx -> {
                tx.table(name).put(put("r", value));
                return null;
              });
      Fixture.eventually("its manager has done with it", () -> fixture.marks(name) == 0);
      refused("disable it", name, options);
      admin.disableTable(name);
      TableDescriptor after = fixture.preparation().prepare(name, options);
      assertEquals(options, Options.of(after));
      assertEquals(after, admin.getDescriptor(name));
      assertEquals(after, fixture.preparation().prepare(name, options), "idempotent");
      assertTrue(admin.isTableDisabled(name));
      admin.enableTable(name);
      assertEquals(after, fixture.preparation().prepare(name, options), "idempotent");
      assertEquals(List.of(), fixture.preparation().check(name));
      for (HRegion region : fixture.regions(name)) {
        boolean isLoaded = region.getCoprocessorHost().findCoprocessor(TableRules.OBSERVER) != null;
        assertEquals(options.reads() == Reads.SERVER, isLoaded, options::toString);
      }
      // Another manager: this one has not heard of it, and would have to be waited for.
      assertEquals(value, fixture.manager().run(tx -> read(tx.table(name), "r")));
    }
  }

  @Test
  void settingsThatAreDamagedAreRepairedOnlyAfterTheTableWasDisabled() throws Exception {
    TableDescriptor prepared =
        fixture.preparation().create(Fixture.descriptor(name).build(), Options.CLIENT_READS);
    admin.modifyTable(
        TableDescriptorBuilder.newBuilder(prepared).setValue("RETSO_READS", "ELSEWHERE").build());
    refused("disable it", name, Options.CLIENT_READS);
    admin.disableTable(name);
    fixture.preparation().prepare(name, Options.CLIENT_READS);
    assertEquals(prepared, admin.getDescriptor(name));
    admin.deleteTable(name);
  }

  @Test
  void addressesOfTheOracleAreChangedWhileATableIsEnabled() throws Exception {
    fixture.preparation().create(Fixture.descriptor(name).build(), Options.DEFAULT);
    String both = fixture.cluster.oracleAddress() + ",127.0.0.1:1";
    TableDescriptor after;
    try (Connection impatient = impatient()) {
      after =
          TablePreparation.builder(impatient).oracle(both).build().prepare(name, Options.DEFAULT);
    }
    assertEquals(both, TableSettings.of(after).addresses());
    assertEquals(after, admin.getDescriptor(name));
    try (RetsoServer other = RetsoCluster.startOracle()) {
      TablePreparation elsewhere = fixture.preparation("127.0.0.1:" + other.port());
      admin.disableTable(name);
      Exception e =
          assertThrows(
              TableNotPreparedException.class, () -> elsewhere.prepare(name, Options.DEFAULT));
      assertTrue(e.getMessage().contains("enable it"), e.getMessage());
      assertEquals(after, admin.getDescriptor(name));
    }
    admin.deleteTable(name);
  }

  @Test
  void addressesOfTwoOraclesAreRefused() throws Exception {
    try (RetsoServer other = RetsoCluster.startOracle()) {
      String both = fixture.cluster.oracleAddress() + ",127.0.0.1:" + other.port();
      TablePreparation ofTwo = fixture.preparation(both);
      Exception e =
          assertThrows(
              OracleUnavailableException.class,
              () -> ofTwo.create(Fixture.descriptor(name).build(), Options.DEFAULT));
      assertTrue(e.getMessage().contains("these are two oracles"), e.getMessage());
      assertTrue(e.getMessage().contains("at 127.0.0.1:" + other.port()), e.getMessage());
      assertFalse(admin.tableExists(name));
    }
  }

  @Test
  void missingDisabledAndSystemTablesAreRefused() throws Exception {
    refused("does not exist", name, Options.CLIENT_READS);
    admin.createTable(Fixture.descriptor(name).build());
    admin.disableTable(name);
    refused("enable it", name, Options.CLIENT_READS);
    admin.deleteTable(name);
    refused("belongs to HBase", TableName.META_TABLE_NAME, Options.CLIENT_READS);
  }

  @Test
  void marksAreReplicatedAsTheDataIs() throws Exception {
    admin.createTable(
        TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(F).setScope(1).build())
            .build());
    TableDescriptor prepared = fixture.preparation().prepare(name, Options.CLIENT_READS);
    assertEquals(1, prepared.getColumnFamily(PendingWrite.family()).getScope());
    assertEquals(prepared, fixture.preparation().prepare(name, Options.CLIENT_READS));
    TableName mixed = fixture.cluster.freshName("p");
    admin.createTable(
        Fixture.descriptor(mixed)
            .setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(bytes("z")).setScope(1).build())
            .build());
    refused("same REPLICATION_SCOPE", mixed, Options.CLIENT_READS);
  }

  /** HBase's own advice is to switch its checks off. */
  @Test
  void coprocessorThatCannotBeLoadedIsRefused() throws Exception {
    admin.createTable(Fixture.descriptor(name).build());
    refused(
        "put hbase-integration's jar on",
        name,
        Options.DEFAULT.withJar("file:///nowhere/some.jar"));
  }

  @Test
  void tableOfAnotherVersionIsLeftAsItIs() throws Exception {
    fixture.preparation().create(Fixture.descriptor(name).build(), Options.CLIENT_READS);
    admin.modifyTable(
        TableDescriptorBuilder.newBuilder(admin.getDescriptor(name))
            .setValue("RETSO_VERSION", "99")
            .build());
    refused("use the version that prepared it", name, Options.CLIENT_READS);
    admin.disableTable(name); // it would stand in the way of other tests' sweeps
    admin.deleteTable(name);
  }

  @Test
  void optionsOfAPreparedTableAreThoseItWasPreparedWith() throws Exception {
    for (Options options :
        List.of(
            Options.DEFAULT, Options.CLIENT_READS, Options.DEFAULT.withConflicts(Conflicts.CELL))) {
      TableName table = fixture.cluster.freshName("p");
      assertEquals(
          options,
          Options.of(fixture.preparation().create(Fixture.descriptor(table).build(), options)));
    }
    TableDescriptor plain = Fixture.descriptor(name).build();
    assertThrows(IllegalArgumentException.class, () -> Options.of(plain));
  }

  @Test
  void familiesThatLoseCellsAreRefused() throws Exception {
    admin.createTable(
        TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(F).setTimeToLive(3600).build())
            .build());
    refused("TTL", name, Options.CLIENT_READS);
    TableName kept = fixture.cluster.freshName("p");
    admin.createTable(
        TableDescriptorBuilder.newBuilder(kept)
            .setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(F)
                    .setKeepDeletedCells(KeepDeletedCells.TRUE)
                    .build())
            .build());
    refused("set KEEP_DELETED_CELLS to FALSE", kept, Options.CLIENT_READS);
    TableName reserved = fixture.cluster.freshName("p");
    admin.createTable(
        TableDescriptorBuilder.newBuilder(reserved)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(PendingWrite.family()))
            .build());
    refused("reserved", reserved, Options.CLIENT_READS);
  }

  /** A put after a delete of a later version is alive with this setting, and dead without it. */
  @Test
  void familiesThatOrderDeletesByArrivalAreRefused() throws Exception {
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(F).setNewVersionBehavior(true);
    admin.createTable(
        TableDescriptorBuilder.newBuilder(name).setColumnFamily(family.build()).build());
    try (Table plain = fixture.cluster.connection().getTable(name)) {
      plain.delete(new Delete(bytes("r")).addColumns(F, Q, 2000));
      plain.put(new Put(bytes("r")).addColumn(F, Q, 1000, bytes("alive")));
      assertEquals("alive", read(plain, "r"));
    }
    refused("set NEW_VERSION_BEHAVIOR to false", name, Options.DEFAULT);
    fixture.compact(name); // as it advises
    admin.modifyColumnFamily(name, family.setNewVersionBehavior(false).build());
    fixture.preparation().prepare(name, Options.DEFAULT);
    assertEquals("alive", fixture.manager().run(tx -> read(tx.table(name), "r")));
  }

  /** What transactions need was altered; nothing relies on that. */
  @Test
  void preparedTablesAreMended() throws Exception {
    TableDescriptor prepared =
        fixture.preparation().create(Fixture.descriptor(name).build(), Options.CLIENT_READS);
    admin.modifyColumnFamily(
        name,
        ColumnFamilyDescriptorBuilder.newBuilder(prepared.getColumnFamily(F))
            .setMaxVersions(3)
            .setKeepDeletedCells(KeepDeletedCells.TRUE)
            .setNewVersionBehavior(true)
            .build());
    assertEquals(3, fixture.preparation().check(name).size());
    TableDescriptor mended = fixture.preparation().prepare(name, Options.CLIENT_READS);
    assertEquals(prepared.getColumnFamily(F), mended.getColumnFamily(F));
    assertEquals(List.of(), fixture.preparation().check(name));
  }

  @Test
  void wrongOracleIsFoundBeforeATableExists() throws Exception {
    try (Connection impatient = impatient()) {
      TablePreparation wrong =
          TablePreparation.builder(impatient).oracle(fixture.cluster.hbase().zooKeeper()).build();
      assertThrows(
          OracleUnavailableException.class,
          () -> wrong.create(Fixture.descriptor(name).build(), Options.CLIENT_READS));
    }
    assertFalse(admin.tableExists(name));
  }

  /** What it does waits a second for an oracle. */
  private Connection impatient() throws IOException {
    Configuration configuration = fixture.cluster.configuration();
    configuration.setInt(OracleSettings.TIMEOUT, 1000);
    return ConnectionFactory.createConnection(configuration);
  }

  private interface Change {
    Future<?> begin(List<RegionInfo> regions) throws Exception;
  }

  /** Regions that come into being meanwhile have the coprocessor, the marks, and all rows. */
  private void preparedDuring(Change change, boolean changeFirst) throws Exception {
    TableName table = fixture.cluster.freshName("p");
    admin.createTable(Fixture.descriptor(table).build(), new byte[][] {bytes("m")});
    try (Table plain = fixture.cluster.connection().getTable(table)) {
      for (char row = 'a'; row <= 'z'; row++) {
        plain.put(new Put(bytes("" + row)).addColumn(F, Q, 3, bytes("plain")));
      }
    }
    List<RegionInfo> regions = admin.getRegions(table);
    Future<?> changed = changeFirst ? change.begin(regions) : null;
    CompletableFuture<Void> prepared =
        CompletableFuture.runAsync(
            () -> {
              try {
                fixture.preparation().prepare(table, Options.DEFAULT);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    if (!changeFirst) {
      changed = change.begin(regions);
    }
    prepared.get(90, TimeUnit.SECONDS);
    assertEquals(List.of(), fixture.preparation().check(table));
    try {
      changed.get(90, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      // HBase may refuse to change a region that is just being opened again: then it is as it was.
      assertEquals(regions.size(), admin.getRegions(table).size(), e::toString);
    }
    assertEquals(List.of(), fixture.preparation().check(table));
    for (HRegion region : fixture.regions(table)) {
      assertNotNull(
          region.getCoprocessorHost().findCoprocessor(TableRules.OBSERVER), region::toString);
    }
    TransactionManager manager = fixture.manager();
    manager.run(
        tx -> {
          tx.table(table).put(List.of(put("b", "new"), put("g", "new"), put("y", "new")));
          return null;
        });
    String rows = manager.run(tx -> scan(tx.table(table), new Scan()));
    assertEquals(26, rows.split(" ").length, rows);
    assertEquals(3, rows.split("=new", -1).length - 1, rows);
    Fixture.eventually("cleaned up", () -> fixture.marks(table) == 0);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void regionsThatSplitOrMergeMeanwhileArePrepared(boolean changeFirst) throws Exception {
    preparedDuring(
        regions -> admin.splitRegionAsync(regions.get(0).getRegionName(), bytes("f")), changeFirst);
    preparedDuring(
        regions ->
            admin.mergeRegionsAsync(
                new byte[][] {regions.get(0).getRegionName(), regions.get(1).getRegionName()},
                false),
        changeFirst);
  }

  /** Without it, a server read would be a plain one. */
  @Test
  void tableThatLostItsCoprocessorIsRefused() throws Exception {
    TableDescriptor prepared =
        fixture.preparation().create(Fixture.descriptor(name).build(), Options.DEFAULT);
    admin.modifyTable(
        TableDescriptorBuilder.newBuilder(prepared).removeCoprocessor(TableRules.OBSERVER).build());
    TransactionManager manager = fixture.manager();
    try (Transaction tx = manager.begin()) {
      Exception e = assertThrows(TableNotPreparedException.class, () -> tx.table(name));
      assertTrue(e.getMessage().contains("coprocessor"), e.getMessage());
    }
  }

  /** Nothing in its descriptor shows it. */
  @Test
  void regionsThatLoadNoCoprocessorsAreFound() throws Exception {
    String loading = "hbase.coprocessor.user.enabled";
    List<Configuration> servers = fixture.serverConfigurations();
    TransactionManager manager = fixture.manager();
    for (HRegionServer server : fixture.regionServers()) {
      // Opened before, so each server seems to be all right; other tests may have started some.
      RegionInfo region = admin.getRegions(fixture.table(Options.DEFAULT)).get(0);
      admin.move(region.getEncodedNameAsBytes(), server.getServerName());
    }
    servers.forEach(server -> server.setBoolean(loading, false));
    try {
      admin.createTable(Fixture.descriptor(name).build(), new byte[][] {bytes("m")});
      TableNotPreparedException e =
          assertThrows(
              TableNotPreparedException.class,
              () -> fixture.preparation().prepare(name, Options.DEFAULT));
      assertTrue(e.getMessage().contains(loading), e.getMessage());
      assertEquals(List.of(e.getMessage()), fixture.preparation().check(name));
      try (Transaction tx = manager.begin()) {
        e = assertThrows(TableNotPreparedException.class, () -> tx.table(name));
        assertTrue(e.getMessage().contains(loading), e.getMessage());
      }
      TableName created = fixture.cluster.freshName("p");
      assertThrows(
          TableNotPreparedException.class,
          () -> fixture.preparation().create(Fixture.descriptor(created).build(), Options.DEFAULT));
      if (admin.tableExists(created)) { // not if a region without ours was asked before
        admin.disableTable(created);
        admin.deleteTable(created); // sweeps would wait for it
      }
    } finally {
      servers.forEach(server -> server.unset(loading));
    }
    admin.disableTable(name);
    admin.enableTable(name);
    assertEquals(List.of(), fixture.preparation().check(name));
    try (Transaction tx = manager.begin()) {
      assertTrue(tx.table(name).get(new Get(bytes("r"))).isEmpty());
    }
  }
}
