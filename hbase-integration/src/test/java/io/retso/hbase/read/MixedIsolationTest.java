package io.retso.hbase.read;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static io.retso.hbase.options.Isolation.SERIALIZABLE;
import static io.retso.hbase.options.Isolation.SNAPSHOT;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.TransactionalTable;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.SerializationException;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Isolation;
import io.retso.hbase.transaction.Inside;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What serializable transactions see of those of snapshot isolation. One reads, another one then
 * changes what it read and commits, a third one sees the change and not what the first one writes:
 * so the first one comes before the second, that before the third, and the third before the first.
 * The first and the third are serializable, the second is not.
 */
@ExtendWith(RetsoCluster.Extension.class)
class MixedIsolationTest {
  private Fixture fixture;
  private TransactionManager manager;
  private Transaction first;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
  }

  private interface Look {
    void at(TransactionalTable table) throws Exception;
  }

  private Transaction begin(Isolation isolation) throws Exception {
    return manager.begin(TransactionOptions.DEFAULT.withIsolation(isolation));
  }

  /** Whether the cycle is refused. */
  private boolean isRefused(Options options, Isolation ofSecond, String changed, Look look)
      throws Exception {
    TableName name = fixture.table(options);
    manager.run(
        tx -> {
          tx.table(name).put(put("0005", "old"));
          return null;
        });
    first = begin(SERIALIZABLE);
    look.at(first.table(name));
    first.table(name).put(put("9999", "of the first"));
    Transaction second = begin(ofSecond);
    second.table(name).put(put(changed, "of the second"));
    second.commit();
    Transaction third = begin(SERIALIZABLE);
    assertEquals("of the second", read(third.table(name), changed));
    assertEquals(null, text(third.table(name).get(column("9999"))));
    third.table(name).put(put("8888", "of the third"));
    third.commit();
    try {
      first.commit();
      return false;
    } catch (SerializationException e) {
      return true;
    }
  }

  private static String text(Result result) {
    return Fixture.text(result.getValue(F, Q));
  }

  private static Get column(String row) {
    return get(row).addColumn(F, Q);
  }

  /** Rows 0003 and 0005; the last one is not asked for. */
  private static void scan(TransactionalTable table) throws Exception {
    Scan scan = new Scan().withStartRow(bytes("0003")).withStopRow(bytes("0006"));
    try (ResultScanner rows = table.getScanner(scan)) {
      assertEquals("0005", Fixture.text(rows.next().getRow()));
      assertEquals(null, rows.next());
    }
  }

  private void expect(boolean refused, Options options, String changed, Look look)
      throws Exception {
    assertEquals(true, isRefused(options, SERIALIZABLE, changed, look), "all serializable");
    assertEquals(refused, isRefused(options, SNAPSHOT, changed, look), "one of snapshot isolation");
  }

  @Test
  void rowsThatWereReadAreNoticed() throws Exception {
    for (String row : new String[] {"0005", "0004"}) { // found, and not found
      expect(true, Options.DEFAULT, row, table -> table.get(get(row)));
    }
  }

  @Test
  void cellsThatWereReadAreNoticed() throws Exception {
    Options byCell = Options.DEFAULT.withConflicts(Conflicts.CELL);
    expect(true, byCell, "0005", table -> table.get(column("0005")));
  }

  @Test
  void rowsOfConflictsByCellAreNoticedWithGranules() throws Exception {
    Options byCell = Options.DEFAULT.withConflicts(Conflicts.CELL);
    for (Look look :
        List.<Look>of(
            table -> table.get(get("0005")), table -> table.exists(get("0005").addFamily(F)))) {
      expect(false, byCell, "0005", look);
      expect(true, byCell.withGranules("0"), "0005", look);
    }
  }

  /** As many rows as the read set knows exactly were read before. */
  @Test
  void whatIsReadBeyondTheBoundIsNoticedWithGranules() throws Exception {
    List<Get> others =
        IntStream.range(0, ReadSet.EXACT_MAX).mapToObj(i -> get("other row " + i)).toList();
    for (Options options : List.of(Options.DEFAULT, Options.DEFAULT.withGranules("0,4"))) {
      boolean noticed = !options.equals(Options.DEFAULT);
      expect(
          noticed,
          options,
          "0005",
          table -> {
            Inside.reads(first).add(Inside.tables(manager).find(table.getName()).join(), others);
            table.get(get("0005"));
          });
    }
  }

  @Test
  void whatWasScannedIsNoticedWithGranules() throws Exception {
    for (String row : new String[] {"0005", "0004"}) { // an update, and an insert
      expect(false, Options.DEFAULT, row, MixedIsolationTest::scan);
      expect(true, Options.DEFAULT.withGranules("0,4"), row, MixedIsolationTest::scan);
    }
    expectNeither("0007");
  }

  /** A row behind the range is no part of it, where granules are fine enough. */
  private void expectNeither(String changed) throws Exception {
    Options fine = Options.DEFAULT.withGranules("0,4");
    assertEquals(false, isRefused(fine, SERIALIZABLE, changed, MixedIsolationTest::scan));
    Options coarse = Options.DEFAULT.withGranules("0");
    assertEquals(true, isRefused(coarse, SERIALIZABLE, changed, MixedIsolationTest::scan));
  }
}
