package io.retso.hbase;

import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static io.retso.hbase.Fixture.scan;
import static io.retso.hbase.Fixture.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.admin.SweepResult;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.cleanup.RowCleanup;
import io.retso.hbase.embedded.EmbeddedHBase;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.DescriptorQuery;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.ReadAttribute;
import io.retso.hbase.table.PreparedTable;
import io.retso.server.RetsoServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.hbase.security.access.UserPermission;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HBase with rights. */
@Timeout(180)
class RightsTest {
  static final List<TablePreparation.Options> MODES = TransactionTest.MODES;

  private static final AtomicInteger NAMES = new AtomicInteger();

  private static EmbeddedHBase hbase;
  private static Connection root;
  private static Admin admin;

  private final TableName shown = freshName("shown");
  private final TableName plain = freshName("plain");
  private final TableName partly = freshName("partly");
  private final TableName hidden = freshName("hidden");

  private RetsoServer server;
  private String oracle;

  /** A cluster takes seconds to start, so all tests share it; none finds what another one left. */
  @BeforeAll
  static void startHBase(@TempDir Path directory) throws Exception {
    EmbeddedHBase.Builder builder =
        EmbeddedHBase.in(directory).set(User.HBASE_SECURITY_AUTHORIZATION_CONF_KEY, "true");
    for (String where : new String[] {"master", "region", "regionserver"}) {
      builder.set("hbase.coprocessor." + where + ".classes", AccessController.class.getName());
    }
    hbase = builder.start();
    root = ConnectionFactory.createConnection(hbase.configuration());
    admin = root.getAdmin();
  }

  @AfterAll
  static void stopHBase() throws Exception {
    close(admin, root, hbase);
  }

  /** One for each test: what the others left open does not hold its watermark back. */
  @BeforeEach
  void startOracle() throws Exception {
    server = RetsoCluster.startOracle();
    oracle = "127.0.0.1:" + server.port();
  }

  /** The rights to a table go with it. */
  @AfterEach
  void dropTables() throws Exception {
    for (TableName table : admin.listTableNames()) {
      admin.disableTable(table);
      admin.deleteTable(table);
    }
    close(server);
  }

  private static void close(AutoCloseable... all) throws Exception {
    for (AutoCloseable opened : all) {
      if (opened != null) {
        opened.close();
      }
    }
  }

  /** Servers learn of rights and of lost ones when they can: not of those to an earlier table. */
  private static TableName freshName(String prefix) {
    return TableName.valueOf(prefix + "-" + NAMES.incrementAndGet());
  }

  private void create(TableName name, TablePreparation.Options options) throws IOException {
    new TablePreparation(root, oracle).create(Fixture.descriptor(name).build(), options);
  }

  /** A table of which HBase filters what the user may not see, instead of refusing. */
  private void createFiltered(TableName name, TablePreparation.Options options) throws IOException {
    new TablePreparation(root, oracle)
        .create(
            Fixture.descriptor(name).setValue("hbase.security.access.early_out", "false").build(),
            options);
  }

  /** Its clients leave their cleanup undone. */
  private TransactionManager dying() throws Exception {
    return TransactionManager.builder(root).oracle(oracle).cleanupAlive(start -> false).build();
  }

  private void grant(String user, TableName table, Action... actions) throws IOException {
    admin.grant(
        new UserPermission(user, Permission.newBuilder(table).withActions(actions).build()), false);
  }

  private void grantFamily(String user, TableName table, byte[] family, Action... actions)
      throws IOException {
    Permission permission =
        Permission.newBuilder(table).withFamily(family).withActions(actions).build();
    admin.grant(new UserPermission(user, permission), false);
  }

  private AsyncConnection connect(String user) throws Exception {
    Configuration configuration = hbase.configuration();
    configuration.setInt("hbase.client.operation.timeout", 20_000);
    return ConnectionFactory.createAsyncConnection(
            configuration, User.createUserForTesting(configuration, user, new String[0]))
        .get();
  }

