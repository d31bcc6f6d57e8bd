package io.retso.hbase.operation;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.AsyncTransactionalTable;
import io.retso.hbase.Fixture;
import io.retso.hbase.ManagerBuilder;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.RetryPolicy;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.TransactionalTable;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.WriteSetTooLargeException;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.Tombstone;
import io.retso.hbase.transaction.Inside;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Consistency;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.io.TimeRange;
import org.apache.hadoop.hbase.security.visibility.CellVisibility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Every refusal is clear, names what to do, and leaves nothing behind. */
@ExtendWith(RetsoCluster.Extension.class)
class BadInputTest {
  private Fixture fixture;
  private TransactionManager manager;
  private TableName name;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
    name = fixture.table(Options.CLIENT_READS);
  }

  private interface Use {
    void of(TransactionalTable table) throws Throwable;
  }

  private record Refusal(String hint, Use use) {}

  private static Refusal badWrite(String hint, Row action) {
    return new Refusal(hint, table -> table.batch(List.of(action), null));
  }

  private static Refusal badGet(String hint, Get get) {
    return new Refusal(hint, table -> table.get(get));
  }

  private static Refusal badScan(String hint, Scan scan) {
    return new Refusal(hint, table -> table.getScanner(scan));
  }

  private static Put aPut() {
    return put("r", "v");
  }

  private static Delete aDelete() {
    return new Delete(bytes("r"));
  }

  private static KeyValue cell(KeyValue.Type type) {
    return new KeyValue(bytes("r"), F, Q, HConstants.LATEST_TIMESTAMP, type);
  }

  @SuppressWarnings("deprecation") // of HBase's interface
  private static List<Refusal> writes() throws Exception {
    byte[] row = bytes("r");
    byte[] marks = PendingWrite.family();
    return List.of(
        badWrite("of a transaction: set none", new Put(row, 7).addColumn(F, Q, Q)),
        badWrite("of a transaction: set none", new Put(row).addColumn(F, Q, 7, Q)),
        badWrite("delete of chosen versions", aDelete().addColumn(F, Q, 7)),
        badWrite("delete of chosen versions", aDelete().addColumns(F, Q, 7)),
        badWrite("delete of chosen versions", aDelete().addFamily(F, 7)),
        badWrite("use addFamily instead", aDelete().addFamilyVersion(F, 7)),
        badWrite("of a transaction: set none", new Delete(row, 7)),
        badWrite("no setTTL", aPut().setTTL(5)),
        badWrite("visibility label", aDelete().setCellVisibility(new CellVisibility("secret"))),
        badWrite("visibility label", aPut().setAttribute("VISIBILITY", new byte[] {-1})),
        badWrite("SYNC_WAL", aPut().setDurability(Durability.SKIP_WAL)),
        badWrite("SYNC_WAL", aPut().setDurability(Durability.ASYNC_WAL)),
        badWrite("table's DURABILITY", aPut().setDurability(Durability.FSYNC_WAL)),
        badWrite("attributes", aPut().setAttribute("mine", Q)),
        badWrite("reserved", new Put(row).addColumn(marks, Q, Q)),
        badWrite("reserved", aDelete().addFamily(marks)),
        badWrite("reserved", new Increment(row).addColumn(marks, Q, 1)),
        badWrite("reserved", new Put(row).addColumn(F, Q, Tombstone.value())),
        badWrite("no family", new Put(row).addColumn(bytes("none"), Q, Q)),
        badWrite("no columns", new Put(row)),
        badWrite("no columns", new Append(row)),
        badWrite("over the limit", new Put(row).addColumn(F, Q, new byte[11 << 20])),
        badWrite("setTimeRange", new Increment(row).addColumn(F, Q, 1).setTimeRange(0, 5)),
        badWrite("use a Delete", new Put(row).add(cell(KeyValue.Type.DeleteColumn))),
        badWrite("use a Delete", new Put(row).add(cell(KeyValue.Type.DeleteFamily))),
        badWrite("use a Delete", new Append(row).add(cell(KeyValue.Type.Delete))),
        badWrite("use a Delete", new Increment(row).add(cell(KeyValue.Type.Delete))),
        badWrite("use a Put", aDelete().add(cell(KeyValue.Type.Put))),
        badWrite("empty", new RowMutations(row)),
        badWrite("set no", RowMutations.of(List.of(aPut(), new Put(row, 7).addColumn(F, Q, Q)))),
        badWrite(
            "timeRange",
            CheckAndMutate.newBuilder(row)
                .ifEquals(F, Q, Q)
                .timeRange(TimeRange.between(0, 5))
                .build(aPut())),
        badWrite("reserved", CheckAndMutate.newBuilder(row).ifEquals(marks, Q, Q).build(aPut())),
        new Refusal("null", table -> table.put((Put) null)),
        new Refusal("null", table -> table.put(Arrays.asList(aPut(), null))),
        new Refusal("null", table -> table.delete((Delete) null)),
        new Refusal("null", table -> table.increment(null)),
        new Refusal("null", table -> table.append(null)),
        new Refusal("null", table -> table.mutateRow(null)),
        new Refusal("null", table -> table.checkAndMutate((CheckAndMutate) null)),
        new Refusal("null", table -> table.batch(Arrays.asList(aPut(), null), null)),
        new Refusal("array", table -> table.batch(List.of(aPut()), new Object[3])),
        new Refusal(
            "set no", table -> table.put(List.of(aPut(), new Put(row, 7).addColumn(F, Q, Q)))),
        new Refusal("coprocessor", table -> table.coprocessorService(row)),
        new Refusal("coprocessor", table -> table.coprocessorService(null, row, row, null)),
        new Refusal("coprocessor", table -> table.coprocessorService(null, row, row, null, null)),
        new Refusal(
            "coprocessor", table -> table.batchCoprocessorService(null, null, row, row, null)),
        new Refusal(
            "coprocessor",
            table -> table.batchCoprocessorService(null, null, row, row, null, null)),
        new Refusal("hbase.rpc.timeout", table -> table.setRpcTimeout(1)),
        new Refusal("hbase.rpc.timeout", table -> table.setReadRpcTimeout(1)),
        new Refusal("hbase.rpc.timeout", table -> table.setWriteRpcTimeout(1)),
        new Refusal("hbase.rpc.timeout", table -> table.setOperationTimeout(1)));
  }

  private static List<Refusal> reads() throws Exception {
    byte[] marks = PendingWrite.family();
    List<Refusal> refusals =
        new ArrayList<>(
            List.of(
                badGet("setTimeRange", get("r").setTimeRange(0, 5)),
                badGet("setTimeRange", get("r").setTimestamp(5)),
                badGet("readVersions", get("r").readAllVersions()),
                badGet("setColumnFamilyTimeRange", get("r").setColumnFamilyTimeRange(F, 0, 5)),
                badGet("STRONG", get("r").setConsistency(Consistency.TIMELINE)),
                badGet(
                    "READ_UNCOMMITTED",
                    get("r").setIsolationLevel(IsolationLevel.READ_UNCOMMITTED)),
                badGet("Table", get("r").addFamily(marks)),
                badScan("setTimeRange", new Scan().setTimeRange(0, 5)),
                badScan("readVersions", new Scan().readVersions(2)),
                badScan("raw", new Scan().setRaw(true)),
                badScan("setBatch", new Scan().setBatch(3)),
                badScan("setAllowPartialResults", new Scan().setAllowPartialResults(true)),
                badScan("cursor", new Scan().setNeedCursorResult(true)),
                badScan("Table", new Scan().addFamily(marks))));
    refusals.add(new Refusal("null", table -> table.get((Get) null)));
    refusals.add(new Refusal("null", table -> table.exists((Get) null)));
    refusals.add(new Refusal("null", table -> table.get(Arrays.asList(get("r"), null))));
    refusals.add(new Refusal("null", table -> table.getScanner((Scan) null)));
    return refusals;
  }

  private static List<Refusal> nullsOfTables(AsyncTransactionalTable async) {
    String hint = "pass one, or leave the call out";
    List<Refusal> refusals =
        new ArrayList<>(
            List.of(
                new Refusal(hint, table -> table.put((List<Put>) null)),
                new Refusal(hint, table -> table.get((List<Get>) null)),
                new Refusal(hint, table -> table.delete((List<Delete>) null)),
                new Refusal(hint, table -> table.exists((List<Get>) null)),
                new Refusal(hint, table -> table.batch(null, null)),
                new Refusal(hint, table -> table.batch(null, new Object[1])),
                new Refusal(hint, table -> table.batchCallback(null, null, null)),
                new Refusal(hint, table -> table.checkAndMutate((List<CheckAndMutate>) null))));
    for (Runnable call :
        List.<Runnable>of(
            () -> async.put((List<Put>) null),
            () -> async.putAll(null),
            () -> async.get((List<Get>) null),
            () -> async.getAll((List<Get>) null),
            () -> async.delete((List<Delete>) null),
            () -> async.deleteAll(null),
            () -> async.exists((List<Get>) null),
            () -> async.existsAll((List<Get>) null),
            () -> async.batch(null),
            () -> async.batchAll(null),
            () -> async.checkAndMutate((List<CheckAndMutate>) null),
            () -> async.checkAndMutateAll(null),
            () -> async.scan(new Scan(), null))) {
      refusals.add(new Refusal(hint, table -> call.run()));
    }
    String family = "family is null: name";
    refusals.add(new Refusal(family, table -> table.getScanner((byte[]) null)));
    refusals.add(new Refusal(family, table -> table.getScanner(null, Q)));
    refusals.add(new Refusal(family, table -> async.scanAll(new Scan().addFamily(null))));
    refusals.add(badGet(family, get("r").addFamily(null)));
    refusals.add(badGet(family, get("r").addColumn(null, Q)));
    refusals.add(badWrite(family, get("r").addFamily(null)));
    refusals.add(badWrite(family, aDelete().addFamily(null)));
    return refusals;
  }

  private List<Refusal> nullsOfManagers(Transaction tx) {
    Duration one = Duration.ofMillis(1);
    ManagerBuilder builder = fixture.builder();
    String aDefault = "leave it out for the default";
    return List.of(
        new Refusal("name the table", t -> tx.table((TableName) null)),
        new Refusal("name the table", t -> tx.table((String) null)),
        new Refusal("name the table", t -> tx.asyncTable((TableName) null)),
        new Refusal("name the table", t -> tx.asyncTable((String) null)),
        new Refusal("pass what is to be done", t -> manager.run(null)),
        new Refusal("pass what is to be done", t -> manager.read(null)),
        new Refusal("pass what is to be done", t -> manager.runAsync(null)),
        new Refusal("TransactionOptions.DEFAULT", t -> manager.run(null, x -> null)),
        new Refusal("TransactionOptions.DEFAULT", t -> manager.begin(null)),
        new Refusal("TransactionOptions.DEFAULT", t -> manager.beginReadOnly(null)),
        new Refusal("for none", t -> TransactionOptions.DEFAULT.withName(null)),
        new Refusal("for none", t -> TransactionOptions.DEFAULT.withTimeLimit(null)),
        new Refusal("of the manager", t -> TransactionOptions.DEFAULT.withRetryPolicy(null)),
        new Refusal("HBaseConfiguration", t -> TransactionManager.builder((Configuration) null)),
        new Refusal("pass an open one", t -> TransactionManager.builder((Connection) null)),
        new Refusal("pass an open one", t -> TransactionManager.builder((AsyncConnection) null)),
        new Refusal("host:port", t -> builder.oracle(null)),
        new Refusal(aDefault, t -> builder.requestTimeout(null)),
        new Refusal(aDefault, t -> builder.retryPolicy(null)),
        new Refusal(aDefault, t -> builder.cleanupDelay(null)),
        new Refusal(aDefault, t -> builder.orphanDelay(null)),
        new Refusal(aDefault, t -> builder.sweepInterval(null)),
        new Refusal(aDefault, t -> builder.closeTimeout(null)),
        new Refusal("timeMax is null: pass", t -> RetryPolicy.DEFAULT.withTimeMax(null)),
        new Refusal("pause is null: pass", t -> RetryPolicy.DEFAULT.withPauses(null, one)),
        new Refusal("pause is null: pass", t -> RetryPolicy.DEFAULT.withPauses(one, null)));
  }

  @Test
  void refusedCallsLeaveNothingBehind() throws Exception {
    List<Refusal> all = new ArrayList<>(writes());
    all.addAll(reads());
    try (Transaction tx = manager.begin()) {
      TransactionalTable table = tx.table(name);
      for (Refusal refusal : all) {
        assertRefused(refusal, table);
      }
      assertTrue(Inside.writes(tx).isEmpty());
      table.put(put("good", "v"));
      tx.commit();
    }
    assertNull(manager.run(tx -> read(tx.table(name), "r")));
    Fixture.eventually("cleaned up", () -> fixture.marks(name) == 0);
    assertEquals(1, fixture.versions(name));
  }

  private static void assertRefused(Refusal refusal, TransactionalTable table) {
    RuntimeException e =
        assertThrows(RuntimeException.class, () -> refusal.use.of(table), refusal.hint);
    assertTrue(
        e instanceof IllegalArgumentException
            || e instanceof NullPointerException
            || e instanceof UnsupportedOperationException,
        () -> refusal.hint + ": " + e);
    assertTrue(
        String.valueOf(e.getMessage()).contains(refusal.hint),
        () -> refusal.hint + " is missing in: " + e);
  }

  @Test
  void nullsAreRefusedWithARemedy() throws Exception {
    for (Options options : Fixture.MODES) {
      TableName own = fixture.table(options);
      try (Transaction tx = manager.begin()) {
        TransactionalTable table = tx.table(own);
        nullsOfTables(tx.asyncTable(own).get(30, TimeUnit.SECONDS))
            .forEach(refusal -> assertRefused(refusal, table));
        nullsOfManagers(tx).forEach(refusal -> assertRefused(refusal, table));
        assertTrue(Inside.writes(tx).isEmpty());
      }
    }
  }

  @Test
  void useAfterTheEndIsRefused() throws Exception {
    Transaction tx = manager.begin();
    TransactionalTable table = tx.table(name);
    tx.commit();
    for (Use use :
        List.<Use>of(
            t -> t.get(get("r")),
            t -> t.put(aPut()),
            t -> t.getScanner(new Scan()),
            t -> tx.commit(),
            t -> tx.rollback(),
            t -> tx.table(name))) {
      IllegalStateException e = assertThrows(IllegalStateException.class, () -> use.of(table));
      assertTrue(e.getMessage().contains("begin a new one"), e.getMessage());
    }
    Transaction other = manager.begin();
    other.rollback();
    other.rollback(); // harmless
    assertThrows(IllegalStateException.class, other::commit);
  }

  @Test
  void readOnlyTransactionsRefuseWrites() throws Exception {
    try (ReadTransaction tx = manager.beginReadOnly()) {
      Table table = tx.table(name).asTable();
      IllegalStateException e = assertThrows(IllegalStateException.class, () -> table.put(aPut()));
      assertEquals("this transaction is read-only: begin() one that can write", e.getMessage());
      assertNull(read(table, "r"));
    }
  }

  @Test
  void useByTwoThreadsAtOnceIsRefused() throws Exception {
    CountDownLatch within = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    try (Transaction tx = manager.begin()) {
      TransactionalTable table = tx.table(name);
      CompletableFuture<Void> other =
          CompletableFuture.runAsync(
              () -> {
                try {
                  Inside.exclusive(
                      tx,
                      () -> {
                        within.countDown();
                        try {
                          done.await(30, TimeUnit.SECONDS);
                        } catch (InterruptedException e) {
                          throw new AssertionError(e);
                        }
                        return read(table, "r"); // a thread within may go on
                      });
                } catch (java.io.IOException e) {
                  throw new AssertionError(e);
                }
              });
      assertTrue(within.await(30, TimeUnit.SECONDS));
      IllegalStateException e = assertThrows(IllegalStateException.class, () -> table.put(aPut()));
      assertTrue(e.getMessage().contains("two threads"), e.getMessage());
      assertThrows(IllegalStateException.class, tx::commit);
      done.countDown();
      other.get(30, TimeUnit.SECONDS);
      table.put(aPut()); // one after the other is all right
    }
  }

  @Test
  void oversizedWriteSetsAreRefusedAndTheRestCommits() throws Exception {
    TransactionManager small =
        fixture.opened(fixture.builder().maxRows(10).flushBytes(500).maxWriteBytes(4000).build());
    try (Transaction tx = small.begin()) {
      TransactionalTable table = tx.table(name);
      for (int i = 0; i < 10; i++) {
        table.put(put("row" + i, "v"));
      }
      Exception rows =
          assertThrows(WriteSetTooLargeException.class, () -> table.put(put("row10", "v")));
      assertTrue(rows.getMessage().contains("split the transaction"), rows.getMessage());
      table.put(put("row9", "again"));
      assertThrows(
          WriteSetTooLargeException.class,
          () -> table.put(new Put(bytes("row0")).addColumn(F, Q, new byte[4000])));
      tx.commit();
    }
    assertTrue(
        Inside.counters(small).writeBatches.sum() > 1, "batches were sent ahead of the commit");
    assertEquals("again", manager.run(tx -> read(tx.table(name), "row9")));
    assertNull(manager.run(tx -> read(tx.table(name), "row10")));
  }
}
