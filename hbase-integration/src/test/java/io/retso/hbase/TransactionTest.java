package io.retso.hbase;

import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static io.retso.hbase.Fixture.scan;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Transaction.State;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.transaction.Inside;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Begin, read, write, commit, roll back, clean up: the life of transactions on real HBase. */
@ExtendWith(RetsoCluster.Extension.class)
class TransactionTest {
  static final List<Options> MODES = Fixture.MODES;

  private Fixture fixture;
  private TransactionManager manager;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void committedWritesAreSeenByLaterSnapshotsOnly(Options options) throws Exception {
    TableName name = fixture.table(options);
    Transaction before = manager.begin();
    try (Transaction tx = manager.begin()) {
      tx.table(name).put(put("r", "a"));
      assertNull(read(before.table(name), "r"));
      long commit = tx.commit().getAsLong();
      assertTrue(commit > tx.startTimestamp());
      assertEquals(State.COMMITTED, tx.state());
    }
    assertNull(read(before.table(name), "r"));
    before.rollback();
    assertEquals("a", manager.run(tx -> read(tx.table(name), "r")));
    eventually("no mark is left", () -> fixture.marks(name) == 0);
    assertEquals(0, fixture.uncleaned(name));
    assertEquals("a", manager.run(tx -> read(tx.table(name), "r")));
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void rolledBackWritesAreNeverSeenAndRemoved(Options options) throws Exception {
    TableName name = fixture.table(options);
    try (Transaction tx = manager.begin()) {
      tx.table(name).put(put("r", "a"));
      assertEquals("a", read(tx.table(name), "r")); // sent for this read
      assertEquals(1, fixture.marks(name));
      assertNull(manager.run(other -> read(other.table(name), "r")));
    }
    assertNull(manager.run(other -> read(other.table(name), "r")));
    eventually("nothing is left", () -> fixture.raw(name).isEmpty());
    assertEquals(1, Inside.counters(manager).rolledBack.sum());
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void laterWriterOfTheSameRowIsAborted(Options options) throws Exception {
    TableName name = fixture.table(options);
    Transaction first = manager.begin();
    Transaction second = manager.begin();
    first.table(name).put(put("r", "first"));
    second.table(name).put(put("r", "second"));
    first.commit();
    ConflictException conflict = assertThrows(ConflictException.class, second::commit);
    assertTrue(conflict.getMessage().contains("run it again"), conflict.getMessage());
    assertEquals(State.ROLLED_BACK, second.state());
    assertEquals("first", manager.run(tx -> read(tx.table(name), "r")));
    eventually("no mark is left", () -> fixture.marks(name) == 0);
    assertEquals(0, fixture.uncleaned(name));
    assertEquals(1, fixture.versions(name));
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void ownWritesAreSeenByGetsAndScans(Options options) throws Exception {
    TableName name = fixture.table(options);
    manager.run(
        tx -> {
          tx.table(name).put(List.of(put("a", "1"), put("b", "2"), put("c", "3")));
          return null;
        });
    Transaction tx = manager.begin();
    Table table = tx.table(name);
    table.put(put("b", "own"));
    table.put(put("d", "new"));
    table.delete(new Delete(bytes("c")));
    assertEquals("own", read(table, "b"));
    assertNull(read(table, "c"));
    assertEquals("a=1 b=own d=new", scan(table, new Scan()));
    table.put(put("b", "again"));
    assertEquals("d=new b=again a=1", scan(table, new Scan().setReversed(true)));
    Result[] rows = table.get(List.of(get("a"), get("c"), get("d")));
    assertTrue(rows[1].isEmpty());
    assertEquals("a=1 b=2 c=3", manager.run(other -> scan(other.table(name), new Scan())));
    tx.commit();
    assertEquals("a=1 b=again d=new", manager.run(other -> scan(other.table(name), new Scan())));
  }

  /** The table, with results of one of HBase's methods that wait for the test. */
  private AsyncTransactionalTable held(
      Transaction tx, TableName name, String held, CompletableFuture<Void> until) throws Exception {
    return Fixture.table(
        manager,
        tx,
        name,
        (method, call) -> {
          Object result = call.call();
          if (!method.equals(held)) {
            return result;
          }
          return result instanceof List<?> all
              ? all.stream().map(one -> after(until, (CompletableFuture<?>) one)).toList()
              : after(until, (CompletableFuture<?>) result);
        });
  }

  private static <T> CompletableFuture<T> after(
      CompletableFuture<Void> until, CompletableFuture<T> result) {
    return result.thenCombine(until, (value, done) -> value);
  }

  /** It cleans up, and takes no new transactions, while this one's commit is on its way. */
  @Test
  @Timeout(120)
  void aCommitIsAcknowledgedThoughTheManagerCloses() throws Exception {
    TableName name = fixture.table(Options.DEFAULT);
    CompletableFuture<Void> writes = new CompletableFuture<>();
    CompletableFuture<Void> cleanups = new CompletableFuture<>();
    Transaction first = manager.begin();
    held(first, name, "batch", cleanups).put(put("first", "a")).get(60, TimeUnit.SECONDS);
    first.commit();
    Transaction tx = manager.begin();
    held(tx, name, "put", writes).put(put("r", "a")).get(60, TimeUnit.SECONDS);
    CompletableFuture<OptionalLong> commit = tx.commitAsync();
    CompletableFuture<Void> closing = CompletableFuture.runAsync(manager::close);
    eventually("it closes", this::isClosed);
    writes.complete(null);
    assertTrue(commit.get(60, TimeUnit.SECONDS).getAsLong() > tx.startTimestamp());
    assertEquals(State.COMMITTED, tx.state());
    cleanups.complete(null);
    closing.get(60, TimeUnit.SECONDS);
    assertEquals("a", fixture.manager().run(later -> read(later.table(name), "r")));
  }

  @Test
  void aConnectionThatComesAfterAnInterruptIsClosed() throws Exception {
    Configuration configuration = fixture.cluster.configuration();
    CompletableFuture<AsyncConnection> connecting = new CompletableFuture<>();
    ManagerBuilder builder =
        new ManagerBuilder(
            configuration,
            () -> {
              Thread.currentThread().interrupt();
              return connecting;
            },
            true);
    assertThrows(InterruptedIOException.class, builder::build);
    assertTrue(Thread.interrupted());
    AsyncConnection late =
        ConnectionFactory.createAsyncConnection(configuration).get(60, TimeUnit.SECONDS);
    connecting.complete(late);
    assertTrue(late.isClosed());
  }

  private boolean isClosed() {
    try {
      manager.beginReadOnly().close();
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  @Test
  void regionsAreLocatedByBothTables() throws Exception {
    TableName name = fixture.table(Options.DEFAULT);
    try (Transaction tx = manager.begin();
        RegionLocator own = tx.table(name).getRegionLocator();
        RegionLocator plain = fixture.cluster.connection().getRegionLocator(name)) {
      assertEquals(name, own.getName());
      assertEquals(plain.getAllRegionLocations(), own.getAllRegionLocations());
      byte[] row = bytes("r");
      assertEquals(plain.getRegionLocation(row), own.getRegionLocation(row, true));
      assertEquals(plain.getRegionLocations(row), own.getRegionLocations(row));
      assertArrayEquals(plain.getStartKeys(), own.getStartKeys());
      tx.rollback();
      own.clearRegionLocationCache(); // it has nothing to do with the transaction
      assertEquals(plain.getRegionLocation(row), own.getRegionLocation(row));
    }
  }

  private static void assertMissing(TableName name, Executable use) {
    IOException e = assertThrows(IOException.class, use);
    boolean isSaid = false;
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      isSaid |= cause instanceof TableNotFoundException;
    }
    assertTrue(isSaid && e.getMessage().contains(name.getNameAsString()), e::toString);
  }

  /** Not merely that it is not prepared, or that the transaction can only be rolled back. */
  @Test
  void aTableThatDoesNotExistIsSaidNotToExist() throws Exception {
    TableName missing = fixture.cluster.freshName("missing");
    TableName dropped = fixture.table(Options.DEFAULT);
    Transaction writes = manager.begin();
    writes.table(dropped).put(put("r", "v"));
    try (Transaction tx = manager.begin();
        Admin admin = fixture.cluster.connection().getAdmin()) {
      assertMissing(missing, () -> tx.table(missing));
      assertMissing(missing, () -> Futures.await(tx.asyncTable(missing)));
      TransactionalTable table = tx.table(dropped);
      admin.disableTable(dropped);
      admin.deleteTable(dropped);
      assertMissing(dropped, () -> table.get(get("r")));
      assertMissing(dropped, () -> table.getScanner(new Scan()).next());
      assertMissing(dropped, writes::commit);
    }
  }
}