  /**
   * A list of tables has only those that the user may administer. Told that all is swept, the
   * oracle would forget the commit, and its value would be gone.
   */
  @Test
  void whoDoesNotSeeATableDoesNotSweepForIt() throws Exception {
    create(shown, TablePreparation.Options.DEFAULT);
    create(hidden, TablePreparation.Options.DEFAULT);
    grant("alice", shown, Action.values());
    try (AsyncConnection hers = connect("alice");
        TransactionManager manager = TransactionManager.builder(hers).oracle(oracle).build();
        TransactionManager dying = dying();
        TransactionManager later = TransactionManager.builder(root).oracle(oracle).build()) {
      dying.run(tx -> tx.table(hidden).put(put("a", "1")));
      SweepResult swept = manager.sweep();
      assertEquals(1, swept.tables(), swept::toString);
      assertFalse(swept.reported(), swept::toString);
      assertTrue(swept.reason().contains("table " + hidden + " is not shown"), swept::toString);
      later.call(tx -> read(tx.table(shown), "a")); // the watermark is above the commit if it can
      admin.flush(hidden); // and the horizon with it: a mark below counts as aborted
      assertEquals("1", later.call(tx -> read(tx.table(hidden), "a")));
      assertTrue(later.sweep().reported());
      assertEquals("1", later.call(tx -> read(tx.table(hidden), "a")));
    }
  }

  /** A scan of the marks is empty then, though there is one. */
  @ParameterizedTest
  @FieldSource("MODES")
  void whoDoesNotSeeTheMarksDoesNotSweep(TablePreparation.Options options) throws Exception {
    createFiltered(hidden, options);
    admin.split(hidden, Fixture.bytes("k"));
    eventually("split", () -> admin.getRegions(hidden).size() == 2);
    grant("dave", hidden, Action.CREATE, Action.ADMIN);
    try (AsyncConnection his = connect("dave");
        TransactionManager manager = TransactionManager.builder(his).oracle(oracle).build();
        TransactionManager dying = dying();
        TransactionManager later = TransactionManager.builder(root).oracle(oracle).build()) {
      dying.run(tx -> tx.table(hidden).put(put("z", "1")));
      SweepResult swept = manager.sweep();
      assertFalse(swept.reported(), swept::toString);
      assertTrue(swept.reason().contains("READ and WRITE"), swept::toString);
      later.begin().rollback(); // the watermark is above the commit if it can
      admin.flush(hidden); // and the horizon with it: a mark below counts as aborted
      assertEquals("1", later.call(tx -> read(tx.table(hidden), "z")));
      grant("dave", hidden, Action.CREATE, Action.ADMIN, Action.READ, Action.WRITE);
      eventually("granted, at all servers", () -> manager.sweep().reported());
      assertEquals("1", later.call(tx -> read(tx.table(hidden), "z")));
    }
  }

  /** With client reads: cells that a cleanup leaves behind without a mark count as committed. */
  @ParameterizedTest
  @ValueSource(strings = {"f !pw", "f", "!pw", "f !pw early_out", "early_out"})
  void whoDoesNotSeeAllCellsOfARowDoesNotCleanItUp(String seen) throws Exception {
    if (seen.contains("early_out")) {
      createFiltered(partly, TablePreparation.Options.CLIENT_READS);
    } else {
      create(partly, TablePreparation.Options.CLIENT_READS);
    }
    grant("bob", partly, Action.CREATE, Action.WRITE);
    for (String family : new String[] {"f", "!pw"}) {
      if (List.of(seen.split(" ")).contains(family)) {
        grantFamily("bob", partly, Fixture.bytes(family), Action.READ, Action.WRITE);
      }
    }
    try (AsyncConnection his = connect("bob");
        TransactionManager manager = TransactionManager.builder(his).oracle(oracle).build();
        TransactionManager living = TransactionManager.builder(root).oracle(oracle).build();
        TransactionManager dying = dying()) {
      Transaction aborted = dying.begin();
      aborted.table(partly).put(inBothFamilies("a", "0"));
      aborted.writes().sendAll().get(30, TimeUnit.SECONDS);
      assertTrue(living.resolve(aborted.startTimestamp()).isEmpty());
      Transaction committed = dying.begin();
      committed.table(partly).put(inBothFamilies("c", "1"));
      long commit = committed.commit();
      assertNotCleaned(manager, "a", aborted.startTimestamp(), CleanupRequest.ABORTED);
      assertNotCleaned(manager, "c", committed.startTimestamp(), commit);
      assertEquals("null, c f=1 g=g1, c f=1 g=g1", living.call(tx -> wholeRows(tx.table(partly))));
      eventually("healed by one who may", () -> living.sweep().reported());
      assertEquals("null, c f=1 g=g1, c f=1 g=g1", living.call(tx -> wholeRows(tx.table(partly))));
    }
  }

