package io.retso.hbase.rights;

import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static io.retso.hbase.Fixture.scan;
import static io.retso.hbase.Fixture.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.hbase.Fixture;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.SweepResult;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.check.DataCheck;
import io.retso.hbase.check.DataCheckOptions;
import io.retso.hbase.check.DataCheckResult;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.layout.DescriptorQuery;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.ReadAttribute;
import io.retso.hbase.transaction.Inside;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
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
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** HBase with rights: what applications and sweeps need, and what they are refused. */
@Timeout(180)
class RightsTest extends ClusterWithRights {
  static final List<TablePreparation.Options> MODES = Fixture.MODES;

  /**
   * A list of tables has only those that the user may administer. If all is reported as swept, the
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
      dying.run(
          tx -> {
            tx.table(hidden).put(put("a", "1"));
            return null;
          });
      SweepResult swept = manager.sweep();
      assertEquals(1, swept.tables(), swept::toString);
      assertFalse(swept.reported(), swept::toString);
      assertTrue(swept.reason().contains("table " + hidden + " is not shown"), swept::toString);
      later.run(tx -> read(tx.table(shown), "a")); // the watermark is above the commit if it can
      admin.flush(hidden); // and the horizon with it: a mark below counts as aborted
      assertEquals("1", later.run(tx -> read(tx.table(hidden), "a")));
      assertTrue(later.sweep().reported());
      assertEquals("1", later.run(tx -> read(tx.table(hidden), "a")));
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
      dying.run(
          tx -> {
            tx.table(hidden).put(put("z", "1"));
            return null;
          });
      SweepResult swept = manager.sweep();
      assertFalse(swept.reported(), swept::toString);
      assertTrue(swept.reason().contains("READ and WRITE"), swept::toString);
      IOException refused = assertThrows(IOException.class, () -> check(his));
      assertTrue(ErrorText.of(refused).contains("READ and WRITE"), refused::toString);
      later.begin().rollback(); // the watermark is above the commit if it can
      admin.flush(hidden); // and the horizon with it: a mark below counts as aborted
      assertEquals("1", later.run(tx -> read(tx.table(hidden), "z")));
      grant("dave", hidden, Action.CREATE, Action.ADMIN, Action.READ, Action.WRITE);
      eventually("granted, at all servers", () -> manager.sweep().reported());
      assertEquals("1", later.run(tx -> read(tx.table(hidden), "z")));
    }
  }

  /** Without its mark a version would look committed. */
  private DataCheckResult check(AsyncConnection user) throws IOException {
    try (OracleClient client = OracleClient.builder().address(oracle).build()) {
      return new DataCheck(client, user, DataCheckOptions.DEFAULT, found -> {}, line -> {})
          .check(hidden);
    }
  }

  /** Server reads need no right to the marks: what has changed is found by the region, too. */
  @Test
  void whoMayNotReadTheMarksReadsOneMomentAllTheSame() throws Exception {
    create(partly, TablePreparation.Options.DEFAULT);
    grant("bob", partly, Action.CREATE);
    grantFamily("bob", partly, Fixture.F, Action.READ);
    try (AsyncConnection his = connect("bob");
        TransactionManager bob = TransactionManager.builder(his).oracle(oracle).build();
        TransactionManager living = TransactionManager.builder(root).oracle(oracle).build();
        TransactionManager dying = dying()) {
      living.run(
          tx -> {
            tx.table(partly).put(List.of(put("a", "0"), put("c", "0")));
            return null;
          });
      Get a = new Get(Fixture.bytes("a")).addFamily(Fixture.F);
      Get c = new Get(Fixture.bytes("c")).addFamily(Fixture.F);
      try (ReadTransaction tx = bob.beginReadOnly()) {
        tx.table(partly).get(a);
        tx.readTimestamp();
      }
      try (ReadTransaction tx = bob.beginReadOnly()) {
        assertEquals("0", text(tx.table(partly).get(a).getValue(Fixture.F, Fixture.Q)));
        dying.run(
            t -> {
              t.table(partly).put(List.of(put("a", "1"), put("c", "1")));
              return null;
            });
        assertEquals("0", text(tx.table(partly).get(c).getValue(Fixture.F, Fixture.Q)));
      }
    }
  }

  /** A coprocessor that counts what its region is asked about its table. */
  public static final class Questions implements RegionCoprocessor, RegionObserver {
    private final AtomicInteger count = new AtomicInteger();

    /** Called by HBase. */
    public Questions() {}

    /**
     * Counts for the table's only region; in front of ours, behind whose answer HBase asks no
     * other.
     */
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

