package io.retso.hbase.rights;

import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static io.retso.hbase.Fixture.scan;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.StoredTags;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.SweepResult;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.embedded.EmbeddedHBase;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.transaction.Inside;
import io.retso.server.RetsoServer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.visibility.Authorizations;
import org.apache.hadoop.hbase.security.visibility.CellVisibility;
import org.apache.hadoop.hbase.security.visibility.VisibilityClient;
import org.apache.hadoop.hbase.security.visibility.VisibilityController;
import org.apache.hadoop.hbase.util.JVMClusterUtil.RegionServerThread;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** HBase with visibility labels: it puts a filter of its own into every read. */
@Timeout(180)
class VisibilityTest {
  private static final TableName NAME = TableName.valueOf("labelled");

  private static EmbeddedHBase hbase;
  private static Connection root;

  private RetsoServer server;
  private String oracle;

  @BeforeAll
  static void startHBase(@TempDir Path directory) throws Exception {
    EmbeddedHBase.Builder builder =
        EmbeddedHBase.in(directory).set(User.HBASE_SECURITY_AUTHORIZATION_CONF_KEY, "true");
    for (String where : new String[] {"master", "region"}) {
      builder.set("hbase.coprocessor." + where + ".classes", VisibilityController.class.getName());
    }
    hbase = builder.start();
    root = ConnectionFactory.createConnection(hbase.configuration());
  }

  @AfterAll
  static void stopHBase() throws Exception {
    root.close();
    hbase.close();
  }

  @BeforeEach
  void startOracle() throws Exception {
    server = RetsoCluster.startOracle();
    oracle = "127.0.0.1:" + server.port();
  }

  @AfterEach
  void dropTable() throws Exception {
    try (Admin admin = root.getAdmin()) {
      admin.disableTable(NAME);
      admin.deleteTable(NAME);
    }
    server.close();
  }

  private void create(TablePreparation.Options options) throws Exception {
    TablePreparation.builder(root)
        .oracle(oracle)
        .build()
        .create(Fixture.descriptor(NAME).build(), options);
  }

  @Test
  void snapshotsHaveNoCellsWhoseLabelsTheReaderLacks() throws Exception {
    create(TablePreparation.Options.DEFAULT);
    fill(root, oracle);
    Put secret = new Put(Fixture.bytes("c")).addColumn(Fixture.F, Fixture.Q, 1, Fixture.bytes("s"));
    putSecret(secret, "alice");
    assertSeen("a=0 b=1 c=s", hbase.configuration(), "alice", oracle);
    assertSeen("a=0 b=1", hbase.configuration(), "bob", oracle);
  }

  /**
   * A plain writer has chosen the transaction's version; without its mark it would be committed.
   */
  @Test
  void rowsWithSuchCellsAreCleanedUpByTheirRegion() throws Exception {
    create(TablePreparation.Options.DEFAULT);
    try (TransactionManager manager = TransactionManager.builder(root).oracle(oracle).build();
        TransactionManager dying =
            Fixture.dying(TransactionManager.builder(root).oracle(oracle)).build()) {
      Transaction aborted = dying.begin();
      aborted.table(NAME).put(put("c", "1"));
      Inside.writes(aborted).sendAll().get(30, TimeUnit.SECONDS);
      long start = aborted.startTimestamp();
      Put secret = new Put(Fixture.bytes("c"));
      putSecret(secret.addColumn(Fixture.G, Fixture.Q, start, Fixture.bytes("s")), "alice");
      manager.resolve(aborted.handle());
      SweepResult swept = manager.sweep();
      assertTrue(swept.reported(), swept::toString);
      assertSeen("", hbase.configuration(), "alice", oracle);
    }
  }

