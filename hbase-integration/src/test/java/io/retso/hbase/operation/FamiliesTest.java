package io.retso.hbase.operation;

import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.AsyncTransactionalTable;
import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionalTable;
import io.retso.hbase.admin.TablePreparation.Options;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Families that a table does not have, or that it was given a moment ago. */
@ExtendWith(RetsoCluster.Extension.class)
class FamiliesTest {
  private static final byte[] NEW = bytes("new");

  private interface Use {
    Object of(TransactionalTable table, AsyncTransactionalTable async) throws Exception;
  }

  private Fixture fixture;
  private TransactionManager manager;

  static List<Options> modes() {
    return Fixture.MODES;
  }

  private static List<Use> uses() {
    return List.of(
        (table, async) -> table.get(get("r").addFamily(NEW)),
        (table, async) -> table.get(get("r").addColumn(NEW, Q)),
        (table, async) -> table.get(List.of(get("r"), get("r").addColumn(NEW, Q))),
        (table, async) -> table.exists(get("r").addFamily(NEW)),
        (table, async) -> table.exists(List.of(get("r").addFamily(NEW))),
        (table, async) -> table.getScanner(NEW),
        (table, async) -> table.getScanner(new Scan().addColumn(NEW, Q)),
        (table, async) -> async.scanAll(new Scan().addFamily(NEW)),
        (table, async) -> async.batch(List.of(get("r"), get("r").addFamily(NEW))),
        (table, async) ->
            table.checkAndMutate(
                CheckAndMutate.newBuilder(bytes("r"))
                    .ifNotExists(NEW, Q)
                    .build(new Delete(bytes("r")))));
  }

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
  }

  @ParameterizedTest
  @MethodSource("modes")
  void readsOfFamiliesThatAreNotThereAreRefusedAtTheCall(Options mode) throws Exception {
    TableName name = fixture.table(mode);
    try (Transaction tx = manager.begin()) {
      TransactionalTable table = tx.table(name);
      AsyncTransactionalTable async = tx.asyncTable(name).get(30, TimeUnit.SECONDS);
      for (Use use : uses()) {
        Exception e = assertThrows(IllegalArgumentException.class, () -> use.of(table, async));
        assertTrue(e.getMessage().contains(name + " has no family new: add it"), e.getMessage());
      }
    }
  }

  /** Though the descriptor that is remembered does not have it. */
  @ParameterizedTest
  @MethodSource("modes")
  void whoGetsTheTableAnewReadsAFamilyThatWasJustAdded(Options mode) throws Exception {
    for (int i = 0; i < 2; i++) {
      Use use = uses().get(i);
      TableName name = fixture.table(mode);
      manager.run(
          tx -> {
            tx.table(name).put(Fixture.put("r", "old"));
            return null;
          });
      try (Admin admin = fixture.cluster.connection().getAdmin()) {
        admin.addColumnFamily(name, ColumnFamilyDescriptorBuilder.of(NEW));
      }
      fixture.preparation().prepare(name, mode);
      fixture
          .manager()
          .run(
              tx -> {
                tx.table(name).put(new Put(bytes("r")).addColumn(NEW, Q, bytes("v")));
                return null;
              });
      try (Transaction tx = manager.begin()) {
        TransactionalTable table = tx.table(name);
        assertThrows(IllegalArgumentException.class, () -> use.of(table, null));
        assertEquals("v", text(tx.table(name).get(get("r").addFamily(NEW)).getValue(NEW, Q)));
      }
    }
  }
}
