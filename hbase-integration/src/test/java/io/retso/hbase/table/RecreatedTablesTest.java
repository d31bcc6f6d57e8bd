package io.retso.hbase.table;

import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.cleanup.RowCleanup;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.GaveUpException;
import io.retso.hbase.errors.TableChangedException;
import io.retso.hbase.errors.TransactionException;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Reads;
import io.retso.hbase.transaction.Inside;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Managers that remember settings of a table that it has no more. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(180)
class RecreatedTablesTest {
  private Fixture fixture;
  private Admin admin;
  private TableName name;
  private TransactionManager old;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    admin = fixture.opened(fixture.cluster.connection().getAdmin());
    name = fixture.cluster.freshName("r");
    old = fixture.manager();
  }

  private static Options by(Conflicts conflicts, Reads reads) {
    return Options.DEFAULT.withConflicts(conflicts).withReads(reads);
  }

  /** Anew if it is there. */
  private void create(Options options) throws Exception {
    if (admin.tableExists(name)) {
      admin.disableTable(name);
      admin.deleteTable(name);
    }
    fixture.preparation().create(Fixture.descriptor(name).build(), options);
  }

  private static void write(TransactionManager manager, TableName name, String row, String value)
      throws IOException {
    again(
        () ->
            manager.run(
                tx -> {
                  tx.table(name).put(put(row, value));
                  return null;
                }));
  }

  private interface Work<T> {
    T run() throws IOException;
  }

  /** What {@code run} does all at once, must not be given up. */
  private static <T> T again(Work<T> work) throws IOException {
    try {
      return work.run();
    } catch (GaveUpException e) {
      throw new AssertionError(e);
    }
  }

  private PreparedTable remembered() throws Exception {
    return Inside.tables(old).find(name).get();
  }

  /** Prepared in another way while it is disabled, and enabled at once, too early. */
  private void prepareAnew(Options options) throws Exception {
    admin.disableTable(name);
    fixture.preparation().prepare(name, options);
    admin.enableTable(name);
  }

  /** When two writers of a cell overlap, one conflicts, whichever is first. */
  private void assertOneConflicts(String row) throws Exception {
    TransactionManager young = fixture.manager();
    for (boolean oldFirst : new boolean[] {true, false}) {
      String key = row + oldFirst;
      try (Transaction a = old.begin();
          Transaction b = young.begin()) {
        a.table(name).put(put(key, "old"));
        b.table(name).put(put(key, "young"));
        int committed = commits(oldFirst ? a : b) + commits(oldFirst ? b : a);
        assertEquals(1, committed, key);
      }
      assertFalse(remembered().isOutdated(), "it reads the settings again");
    }
  }

  private static int commits(Transaction tx) throws IOException {
    try {
      tx.commit();
      return 1;
    } catch (TransactionException e) {
      assertTrue(e.isRetryable() || e instanceof ConflictException, e::toString);
      return 0;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "ROW, SERVER, CELL, SERVER",
    "CELL, SERVER, ROW, SERVER",
    "ROW, CLIENT, CELL, SERVER",
  })
  void aWriterWithOldSettingsIsRefusedAndReadsThemAgain(
      Conflicts before, Reads readsBefore, Conflicts after, Reads readsAfter) throws Exception {
    create(by(before, readsBefore));
    write(old, name, "r", "1");
    create(by(after, readsAfter));
    try (Transaction tx = old.begin()) {
      tx.table(name).put(put("r", "2"));
      TransactionException e = assertThrows(TransactionException.class, tx::commit);
      assertTrue(e.getCause() instanceof TableChangedException, e::toString);
      assertTrue(e.getMessage().contains("table " + name), e.getMessage());
      assertTrue(e.isRetryable());
    }
    assertEquals(after, remembered().settings().conflicts());
    assertEquals(readsAfter, remembered().settings().reads());
    assertEquals(0, fixture.marks(name), "nothing was written");
    create(by(before, readsBefore));
    write(old, name, "r", "3"); // run() runs it again
    assertEquals("3", fixture.manager().read(tx -> read(tx.table(name), "r")));
    create(by(after, readsAfter));
    assertOneConflicts("s");
  }

  @Test
  void aBatchOfWritesIsRefused() throws Exception {
    create(by(Conflicts.ROW, Reads.SERVER));
    write(old, name, "r", "1");
    create(by(Conflicts.CELL, Reads.SERVER));
    try (Transaction tx = old.begin()) {
      tx.table(name).put(List.of(put("a", "2"), put("b", "2"), put("c", "2")));
      TransactionException e = assertThrows(TransactionException.class, tx::commit);
      assertTrue(e.getCause() instanceof TableChangedException, e::toString);
    }
    assertEquals(List.of(), fixture.raw(name));
  }

  @ParameterizedTest
  @CsvSource({"SERVER", "CLIENT"})
  void aReaderWithOldSettingsIsRefusedAndReadsThemAgain(Reads reads) throws Exception {
    create(by(Conflicts.ROW, reads));
    write(old, name, "r", "1");
    create(by(Conflicts.ROW, Reads.SERVER));
    try (Transaction tx = old.begin()) {
      assertThrows(TableChangedException.class, () -> tx.table(name).get(get("r")));
    }
    create(by(Conflicts.CELL, Reads.SERVER));
    assertNull(old.read(tx -> read(tx.table(name), "r")), "an unpinned get");
    create(by(Conflicts.ROW, Reads.SERVER));
    assertEquals(0, (int) old.run(this::count));
  }

  @Test
  void aTransactionGoesByTheSettingsThatItFound() throws Exception {
    create(by(Conflicts.ROW, Reads.SERVER));
    try (Transaction tx = old.begin()) {
      tx.table(name).get(get("r"));
      create(by(Conflicts.CELL, Reads.SERVER));
      assertThrows(TableChangedException.class, () -> count(tx), "a scan");
      TableChangedException e =
          assertThrows(TableChangedException.class, () -> tx.table(name).get(get("r")));
      assertTrue(e.getMessage().contains("table " + name), e.getMessage());
    }
  }

  private int count(Transaction tx) throws IOException {
    int rows = 0;
    try (ResultScanner scanner = tx.table(name).getScanner(new Scan())) {
      while (scanner.next() != null) {
        rows++;
      }
    }
    return rows;
  }

  /** A manager with client reads would take what is in the memory of a region for committed. */
  @Test
  void aReaderThatDecidesByItselfIsRefusedByRegionsThatDecide() throws Exception {
    create(by(Conflicts.ROW, Reads.CLIENT));
    write(old, name, "r", "1");
    create(by(Conflicts.ROW, Reads.SERVER));
    TransactionManager young = fixture.manager();
    write(young, name, "x", "1"); // so that the mark of the next one is no cell
    try (Transaction open = young.begin()) {
      open.table(name).put(put("r", "uncommitted"));
      open.table(name).get(get("r"));
      Inside.writes(open).sendAll().get();
      assertNull(again(() -> old.read(tx -> read(tx.table(name), "r"))));
    }
  }

  @Test
  void settingsThatAreChangedWhileItIsDisabledAreReadAgain() throws Exception {
    create(by(Conflicts.ROW, Reads.SERVER));
    write(old, name, "r", "1");
    prepareAnew(by(Conflicts.CELL, Reads.SERVER));
    assertOneConflicts("s");
    prepareAnew(by(Conflicts.ROW, Reads.SERVER).withGranules("0,1"));
    write(old, name, "r", "2");
    assertEquals(List.of(0, 1), remembered().settings().granules());
    assertEquals("2", fixture.manager().read(tx -> read(tx.table(name), "r")));
  }

  /** What was found out by one transaction of a manager ends the others that went by it. */
  @Test
  void aTransactionThatHasWrittenByOldSettingsDoesNotCommit() throws Exception {
    create(by(Conflicts.ROW, Reads.SERVER));
    try (Transaction early = old.begin()) {
      early.table(name).put(put("r", "early"));
      Inside.writes(early).sendAll().get();
      prepareAnew(by(Conflicts.CELL, Reads.SERVER));
      write(old, name, "s", "1");
      assertThrows(TableChangedException.class, early::commit);
    }
    assertNull(fixture.manager().read(tx -> read(tx.table(name), "r")));
  }

  /** Cleanups that come late name a transaction of another table of that name. */
  @Test
  void cleanupsByOldSettingsChangeNothing() throws Exception {
    create(by(Conflicts.ROW, Reads.SERVER));
    PreparedTable before = remembered();
    create(by(Conflicts.CELL, Reads.SERVER));
    try (Transaction open = fixture.manager().begin()) {
      open.table(name).put(put("r", "1"));
      Inside.writes(open).sendAll().get();
      long start = open.startTimestamp();
      var request = new CleanupRequest(bytes("r"), start, start + 16);
      for (var sent : RowCleanup.send(before, List.of(request))) {
        assertThrows(ExecutionException.class, sent::get);
      }
      assertNull(fixture.manager().read(tx -> read(tx.table(name), "r")));
    }
  }

  @Test
  void preparingItOnceMoreChangesNothingForThoseWhoUseIt() throws Exception {
    create(Options.DEFAULT);
    long before = remembered().fingerprint();
    try (Transaction tx = old.begin()) {
      tx.table(name).put(put("r", "1"));
      Inside.writes(tx).sendAll().get();
      fixture.preparation().prepare(name, Options.DEFAULT);
      alter("RETSO_CLEANUP", "ROWS");
      tx.table(name).put(put("s", "1"));
      tx.commit();
    }
    admin.disableTable(name);
    admin.truncateTable(name, true);
    write(old, name, "r", "2");
    Inside.tables(old).forget(name);
    assertEquals(before, remembered().fingerprint());
  }

  private void alter(String key, String value) throws IOException {
    TableDescriptor now = admin.getDescriptor(name);
    admin.modifyTable(TableDescriptorBuilder.newBuilder(now).setValue(key, value).build());
  }

  /** As an operator may do in HBase's shell. */
  @Test
  void aSettingThatIsAlteredByHandIsNoticed() throws Exception {
    create(by(Conflicts.ROW, Reads.SERVER));
    write(old, name, "r", "1");
    alter("RETSO_CONFLICTS", "CELL");
    assertOneConflicts("s");
  }

  @Test
  void aTableWithoutANumberIsPreparedAgain() throws Exception {
    create(Options.DEFAULT);
    TableDescriptor now = admin.getDescriptor(name);
    admin.modifyTable(
        TableDescriptorBuilder.newBuilder(now).removeValue("RETSO_PREPARATION").build());
    List<String> problems = fixture.preparation().check(name);
    assertTrue(problems.toString().contains("RETSO_PREPARATION"), problems::toString);
    fixture.preparation().prepare(name, Options.DEFAULT);
    assertEquals(List.of(), fixture.preparation().check(name));
    write(old, name, "r", "1");
  }
}