  /** With client reads: a cell that is left behind without a mark would count as committed. */
  @Test
  void rowsWithSuchCellsAreLeftToOthers() throws Exception {
    create(TablePreparation.Options.CLIENT_READS);
    User bob = User.createUserForTesting(hbase.configuration(), "bob", new String[0]);
    try (AsyncConnection his =
            ConnectionFactory.createAsyncConnection(hbase.configuration(), bob).get();
        TransactionManager manager = TransactionManager.builder(his).oracle(oracle).build();
        TransactionManager dying =
            Fixture.dying(TransactionManager.builder(root).oracle(oracle)).build()) {
      Transaction aborted = dying.begin();
      aborted.table(NAME).put(put("c", "1"));
      Inside.writes(aborted).sendAll().get(30, TimeUnit.SECONDS);
      long start = aborted.startTimestamp();
      Put secret = new Put(Fixture.bytes("c"));
      putSecret(secret.addColumn(Fixture.G, Fixture.Q, start, Fixture.bytes("s")), "alice");
      manager.resolve(aborted.handle());
      SweepResult swept = manager.sweep();
      assertEquals(1, swept.marks(), swept::toString);
      assertFalse(swept.reported(), swept::toString);
      assertSeen("", hbase.configuration(), "alice", oracle);
    }
  }

  /** A row whose newest version is pending is read again, and not with more rights. */
  @Test
  void scansHaveNoCellsBeyondTheirAuthorizations() throws Exception {
    create(TablePreparation.Options.CLIENT_READS);
    Put secret = new Put(Fixture.bytes("a")).addColumn(Fixture.F, Fixture.Q, 1, Fixture.bytes("s"));
    putSecret(secret, "alice");
    User alice = User.createUserForTesting(hbase.configuration(), "alice", new String[0]);
    try (AsyncConnection hers =
            ConnectionFactory.createAsyncConnection(hbase.configuration(), alice).get();
        TransactionManager manager = TransactionManager.builder(hers).oracle(oracle).build();
        Transaction open = manager.begin()) {
      open.table(NAME).put(put("a", "pending"));
      Inside.writes(open).sendAll().get(30, TimeUnit.SECONDS);
      Scan all = new Scan().setAuthorizations(new Authorizations("secret"));
      Scan some = new Scan().setAuthorizations(new Authorizations("public"));
      assertEquals("a=s", manager.run(tx -> scan(tx.table(NAME), all)));
      assertEquals("", manager.run(tx -> scan(tx.table(NAME), some)));
    }
  }

  /** The outcome of row a is adopted by its region, and the flush writes it. */
  @Test
  void aPlainDeleteTakesWhatHasItsLabel() throws Exception {
    create(TablePreparation.Options.DEFAULT);
    try (TransactionManager manager = TransactionManager.builder(root).oracle(oracle).build();
        Transaction open = manager.begin();
        Admin admin = root.getAdmin();
        Table table = root.getTable(NAME)) {
      open.table(NAME).put(put("open", "0")); // its mark is a cell, those of the others are none
      Inside.writes(open).sendAll().get(30, TimeUnit.SECONDS);
      manager.run(
          tx -> {
            tx.table(NAME).put(List.of(put("a", "1"), put("b", "1")));
            return null;
          });
      eventually("adopted", () -> Inside.counters(manager).rowsAdopted.sum() == 2);
      addLabel("alice");
      Delete labelled = new Delete(Fixture.bytes("a")).addColumns(Fixture.F, Fixture.Q);
      table.delete(labelled.setCellVisibility(new CellVisibility("secret")));
      table.delete(new Delete(Fixture.bytes("b")).addColumns(Fixture.F, Fixture.Q));
      assertEquals("1", read(table, "a"));
      assertEquals("a=1", manager.run(tx -> scan(tx.table(NAME), new Scan())));
      admin.flush(NAME);
      assertEquals("a=1", manager.run(tx -> scan(tx.table(NAME), new Scan())));
      assertEquals("1", read(table, "a"));
    }
  }

  private static Put secret(String row, String value) {
    return new Put(Fixture.bytes(row))
        .addColumn(Fixture.G, Fixture.Q, Fixture.bytes(value))
        .setCellVisibility(new CellVisibility("secret"));
  }

  private static List<String> tagsOf(String row) throws Exception {
    return StoredTags.of(hbase, NAME, row);
  }

  private String seenBy(String user) throws Exception {
    User reader = User.createUserForTesting(hbase.configuration(), user, new String[0]);
    try (Connection connection = ConnectionFactory.createConnection(hbase.configuration(), reader);
        TransactionManager manager =
            TransactionManager.builder(connection).oracle(oracle).build()) {
      return manager.run(tx -> ClusterWithRights.wholeRows(tx.table(NAME)));
    }
  }

