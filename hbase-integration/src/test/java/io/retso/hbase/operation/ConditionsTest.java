package io.retso.hbase.operation;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.G;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.number;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
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
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.options.Conflicts;
import java.util.List;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.CompareFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.io.TimeRange;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** {@code checkAndMutate} in all its forms, inside a transaction. */
@ExtendWith(RetsoCluster.Extension.class)
class ConditionsTest {
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
  void conditionsHaveHBasesMeaning(Options options) throws Exception {
    TableName name = fixture.table(options);
    byte[] row = bytes("r");
    try (Table plain = fixture.cluster.connection().getTable(name);
        Transaction tx = manager.begin()) {
      Table table = tx.table(name);
      plain.put(new Put(bytes("plain")).addColumn(F, Q, bytes("m")));
      table.put(put("r", "m"));
      for (CompareOperator operator : CompareOperator.values()) {
        for (String value : new String[] {"a", "m", "z", ""}) {
          if (operator != CompareOperator.NO_OP) {
            for (String column : new String[] {"q", "missing"}) {
              boolean expected =
                  plain
                      .checkAndMutate(
                          CheckAndMutate.newBuilder(bytes("plain"))
                              .ifMatches(F, bytes(column), operator, bytes(value))
                              .build(new Put(bytes("plain")).addColumn(G, Q, Q)))
                      .isSuccess();
              boolean actual =
                  table
                      .checkAndMutate(
                          CheckAndMutate.newBuilder(row)
                              .ifMatches(F, bytes(column), operator, bytes(value))
                              .build(new Put(row).addColumn(G, Q, Q)))
                      .isSuccess();
              assertEquals(expected, actual, operator + " '" + value + "' " + column);
            }
          }
        }
      }
      assertFalse(
          table
              .checkAndMutate(
                  CheckAndMutate.newBuilder(row).ifNotExists(F, Q).build(new Delete(row)))
              .isSuccess());
      CheckAndMutateResult result =
          table.checkAndMutate(
              CheckAndMutate.newBuilder(row)
                  .ifMatches(new SingleColumnValueFilter(F, Q, CompareOperator.EQUAL, bytes("m")))
                  .build(new Increment(row).addColumn(F, bytes("n"), 7)));
      assertTrue(result.isSuccess());
      assertEquals(7, number(result.getResult().getValue(F, bytes("n"))));
      tx.rollback();
    }
  }

