package io.retso.hbase.operation;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.G;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.number;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.scan;
import static io.retso.hbase.Fixture.text;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
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
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.transaction.Inside;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.ScanResultConsumer;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** What HBase's Table can do, inside a transaction. */
@ExtendWith(RetsoCluster.Extension.class)
class OperationsTest {
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
  void readModifyWrite(Options options) throws Exception {
    TableName name = fixture.table(options);
    byte[] row = bytes("r");
    manager.run(
        tx -> {
          Table table = tx.table(name);
          assertEquals(5, table.incrementColumnValue(row, F, Q, 5));
          assertEquals(3, table.incrementColumnValue(row, F, Q, -2));
          assertEquals(
              "ab",
              text(table.append(new Append(row).addColumn(G, Q, bytes("ab"))).getValue(G, Q)));
          assertEquals(
              "abc",
              text(table.append(new Append(row).addColumn(G, Q, bytes("c"))).getValue(G, Q)));
          assertTrue(
              table
                  .append(new Append(row).addColumn(G, Q, bytes("!")).setReturnResults(false))
                  .isEmpty());
          return null;
        });
    Result seen = manager.run(tx -> tx.table(name).get(get("r")));
    assertEquals(3, number(seen.getValue(F, Q)));
    assertEquals("abc!", text(seen.getValue(G, Q)));
    try (Transaction tx = manager.begin()) {
      Table table = tx.table(name);
      assertThrows(
          DoNotRetryIOException.class,
          () ->
              table.mutateRow(
                  RowMutations.of(List.of(put("r", "x"), new Increment(row).addColumn(G, Q, 1)))));
      assertEquals(3, number(table.get(get("r")).getValue(F, Q)), "all or nothing");
      tx.commit();
    }
  }

  /** Results look for columns by bisection: the order of the calls must not be theirs. */
  @ParameterizedTest
  @FieldSource("MODES")
  void resultsOfSeveralColumnsHaveThemInOrder(Options options) throws Exception {
    TableName name = fixture.table(options);
    byte[] row = bytes("r");
    Increment increment = new Increment(row);
    Append append = new Append(row);
    for (String column : List.of("e", "d", "c", "b", "a")) {
      increment.addColumn(F, bytes(column), 1);
      append.addColumn(G, bytes(column), bytes("x"));
    }
    RowMutations both = RowMutations.of(List.of(append, increment));
    CheckAndMutate check = CheckAndMutate.newBuilder(row).ifNotExists(F, Q).build(both);
    manager.run(
        tx -> {
          TransactionalTable table = tx.table(name);
          assertColumns(table.increment(increment), 1, 0);
          assertColumns(table.append(append), 0, 1);
          assertColumns(table.mutateRow(both), 2, 2);
          assertColumns(table.checkAndMutate(check).getResult(), 3, 3);
          Object[] results = new Object[4];
          table.batch(List.of(increment, append, both, check), results);
          assertColumns((Result) results[0], 4, 0);
          assertColumns((Result) results[1], 0, 4);
          assertColumns((Result) results[2], 5, 5);
          assertColumns(((CheckAndMutateResult) results[3]).getResult(), 6, 6);
          Result twice = table.mutateRow(RowMutations.of(List.of(increment, increment)));
          assertColumns(twice, 8, 0);
          assertEquals(5, twice.size(), "one cell for each column, the last one");
          return null;
        });
  }