  private void assertSecret(String when) throws Exception {
    assertEquals("a f=1 g=s, null, a f=1 g=s", seenBy("alice"), when);
    assertEquals("a f=1, null, a f=1", seenBy("bob"), when);
  }

  /** A row is written in two puts then. */
  private static void writeSecret(TransactionManager manager, String row) throws Exception {
    manager.run(
        tx -> {
          tx.table(NAME).put(List.of(put(row, "1"), secret(row, "s")));
          return null;
        });
  }

  @Test
  void labelsStayWithWhatATransactionWrote() throws Exception {
    create(TablePreparation.Options.DEFAULT);
    addLabel("alice");
    User bob = User.createUserForTesting(hbase.configuration(), "bob", new String[0]);
    try (Admin admin = root.getAdmin();
        TransactionManager manager = TransactionManager.builder(root).oracle(oracle).build();
        Connection his = ConnectionFactory.createConnection(hbase.configuration(), bob);
        TransactionManager sweeping = TransactionManager.builder(his).oracle(oracle).build();
        TransactionManager dying =
            Fixture.dying(TransactionManager.builder(root).oracle(oracle)).build()) {
      writeSecret(dying, "a");
      List<String> tags = tagsOf("a");
      assertEquals(1, tags.size(), "of the cell in g alone, and not of the mark: " + tags);
      assertSecret("in doubt");
      SweepResult swept = sweeping.sweep(); // by one that may not see the cell
      assertTrue(swept.reported() && swept.marks() == 1, swept::toString);
      assertSecret("cleaned up");
      assertEquals(tags, tagsOf("a"));
      admin.flush(NAME);
      StoredTags.regions(hbase, NAME).get(0).compact(true);
      assertSecret("compacted");
      assertEquals(tags, tagsOf("a"));
      long adopted = Inside.counters(manager).rowsAdopted.sum();
      writeSecret(manager, "b");
      writeSecret(manager, "b"); // the marks of the second are in memory, if not those of the first
      eventually("adopted", () -> Inside.counters(manager).rowsAdopted.sum() > adopted);
      assertEquals(tags, tagsOf("b"));
      admin.flush(NAME);
      assertEquals(tags, tagsOf("b"));
      admin.split(NAME, Fixture.bytes("b"));
      eventually("split", () -> StoredTags.regions(hbase, NAME).size() == 2);
      assertEquals(tags, tagsOf("a"));
      assertEquals(tags, tagsOf("b"));
    }
  }

  @Test
  void labelsStayWithWhatIsReplayed() throws Exception {
    create(TablePreparation.Options.DEFAULT);
    addLabel("alice");
    try (TransactionManager manager = TransactionManager.builder(root).oracle(oracle).build();
        TransactionManager dying =
            Fixture.dying(TransactionManager.builder(root).oracle(oracle)).build()) {
      writeSecret(dying, "a");
      List<String> tags = tagsOf("a");
      HRegionServer server = serverBeside(null);
      hbase.startRegionServer();
      server.abort("a test wants it");
      eventually("it opens elsewhere", () -> serverBeside(server) != null);
      assertSecret("replayed");
      assertTrue(manager.sweep().reported());
      assertSecret("cleaned up");
      assertEquals(tags, tagsOf("a"));
    }
  }

  /** One that has the table's region. */
  private static HRegionServer serverBeside(HRegionServer other) {
    return hbase.cluster().getLiveRegionServers().stream()
        .map(RegionServerThread::getRegionServer)
        .filter(server -> server != other && !server.getRegions(NAME).isEmpty())
        .findFirst()
        .orElse(null);
  }