  @ParameterizedTest
  @FieldSource("MODES")
  @SuppressWarnings("deprecation") // of HBase's interface, which code still uses
  void deprecatedConditionsWorkAsWell(Options options) throws Exception {
    TableName name = fixture.table(options);
    byte[] row = bytes("r");
    manager.run(
        tx -> {
          Table table = tx.table(name);
          assertTrue(table.checkAndPut(row, F, Q, null, put("r", "a")));
          assertFalse(table.checkAndPut(row, F, Q, null, put("r", "b")));
          assertTrue(
              table
                  .checkAndMutate(row, F)
                  .qualifier(Q)
                  .ifEquals(bytes("a"))
                  .thenPut(put("r", "c")));
          assertTrue(
              table
                  .checkAndMutate(
                      row, new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(bytes("c"))))
                  .thenPut(put("r", "d")));
          assertEquals("d", read(table, "r"));
          assertFalse(
              table.checkAndPut(
                  row, F, Q, CompareFilter.CompareOp.LESS, bytes("d"), put("r", "e")));
          assertTrue(
              table.checkAndPut(
                  row, F, Q, CompareFilter.CompareOp.LESS, bytes("c"), put("r", "e")));
          assertTrue(
              table.checkAndDelete(
                  row, F, Q, CompareFilter.CompareOp.EQUAL, bytes("e"), new Delete(row)));
          table.put(put("r", "d"));
          assertTrue(table.checkAndDelete(row, F, Q, bytes("d"), new Delete(row)));
          assertNull(read(table, "r"));
          return null;
        });
    manager.run(
        tx -> {
          AsyncTransactionalTable table = tx.asyncTable(name).join();
          assertTrue(
              table
                  .checkAndMutate(row, F)
                  .qualifier(Q)
                  .ifNotExists()
                  .thenPut(put("r", "a"))
                  .join());
          assertFalse(
              table
                  .checkAndMutate(row, F)
                  .qualifier(Q)
                  .ifNotExists()
                  .thenPut(put("r", "b"))
                  .join());
          assertTrue(
              table
                  .checkAndMutate(row, F)
                  .qualifier(Q)
                  .ifEquals(bytes("a"))
                  .thenMutate(RowMutations.of(List.of(put("r", "b"))))
                  .join());
          var isB = new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(bytes("b")));
          assertTrue(table.checkAndMutate(row, isB).thenDelete(new Delete(row)).join());
          assertFalse(table.checkAndMutate(row, isB).thenPut(put("r", "a")).join());
          assertThrows(
              IllegalArgumentException.class,
              () -> table.checkAndMutate(row, isB).timeRange(TimeRange.allTime()));
          return null;
        });
    assertNull(manager.run(tx -> read(tx.table(name), "r")));
  }

  @ParameterizedTest
  @FieldSource("MODES")
  @SuppressWarnings("deprecation") // of HBase's interface
  void deprecatedConditionsMayNameTheirColumnLast(Options options) throws Exception {
    TableName name = fixture.table(options);
    byte[] row = bytes("r");
    manager.run(
        tx -> {
          Table table = tx.table(name);
          table.put(put("r", "a"));
          var isA = table.checkAndMutate(row, F).ifEquals(bytes("a")).qualifier(Q);
          assertTrue(isA.thenPut(put("r", "b")));
          var isMissing = tx.asyncTable(name).join().checkAndMutate(row, F).ifNotExists();
          assertFalse(isMissing.qualifier(Q).thenPut(put("r", "c")).join());
          assertEquals("b", read(table, "r"));
          return null;
        });
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void checkedCellIsProtectedWithConflictsByCell(Options options) throws Exception {
    TableName name = fixture.table(options.withConflicts(Conflicts.CELL));
    byte[] row = bytes("r");
    manager.run(
        tx -> {
          tx.table(name).put(put("r", "free"));
          return null;
        });
    Transaction one = manager.begin();
    Transaction two = manager.begin();
    for (Transaction tx : List.of(one, two)) {
      byte[] mine = bytes("by" + tx.startTimestamp());
      assertTrue(
          tx.table(name)
              .checkAndMutate(
                  CheckAndMutate.newBuilder(row)
                      .ifEquals(F, Q, bytes("free"))
                      .build(new Put(row).addColumn(G, mine, mine)))
              .isSuccess());
    }
    one.commit();
    assertThrows(ConflictException.class, two::commit);
  }

  @ParameterizedTest
  @FieldSource("MODES")
  @SuppressWarnings("deprecation") // of HBase's interface, where no qualifier means an empty one
  void checkedCellWithoutQualifierIsProtectedWithConflictsByCell(Options options) throws Exception {
    TableName name = fixture.table(options.withConflicts(Conflicts.CELL));
    byte[] row = bytes("r");
    manager.run(
        tx -> {
          tx.table(name).put(new Put(row).addColumn(F, null, bytes("free")));
          return null;
        });
    Transaction one = manager.begin();
    Transaction two = manager.begin();
    CheckAndMutate check =
        CheckAndMutate.newBuilder(row)
            .ifEquals(F, null, bytes("free"))
            .build(new Put(row).addColumn(G, bytes("one"), Q));
    assertTrue(one.table(name).checkAndMutate(check).isSuccess());
    assertTrue(
        two.table(name)
            .checkAndMutate(row, F)
            .ifEquals(bytes("free"))
            .thenPut(new Put(row).addColumn(G, bytes("two"), Q)));
    one.commit();
    assertThrows(ConflictException.class, two::commit);
  }
}