  /** All who read the row know from its mark that it is committed, as long as it has one. */
  @Test
  void whoDoesNotSeeAllThatHeWroteLeavesItsCleanupToOthers() throws Exception {
    create(partly, TablePreparation.Options.CLIENT_READS);
    grant("bob", partly, Action.CREATE, Action.WRITE);
    grantFamily("bob", partly, Fixture.F, Action.READ);
    grantFamily("bob", partly, PendingWrite.family(), Action.READ);
    Duration attempts = Duration.ofSeconds(1);
    try (AsyncConnection his = connect("bob");
        TransactionManager manager =
            TransactionManager.builder(his).oracle(oracle).cleanupTimeout(attempts).build();
        TransactionManager living = TransactionManager.builder(root).oracle(oracle).build()) {
      manager.run(tx -> tx.table(partly).put(inBothFamilies("c", "1")));
      eventually("given up", () -> manager.metrics().cleanupsFailed() == 1);
      assertEquals(0, manager.metrics().cleanedUp());
      assertEquals("null, c f=1 g=g1, c f=1 g=g1", living.call(tx -> wholeRows(tx.table(partly))));
      SweepResult swept = living.sweep();
      assertTrue(swept.reported(), swept::toString);
      assertEquals("null, c f=1 g=g1, c f=1 g=g1", living.call(tx -> wholeRows(tx.table(partly))));
    }
  }

  /** Server reads need no right to the marks: what has changed is told by the region, too. */
  @Test
  void whoMayNotReadTheMarksReadsOneMomentAllTheSame() throws Exception {
    create(partly, TablePreparation.Options.DEFAULT);
    grant("bob", partly, Action.CREATE);
    grantFamily("bob", partly, Fixture.F, Action.READ);
    try (AsyncConnection his = connect("bob");
        TransactionManager bob = TransactionManager.builder(his).oracle(oracle).build();
        TransactionManager living = TransactionManager.builder(root).oracle(oracle).build();
        TransactionManager dying = dying()) {
      living.run(tx -> tx.table(partly).put(List.of(put("a", "0"), put("c", "0"))));
      Get a = new Get(Fixture.bytes("a")).addFamily(Fixture.F);
      Get c = new Get(Fixture.bytes("c")).addFamily(Fixture.F);
      try (Transaction tx = bob.beginReadOnly()) {
        tx.table(partly).get(a);
        tx.startTimestamp();
      }
      try (Transaction tx = bob.beginReadOnly()) {
        assertEquals("0", text(tx.table(partly).get(a).getValue(Fixture.F, Fixture.Q)));
        dying.run(t -> t.table(partly).put(List.of(put("a", "1"), put("c", "1"))));
        assertEquals("0", text(tx.table(partly).get(c).getValue(Fixture.F, Fixture.Q)));
      }
    }
  }

  /** With client reads he would take what is pending for committed. */
  @Test
  void whoMayNotReadTheMarksIsRefused() throws Exception {
    create(partly, TablePreparation.Options.CLIENT_READS);
    grant("bob", partly, Action.CREATE);
    grantFamily("bob", partly, Fixture.F, Action.READ);
    try (AsyncConnection his = connect("bob");
        TransactionManager bob = TransactionManager.builder(his).oracle(oracle).build()) {
      for (int i = 0; i < 2; i++) {
        try (Transaction tx = bob.beginReadOnly()) {
          AccessDeniedException denied =
              assertThrows(AccessDeniedException.class, () -> tx.table(partly));
          assertTrue(denied.getMessage().contains("grant READ"), denied::getMessage);
        }
      }
    }
  }

  /** However the manager came by the table: rights may have been taken away since. */
  private void assertNotCleaned(TransactionManager manager, String row, long start, long commit)
      throws Exception {
    PreparedTable table = manager.tables.of(admin.getDescriptor(partly));
    CleanupRequest request = new CleanupRequest(Fixture.bytes(row), start, commit);
    CompletableFuture<Void> cleaned = RowCleanup.send(table, List.of(request)).get(0);
    assertThrows(ExecutionException.class, () -> cleaned.get(30, TimeUnit.SECONDS));
  }

