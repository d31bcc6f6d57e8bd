package io.retso.hbase.rights;

import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.scan;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.StoredTags;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.transaction.Inside;
import java.util.List;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rights of single cells, on a table of which HBase shows a user nothing else. */
@Timeout(180)
class CellRightsTest extends ClusterWithRights {
  private static Put shownToBob(String row, String value) {
    return put(row, value).setACL("bob", new Permission(Action.READ));
  }

  private void write(TransactionManager manager, String value) throws Exception {
    manager.run(
        tx -> {
          tx.table(partly).put(List.of(shownToBob("a", value), put("b", value)));
          return null;
        });
  }

  @Test
  void rightsStayWithWhatATransactionWrote() throws Exception {
    createFiltered(partly, TablePreparation.Options.DEFAULT);
    grantFamily("bob", partly, PendingWrite.family(), Action.READ);
    try (AsyncConnection his = connect("bob");
        TransactionManager bob = TransactionManager.builder(his).oracle(oracle).build();
        TransactionManager living = TransactionManager.builder(root).oracle(oracle).build();
        TransactionManager dying = dying()) {
      write(dying, "1");
      List<String> tags = StoredTags.of(hbase, partly, "a");
      assertEquals(1, tags.size(), "of the cell, and not of the mark: " + tags);
      assertEquals("a=1", bob.run(tx -> scan(tx.table(partly), new Scan())), "in doubt");
      assertTrue(living.sweep().reported());
      assertEquals("a=1", bob.run(tx -> scan(tx.table(partly), new Scan())), "cleaned up");
      assertEquals(tags, StoredTags.of(hbase, partly, "a"));
      long adopted = Inside.counters(living).rowsAdopted.sum();
      write(living, "2");
      write(living, "3");
      eventually("adopted", () -> Inside.counters(living).rowsAdopted.sum() > adopted);
      admin.flush(partly);
      assertEquals("a=3", bob.run(tx -> scan(tx.table(partly), new Scan())), "moved");
      assertEquals(tags, StoredTags.of(hbase, partly, "a"));
      assertEquals("a=3 b=3", living.run(tx -> scan(tx.table(partly), new Scan())));
    }
  }

  @Test
  void changesOfCellsWithoutTheRightAreNotTold() throws Exception {
    createFiltered(partly, TablePreparation.Options.DEFAULT);
    grantFamily("bob", partly, PendingWrite.family(), Action.READ);
    try (AsyncConnection his = connect("bob");
        TransactionManager living = TransactionManager.builder(root).oracle(oracle).build()) {
      living.run(
          tx -> {
            tx.table(partly).put(List.of(shownToBob("a", "1"), inG("1")));
            return null;
          });
      long from = living.begin().startTimestamp();
      SeenChanges changes = new SeenChanges(his, Inside.tables(living).find(partly).get(), from);
      living.run(
          tx -> {
            tx.table(partly).put(inG("2"));
            return null;
          });
      assertEquals("1, no change", changes.seen(living.begin().startTimestamp()));
      living.run(
          tx -> {
            tx.table(partly).put(put("a", "2")); // it is not his any more
            return null;
          });
      assertEquals("changed, at a commit", changes.seen(living.begin().startTimestamp()));
    }
  }

  private static Put inG(String value) {
    return new Put(Fixture.bytes("a")).addColumn(Fixture.G, Fixture.Q, Fixture.bytes(value));
  }
}
