package io.retso.hbase.backup;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.G;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.HeldSnapshot;
import io.retso.hbase.HoldOptions;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.options.Conflicts;
import io.retso.server.RetsoServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Backups under writers, restored into another cluster with another oracle. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(300)
class BackupTest {
  private static final int ACCOUNTS = 60;
  private static final long EACH = 100;

  /** Made once, by the first test that restores. */
  private static RetsoCluster elsewhere;

  @TempDir java.nio.file.Path directory;

  private Fixture fixture;
  private TransactionManager manager;
  private final AtomicBoolean isOver = new AtomicBoolean();
  private final ExecutorService tellers = Executors.newFixedThreadPool(2);

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
  }

  @AfterEach
  void stop() {
    isOver.set(true);
    tellers.shutdownNow();
  }

  @AfterAll
  static void closeElsewhere() throws Exception {
    if (elsewhere != null) {
      elsewhere.close();
      elsewhere = null;
    }
  }

  private static RetsoCluster elsewhere() {
    elsewhere = elsewhere == null ? RetsoCluster.start("2^50") : elsewhere;
    return elsewhere;
  }

  private Path path(String name) {
    return new Path(directory.resolve(name).toUri());
  }

  private Backup backup() {
    return Backup.of(manager, fixture.cluster.connection());
  }

  private static Put balance(int account, long value) {
    return new Put(bytes("a" + account)).addColumn(F, Q, Bytes.toBytes(value));
  }

  /** Half of the accounts are in each of two tables; that of the second cleans up its rows. */
  private List<TableName> bank() throws IOException {
    TableName first = fixture.cluster.freshName("bank");
    fixture
        .preparation()
        .create(Fixture.descriptor(first).build(), Options.DEFAULT, bytes("a3"), bytes("a5"));
    TableName second = fixture.table(Options.DEFAULT.withConflicts(Conflicts.CELL));
    try (Admin admin = fixture.cluster.connection().getAdmin()) {
      TableDescriptor prepared = admin.getDescriptor(second);
      TableDescriptorBuilder byRow = TableDescriptorBuilder.newBuilder(prepared);
      TableSettings.of(prepared).with(TableSettings.Cleanup.ROWS).writeTo(byRow);
      admin.modifyTable(byRow.build());
    }
    List<TableName> tables = List.of(first, second);
    manager.run(
        tx -> {
          for (int i = 0; i < ACCOUNTS; i++) {
            tx.table(tables.get(i % 2)).put(balance(i, EACH));
          }
          return null;
        });
    return tables;
  }

  /** Moves money, and makes and deletes other cells; its client may never clean up. */
  private void transfer(TransactionManager teller, List<TableName> tables, Random random)
      throws IOException {
    int from = random.nextInt(ACCOUNTS);
    int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
    boolean isDelete = random.nextBoolean();
    byte[] note = bytes("n" + random.nextInt(3));
    teller.run(
        tx -> {
          var source = tx.table(tables.get(from % 2));
          var target = tx.table(tables.get(to % 2));
          long has = Bytes.toLong(source.get(new Get(bytes("a" + from))).getValue(F, Q));
          long had = Bytes.toLong(target.get(new Get(bytes("a" + to))).getValue(F, Q));
          source.put(balance(from, has - 1));
          target.put(balance(to, had + 1));
          if (isDelete) {
            target.delete(new Delete(bytes("a" + to)).addColumns(G, note));
          } else {
            target.put(new Put(bytes("a" + to)).addColumn(G, note, note));
          }
          return null;
        });
  }

  private List<Future<?>> startTellers(List<TableName> tables) throws IOException {
    List<Future<?>> working = new ArrayList<>();
    List<TransactionManager> managers = List.of(fixture.manager(), fixture.dyingManager());
    for (TransactionManager teller : managers) {
      Random random = new Random(working.size());
      working.add(
          tellers.submit(
              () -> {
                while (!isOver.get()) {
                  transfer(teller, tables, random);
                }
                return null;
              }));
    }
    return working;
  }

  private static List<TableName> restore(Path from, String prefix) throws IOException {
    return restore(from, prefix, elsewhere().oracleAddress());
  }

  private static List<TableName> restore(Path from, String prefix, String oracle)
      throws IOException {
    RetsoCluster to = elsewhere();
    TablePreparation preparation = TablePreparation.builder(to.connection()).oracle(oracle).build();
    return Restore.of(to.connection(), preparation).withPrefix(prefix).from(from);
  }

  /** All that a transaction sees of restored tables, in the order of tables and rows. */
  private static List<String> cells(List<TableName> tables) throws IOException {
    List<String> cells = new ArrayList<>();
    try (TransactionManager reader =
        TransactionManager.builder(elsewhere().configuration()).build()) {
      reader.read(
          tx -> {
            cells.clear();
            for (TableName table : tables) {
              try (ResultScanner rows = tx.table(table).getScanner(new Scan())) {
                for (Result row : rows) {
                  for (Cell cell : row.rawCells()) {
                    cells.add(
                        tables.indexOf(table)
                            + " "
                            + cell
                            + " "
                            + Bytes.toStringBinary(
                                cell.getValueArray(),
                                cell.getValueOffset(),
                                cell.getValueLength()));
                  }
                }
              }
            }
            return null;
          });
    }
    return cells;
  }

  private static long total(List<TableName> tables) throws IOException {
    try (TransactionManager reader =
        TransactionManager.builder(elsewhere().configuration()).build()) {
      return reader.read(
          tx -> {
            long total = 0;
            for (TableName table : tables) {
              try (ResultScanner rows = tx.table(table).getScanner(new Scan())) {
                for (Result row : rows) {
                  total += Bytes.toLong(row.getValue(F, Q));
                }
              }
            }
            return total;
          });
    }
  }

  /** The first row of a range may lack the first family. */
  @Test
  void familiesComeInAnyOrder() throws Exception {
    TableName table = fixture.table(Options.DEFAULT);
    manager.run(
        tx -> {
          tx.table(table).put(new Put(bytes("a")).addColumn(G, Q, bytes("1")));
          tx.table(table).put(new Put(bytes("b")).addColumn(F, Q, bytes("2")));
          return null;
        });
    backup().take(BackupOptions.to(path("order"), List.of(table)));
    assertEquals(2, cells(restore(path("order"), "order-")).size());
  }

  /** Flushes, compactions and a split come between, and half of the tellers never clean up. */
  @Test
  void incrementsAreWhatOneFullBackupIs() throws Exception {
    List<TableName> tables = bank();
    List<Future<?>> working = startTellers(tables);
    Duration keep = Duration.ofMinutes(10);
    backup().take(BackupOptions.to(path("b0"), tables).withKeep(keep));
    Path last = path("b5");
    for (int i = 1; i <= 4; i++) {
      between(tables, i);
      BackupInfo info =
          backup()
              .take(
                  BackupOptions.to(path("b" + i), tables)
                      .withSince(path("b" + (i - 1)))
                      .withKeep(keep));
      assertEquals("b" + (i - 1), info.since().orElseThrow());
    }
    between(tables, 5);
    try (HeldSnapshot end = hold()) {
      backup().take(BackupOptions.to(last, tables).withSince(path("b4")).withSnapshot(end.token()));
      backup().take(BackupOptions.to(path("full"), tables).withSnapshot(end.token()));
    }
    assertEquals(List.of(), manager.holds(), "increments release what they add to");
    isOver.set(true);
    for (Future<?> teller : working) {
      teller.get();
    }
    List<TableName> full = restore(path("full"), "full-");
    List<TableName> byIncrements = restore(last, "inc-");
    assertEquals(ACCOUNTS * EACH, total(full));
    assertEquals(cells(full), cells(byIncrements));
    assertEquals(ACCOUNTS * EACH, total(restore(path("b0"), "first-")));
    assertNotEquals(cells(full), cells(restore(path("b2"), "mid-")));
    write(full);
    assertEquals(
        List.of("b0", "b1", "b2", "b3", "b4", "b5", "full"),
        Backups.list(fixture.cluster.configuration(), path("")).stream()
            .map(info -> info.directory().getName())
            .toList());
  }

  private HeldSnapshot hold() throws IOException {
    return manager.hold(HoldOptions.named("test"));
  }

  /** What is restored is used as any other table. */
  private static void write(List<TableName> tables) throws IOException {
    try (TransactionManager writer =
        TransactionManager.builder(elsewhere().configuration()).build()) {
      writer.run(
          tx -> {
            tx.table(tables.get(0)).put(balance(0, -1));
            return null;
          });
      assertEquals(
          -1L,
          Bytes.toLong(
              writer.read(tx -> tx.table(tables.get(0)).get(new Get(bytes("a0"))).getValue(F, Q))));
    }
  }

  private void between(List<TableName> tables, int i) throws Exception {
    Random random = new Random(i);
    for (int transfers = 0; transfers < 10; transfers++) {
      transfer(manager, tables, random);
    }
    TableName table = tables.get(i % 2);
    if (i % 2 == 0) {
      fixture.compact(table);
    } else {
      fixture.regions(table).forEach(region -> flush(region));
    }
    if (i == 3) {
      try (Admin admin = fixture.cluster.connection().getAdmin()) {
        admin.split(tables.get(0), bytes("a4"));
      }
    }
  }

  private static void flush(HRegion region) {
    try {
      region.flush(true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** As if the process had been killed between two parts. */
  @Test
  void oneThatWasStoppedGoesOnAtItsSnapshot() throws Exception {
    List<TableName> tables = bank();
    BackupOptions options = BackupOptions.to(path("stopped"), tables).withThreads(1);
    IllegalStateException killed = new IllegalStateException("killed");
    BackupOptions stopping =
        options.withProgress(
            progress -> {
              if (progress.parts() == 2) {
                throw killed;
              }
            });
    assertEquals(killed, assertThrows(IllegalStateException.class, () -> backup().take(stopping)));
    BackupException e =
        assertThrows(BackupException.class, () -> restore(path("stopped"), "none-"));
    assertTrue(e.getMessage().contains("no manifest"), e.getMessage());
    assertFalse(Backups.list(fixture.cluster.configuration(), path("stopped")).get(0).isComplete());
    transfer(manager, tables, new Random(1));
    List<Integer> parts = new ArrayList<>();
    BackupInfo info =
        Backup.of(fixture.manager(), fixture.cluster.connection())
            .take(options.withProgress(progress -> parts.add(progress.parts())));
    assertEquals(List.of(3, 4), parts, "two of four parts were done");
    assertEquals(ACCOUNTS, info.cells());
    assertEquals(List.of(), manager.holds());
    List<TableName> restored = restore(path("stopped"), "stopped-");
    assertEquals(ACCOUNTS * EACH, total(restored));
    assertEquals(ACCOUNTS, cells(restored).size(), "the transfer came later");
    e = assertThrows(BackupException.class, () -> restore(path("stopped"), "stopped-"));
    assertTrue(e.getMessage().contains("exists"), e.getMessage());
    e = assertThrows(BackupException.class, () -> backup().take(options));
    assertTrue(e.getMessage().contains("take another directory"), e.getMessage());
  }

  @Test
  void whatIsDamagedIsNotRestored() throws Exception {
    List<TableName> tables = bank();
    BackupInfo info = backup().take(BackupOptions.to(path("damaged"), tables));
    java.nio.file.Path file;
    try (Stream<java.nio.file.Path> all = Files.list(directory.resolve("damaged/data"))) {
      file = all.filter(each -> !each.getFileName().toString().startsWith(".")).findAny().get();
    }
    byte[] content = Files.readAllBytes(file);
    content[content.length / 2] ^= 1;
    Files.write(file, content);
    BackupException e =
        assertThrows(BackupException.class, () -> restore(info.directory(), "damaged-"));
    assertTrue(e.getMessage().contains(file.getFileName() + " is damaged"), e.getMessage());
    Files.delete(file);
    e = assertThrows(BackupException.class, () -> restore(info.directory(), "damaged-"));
    assertTrue(e.getMessage().contains("is missing"), e.getMessage());
    java.nio.file.Path manifest = directory.resolve("damaged/manifest.json");
    Files.writeString(manifest, Files.readString(manifest).replace("\"range\":1", "\"range\":0"));
    e = assertThrows(BackupException.class, () -> restore(info.directory(), "damaged-"));
    assertTrue(e.getMessage().contains("parts are missing"), e.getMessage());
    try (Admin admin = elsewhere().connection().getAdmin()) {
      assertEquals(0, admin.listTableNames(Pattern.compile("damaged-.*")).length);
    }
  }

  @Test
  void whatCannotBeAddedToIsRefused() throws Exception {
    List<TableName> tables = bank();
    backup().take(BackupOptions.to(path("base"), tables)); // not kept
    assertRefused(BackupOptions.to(path("i"), tables).withSince(path("base")), "not held any");
    assertRefused(
        BackupOptions.to(path("i"), tables.subList(0, 1)).withSince(path("base")), "other tables");
    assertRefused(BackupOptions.to(path("i"), tables).withSince(path("none")), "has no backup");
    assertRefused(BackupOptions.to(path("i/j"), tables).withSince(path("base")), "is not beside");
    assertRefused(
        BackupOptions.to(path("i"), List.of(fixture.table(Options.CLIENT_READS))),
        "has client reads");
    assertEquals(List.of(), manager.holds(), "what was not begun holds nothing");
    backup().take(BackupOptions.to(path("kept"), tables).withKeep(Duration.ofMinutes(5)));
    try (Admin admin = fixture.cluster.connection().getAdmin()) {
      admin.disableTable(tables.get(1));
      admin.deleteTable(tables.get(1));
    }
    fixture.preparation().create(Fixture.descriptor(tables.get(1)).build(), Options.DEFAULT);
    TransactionManager fresh = fixture.manager();
    BackupException e =
        assertThrows(
            BackupException.class,
            () ->
                Backup.of(fresh, fixture.cluster.connection())
                    .take(BackupOptions.to(path("i"), tables).withSince(path("kept"))));
    assertTrue(e.getMessage().contains("take a full backup"), e.getMessage());
    assertTrue(
        manager.release(
            Backups.list(fixture.cluster.configuration(), path("kept")).get(0).token()));
  }

  private void assertRefused(BackupOptions options, String why) {
    BackupException e = assertThrows(BackupException.class, () -> backup().take(options));
    assertTrue(e.getMessage().contains(why), e.getMessage());
  }

  /** Its transactions would not see what is restored. */
  @Test
  void anOracleThatIsBehindIsRefused() throws Exception {
    BackupInfo info = backup().take(BackupOptions.to(path("ahead"), bank()));
    try (RetsoServer behind = RetsoCluster.startOracle("16")) {
      BackupException e =
          assertThrows(
              BackupException.class,
              () -> restore(info.directory(), "behind-", "127.0.0.1:" + behind.port()));
      assertTrue(e.getMessage().contains("timestamps.first="), e.getMessage());
    }
  }

  /** Its oracle does not hold the snapshot any longer, or another one answers. */
  @Test
  void oneWhoseSnapshotHasEndedDoesNotGoOn() throws Exception {
    List<TableName> tables = bank();
    BackupOptions options = BackupOptions.to(path("ended"), tables);
    BackupOptions stopping =
        options.withProgress(
            progress -> {
              throw new IllegalStateException("killed");
            });
    assertThrows(IllegalStateException.class, () -> backup().take(stopping));
    try (TransactionManager other =
        TransactionManager.builder(elsewhere().configuration()).build()) {
      BackupException e =
          assertThrows(
              BackupException.class,
              () -> Backup.of(other, fixture.cluster.connection()).take(options));
      assertTrue(e.getMessage().contains("another oracle"), e.getMessage());
    }
    assertTrue(manager.release(manager.holds().get(0).token()));
    assertRefused(options, "is held no longer");
  }
}
