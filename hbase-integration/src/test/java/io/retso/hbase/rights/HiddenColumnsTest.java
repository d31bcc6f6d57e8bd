package io.retso.hbase.rights;

import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static io.retso.hbase.Fixture.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.coprocessor.TransactionRegionObserver;
import io.retso.hbase.layout.DescriptorQuery;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.transaction.Inside;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * HBase with rights: what regions tell of a table to users that may read a part of it, or nothing.
 */
@Timeout(180)
class HiddenColumnsTest extends ClusterWithRights {
  /** HBase leaves out what is in family g, and so does what is said of changes. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatChangesInAHiddenFamilyIsNoChange(boolean early) throws Exception {
    if (early) {
      create(partly, TablePreparation.Options.DEFAULT);
    } else {
      createFiltered(partly, TablePreparation.Options.DEFAULT);
    }
    grantFamily("bob", partly, Fixture.F, Action.READ);
    try (AsyncConnection his = connect("bob");
        TransactionManager living = TransactionManager.builder(root).oracle(oracle).build();
        TransactionManager dying = dying();
        Transaction reader = living.begin()) {
      living.run(
          tx -> {
            tx.table(partly).put(inBothFamilies("a", "0"));
            return null;
          });
      long from = living.begin().startTimestamp();
      SeenChanges changes = new SeenChanges(his, Inside.tables(living).find(partly).get(), from);
      assertEquals("0, no change", changes.seen(living.begin().startTimestamp()));
      dying.run(
          tx -> {
            tx.table(partly)
                .put(
                    new Put(Fixture.bytes("a"))
                        .addColumn(Fixture.G, Fixture.Q, Fixture.bytes("s")));
            return null;
          });
      assertEquals("0, no change", changes.seen(living.begin().startTimestamp()));
      living.sweep();
      admin.flush(partly);
      assertEquals("0, no change", changes.seen(living.begin().startTimestamp()));
      living.run(
          tx -> {
            tx.table(partly).put(put("a", "1"));
            return null;
          });
      assertEquals("changed, at a commit", changes.seen(living.begin().startTimestamp()));
      assertTrue(reader.startTimestamp() < from);
    }
  }

  /** It would answer before it is known what the user may see. */
  @Test
  void aRegionRefusesTransactionsInFrontOfRights() throws Exception {
    create(shown, TablePreparation.Options.DEFAULT);
    try (TransactionManager manager = TransactionManager.builder(root).oracle(oracle).build();
        TransactionManager dying = dying()) {
      dying.run(
          tx -> {
            tx.table(shown).put(put("a", "1"));
            return null;
          });
      move(Coprocessor.PRIORITY_HIGHEST);
      IOException refused =
          assertThrows(IOException.class, () -> manager.run(tx -> read(tx.table(shown), "a")));
      String text = ErrorText.of(refused);
      assertTrue(text.contains("AccessController") && text.contains("prepare the table"), text);
      IOException write =
          assertThrows(
              IOException.class,
              () ->
                  manager.run(
                      tx -> {
                        tx.table(shown).put(put("b", "1"));
                        return null;
                      }));
      assertTrue(ErrorText.of(write).contains("prepare the table"), write::toString);
      try (Table table = root.getTable(shown)) {
        table.put(put("plain", "1"));
        assertEquals("1", read(table, "plain"));
        assertThrows(IOException.class, () -> table.get(DescriptorQuery.query()));
      }
      move(Coprocessor.PRIORITY_USER);
      assertEquals("1", manager.run(tx -> read(tx.table(shown), "a")));
    }
  }

  private void move(int priority) throws IOException {
    TableDescriptor table = admin.getDescriptor(shown);
    String observer = TransactionRegionObserver.class.getName();
    admin.modifyTable(
        TableDescriptorBuilder.newBuilder(table)
            .removeCoprocessor(observer)
            .setCoprocessor(
                CoprocessorDescriptorBuilder.newBuilder(observer).setPriority(priority).build())
            .build());
  }

  /** Where HBase filters, it lets them pass: see {@link #whoMayReadNothingIsShownNothing}. */
  @Test
  void whoMayReadNothingIsNotToldHowATableIsMade() throws Exception {
    createFiltered(partly, TablePreparation.Options.DEFAULT);
    try (AsyncConnection hers = connect("carol")) {
      AsyncTable<?> table = hers.getTable(partly);
      Throwable denied =
          assertThrows(ExecutionException.class, () -> table.get(DescriptorQuery.query()).get())
              .getCause();
      assertEquals(AccessDeniedException.class, denied.getClass(), denied::toString);
      grantFamily("carol", partly, PendingWrite.family(), Action.READ);
      assertTrue(DescriptorQuery.isAnswer(table.get(DescriptorQuery.query()).get()));
    }
  }
}
