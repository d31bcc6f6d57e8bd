package io.retso.hbase.cleanup;

import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static io.retso.hbase.Fixture.scan;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionalTable;
import io.retso.hbase.admin.SweepResult;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.AbortedException;
import io.retso.hbase.errors.SnapshotTooOldException;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.options.Reads;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.transaction.Inside;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Clients die at every point; readers see the right thing, and readers and sweeps heal the table.
 */
@ExtendWith(RetsoCluster.Extension.class)
class HealingTest {
  static final List<Options> MODES = Fixture.MODES;

  private Fixture fixture;
  private TransactionManager manager;
  private TransactionManager dying;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    fixture.deleteTablesThatHinderSweeps();
    manager = fixture.manager();
    dying = fixture.dyingManager();
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void readersHealWhatDiedAfterItsCommit(Options options) throws Exception {
    TableName name = fixture.table(options);
    manager.run(
        tx -> {
          tx.table(name).put(List.of(put("a", "0"), put("b", "0")));
          return null;
        });
    dying.run(
        tx -> {
          tx.table(name).put(List.of(put("a", "1"), put("b", "1")));
          return null;
        });
    assertEquals("a=1 b=1", manager.run(tx -> scan(tx.table(name), new Scan())));
    assertEquals("1", manager.run(tx -> read(tx.table(name), "a")));
    eventually("healed behind the answers", () -> fixture.marks(name) == 0);
    assertEquals(0, fixture.uncleaned(name));
    assertEquals("a=1 b=1", manager.run(tx -> scan(tx.table(name), new Scan())));
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void deathInTheMiddleOfCleanupIsSeenByNobody(Options options) throws Exception {
    TableName name = fixture.table(options);
    Transaction tx = dying.begin();
    tx.table(name).put(List.of(put("a", "1"), put("b", "1"), put("c", "1")));
    long commit = tx.commit().getAsLong();
    PreparedTable table = Inside.tables(manager).find(name).get(30, TimeUnit.SECONDS);
    RowCleanup.send(
            table, List.of(new CleanupRequest(Fixture.bytes("b"), tx.startTimestamp(), commit)))
        .get(0)
        .get(30, TimeUnit.SECONDS);
    assertEquals(2, fixture.marks(name));
    assertEquals("a=1 b=1 c=1", manager.run(t -> scan(t.table(name), new Scan())));
    assertTrue(manager.sweep().reported());
    assertEquals(0, fixture.marks(name));
    assertEquals("a=1 b=1 c=1", manager.run(t -> scan(t.table(name), new Scan())));
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void deathBeforeTheCommitIsAnAbort(Options options) throws Exception {
    TableName name = fixture.table(options);
    manager.run(
        tx -> {
          tx.table(name).put(put("a", "0"));
          return null;
        });
    Transaction dead = dying.begin();
    dead.table(name).put(List.of(put("a", "1"), put("b", "1")));
    Inside.writes(dead).sendAll().get(30, TimeUnit.SECONDS);
    SweepResult open = manager.sweep();
    assertTrue(open.open() >= 2, open::toString); // those of other tests' dead clients, too
    assertTrue(open.reported(), open::toString);
    assertEquals("a=0", manager.run(tx -> scan(tx.table(name), new Scan())));
    assertTrue(manager.resolve(dead.handle()).isEmpty()); // as the oracle's time limit does
    assertEquals("a=0", manager.run(tx -> scan(tx.table(name), new Scan())));
    SweepResult swept = manager.sweep();
    assertEquals(open.open() - 2, swept.open(), swept::toString);
    assertEquals(0, fixture.marks(name));
    assertEquals("a=0", manager.run(tx -> scan(tx.table(name), new Scan())));
    assertNull(manager.run(tx -> read(tx.table(name), "b")));
  }

  /** A client without a coprocessor has the region count the cells: each once, however written. */
  @ParameterizedTest
  @FieldSource("MODES")
  void wideRowsThatWereWrittenTwiceAreCleanedUpWhole(Options options) throws Exception {
    TableName name = fixture.table(options);
    Transaction tx = dying.begin();
    for (int batch = 0; batch < 2; batch++) {
      for (byte[] family : new byte[][] {Fixture.F, Fixture.G}) {
        Put put = put("a", "1");
        for (int i = 0; i < 500; i++) {
          put.addColumn(family, Fixture.bytes("c" + i), Fixture.bytes("v" + batch));
        }
        tx.table(name).put(put);
      }
      Inside.writes(tx).sendAll().get(30, TimeUnit.SECONDS);
      try (Admin admin = fixture.cluster.connection().getAdmin()) {
        admin.flush(name);
      }
    }
    tx.commit();
    assertTrue(manager.sweep().reported());
    assertEquals(0, fixture.marks(name));
    assertEquals(0, fixture.uncleaned(name));
    Result row = manager.run(t -> t.table(name).get(Fixture.get("a")));
    assertEquals(1001, row.size());
  }

  /** HBase's client refuses a whole request for the sake of one cell that is over its limit. */
  @ParameterizedTest
  @FieldSource("MODES")
  @Timeout(120)
  void rowsThatAreTooLargeForASweepHoldUpNoOthers(Options options) throws Exception {
    TableName name = fixture.table(options);
    String large = "large".repeat(1000);
    List<Put> puts =
        List.of(put("a", "1"), put("b", large), put("c", "1"), put(large, "1"), put("z", "1"));
    dying.run(
        tx -> {
          tx.table(name).put(puts);
          return null;
        });
    Configuration configuration = fixture.cluster.configuration();
    configuration.setInt("hbase.client.keyvalue.maxsize", 1000);
    TransactionManager small =
        fixture.opened(
            TransactionManager.builder(configuration).sweepInterval(Duration.ZERO).build());
    SweepResult swept = small.sweep();
    assertFalse(swept.reported(), swept::toString);
    assertTrue(swept.reason().contains("hbase.client.keyvalue.maxsize"), swept::toString);
    // A region moves its cells itself; a key that is too large cannot even be named to it.
    assertEquals(options.reads() == Reads.SERVER ? 1 : 2, fixture.marks(name));
    assertTrue(manager.sweep().reported());
    assertEquals(0, fixture.marks(name));
    assertEquals(large, manager.run(tx -> read(tx.table(name), "b")));
    assertEquals("1", manager.run(tx -> read(tx.table(name), large)));
  }

  /** As a plain put in HBase's shell leaves it, where no coprocessor refuses it. */
  @Test
  void sweepsPassOverWhatIsNoMark() throws Exception {
    TableName name = fixture.table(Options.CLIENT_READS);
    dying.run(
        tx -> {
          tx.table(name).put(List.of(put("a", "1"), put("b", "1")));
          return null;
        });
    try (Table plain = fixture.cluster.connection().getTable(name)) {
      for (long version : new long[] {17, 32}) {
        plain.put(
            new Put(Fixture.bytes("a"))
                .addColumn(
                    PendingWrite.family(), Fixture.bytes("x" + version), version, new byte[1]));
      }
    }
    assertEquals("1", manager.run(tx -> read(tx.table(name), "b")));
    SweepResult swept = manager.sweep();
    assertTrue(swept.reported(), swept::toString);
    assertEquals(2, fixture.marks(name), "those that are none");
    assertEquals("1", manager.run(tx -> read(tx.table(name), "b")));
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void manyStackedPendingVersionsAreSkipped(Options options) throws Exception {
    TableName name = fixture.table(options);
    manager.run(
        tx -> {
          tx.table(name).put(put("a", "0"));
          return null;
        });
    for (int i = 0; i < 20; i++) {
      Transaction dead = dying.begin();
      dead.table(name).put(put("a", "dead" + i));
      Inside.writes(dead).sendAll().get(30, TimeUnit.SECONDS);
    }
    assertEquals("0", manager.run(tx -> read(tx.table(name), "a")));
    assertEquals("a=0", manager.run(tx -> scan(tx.table(name), new Scan())));
    long again = Inside.counters(manager).rowsReadAgain.sum();
    assertTrue(again <= 2, "a row is fetched at most twice: " + again);
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void zombieThatWasAbortedAndCleanedUpWritesNothingThatIsSeen(Options options) throws Exception {
    TableName name = fixture.table(options);
    Transaction zombie = dying.begin();
    zombie.table(name).put(put("a", "1"));
    Inside.writes(zombie).sendAll().get(30, TimeUnit.SECONDS);
    manager.resolve(zombie.handle());
    assertTrue(manager.sweep().reported());
    assertEquals(0, fixture.marks(name));
    try {
      zombie
          .table(name)
          .put(
              new Put(Fixture.bytes("a"))
                  .addColumn(Fixture.F, Fixture.bytes("late"), Fixture.bytes("1")));
      Inside.writes(zombie).sendAll().get(30, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      assertTrue(options.reads() == Reads.SERVER, e::toString);
    }
    assertEquals("", manager.run(tx -> scan(tx.table(name), new Scan())));
    assertTrue(manager.sweep().reported());
    assertEquals(0, fixture.marks(name));
    assertEquals(List.of(), fixture.raw(name));
  }

  /** As one that outlived its limit: others have removed what it wrote. */
  @ParameterizedTest
  @FieldSource("MODES")
  void readsOfAnAbortedZombieFailInsteadOfMissingItsWrites(Options options) throws Exception {
    TableName name = fixture.table(options);
    manager.run(
        tx -> {
          tx.table(name).put(List.of(put("a", "0"), put("b", "0")));
          return null;
        });
    Transaction zombie = dying.begin();
    TransactionalTable table = zombie.table(name);
    table.put(put("a", "1"));
    assertEquals("1", read(table, "a"));
    assertEquals("a=1 b=0", scan(table, new Scan()));
    manager.resolve(zombie.handle());
    assertTrue(manager.sweep().reported());
    assertEquals(0, fixture.marks(name));
    Scan own = new Scan().withStopRow(Fixture.bytes("b"));
    CheckAndMutate check =
        CheckAndMutate.newBuilder(Fixture.bytes("a"))
            .ifEquals(Fixture.F, Fixture.Q, Fixture.bytes("1"))
            .build(put("a", "2"));
    assertThrows(SnapshotTooOldException.class, () -> read(table, "a"));
    assertThrows(SnapshotTooOldException.class, () -> table.exists(Fixture.get("a")));
    assertThrows(SnapshotTooOldException.class, () -> table.checkAndMutate(check));
    try (ResultScanner scanner = table.getScanner(own)) {
      assertThrows(SnapshotTooOldException.class, scanner::next);
    }
    table.delete(new Delete(Fixture.bytes("a")).addColumns(Fixture.F, Fixture.Q));
    assertThrows(AbortedException.class, zombie::commit);
    assertEquals("a=0 b=0", manager.run(tx -> scan(tx.table(name), new Scan())));
  }
}
