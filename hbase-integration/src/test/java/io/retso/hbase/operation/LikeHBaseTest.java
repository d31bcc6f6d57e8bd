package io.retso.hbase.operation;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.number;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.admin.TablePreparation.Options;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Small things that a program may rely on: each on HBase's own table, and on ours. */
@ExtendWith(RetsoCluster.Extension.class)
class LikeHBaseTest {
  private interface Use {
    void of(Table table) throws Exception;
  }

  private Fixture fixture;

  @BeforeEach
  void open(Fixture fixture) {
    this.fixture = fixture;
  }

  private void use(boolean transactional, Use use) throws Exception {
    TableName name = fixture.table(Options.DEFAULT);
    if (transactional) {
      try (Transaction tx = fixture.manager().begin()) {
        use.of(tx.table(name));
        tx.commit();
      }
    } else {
      try (Table table = fixture.cluster.connection().getTable(name)) {
        use.of(table);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void checksOfPutsAndDeletesHaveNoResult(boolean transactional) throws Exception {
    use(
        transactional,
        table -> {
          CheckAndMutate.Builder check = CheckAndMutate.newBuilder(bytes("r")).ifNotExists(F, Q);
          RowMutations both = RowMutations.of(List.of(put("r", "1"), new Delete(bytes("r"))));
          assertNull(table.checkAndMutate(check.build(new Delete(bytes("r")))).getResult());
          assertNull(table.checkAndMutate(check.build(both)).getResult());
          // HBase's delete hides what is put in the same millisecond.
          long deleted = System.currentTimeMillis();
          Fixture.eventually("the clock goes on", () -> System.currentTimeMillis() > deleted);
          Object[] results = new Object[1];
          table.batch(List.of(check.build(put("r", "1"))), results);
          assertNull(((CheckAndMutateResult) results[0]).getResult());
          check.ifEquals(F, Q, bytes("1"));
          Increment increment = new Increment(bytes("r")).addColumn(F, bytes("n"), 1);
          assertEquals(1, table.checkAndMutate(check.build(increment)).getResult().size());
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void rowMutationsExist(boolean transactional) throws Exception {
    use(
        transactional,
        table -> {
          RowMutations puts = RowMutations.of(List.of(put("r", "1")));
          Increment increment = new Increment(bytes("s")).addColumn(F, bytes("n"), 1);
          RowMutations increments = RowMutations.of(List.of(increment));
          assertEquals(true, table.mutateRow(puts).getExists());
          Result incremented = table.mutateRow(increments);
          assertEquals(true, incremented.getExists());
          assertEquals(1, number(incremented.getValue(F, bytes("n"))));
          Object[] results = new Object[2];
          table.batch(List.<Row>of(puts, increments), results);
          assertEquals(true, ((Result) results[0]).getExists());
          assertEquals(true, ((Result) results[1]).getExists());
        });
  }

  /** Both are of the value before, and the last one stays. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aColumnThatIsNamedTwiceIsChangedOnce(boolean transactional) throws Exception {
    use(
        transactional,
        table -> {
          Increment increment = new Increment(bytes("r")).addColumn(F, Q, 1).addColumn(F, Q, 2);
          table.increment(increment);
          table.increment(increment);
          assertEquals(4, number(table.get(get("r")).getValue(F, Q)));
          Append append = new Append(bytes("s")).addColumn(F, Q, bytes("v"));
          append.addColumn(F, Q, bytes("w"));
          table.append(append);
          table.append(append);
          assertEquals("ww", text(table.get(get("s")).getValue(F, Q)));
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @SuppressWarnings("deprecation") // of HBase's interface, which code still uses
  void scansHaveTheirMetricsInTheEnd(boolean transactional) throws Exception {
    use(
        transactional,
        table -> {
          table.put(List.of(put("a", "1"), put("b", "1")));
          Scan scan = new Scan().setScanMetricsEnabled(true);
          try (ResultScanner rows = table.getScanner(scan)) {
            assertEquals(2, rows.next(3).length);
          }
          assertEquals(2, scan.getScanMetrics().countOfRowsScanned.get());
          scan = new Scan().setScanMetricsEnabled(true);
          try (ResultScanner rows = table.getScanner(scan)) {
            assertNotNull(rows.next());
          }
          assertNotNull(scan.getScanMetrics(), "of a scanner that was closed");
        });
  }
}