  /** Columns a to e of both families, after so many increments and appends; 0: not there. */
  private static void assertColumns(Result result, int increments, int appends) {
    for (String column : List.of("a", "b", "c", "d", "e")) {
      byte[] number = result.getValue(F, bytes(column));
      assertEquals(increments, number == null ? 0 : number(number), column);
      String appended = text(result.getValue(G, bytes(column)));
      assertEquals("x".repeat(appends), appended == null ? "" : appended, column);
    }
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void batchOfEverythingInOrder(Options options) throws Exception {
    TableName name = fixture.table(options);
    Object[] results = new Object[7];
    manager.run(
        tx -> {
          tx.table(name)
              .batch(
                  List.of(
                      get("r"),
                      put("r", "a"),
                      get("r"),
                      new Delete(bytes("r")),
                      get("r"),
                      new Increment(bytes("r")).addColumn(G, Q, 4),
                      CheckAndMutate.newBuilder(bytes("r")).ifNotExists(F, Q).build(put("r", "b"))),
                  results);
          return null;
        });
    manager.run(
        tx -> {
          tx.table(name).batchCallback(List.of(get("r")), new Object[1], null);
          return null;
        });
    assertTrue(((Result) results[0]).isEmpty());
    assertEquals("a", text(((Result) results[2]).getValue(F, Q)));
    assertTrue(((Result) results[4]).isEmpty());
    assertEquals(4, number(((Result) results[5]).getValue(G, Q)));
    assertTrue(((CheckAndMutateResult) results[6]).isSuccess());
    assertEquals("r=b", manager.run(tx -> scan(tx.table(name), new Scan())));
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void existence(Options options) throws Exception {
    TableName name = fixture.table(options);
    manager.run(
        tx -> {
          tx.table(name).put(List.of(put("a", "1"), put("b", "1")));
          return null;
        });
    manager.run(
        tx -> {
          Table table = tx.table(name);
          table.delete(new Delete(bytes("a")));
          assertFalse(table.exists(get("a")));
          assertTrue(table.exists(get("b")));
          assertArrayEquals(
              new boolean[] {false, true, false},
              table.exists(List.of(get("a"), get("b"), get("c"))));
          return null;
        });
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void scansOfReversedRangesAreEmpty(Options options) throws Exception {
    TableName name = fixture.table(options);
    Scan down = new Scan().withStartRow(bytes("c")).withStopRow(bytes("a"));
    Scan up = new Scan().withStartRow(bytes("a")).withStopRow(bytes("c")).setReversed(true);
    manager.run(
        tx -> {
          tx.table(name).put(put("b", "old"));
          return null;
        });
    manager.run(
        tx -> {
          Table table = tx.table(name);
          table.put(List.of(put("a", "own"), put("b", "own"), put("c", "own")));
          assertEquals("", scan(table, down));
          assertEquals("", scan(table, up));
          assertEquals("a=own b=own c=own", scan(table, new Scan())); // which sends them
          assertEquals("", scan(table, down));
          assertEquals("", scan(table, up));
          assertEquals("c=own b=own", scan(table, new Scan(down).setReversed(true)));
          assertEquals("a=own b=own", scan(table, new Scan(up).setReversed(false)));
          return null;
        });
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void scansAreMeasuredIfTheyAskForIt(Options options) throws Exception {
    TableName name = fixture.table(options);
    manager.run(
        tx -> {
          tx.table(name).put(List.of(put("a", "1"), put("b", "1")));
          return null;
        });
    Scan scan = new Scan().setScanMetricsEnabled(true);
    CompletableFuture<Long> consumed = new CompletableFuture<>();
    ScanResultConsumer consumer =
        new ScanResultConsumer() {
          private ScanMetrics metrics = new ScanMetrics();

          @Override
          public void onScanMetricsCreated(ScanMetrics created) {
            metrics = created;
          }

          @Override
          public boolean onNext(Result row) {
            return true;
          }

          @Override
          public void onError(Throwable failure) {
            consumed.completeExceptionally(failure);
          }

          @Override
          public void onComplete() {
            consumed.complete(metrics.countOfRowsScanned.get());
          }
        };
    try (Transaction tx = manager.begin();
        ResultScanner rows = tx.table(name).getScanner(scan);
        ResultScanner unmeasured = tx.table(name).getScanner(new Scan())) {
      assertEquals(2, rows.next(3).length);
      assertEquals(2, rows.getScanMetrics().countOfRowsScanned.get());
      assertEquals(2, unmeasured.next(3).length);
      assertNull(unmeasured.getScanMetrics());
      tx.asyncTable(name).join().scan(scan, consumer);
      assertEquals(2, consumed.get(30, TimeUnit.SECONDS));
    }
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void scansOfManyPagesWithPendingRowsBetween(Options options) throws Exception {
    TableName name = fixture.table(options);
    TransactionManager dying = fixture.dyingManager();
    List<String> expected = new ArrayList<>();
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      String row = String.format("%03d", i);
      puts.add(put(row, "v" + i).addColumn(G, Q, new byte[5000]));
      expected.add(row + "=" + (i % 3 == 0 ? "w" : "v") + i);
    }
    manager.run(
        tx -> {
          tx.table(name).put(puts);
          return null;
        });
    dying.run(
        tx -> {
          for (int i = 0; i < 300; i += 3) {
            tx.table(name).put(put(String.format("%03d", i), "w" + i));
          }
          return null;
        });
    Transaction open = dying.begin();
    open.table(name).put(List.of(put("001", "never"), put("999", "never")));
    Inside.writes(open).sendAll().join();
    try (Transaction tx = manager.begin()) {
      Table table = tx.table(name);
      assertEquals(
          String.join(" ", expected),
          scan(table, new Scan().setCaching(10).setMaxResultSize(60_000)));
      assertEquals("299=v299 298=v298", scan(table, new Scan().setReversed(true).setLimit(2)));
      assertEquals(
          "010=v10 011=v11",
          scan(table, new Scan().withStartRow(bytes("010")).withStopRow(bytes("012"))));
      assertEquals(
          "000=w0 001=v1",
          scan(table, new Scan().addColumn(F, Q).setFilter(new PageFilter(2)).setLimit(2)));
      assertEquals(
          "003=w3",
          scan(
              table,
              new Scan()
                  .setFilter(
                      new SingleColumnValueFilter(F, Q, CompareOperator.EQUAL, bytes("w3")))));
      assertEquals(
          "000= 001=",
          scan(table, new Scan().addFamily(F).setFilter(new KeyOnlyFilter()).setLimit(2)));
      assertEquals(300, tx.asyncTable(name).join().scanAll(new Scan().addFamily(G)).join().size());
    }
    open.rollback();
  }
}
