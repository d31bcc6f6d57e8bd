package io.retso.hbase.write;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.G;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.AsyncTransactionalTable;
import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionalTable;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.transaction.Inside;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.security.visibility.CellVisibility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Reads of what the transaction has just written: no request, and the answer of one. */
@ExtendWith(RetsoCluster.Extension.class)
public class OwnReadsTest {
  static final List<Options> MODES = Fixture.MODES;

  private static final long SEED = new Random().nextLong();
  private static final int ROUNDS = 25;
  private static final byte[] P = bytes("p");

  /** What was asked of HBase's table; cleanups are sent in other ways. */
  private final ConcurrentLinkedQueue<String> calls = new ConcurrentLinkedQueue<>();

  private final Fixture.Around noted =
      (method, call) -> {
        if (List.of("get", "put", "batchAll").contains(method)) {
          calls.add(method);
        }
        return call.call();
      };

  private Fixture fixture;
  private TransactionManager manager;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
  }

  private static Get column(String row) {
    return get(row).addColumn(F, Q);
  }

  /** It knows whether the user may see that. */
  @Test
  void whatHasALabelIsReadFromHBase() throws Exception {
    TableName name = fixture.table(Options.DEFAULT);
    try (Transaction tx = manager.begin()) {
      AsyncTransactionalTable table = Fixture.table(manager, tx, name, noted);
      table.put(put("a", "1").setCellVisibility(new CellVisibility("secret"))).get();
      assertEquals("1", text(table.get(column("a")).get().getValue(F, Q)));
      assertEquals(List.of("put", "get"), List.copyOf(calls));
    }
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void whatWasJustWrittenIsReadWithoutARequest(Options options) throws Exception {
    TableName name = fixture.table(options);
    try (Transaction tx = manager.begin()) {
      AsyncTransactionalTable table = Fixture.table(manager, tx, name, noted);
      table.put(put("a", "1")).get();
      assertEquals("1", text(table.get(column("a")).get().getValue(F, Q)));
      table.put(put("a", "2")).get();
      assertEquals("2", text(table.get(column("a")).get().getValue(F, Q)));
      assertTrue(table.exists(column("a")).get());
      table.delete(new Delete(bytes("a")).addColumns(F, Q)).get();
      assertTrue(table.get(column("a")).get().isEmpty());
      assertFalse(table.exists(column("a")).get());
      table.put(new Put(bytes("n")).addColumn(F, Q, new byte[8])).get();
      for (int i = 0; i < 5; i++) {
        table.increment(new Increment(bytes("n")).addColumn(F, Q, 1)).get();
      }
      assertEquals(5, Fixture.number(table.get(column("n")).get().getValue(F, Q)));
      CheckAndMutate ifSo =
          CheckAndMutate.newBuilder(bytes("a")).ifNotExists(F, Q).build(put("a", "3"));
      assertTrue(table.checkAndMutate(ifSo).get().isSuccess());
      assertEquals(List.of(), List.copyOf(calls));
      tx.commit();
    }
    manager.read(
        tx -> {
          assertEquals("3", Fixture.read(tx.table(name), "a"));
          return null;
        });
  }

  @Test
  void whatIsNotCertainIsAsked() throws Exception {
    TableName name = fixture.table(Options.DEFAULT);
    manager.run(
        tx -> {
          tx.table(name).put(new Put(bytes("a")).addColumn(F, Q, P).addColumn(F, P, P));
          return null;
        });
    List<Get> gets =
        List.of(
            get("a"),
            get("a").addFamily(F),
            column("a").addColumn(F, P),
            column("a").addColumn(G, Q),
            column("a").setFilter(new KeyOnlyFilter()),
            column("a").setMaxResultsPerColumnFamily(1),
            column("a").setRowOffsetPerColumnFamily(1));
    for (Get get : gets) {
      try (Transaction tx = manager.begin()) {
        AsyncTransactionalTable table = Fixture.table(manager, tx, name, noted);
        table.put(put("a", "2")).get();
        calls.clear();
        table.get(get).get(1, TimeUnit.MINUTES);
        assertEquals(List.of("put", "get"), List.copyOf(calls), get::toString);
      }
    }
  }

  /** Only the row that is not known is asked for; nothing of the other one is sent. */
  @Test
  void aReadOfSeveralRowsAsksAboutThoseThatAreNotKnown() throws Exception {
    TableName name = fixture.table(Options.DEFAULT);
    manager.run(
        tx -> {
          tx.table(name).put(List.of(put("a", "0"), put("b", "0"), put("c", "0")));
          return null;
        });
    eventually("cleaned up", () -> fixture.marks(name) == 0);
    try (Transaction tx = manager.begin()) {
      AsyncTransactionalTable table = Fixture.table(manager, tx, name, noted);
      table.put(put("b", "1")).get();
      List<Result> rows = table.getAll(List.of(column("a"), column("b"), column("c"))).get();
      assertEquals(
          List.of("0", "1", "0"), rows.stream().map(row -> text(row.getValue(F, Q))).toList());
      assertEquals(List.of("batchAll"), List.copyOf(calls));
      assertEquals(0, fixture.marks(name));
    }
  }

  /** An application that changes what it has read does not change what is written. */
  @Test
  void anAnswerIsACopy() throws Exception {
    TableName name = fixture.table(Options.DEFAULT);
    manager.run(
        tx -> {
          TransactionalTable table = tx.table(name);
          table.put(put("a", "1"));
          byte[] backing = table.get(column("a")).rawCells()[0].getValueArray();
          Arrays.fill(backing, (byte) 'x');
          return null;
        });
    assertEquals("1", manager.read(tx -> Fixture.read(tx.table(name), "a")));
  }

  /** Two transactions do the same, one of which sends each write before it reads. */
  @ParameterizedTest
  @FieldSource("MODES")
  void answersAreThoseOfRequests(Options options) throws Exception {
    TableName name = fixture.table(options);
    Random random = new Random(SEED);
    for (int round = 0; round < ROUNDS; round++) {
      long seed = random.nextLong();
      List<String> buffered = played(name, seed, false);
      assertEquals(played(name, seed, true), buffered, "round " + round + ", seed " + SEED);
    }
  }

  private List<String> played(TableName name, long seed, boolean sends) throws Exception {
    Random random = new Random(seed);
    List<String> seen = new ArrayList<>();
    Transaction tx = manager.begin();
    AsyncTransactionalTable table = tx.asyncTable(name).get(1, TimeUnit.MINUTES);
    for (int step = 0; step < 12; step++) {
      byte[] row = bytes("r" + random.nextInt(2));
      byte[] family = random.nextBoolean() ? F : G;
      byte[] column = random.nextBoolean() ? Q : P;
      byte[] value = bytes(random.nextInt(4) == 0 ? "" : "v" + random.nextInt(3));
      switch (random.nextInt(8)) {
        case 0, 1 -> table.put(new Put(row).addColumn(family, column, value)).get();
        case 2 -> table.delete(new Delete(row).addColumns(family, column)).get();
        case 3 -> table.delete(new Delete(row)).get();
        case 4 -> seen.add(incremented(table, new Increment(row).addColumn(family, column, 7)));
        case 5 ->
            table
                .checkAndMutate(
                    CheckAndMutate.newBuilder(row)
                        .ifEquals(family, column, value)
                        .build(new Put(row).addColumn(F, Q, bytes("checked"))))
                .get();
        default -> {
          Get get = new Get(row).addColumn(family, column);
          if (random.nextBoolean()) {
            get.addColumn(F, Q);
          }
          if (random.nextInt(3) == 0) {
            get.addColumn(G, P);
          }
          if (sends) {
            Inside.writes(tx).sendAll().get(1, TimeUnit.MINUTES);
          }
          seen.add(described(table.get(get).get(1, TimeUnit.MINUTES)));
          seen.add("" + table.exists(get).get(1, TimeUnit.MINUTES));
        }
      }
    }
    // Both begin with the same table: only the second one may change it, for the next round.
    if (sends && random.nextBoolean()) {
      tx.commit();
    } else {
      tx.rollback();
    }
    return seen;
  }

  /** The result, or that there was no number. */
  private static String incremented(AsyncTransactionalTable table, Increment increment)
      throws Exception {
    try {
      return described(table.increment(increment).get(1, TimeUnit.MINUTES));
    } catch (ExecutionException e) {
      return e.getCause().getMessage();
    }
  }

  /** Without the version, which is the start timestamp of one or the other. */
  private static String described(Result result) {
    List<String> cells = new ArrayList<>();
    for (Cell cell : result.listCells() == null ? List.<Cell>of() : result.listCells()) {
      cells.add(
          text(CellUtil.cloneRow(cell))
              + "/"
              + text(CellUtil.cloneFamily(cell))
              + ":"
              + text(CellUtil.cloneQualifier(cell))
              + "/"
              + cell.getType()
              + "="
              + text(CellUtil.cloneValue(cell)));
    }
    return cells.toString();
  }
}
