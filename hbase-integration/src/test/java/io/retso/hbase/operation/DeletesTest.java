package io.retso.hbase.operation;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.G;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.options.Conflicts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Deletes of every kind, with conflicts by row and by cell: old snapshots still see the values. */
@ExtendWith(RetsoCluster.Extension.class)
class DeletesTest {
  private Fixture fixture;
  private TransactionManager manager;

  static Stream<Options> options() {
    return Fixture.MODES.stream().flatMap(o -> Stream.of(o, o.with(Conflicts.CELL)));
  }

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
  }

  /** Columns of the row, like "f:a f:b g:a". */
  private static String columns(Table table) throws IOException {
    Result row = table.get(get("r"));
    List<String> columns = new ArrayList<>();
    if (!row.isEmpty()) {
      for (Cell cell : row.rawCells()) {
        columns.add(text(CellUtil.cloneFamily(cell)) + ":" + text(CellUtil.cloneQualifier(cell)));
      }
    }
    return String.join(" ", columns);
  }

  private static Put put(String... columns) {
    Put put = new Put(bytes("r"));
    for (String column : columns) {
      String[] parts = column.split(":");
      put.addColumn(bytes(parts[0]), bytes(parts[1]), bytes("v"));
    }
    return put;
  }

  private void expect(TableName name, Delete delete, String left) throws Exception {
    manager.run(
        tx -> {
          tx.table(name).put(put("f:a", "f:b", "g:a", "g:b"));
          return null;
        });
    Transaction old = manager.begin();
    Transaction deleting = manager.begin();
    deleting.table(name).delete(delete);
    assertEquals(left, columns(deleting.table(name)), "own view");
    assertEquals("f:a f:b g:a g:b", columns(old.table(name)), "before the commit");
    deleting.commit();
    assertEquals(left, manager.run(tx -> columns(tx.table(name))), "after the commit");
    assertEquals("f:a f:b g:a g:b", columns(old.table(name)), "in the old snapshot");
    eventually("cleaned up", () -> fixture.marks(name) == 0);
    assertEquals(left, manager.run(tx -> columns(tx.table(name))), "after the cleanup");
    assertEquals("f:a f:b g:a g:b", columns(old.table(name)), "in the old snapshot, cleaned up");
    old.rollback();
  }

  @ParameterizedTest
  @MethodSource("options")
  void everyKindOfDelete(Options options) throws Exception {
    TableName name = fixture.table(options);
    byte[] row = bytes("r");
    expect(name, new Delete(row), "");
    expect(name, new Delete(row).addFamily(F), "g:a g:b");
    expect(name, new Delete(row).addColumns(F, bytes("a")), "f:b g:a g:b");
    expect(name, new Delete(row).addColumn(F, bytes("a")), "f:b g:a g:b");
    expect(name, new Delete(row).addFamily(G).addColumns(F, bytes("b")), "f:a");
    expect(name, new Delete(row).addColumns(F, bytes("none")), "f:a f:b g:a g:b");
  }

  @ParameterizedTest
  @MethodSource("options")
  void deleteAndPutOfOneTransactionTakeEffectInTheirOrder(Options options) throws Exception {
    TableName name = fixture.table(options);
    manager.run(
        tx -> {
          tx.table(name).put(put("f:a", "f:b"));
          return null;
        });
    manager.run(
        tx -> {
          Table table = tx.table(name);
          table.delete(new Delete(bytes("r")));
          table.put(put("f:b", "g:c"));
          return null;
        });
    assertEquals("f:b g:c", manager.run(tx -> columns(tx.table(name))));
    manager.run(
        tx -> {
          Table table = tx.table(name);
          table.put(put("f:z"));
          table.delete(new Delete(bytes("r")));
          assertEquals("", columns(table));
          return null;
        });
    assertEquals("", manager.run(tx -> columns(tx.table(name))));
    manager.run(
        tx -> {
          tx.table(name)
              .mutateRow(
                  RowMutations.of(
                      List.of(put("f:a", "f:b"), new Delete(bytes("r")).addFamily(F), put("f:c"))));
          return null;
        });
    assertEquals("f:c", manager.run(tx -> columns(tx.table(name))));
  }

  @ParameterizedTest
  @MethodSource("options")
  void deletesOfDifferentColumnsConflictByRowOnly(Options options) throws Exception {
    TableName name = fixture.table(options);
    manager.run(
        tx -> {
          tx.table(name).put(put("f:a", "f:b"));
          return null;
        });
    Transaction one = manager.begin();
    Transaction two = manager.begin();
    one.table(name).delete(new Delete(bytes("r")).addColumns(F, bytes("a")));
    two.table(name).delete(new Delete(bytes("r")).addColumns(F, bytes("b")));
    one.commit();
    if (options.conflicts() == Conflicts.ROW) {
      assertThrows(ConflictException.class, two::commit);
      assertEquals("f:b", manager.run(tx -> columns(tx.table(name))));
    } else {
      two.commit();
      assertEquals("", manager.run(tx -> columns(tx.table(name))));
    }
  }
}