  /** A coprocessor that counts what its region is asked about its table. */
  public static final class Questions implements RegionCoprocessor, RegionObserver {
    private final AtomicInteger count = new AtomicInteger();

    /** Called by HBase. */
    public Questions() {}

    /** Of the table's only region; in front of ours, behind whose answer HBase asks nobody else. */
    static Questions about(TableName table) throws IOException {
      HRegion region =
          hbase.cluster().getLiveRegionServers().stream()
              .flatMap(server -> server.getRegionServer().getRegions(table).stream())
              .map(HRegion.class::cast)
              .findFirst()
              .orElseThrow();
      RegionCoprocessorHost host = region.getCoprocessorHost();
      host.load(Questions.class, Coprocessor.PRIORITY_HIGHEST, region.getReadOnlyConfiguration());
      return (Questions) host.findCoprocessor(Questions.class.getName());
    }

    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public void preGetOp(
        ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result) {
      if (DescriptorQuery.isQuery(get)) {
        count.incrementAndGet();
      }
    }
  }

  /** The master does not show them the table; its regions tell them how it holds transactions. */
  @Test
  void applicationsNeedReadAndWriteOnly() throws Exception {
    create(shown, TablePreparation.Options.DEFAULT);
    grant("bob", shown, Action.READ, Action.WRITE);
    try (AsyncConnection his = connect("bob");
        TransactionManager manager = TransactionManager.builder(his).oracle(oracle).build()) {
      Questions questions = Questions.about(shown);
      manager.run(tx -> tx.table(shown).put(put("a", "1")));
      assertEquals("1", manager.call(tx -> read(tx.table(shown), "a")));
      assertEquals(1, questions.count.get(), "the answer shows that the region runs it, too");
      eventually("cleaned up by himself", () -> manager.metrics().cleanedUp() == 1);
      admin.modifyColumnFamily(
          shown, ColumnFamilyDescriptorBuilder.newBuilder(Fixture.F).setMaxVersions(3).build());
      assertRefused(his, shown, TableNotPreparedException.class, "family f keeps 3 versions");
    }
  }

  @Test
  void whoLacksARightIsToldWhich() throws Exception {
    create(hidden, TablePreparation.Options.DEFAULT);
    create(shown, TablePreparation.Options.CLIENT_READS);
    admin.createTable(Fixture.descriptor(plain).build());
    grant("carol", hidden, Action.WRITE);
    grant("carol", shown, Action.READ, Action.WRITE);
    grant("carol", plain, Action.READ, Action.WRITE);
    Class<? extends Exception> denied = AccessDeniedException.class;
    try (AsyncConnection hers = connect("carol")) {
      assertRefused(hers, hidden, denied, "table " + hidden, "grant READ and WRITE");
      assertRefused(hers, shown, denied, "table " + shown, "grant CREATE", "server reads");
      assertRefused(hers, plain, denied, "table " + plain, "prepare it;");
      grant("carol", shown, Action.READ, Action.WRITE, Action.CREATE);
      try (TransactionManager manager = TransactionManager.builder(hers).oracle(oracle).build()) {
        manager.run(tx -> tx.table(shown).put(put("a", "1")));
        assertEquals("1", manager.call(tx -> read(tx.table(shown), "a")));
      }
    }
  }

  /** Row a has a mark, b has none but that of a pending version; c has nothing else. */
  private void fillBothFamilies(TransactionManager living, TransactionManager dying)
      throws Exception {
    living.run(tx -> tx.table(partly).put(inBothFamilies("a", "0")));
    living.run(tx -> tx.table(partly).put(inBothFamilies("b", "1")));
    eventually("cleaned up", () -> living.metrics().cleanedUp() == 2);
    dying.run(tx -> tx.table(partly).put(inBothFamilies("a", "1")));
    Transaction open = dying.begin();
    open.table(partly).put(List.of(inBothFamilies("b", "2"), inBothFamilies("c", "2")));
    open.writes().sendAll().get(30, TimeUnit.SECONDS);
  }

  private static Put inBothFamilies(String row, String value) {
    return put(row, value).addColumn(Fixture.G, Fixture.Q, Fixture.bytes("g" + value));
  }