  /** What it has not sent would show it what it may not see. */
  @Test
  void ownWritesAreSeenAsOthersAre() throws Exception {
    create(TablePreparation.Options.DEFAULT);
    addLabel("alice");
    for (String user : List.of("alice", "bob")) {
      User writer = User.createUserForTesting(hbase.configuration(), user, new String[0]);
      try (Connection own = ConnectionFactory.createConnection(hbase.configuration(), writer);
          TransactionManager manager = TransactionManager.builder(own).oracle(oracle).build();
          Transaction tx = manager.begin()) {
        tx.table(NAME).put(List.of(put("a", "1"), secret("a", "s")));
        Get cell = new Get(Fixture.bytes("a")).addColumn(Fixture.G, Fixture.Q);
        assertEquals(user.equals("alice"), tx.table(NAME).exists(cell), user);
        assertEquals("1", read(tx.table(NAME), "a"));
      }
    }
  }

  @Test
  void changesOfWhatHasALabelAreTold() throws Exception {
    create(TablePreparation.Options.DEFAULT);
    addLabel("alice");
    User bob = User.createUserForTesting(hbase.configuration(), "bob", new String[0]);
    User alice = User.createUserForTesting(hbase.configuration(), "alice", new String[0]);
    try (TransactionManager manager = TransactionManager.builder(root).oracle(oracle).build();
        AsyncConnection his =
            ConnectionFactory.createAsyncConnection(hbase.configuration(), bob).get();
        AsyncConnection hers =
            ConnectionFactory.createAsyncConnection(hbase.configuration(), alice).get()) {
      writeSecret(manager, "a");
      long from = manager.begin().startTimestamp();
      manager.run(
          tx -> {
            tx.table(NAME).put(secret("a", "t"));
            return null;
          });
      long upTo = manager.begin().startTimestamp();
      PreparedTable table = Inside.tables(manager).find(NAME).get();
      assertEquals("1, no change", new SeenChanges(his, table, from).seen(upTo));
      assertEquals("changed, at a commit", new SeenChanges(hers, table, from).seen(upTo));
    }
  }

  /** Clients are not shown labels, and could not write them. */
  @Test
  void whereClientsCleanUpLabelsAreRefused() throws Exception {
    create(TablePreparation.Options.CLIENT_READS);
    try (TransactionManager manager = TransactionManager.builder(root).oracle(oracle).build();
        Transaction tx = manager.begin()) {
      Put labelled = secret("a", "s");
      IllegalArgumentException refused =
          assertThrows(IllegalArgumentException.class, () -> tx.table(NAME).put(labelled));
      assertTrue(refused.getMessage().contains("server reads"), refused::toString);
    }
  }

  /** Row b has a mark. */
  private static void fill(Connection root, String oracle) throws Exception {
    try (TransactionManager living = TransactionManager.builder(root).oracle(oracle).build();
        TransactionManager dying =
            Fixture.dying(TransactionManager.builder(root).oracle(oracle)).build()) {
      living.run(
          tx -> {
            tx.table(NAME).put(List.of(put("a", "0"), put("b", "0")));
            return null;
          });
      eventually("cleaned up", () -> Inside.counters(living).cleanedUp.sum() == 1);
      dying.run(
          tx -> {
            tx.table(NAME).put(put("b", "1"));
            return null;
          });
    }
  }

  /** What only {@code user} may see. */
  private void putSecret(Put put, String user) throws Exception {
    addLabel(user);
    try (Table table = root.getTable(NAME)) {
      table.put(put.setCellVisibility(new CellVisibility("secret")));
    }
  }

  private void addLabel(String user) {
    try {
      VisibilityClient.addLabel(root, "secret");
      VisibilityClient.setAuths(root, new String[] {"secret"}, user);
    } catch (Throwable e) { // as HBase declares it
      throw new AssertionError(e);
    }
  }

  private static void assertSeen(
      String rows, Configuration configuration, String user, String oracle) throws Exception {
    User reader = User.createUserForTesting(configuration, user, new String[0]);
    try (AsyncConnection connection =
            ConnectionFactory.createAsyncConnection(configuration, reader).get();
        TransactionManager manager =
            TransactionManager.builder(connection).oracle(oracle).build()) {
      assertEquals(rows, manager.run(tx -> scan(tx.table(NAME), new Scan())));
      for (String row : rows.isEmpty() ? new String[0] : rows.split(" ")) {
        String[] expected = row.split("=");
        assertEquals(expected[1], manager.run(tx -> read(tx.table(NAME), expected[0])));
      }
    }
  }
}
