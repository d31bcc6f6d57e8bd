package io.retso.hbase.read;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.G;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.options.Isolation.SERIALIZABLE;
import static io.retso.hbase.options.Isolation.SNAPSHOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.AsyncTransactionalTable;
import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.TransactionalTable;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.SerializationException;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Isolation;
import io.retso.hbase.transaction.Inside;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.ScanResultConsumer;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Two transactions each read what the other one writes: both commit under snapshot isolation, and
 * one of them if they are serializable, whatever kind of read it was.
 */
@ExtendWith(RetsoCluster.Extension.class)
class WriteSkewTest {
  static final List<Options> MODES =
      List.of(
          Options.DEFAULT,
          Options.CLIENT_READS,
          Options.DEFAULT.withConflicts(Conflicts.CELL),
          Options.CLIENT_READS.withConflicts(Conflicts.CELL));

  private static final byte[] N = bytes("n");

  private Fixture fixture;
  private TransactionManager manager;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
  }

  /** A way to look at a row, and at nothing else. */
  private interface Look {
    void at(TransactionalTable table, AsyncTransactionalTable async, String row) throws Exception;
  }

  /**
   * A kind of read.
   *
   * @param ofPresent whether it is no write if there is such a row
   */
  private record Kind(String name, boolean ofPresent, Look look) {}

  private static Scan range(String row) {
    return new Scan().withStartRow(bytes(row)).withStopRow(bytes(row + "~"));
  }

  private static Scan reversed(String row) {
    return new Scan()
        .setReversed(true)
        .withStartRow(bytes(row + "~"))
        .withStopRow(bytes(row), true);
  }

  private static void take(TransactionalTable table, Scan scan) throws Exception {
    try (ResultScanner rows = table.getScanner(scan)) {
      for (Result row = rows.next(); row != null; row = rows.next()) {
        assertFalse(row.isEmpty());
      }
    }
  }

  private static SingleColumnValueFilter noSuchValue() {
    return new SingleColumnValueFilter(F, Q, CompareOperator.EQUAL, bytes("no such value"));
  }

  private static CheckAndMutate failingCheck(String row, boolean byFilter) {
    CheckAndMutate.Builder check = CheckAndMutate.newBuilder(bytes(row));
    return (byFilter
            ? check.ifMatches(noSuchValue())
            : check.ifEquals(F, Q, bytes("no such value")))
        .build(put(row, "never"));
  }

  private static final List<Kind> KINDS =
      List.of(
          new Kind("get", true, (t, a, row) -> t.get(get(row))),
          new Kind("get of a column", true, (t, a, row) -> t.get(get(row).addColumn(F, Q))),
          new Kind("get of a family", true, (t, a, row) -> t.get(get(row).addFamily(F))),
          new Kind(
              "get with a filter", true, (t, a, row) -> t.get(get(row).setFilter(noSuchValue()))),
          new Kind(
              "get of a column with a filter",
              true,
              (t, a, row) -> t.get(get(row).addColumn(F, Q).setFilter(noSuchValue()))),
          new Kind(
              "get with a limit",
              true,
              (t, a, row) -> t.get(get(row).setMaxResultsPerColumnFamily(1))),
          new Kind(
              "gets", true, (t, a, row) -> t.get(List.of(get(row), get("elsewhere").addFamily(G)))),
          new Kind("exists", true, (t, a, row) -> t.exists(get(row))),
          new Kind("exist", true, (t, a, row) -> t.exists(List.of(get(row).addColumn(F, Q)))),
          new Kind("batch", true, (t, a, row) -> t.batch(List.of(get(row)), new Object[1])),
          new Kind("scan", true, (t, a, row) -> take(t, range(row))),
          new Kind("scan of a family", true, (t, a, row) -> take(t, range(row).addFamily(F))),
          new Kind("reversed scan", true, (t, a, row) -> take(t, reversed(row))),
          new Kind("scan with a limit", true, (t, a, row) -> take(t, range(row).setLimit(1))),
          new Kind("one row", true, (t, a, row) -> take(t, range(row).setOneRowLimit())),
          new Kind(
              "scan with a filter",
              true,
              (t, a, row) -> take(t, range(row).setFilter(noSuchValue()))),
          new Kind(
              "scan of a page",
              true,
              (t, a, row) -> take(t, range(row).setFilter(new PageFilter(1)))),
          new Kind(
              "abandoned scan", true, (t, a, row) -> t.getScanner(range(row).setCaching(1)).next()),
          new Kind(
              "scan without waiting",
              true,
              (t, a, row) -> a.scanAll(range(row)).get(30, TimeUnit.SECONDS)),
          new Kind("consumer that wants one", true, (t, a, row) -> consume(a, range(row))),
          new Kind(
              "check that fails", true, (t, a, row) -> t.checkAndMutate(failingCheck(row, false))),
          new Kind(
              "check by a filter", true, (t, a, row) -> t.checkAndMutate(failingCheck(row, true))),
          new Kind("delete of a row", false, (t, a, row) -> t.delete(new Delete(bytes(row)))),
          new Kind(
              "delete of a family",
              false,
              (t, a, row) -> t.delete(new Delete(bytes(row)).addFamily(F))));

  private static void consume(AsyncTransactionalTable table, Scan scan) throws Exception {
    CompletableFuture<Void> done = new CompletableFuture<>();
    table.scan(
        scan,
        new ScanResultConsumer() {
          @Override
          public boolean onNext(Result result) {
            return false;
          }

          @Override
          public void onError(Throwable failure) {
            done.completeExceptionally(failure);
          }

          @Override
          public void onComplete() {
            done.complete(null);
          }
        });
    done.get(30, TimeUnit.SECONDS);
  }

  private Transaction begin(Isolation isolation) throws Exception {
    return manager.begin(TransactionOptions.DEFAULT.withIsolation(isolation));
  }

  /** Reads one row and writes another one. */
  private Transaction begun(
      Isolation isolation, TableName name, Look look, String read, String written)
      throws Exception {
    Transaction tx = begin(isolation);
    TransactionalTable table = tx.table(name);
    look.at(table, tx.asyncTable(name).get(30, TimeUnit.SECONDS), read);
    table.put(put(written, "new"));
    return tx;
  }

  /** Whether the second one commits, too. */
  private boolean bothCommit(
      Isolation isolation, TableName name, Look look, String one, String other) throws Exception {
    Transaction first = begun(isolation, name, look, one, other);
    Transaction second = begun(isolation, name, look, other, one);
    first.commit();
    try {
      second.commit();
      return true;
    } catch (SerializationException e) {
      assertEquals(SerializationException.Reason.PIVOT, e.reason());
      return false;
    }
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void everyKindOfReadIsCertified(Options options) throws Exception {
    TableName name = fixture.table(options);
    List<String> wrong = new ArrayList<>();
    int kinds = 0;
    for (Kind kind : KINDS) {
      for (boolean isPresent : kind.ofPresent ? new boolean[] {true, false} : new boolean[1]) {
        for (Isolation isolation : Isolation.values()) {
          String rows = String.format("%03d", kinds++); // with the next letter, a granule
          if (isPresent) {
            manager.run(
                tx -> {
                  tx.table(name).put(List.of(put(rows + "a", "old"), put(rows + "b", "old")));
                  return null;
                });
          }
          boolean both = bothCommit(isolation, name, kind.look, rows + "a", rows + "b");
          if (both != (isolation == SNAPSHOT)) {
            wrong.add(kind.name + (isPresent ? "" : ", not found") + " under " + isolation);
          }
        }
      }
    }
    assertEquals(List.of(), wrong);
    long pivots = Inside.counters(manager).pivots.sum();
    assertEquals(kinds / 2, pivots);
  }

  /** A way to change a row that is there. */
  private interface Change {
    void of(TransactionalTable table, byte[] row) throws Exception;
  }

  private static final List<Change> CHANGES =
      List.of(
          (t, row) -> t.put(new Put(row).addColumn(F, Q, Q)),
          (t, row) -> t.put(new Put(Bytes.add(row, Q)).addColumn(F, Q, Q)), // the row behind it
          (t, row) -> t.delete(new Delete(row)),
          (t, row) -> t.delete(new Delete(row).addFamily(F)),
          (t, row) -> t.delete(new Delete(row).addColumns(F, Q)),
          (t, row) -> t.increment(new Increment(row).addColumn(F, N, 1)),
          (t, row) -> t.append(new Append(row).addColumn(F, Q, Q)),
          (t, row) ->
              assertTrue(
                  t.checkAndMutate(
                          CheckAndMutate.newBuilder(row)
                              .ifEquals(F, Q, bytes("old"))
                              .build(new Delete(row)))
                      .isSuccess()));

  /** Inserts, updates and deletes by others change what a scan has found or not found. */
  @ParameterizedTest
  @FieldSource("MODES")
  void everyChangeOfAScannedRangeIsNoticed(Options options) throws Exception {
    TableName name = fixture.table(options);
    for (int i = 0; i < CHANGES.size(); i++) {
      for (Isolation isolation : Isolation.values()) {
        String row = isolation.name() + i;
        String other = "other" + row;
        manager.run(
            tx -> {
              tx.table(name).put(put(row, "old"));
              return null;
            });
        Look scan = (table, async, of) -> take(table, range(of));
        Transaction scanning = begun(isolation, name, scan, row, other);
        Transaction changing = begin(isolation);
        changing.table(name).get(get(other));
        CHANGES.get(i).of(changing.table(name), bytes(row));
        scanning.commit();
        if (isolation == SERIALIZABLE) {
          assertThrows(SerializationException.class, changing::commit, "change " + i);
        } else {
          changing.commit();
        }
      }
    }
  }

  /**
   * Under conflicts by cell: a transaction that has read a row has read more of it than the cell it
   * writes.
   */
  @Test
  void twoCellsOfOneRowAreNoExcuse() throws Exception {
    TableName name = fixture.table(MODES.get(2));
    for (Isolation isolation : Isolation.values()) {
      String row = isolation.name();
      Transaction first = begin(isolation);
      first.table(name).get(get(row));
      first.table(name).put(put(row, "new"));
      Transaction second = begin(isolation);
      second.table(name).get(get(row).addColumn(F, Q));
      second.table(name).put(new Put(bytes(row)).addColumn(F, N, N));
      first.commit();
      if (isolation == SERIALIZABLE) {
        assertThrows(SerializationException.class, second::commit);
      } else {
        second.commit();
      }
    }
  }

  @Test
  void whatIsReadBeyondTheBoundIsCertified() throws Exception {
    TableName name = fixture.table(Options.DEFAULT);
    List<Get> gets = new ArrayList<>();
    for (int i = 0; i <= ReadSet.EXACT_MAX; i++) {
      gets.add(get(String.format("%08d", i)).addColumn(F, Q));
    }
    Look all =
        (table, async, last) -> assertEquals(last, text(gets.get(table.get(gets).length - 1)));
    String last = text(gets.get(ReadSet.EXACT_MAX));
    Transaction first = begun(SERIALIZABLE, name, all, last, "other");
    Look get = (table, async, row) -> table.get(get(row));
    Transaction second = begun(SERIALIZABLE, name, get, "other", last);
    first.commit();
    assertThrows(SerializationException.class, second::commit);
  }

  private static String text(Get get) {
    return Fixture.text(get.getRow());
  }

  /** Under conflicts by cell; both read the row that the one deletes from. */
  @Test
  void aDeleteReadsTheColumnsThatItDoesNotFind() throws Exception {
    TableName name = fixture.table(MODES.get(2));
    for (Isolation isolation : Isolation.values()) {
      String row = isolation.name();
      manager.run(
          tx -> {
            tx.table(name).put(put(row, "old"));
            return null;
          });
      Look delete = (table, async, of) -> table.delete(new Delete(bytes(of)));
      Transaction deleting = begun(isolation, name, delete, row, row + "1");
      Transaction adding = begin(isolation);
      adding.table(name).get(get(row + "1"));
      adding.table(name).put(new Put(bytes(row)).addColumn(G, N, N));
      deleting.commit();
      if (isolation == SERIALIZABLE) {
        assertThrows(SerializationException.class, adding::commit);
      } else {
        adding.commit();
      }
    }
  }

  /** The row at which a filter ended the scan was not delivered, but decided where that ends. */
  @ParameterizedTest
  @FieldSource("MODES")
  void aFilterThatEndsAScanHasReadMoreThanItShows(Options options) throws Exception {
    TableName name = fixture.table(options);
    Look rowsThatAreOld =
        (table, async, first) -> {
          Scan scan = new Scan().withStartRow(bytes(first)).withStopRow(bytes("0009"));
          WhileMatchFilter filter =
              new WhileMatchFilter(
                  new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(bytes("old"))));
          try (ResultScanner rows = table.getScanner(scan.addFamily(F).setFilter(filter))) {
            assertEquals(first, Fixture.text(rows.next().getRow()));
            assertNull(rows.next());
          }
        };
    for (Isolation isolation : Isolation.values()) {
      manager.run(
          tx -> {
            tx.table(name).put(List.of(put("0001", "old"), put("0002", "new")));
            return null;
          });
      Transaction first = begun(isolation, name, rowsThatAreOld, "0001", "9999");
      Transaction second = begin(isolation);
      second.table(name).get(get("9999"));
      second.table(name).put(put("0002", "old"));
      first.commit();
      if (isolation == SERIALIZABLE) {
        assertThrows(SerializationException.class, second::commit);
      } else {
        second.commit();
      }
    }
  }

  /** What a transaction wrote, too, needs no certificate, as others cannot have written it. */
  @ParameterizedTest
  @FieldSource("MODES")
  void incrementsAndAppendsConflictAsEver(Options options) throws Exception {
    TableName name = fixture.table(options);
    Transaction first = begin(SERIALIZABLE);
    Transaction second = begin(SERIALIZABLE);
    for (Transaction tx : List.of(first, second)) {
      tx.table(name).increment(new Increment(bytes("r")).addColumn(F, N, 1));
      tx.table(name).append(new Append(bytes("s")).addColumn(F, Q, Q));
    }
    first.commit();
    assertThrows(ConflictException.class, second::commit);
  }

  /** Both read and write rows that lie beside each other, and nothing is lost. */
  @ParameterizedTest
  @FieldSource("MODES")
  void whatHasNothingToDoWithEachOtherCommits(Options options) throws Exception {
    TableName name = fixture.table(options);
    manager.run(
        tx -> {
          for (int i = 0; i < 10; i++) {
            tx.table(name).put(put("000" + i, "old"));
          }
          return null;
        });
    Transaction first = begin(SERIALIZABLE);
    Transaction second = begin(SERIALIZABLE);
    take(first.table(name), new Scan().withStartRow(bytes("0000")).withStopRow(bytes("0003")));
    first.table(name).put(put("0001", "new"));
    try (ResultScanner rows =
        second.table(name).getScanner(new Scan().withStartRow(bytes("0003")))) {
      rows.next(); // 0003 and 0004 were taken, all others were only fetched
      rows.next();
      second.table(name).put(put("0009", "new"));
      second.table(name).put(put("0002", "new"));
      Transaction third = begin(SERIALIZABLE);
      third.table(name).get(get("0009").addColumn(F, Q));
      third.table(name).get(get("0001").addColumn(F, Q));
      third.table(name).put(put("0005", "new"));
      third.commit(); // before both in the serial order
      second.commit();
    }
    first.commit(); // before the second one, of which it has not seen 0002
    assertEquals(0, Inside.counters(manager).pivots.sum());
  }

  /** What is answered by the transaction's own writes was not read. */
  @ParameterizedTest
  @FieldSource("MODES")
  void ownWritesAreNoReads(Options options) throws Exception {
    TableName name = fixture.table(options);
    Transaction tx = begin(SERIALIZABLE);
    tx.table(name).put(put("a", "own"));
    Get own = get("a").addColumn(F, Q);
    assertTrue(tx.table(name).exists(own));
    assertFalse(Inside.reads(tx).hasReads());
    tx.table(name).get(own.addColumn(F, N)); // the other column is in the table, or not
    assertTrue(Inside.reads(tx).hasReads());
    tx.commit();
  }
}