  /** Rows a and c by gets, then all by a scan, like "a f=1 g=g1, null, a f=1 g=g1". */
  private static String wholeRows(Table table) throws IOException {
    List<String> rows = new ArrayList<>();
    List<Result> results = new ArrayList<>(List.of(table.get(List.of(get("a"), get("c")))));
    try (ResultScanner scanner = table.getScanner(new Scan())) {
      scanner.forEach(results::add);
    }
    for (Result result : results) {
      StringBuilder row = new StringBuilder(String.valueOf(text(result.getRow())));
      for (Cell cell : result.isEmpty() ? new Cell[0] : result.rawCells()) {
        row.append(' ').append(text(CellUtil.cloneFamily(cell)));
        row.append('=').append(text(CellUtil.cloneValue(cell)));
      }
      rows.add(row.toString());
    }
    return String.join(", ", rows);
  }

  /** HBase puts a filter into reads of whole rows then, which cannot be copied. */
  @Test
  void wholeRowsHaveTheFamiliesThatTheReaderMayRead() throws Exception {
    create(partly, TablePreparation.Options.DEFAULT);
    grantFamily("bob", partly, Fixture.F, Action.READ);
    grantFamily("bob", partly, PendingWrite.family(), Action.READ);
    try (AsyncConnection his = connect("bob");
        TransactionManager manager = TransactionManager.builder(his).oracle(oracle).build();
        TransactionManager living = TransactionManager.builder(root).oracle(oracle).build();
        TransactionManager dying = dying()) {
      fillBothFamilies(living, dying);
      String all = "a f=1 g=g1, null, a f=1 g=g1, b f=1 g=g1";
      assertEquals(all, living.call(tx -> wholeRows(tx.table(partly))));
      assertEquals("a f=1, null, a f=1, b f=1", manager.call(tx -> wholeRows(tx.table(partly))));
      Scan ones = new Scan().setFilter(new PrefixFilter(Fixture.bytes("b")));
      assertEquals("b=1", manager.call(tx -> scan(tx.table(partly), ones)), "with a filter");
      assertEquals(all, living.call(tx -> wholeRows(tx.table(partly))));
      assertEquals(1, hbase.liveRegionServers());
    }
  }

  /** With rights of cells HBase filters instead of refusing. */
  @Test
  void whoMayReadNothingIsShownNothing() throws Exception {
    createFiltered(partly, TablePreparation.Options.DEFAULT);
    try (AsyncConnection hers = connect("carol");
        TransactionManager living = TransactionManager.builder(root).oracle(oracle).build();
        TransactionManager dying = dying()) {
      fillBothFamilies(living, dying);
      List<Result> rows = new ArrayList<>();
      long timestamp = living.begin().startTimestamp();
      Get get = get("a");
      ReadAttribute.set(get, timestamp);
      rows.add(hers.getTable(partly).get(get).get());
      Scan scan = new Scan();
      ReadAttribute.set(scan, timestamp);
      try (ResultScanner scanner = hers.getTable(partly).getScanner(scan)) {
        scanner.forEach(rows::add);
      }
      assertEquals("[keyvalues=NONE]", rows.toString());
      assertEquals(1, hbase.liveRegionServers());
    }
  }

  private void assertRefused(
      AsyncConnection user, TableName table, Class<? extends Exception> type, String... parts)
      throws Exception {
    try (TransactionManager manager = TransactionManager.builder(user).oracle(oracle).build();
        Transaction tx = manager.begin()) {
      Exception e = assertThrows(type, () -> tx.table(table));
      for (String part : parts) {
        assertTrue(e.getMessage().contains(part), e::getMessage);
      }
    }
  }

  /** A service that acts for its users does not lend them its own rights. */
  @Test
  void managersActAsTheUserOfTheirConnection() throws Exception {
    create(hidden, TablePreparation.Options.DEFAULT);
    Configuration configuration = hbase.configuration();
    User carol = User.createUserForTesting(configuration, "carol", new String[0]);
    try (Connection hers = ConnectionFactory.createConnection(configuration, carol);
        TransactionManager manager = TransactionManager.builder(hers).oracle(oracle).build()) {
      assertThrows(
          AccessDeniedException.class,
          () -> manager.run(tx -> tx.table(hidden).put(put("a", "1"))));
      grant("carol", hidden, Action.READ, Action.WRITE);
      manager.run(tx -> tx.table(hidden).put(put("a", "1")));
      assertEquals("1", manager.call(tx -> read(tx.table(hidden), "a")));
    }
  }
}
