package io.retso.hbase.operation;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.G;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.RollbackOnlyException;
import io.retso.hbase.layout.Tombstone;
import io.retso.hbase.options.Conflicts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HTableDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.constraint.BaseConstraint;
import org.apache.hadoop.hbase.constraint.Constraint;
import org.apache.hadoop.hbase.constraint.ConstraintException;
import org.apache.hadoop.hbase.constraint.Constraints;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Deletes of every kind, with conflicts by row and by cell: old snapshots still see the values. */
@ExtendWith(RetsoCluster.Extension.class)
class DeletesTest {
  private Fixture fixture;
  private TransactionManager manager;

  static Stream<Options> options() {
    return Fixture.MODES.stream().flatMap(o -> Stream.of(o, o.withConflicts(Conflicts.CELL)));
  }

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
  }

  /** Values have one byte. */
  public static class OneByte extends BaseConstraint {
    @Override
    public void check(Put put) throws ConstraintException {
      for (Cell cell : put.getFamilyCellMap().getOrDefault(Fixture.F, List.of())) {
        if (cell.getValueLength() != 1 && !accepts(cell)) {
          throw new ConstraintException("a value of " + cell.getValueLength() + " bytes");
        }
      }
    }

    boolean accepts(Cell cell) {
      return false;
    }
  }

  /** Values have one byte, but for what deletes in transactions. */
  public static final class OneByteOrNone extends OneByte {
    @Override
    boolean accepts(Cell cell) {
      return Tombstone.is(cell);
    }
  }

  @SuppressWarnings({"deprecation", "unchecked"}) // as HBase declares it
  private TableName constrained(Class<? extends Constraint> constraint) throws Exception {
    TableName name = fixture.cluster.freshName("t");
    HTableDescriptor table = new HTableDescriptor(Fixture.descriptor(name).build());
    Constraints.add(table, constraint);
    fixture.preparation().create(table, Options.DEFAULT);
    manager.run(
        tx -> {
          tx.table(name).put(Fixture.put("r", "1"));
          return null;
        });
    return name;
  }

  @Test
  void aConstraintThatDoesNotKnowDeletesIsNamed() throws Exception {
    TableName name = constrained(OneByte.class);
    try (Transaction tx = manager.begin()) {
      tx.table(name).delete(new Delete(bytes("r")));
      Exception e = assertThrows(RollbackOnlyException.class, tx::commit);
      assertTrue(e.getMessage().contains("a value of 16 bytes"), e.getMessage());
      assertTrue(e.getMessage().contains("Tombstone.is"), e.getMessage());
    }
    String warnings = fixture.preparation().warnings(name).toString();
    assertTrue(warnings.contains("constraints"), warnings);
  }

  @Test
  void aConstraintMayKnowThem() throws Exception {
    TableName name = constrained(OneByteOrNone.class);
    manager.run(
        tx -> {
          tx.table(name).delete(new Delete(bytes("r")));
          return null;
        });
    assertEquals("", manager.run(tx -> columns(tx.table(name).asTable())));
    try (Transaction tx = manager.begin()) {
      tx.table(name).put(Fixture.put("r", "two"));
      assertThrows(RollbackOnlyException.class, tx::commit);
    }
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
