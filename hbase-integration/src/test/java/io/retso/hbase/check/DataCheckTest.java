package io.retso.hbase.check;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.scan;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.client.RowId;
import io.retso.client.TransactionHandle;
import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.layout.AdoptionCell;
import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.Tombstone;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.transaction.Inside;
import io.retso.server.RetsoServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** What is put into a table by hand is found, and nothing else. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class DataCheckTest {
  static final List<Options> MODES = Fixture.MODES;

  private static final DataCheckOptions QUICK =
      new DataCheckOptions(false, false, 2, Duration.ofMillis(50));
  private static final DataCheckOptions STRICT =
      new DataCheckOptions(true, false, 2, Duration.ofMillis(50));
  private static final DataCheckOptions MENDING =
      new DataCheckOptions(true, true, 2, Duration.ofMillis(50));

  private Fixture fixture;
  private String address;
  private OracleClient oracle;
  private AsyncConnection hbase;
  private TransactionManager manager;
  private TableName name;
  private Table plain;
  private final List<Finding> findings = new ArrayList<>();

  /** An oracle of its own, whose watermark no other test holds. */
  @BeforeEach
  void open(Fixture given) throws Exception {
    fixture = given;
    RetsoServer server = fixture.opened(RetsoCluster.startOracle());
    address = "127.0.0.1:" + server.port();
    oracle = fixture.opened(OracleClient.builder().address(address).build());
    hbase =
        fixture.opened(
            ConnectionFactory.createAsyncConnection(fixture.cluster.configuration()).get());
    manager = fixture.opened(fixture.builder().oracle(address).build());
  }

  private void create(Options options) throws Exception {
    name = fixture.cluster.freshName("checked");
    fixture.preparation(address).create(Fixture.descriptor(name).build(), options, bytes("m"));
    plain = fixture.opened(fixture.cluster.connection().getTable(name));
    manager.run(
        tx -> {
          for (String row : List.of("a", "b", "n", "z")) {
            tx.table(name).put(put(row, "1"));
          }
          return null;
        });
    awaitCleanups();
  }

  private void awaitCleanups() throws Exception {
    long now = oracle.timestamp();
    Fixture.eventually("all is cleaned up", () -> oracle.lowWatermark() >= now);
  }

  private DataCheckResult check(DataCheckOptions options) throws IOException {
    findings.clear();
    return new DataCheck(oracle, hbase, options, findings::add, line -> {}).check(name);
  }

  /** Finds these, each as a kind and the place, and nothing else. */
  private DataCheckResult finds(DataCheckOptions options, String... expected) throws IOException {
    DataCheckResult result = check(options);
    assertEquals(
        List.of(expected),
        findings.stream().map(found -> found.kind() + ": " + found.place()).sorted().toList());
    return result;
  }

  private static String column(String row, long version) {
    return "row " + row + ", column f:q, version " + version;
  }

  private long aborted() {
    TransactionHandle handle = oracle.begin();
    oracle.abort(handle);
    return handle.startTimestamp();
  }

  private static Put at(String row, long version, byte[] value) {
    return new Put(bytes(row)).addColumn(F, Q, version, value);
  }

  private static Put at(String row, long version) {
    return at(row, version, bytes("x"));
  }

  private String visible() throws IOException {
    try (Transaction tx = manager.begin()) {
      return scan(tx.table(name), new Scan());
    }
  }

  /** Open ones, sent ones, those that nobody cleans up, deletes. */
  @ParameterizedTest
  @FieldSource("MODES")
  void nothingIsFoundInATableOfTransactions(Options options) throws Exception {
    create(options);
    manager.run(
        tx -> {
          tx.table(name).delete(new Delete(bytes("b")));
          return null;
        });
    TransactionManager dying =
        fixture.opened(Fixture.dying(fixture.builder().oracle(address)).build());
    try (Transaction open = dying.begin();
        Transaction committed = dying.begin()) {
      open.table(name).put(put("a", "open"));
      assertEquals("a=open n=1 z=1", scan(open.table(name), new Scan())); // it is sent
      committed.table(name).put(put("z", "2"));
      committed.table(name).delete(new Delete(bytes("n")));
      committed.commit();
      DataCheckResult result = finds(STRICT);
      assertEquals("a=1 z=2", visible());
      assertEquals(2, result.regions());
      assertTrue(result.cells() > 5 && !result.isDanger(), result::toString);
      assertTrue(result.toString().endsWith(": nothing is wrong"), result::toString);
      open.rollback();
    }
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void versionsWithoutTheirMarksAreFound(Options options) throws Exception {
    create(options);
    TransactionHandle open = oracle.begin();
    TransactionHandle committed = oracle.begin();
    long commit = oracle.commit(committed, RowId.of(name.getName(), bytes("d"))).commitTimestamp();
    long aborted = aborted();
    plain.put(at("c", open.startTimestamp()));
    plain.put(at("d", committed.startTimestamp()));
    plain.put(at("z", aborted));
    finds(
        STRICT,
        "unmarked: " + column("c", open.startTimestamp()),
        "unmarked: " + column("d", committed.startTimestamp()),
        "unmarked: " + column("z", aborted));
    assertMeans("row c", "calls the transaction OPEN. Delete this version");
    assertMeans("row d", "Put its value at version " + (commit + 1));
    assertMeans("row z", "calls the transaction ABORTED. Delete this version");
    assertTrue(check(STRICT).isDanger());
    DataCheckResult lenient = finds(QUICK); // they may be plain writers'
    assertEquals(3, lenient.untold());
    assertFalse(lenient.isDanger());
    oracle.abort(open);
  }

  /** It has no mark, and its version does not say that it is committed, before it is flushed. */
  @Test
  void whatARegionHasAdoptedIsNotWrong() throws Exception {
    create(Options.DEFAULT);
    manager.run(
        tx -> {
          tx.table(name).put(put("a", "2"));
          tx.table(name).delete(new Delete(bytes("b")));
          return null;
        });
    awaitCleanups();
    PreparedTable table = Inside.tables(manager).find(name).get(30, TimeUnit.SECONDS);
    UnmarkedVersions unmarked = new UnmarkedVersions(table, oracle, new CheckReport(findings::add));
    List<Cell> versions = new ArrayList<>(fixture.raw(name));
    versions.removeIf(
        cell -> PendingWrite.isMark(cell) || CellVersion.isCommitted(cell.getTimestamp()));
    assertTrue(versions.stream().anyMatch(Tombstone::is), versions::toString);
    assertTrue(versions.stream().anyMatch(cell -> !Tombstone.is(cell)), versions::toString);
    for (Cell version : versions) {
      unmarked.add(Suspect.of(version, Tombstone.is(version)));
    }
    unmarked.judge();
    assertEquals(List.of(), findings);
  }

  private void assertMeans(String place, String meaning) {
    Finding found =
        findings.stream().filter(one -> one.place().startsWith(place)).findFirst().orElseThrow();
    assertTrue(found.meaning().contains(meaning), found::toString);
  }

  /** No program but transactions writes tombstones. */
  @ParameterizedTest
  @FieldSource("MODES")
  void deletesWithoutTheirMarksAreFoundWhereverOthersWrite(Options options) throws Exception {
    create(options);
    long aborted = aborted();
    plain.put(at("a", aborted, Tombstone.value()));
    finds(QUICK, "unmarked: " + column("a", aborted));
    assertEquals("b=1 n=1 z=1", visible());
    plain.delete(new Delete(bytes("a")).addColumn(F, Q, aborted)); // as it is advised
    finds(QUICK);
    assertEquals("a=1 b=1 n=1 z=1", visible());
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void whatNoTransactionWritesIsFoundIfThereIsNothingElse(Options options) throws Exception {
    create(options);
    long version = aborted() + 5;
    plain.put(at("c", version));
    plain.put(at("d", version, Tombstone.value()));
    finds(
        STRICT,
        "foreign-version: " + column("c", version),
        "strange-tombstone: " + column("d", version));
    finds(QUICK, "strange-tombstone: " + column("d", version));
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void whatIsAheadOfTheOracleIsFound(Options options) throws Exception {
    create(options);
    long future = oracle.timestamp() + (1L << 40);
    plain.put(at("c", future));
    plain.put(PendingWrite.mark(at("d", future), future));
    finds(
        QUICK,
        "future-mark: row d, mark of transaction " + future,
        "future-version: " + column("c", future));
    plain.delete(new Delete(bytes("c")).addColumn(F, Q, future));
    finds(QUICK, "future-mark: row d, mark of transaction " + future);
  }

  /** A dead client leaves marks of aborted transactions, which hold nothing up. */
  @ParameterizedTest
  @FieldSource("MODES")
  void whatDeadClientsLeaveIsMendedAndNothingElse(Options options) throws Exception {
    create(options);
    TransactionHandle handle = oracle.begin();
    long over = handle.startTimestamp();
    plain.put(PendingWrite.mark(at("a", over), over));
    plain.put(PendingWrite.mark(at("y", over), over));
    oracle.abort(handle);
    TransactionHandle open = oracle.begin();
    long undecided = open.startTimestamp();
    plain.put(PendingWrite.mark(at("b", undecided), undecided));
    Fixture.eventually("decided", () -> oracle.lowWatermark() == undecided);
    DataCheckResult mended =
        finds(
            MENDING,
            "left-over: row a, mark of transaction " + over,
            "left-over: row y, mark of transaction " + over);
    assertFalse(mended.isDanger());
    assertEquals(2, mended.mended());
    assertEquals("", mended.notMended());
    assertEquals("a=1 b=1 n=1 z=1", visible());
    finds(MENDING);
    List<Cell> marks = fixture.raw(name).stream().filter(PendingWrite::isWellFormed).toList();
    marks = marks.stream().filter(PendingWrite::isMark).toList();
    assertEquals(List.of(undecided), marks.stream().map(Cell::getTimestamp).toList());
    oracle.abort(open);
  }

  /** The oracle was told that all is cleaned up. The values are moved by hand then, as advised. */
  @Test
  void aCommitThatWillBeTakenForAbortedIsFoundAndNotMended() throws Exception {
    create(Options.CLIENT_READS);
    TransactionHandle handle = oracle.begin();
    long start = handle.startTimestamp();
    plain.put(PendingWrite.mark(at("a", start), start));
    long commit = oracle.commit(handle, RowId.of(name.getName(), bytes("a"))).commitTimestamp();
    oracle.cleanedUp(handle);
    awaitCleanups();
    DataCheckResult result = finds(MENDING, "lost-commit: row a, mark of transaction " + start);
    assertTrue(result.isDanger());
    assertEquals(0, result.mended());
    assertMeans("row a", "f:q of this row is not");
    plain.put(at("a", commit + 1));
    finds(MENDING, "left-over: row a, mark of transaction " + start); // as of a late duplicate
    finds(MENDING);
    assertEquals("a=x b=1 n=1 z=1", visible());
  }

  /** Regions with the coprocessor refuse such cells. */
  @Test
  void cellsAmongTheMarksThatAreNoneAreFound() throws Exception {
    create(Options.CLIENT_READS);
    byte[] marks = PendingWrite.family();
    plain.put(new Put(bytes("a")).addColumn(marks, bytes("strange"), 16, bytes("x")));
    plain.put(new Put(bytes("b")).addColumn(marks, new byte[] {'d', 0, 0}, 18, new byte[] {5, 0}));
    TransactionHandle open = oracle.begin();
    long aborted = aborted();
    TreeMap<Long, Long> outcomes = new TreeMap<>();
    outcomes.put(aborted, Outcome.ABORTED);
    plain.put(new Put(bytes("y")).add(AdoptionCell.of(bytes("y"), 1, 1, outcomes)));
    outcomes.put(aborted, aborted + 16);
    outcomes.put(open.startTimestamp(), Outcome.ABORTED);
    plain.put(new Put(bytes("z")).add(AdoptionCell.of(bytes("z"), 1, 2, outcomes)));
    finds(
        QUICK,
        "broken-outcomes: row b, adopted outcomes d\\x00\\x00",
        "strange-mark: row a, mark of transaction 16",
        "wrong-outcome: row z, adopted outcomes d\\x01\\x02",
        "wrong-outcome: row z, adopted outcomes d\\x01\\x02");
    oracle.abort(open);
  }

  @Test
  void aThousandFindingsAreNamedAndTheOthersCounted() throws Exception {
    create(Options.CLIENT_READS);
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < 1200; i++) {
      puts.add(at("c" + i, 5));
    }
    plain.put(puts);
    DataCheckResult result = check(STRICT);
    assertEquals(1000, findings.size());
    assertEquals(1200, result.count(FindingKind.FOREIGN_VERSION));
    assertEquals(200, result.notShown());
  }

  /** A row of many cells comes in parts, and its mark with the first of them. */
  @Test
  void aWideRowIsJudgedAsAWhole() throws Exception {
    create(Options.CLIENT_READS);
    TransactionHandle open = oracle.begin();
    long start = open.startTimestamp();
    Put wide = PendingWrite.mark(new Put(bytes("w")), start);
    for (int i = 0; i < 2500; i++) {
      wide.addColumn(F, bytes("q" + i), start, bytes("x"));
    }
    plain.put(wide);
    finds(STRICT);
    long other = aborted();
    plain.put(new Put(bytes("w")).addColumn(F, bytes("q2499"), other, bytes("x")));
    finds(STRICT, "unmarked: row w, column f:q2499, version " + other);
    oracle.abort(open);
  }

  @Test
  void aTableThatCannotBeJudgedIsNamed() throws Exception {
    create(Options.DEFAULT);
    name = TableName.valueOf("nowhere");
    assertThrows(TableNotPreparedException.class, () -> check(QUICK));
    assertThrows(
        IllegalArgumentException.class, () -> new DataCheckOptions(false, false, 0, Duration.ZERO));
  }
}
