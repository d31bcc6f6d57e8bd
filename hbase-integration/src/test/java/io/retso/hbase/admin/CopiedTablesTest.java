package io.retso.hbase.admin;

import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.scan;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.transaction.Inside;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Copies that HBase makes of prepared tables from snapshots. */
@ExtendWith(RetsoCluster.Extension.class)
class CopiedTablesTest {
  static final List<Options> MODES = Fixture.MODES;

  private static String rows(TransactionManager manager, TableName name) throws IOException {
    return manager.run(tx -> scan(tx.table(name), new Scan()));
  }

  private static void copy(Admin admin, TableName from, TableName to) throws IOException {
    String snapshot = "of-" + to.getNameAsString();
    admin.snapshot(snapshot, from);
    admin.cloneSnapshot(snapshot, to);
    admin.deleteSnapshot(snapshot);
  }

  /** The oracle forgets what the copy's marks are about as soon as the original has none. */
  @ParameterizedTest
  @FieldSource("MODES")
  void copiesWithMarksAreUsedByNobody(Options options, Fixture fixture) throws Exception {
    fixture.deleteTablesThatHinderSweeps();
    TableName original = fixture.table(options);
    TableName copy = fixture.cluster.freshName("c");
    TransactionManager manager = fixture.manager();
    manager.run(
        tx -> {
          tx.table(original).put(put("a", "1"));
          return null;
        });
    eventually("cleaned up", () -> Inside.counters(manager).cleanedUp.sum() == 1);
    fixture
        .dyingManager()
        .run(
            tx -> {
              tx.table(original).put(put("b", "1"));
              return null;
            });
    try (Admin admin = fixture.cluster.connection().getAdmin()) {
      copy(admin, original, copy);
      assertEquals(1, fixture.preparation().check(copy).size());
      Exception e = assertThrows(TableNotPreparedException.class, () -> rows(manager, copy));
      assertTrue(e.getMessage().contains("copy of table " + original), e::getMessage);
      TableDescriptor before = admin.getDescriptor(copy);
      e =
          assertThrows(
              TableNotPreparedException.class, () -> fixture.preparation().prepare(copy, options));
      assertTrue(e.getMessage().contains("sweep has found 0 marks"), e::getMessage);
      assertEquals(before, admin.getDescriptor(copy));
      SweepResult swept = manager.sweep();
      assertTrue(swept.reported(), swept::toString);
      assertEquals("a=1 b=1", rows(manager, original));
      assertEquals(1, fixture.marks(copy), "nobody has touched it");
      TableName clean = fixture.cluster.freshName("c");
      copy(admin, original, clean);
      assertThrows(TableNotPreparedException.class, () -> rows(manager, clean));
      fixture.preparation().prepare(clean, options);
      manager.run(
          tx -> {
            tx.table(clean).put(put("c", "1"));
            return null;
          });
      assertEquals("a=1 b=1 c=1", rows(manager, clean));
      assertEquals("a=1 b=1", rows(manager, original));
    }
  }
}