  /** Without its mark a cell of a transaction that is not decided counts as committed. */
  @Test
  void marksAreDeletedByAdministratorsAndCleanupsOnly() throws Exception {
    create(shown, TablePreparation.Options.DEFAULT);
    grant("bob", shown, Action.READ, Action.WRITE);
    byte[] marks = PendingWrite.family();
    try (AsyncConnection his = connect("bob");
        TransactionManager manager = TransactionManager.builder(root).oracle(oracle).build();
        Transaction open = manager.begin()) {
      open.table(shown).put(List.of(put("a", "1"), put("b", "1")));
      Inside.writes(open).sendAll().get();
      admin.flush(shown);
      AsyncTable<?> plain = his.getTable(shown);
      for (Delete delete :
          List.of(
              new Delete(Fixture.bytes("a")).addFamily(marks),
              new Delete(Fixture.bytes("a")).addColumns(marks, marksOf(open)))) {
        Throwable refused =
            assertThrows(ExecutionException.class, () -> plain.delete(delete).get()).getCause();
        assertTrue(refused.getMessage().contains("takes the right ADMIN"), refused::toString);
      }
      plain.delete(new Delete(Fixture.bytes("b"))).get(); // the row as a whole keeps its mark
      assertNull(manager.run(tx -> read(tx.table(shown), "a")));
      assertEquals(2, markCells(shown));
      try (Table hers = root.getTable(shown)) {
        hers.delete(new Delete(Fixture.bytes("b")).addFamily(marks));
      }
      assertEquals(1, markCells(shown), "an administrator may");
      open.rollback();
    }
  }

  private static byte[] marksOf(Transaction open) {
    return PendingWrite.qualifier(open.startTimestamp());
  }

  private static int markCells(TableName name) throws IOException {
    try (Table table = root.getTable(name);
        ResultScanner rows = table.getScanner(PendingWrite.family())) {
      int count = 0;
      for (Result row : rows) {
        count += row.size();
      }
      return count;
    }
  }

  /** The master does not show them the table; its regions answer how it holds transactions. */
  @Test
  void applicationsNeedReadAndWriteOnly() throws Exception {
    create(shown, TablePreparation.Options.DEFAULT);
    grant("bob", shown, Action.READ, Action.WRITE);
    try (AsyncConnection his = connect("bob");
        TransactionManager manager = TransactionManager.builder(his).oracle(oracle).build()) {
      Questions questions = Questions.about(shown);
      manager.run(
          tx -> {
            tx.table(shown).put(put("a", "1"));
            return null;
          });
      assertEquals("1", manager.run(tx -> read(tx.table(shown), "a")));
      assertEquals(1, questions.count.get(), "the answer shows that the region runs it, too");
      eventually("cleaned up by himself", () -> Inside.counters(manager).cleanedUp.sum() == 1);
      admin.modifyColumnFamily(
          shown, ColumnFamilyDescriptorBuilder.newBuilder(Fixture.F).setMaxVersions(3).build());
      assertRefused(his, shown, TableNotPreparedException.class, "family f keeps 3 versions");
    }
  }

  @Test
  void anErrorNamesTheMissingRight() throws Exception {
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
        manager.run(
            tx -> {
              tx.table(shown).put(put("a", "1"));
              return null;
            });
        assertEquals("1", manager.run(tx -> read(tx.table(shown), "a")));
      }
    }
  }

  /** Row a has a mark, b has none but that of a pending version; c has nothing else. */
  private void fillBothFamilies(TransactionManager living, TransactionManager dying)
      throws Exception {
    living.run(
        tx -> {
          tx.table(partly).put(inBothFamilies("a", "0"));
          return null;
        });
    living.run(
        tx -> {
          tx.table(partly).put(inBothFamilies("b", "1"));
          return null;
        });
    eventually("cleaned up", () -> Inside.counters(living).cleanedUp.sum() == 2);
    dying.run(
        tx -> {
          tx.table(partly).put(inBothFamilies("a", "1"));
          return null;
        });
    Transaction open = dying.begin();
    open.table(partly).put(List.of(inBothFamilies("b", "2"), inBothFamilies("c", "2")));
    Inside.writes(open).sendAll().get(30, TimeUnit.SECONDS);
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
      assertEquals(all, living.run(tx -> wholeRows(tx.table(partly))));
      assertEquals("a f=1, null, a f=1, b f=1", manager.run(tx -> wholeRows(tx.table(partly))));
      Scan ones = new Scan().setFilter(new PrefixFilter(Fixture.bytes("b")));
      assertEquals("b=1", manager.run(tx -> scan(tx.table(partly), ones)), "with a filter");
      assertEquals(all, living.run(tx -> wholeRows(tx.table(partly))));
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
      long fingerprint = Inside.tables(living).find(partly).get().fingerprint();
      ReadAttribute.set(get, fingerprint, timestamp);
      rows.add(hers.getTable(partly).get(get).get());
      Scan scan = new Scan();
      ReadAttribute.set(scan, fingerprint, timestamp);
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
          () ->
              manager.run(
                  tx -> {
                    tx.table(hidden).put(put("a", "1"));
                    return null;
                  }));
      grant("carol", hidden, Action.READ, Action.WRITE);
      manager.run(
          tx -> {
            tx.table(hidden).put(put("a", "1"));
            return null;
          });
      assertEquals("1", manager.run(tx -> read(tx.table(hidden), "a")));
    }
  }
}
