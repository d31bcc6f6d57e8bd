package io.retso.hbase.rights;

import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.withCleanupTimeout;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.SweepResult;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.cleanup.RowCleanup;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.transaction.Inside;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * HBase with rights, and tables with client reads: there the user's own rights decide what a
 * reader, or a cleanup, is shown of a row.
 */
@Timeout(180)
class ClientReadRightsTest extends ClusterWithRights {
  /** With client reads: cells that a cleanup leaves behind without a mark count as committed. */
  @ParameterizedTest
  @ValueSource(strings = {"f !pw", "f", "!pw", "f !pw early_out", "early_out"})
  void whoDoesNotSeeAllCellsOfARowDoesNotCleanItUp(String seen) throws Exception {
    if (seen.contains("early_out")) {
      createFiltered(partly, TablePreparation.Options.CLIENT_READS);
    } else {
      create(partly, TablePreparation.Options.CLIENT_READS);
    }
    grant("bob", partly, Action.CREATE, Action.WRITE);
    for (String family : new String[] {"f", "!pw"}) {
      if (List.of(seen.split(" ")).contains(family)) {
        grantFamily("bob", partly, Fixture.bytes(family), Action.READ, Action.WRITE);
      }
    }
    try (AsyncConnection his = connect("bob");
        TransactionManager manager = TransactionManager.builder(his).oracle(oracle).build();
        TransactionManager living = TransactionManager.builder(root).oracle(oracle).build();
        TransactionManager dying = dying()) {
      Transaction aborted = dying.begin();
      aborted.table(partly).put(inBothFamilies("a", "0"));
      Inside.writes(aborted).sendAll().get(30, TimeUnit.SECONDS);
      assertTrue(living.resolve(aborted.handle()).isEmpty());
      Transaction committed = dying.begin();
      committed.table(partly).put(inBothFamilies("c", "1"));
      long commit = committed.commit().getAsLong();
      assertNotCleaned(manager, "a", aborted.startTimestamp(), Outcome.ABORTED);
      assertNotCleaned(manager, "c", committed.startTimestamp(), commit);
      assertEquals("null, c f=1 g=g1, c f=1 g=g1", living.run(tx -> wholeRows(tx.table(partly))));
      eventually("healed by one who may", () -> living.sweep().reported());
      assertEquals("null, c f=1 g=g1, c f=1 g=g1", living.run(tx -> wholeRows(tx.table(partly))));
    }
  }

  /** All who read the row know from its mark that it is committed, as long as it has one. */
  @Test
  void whoDoesNotSeeAllThatHeWroteLeavesItsCleanupToOthers() throws Exception {
    create(partly, TablePreparation.Options.CLIENT_READS);
    grant("bob", partly, Action.CREATE, Action.WRITE);
    grantFamily("bob", partly, Fixture.F, Action.READ);
    grantFamily("bob", partly, PendingWrite.family(), Action.READ);
    Duration attempts = Duration.ofSeconds(1);
    try (AsyncConnection his = connect("bob");
        TransactionManager manager =
            withCleanupTimeout(TransactionManager.builder(his).oracle(oracle), attempts).build();
        TransactionManager living = TransactionManager.builder(root).oracle(oracle).build()) {
      manager.run(
          tx -> {
            tx.table(partly).put(inBothFamilies("c", "1"));
            return null;
          });
      eventually("given up", () -> Inside.counters(manager).cleanupsFailed.sum() == 1);
      assertEquals(0, Inside.counters(manager).cleanedUp.sum());
      assertEquals("null, c f=1 g=g1, c f=1 g=g1", living.run(tx -> wholeRows(tx.table(partly))));
      SweepResult swept = living.sweep();
      assertTrue(swept.reported(), swept::toString);
      assertEquals("null, c f=1 g=g1, c f=1 g=g1", living.run(tx -> wholeRows(tx.table(partly))));
    }
  }

  /** With client reads he would take what is pending for committed. */
  @Test
  void whoMayNotReadTheMarksIsRefused() throws Exception {
    create(partly, TablePreparation.Options.CLIENT_READS);
    grant("bob", partly, Action.CREATE);
    grantFamily("bob", partly, Fixture.F, Action.READ);
    try (AsyncConnection his = connect("bob");
        TransactionManager bob = TransactionManager.builder(his).oracle(oracle).build()) {
      for (int i = 0; i < 2; i++) {
        try (ReadTransaction tx = bob.beginReadOnly()) {
          AccessDeniedException denied =
              assertThrows(AccessDeniedException.class, () -> tx.table(partly));
          assertTrue(denied.getMessage().contains("grant READ"), denied::getMessage);
        }
      }
    }
  }

  /** However the manager came by the table: rights may have been taken away since. */
  private void assertNotCleaned(TransactionManager manager, String row, long start, long commit)
      throws Exception {
    PreparedTable table = Inside.tables(manager).of(admin.getDescriptor(partly));
    CleanupRequest request = new CleanupRequest(Fixture.bytes(row), start, commit);
    CompletableFuture<Void> cleaned = RowCleanup.send(table, List.of(request)).get(0);
    assertThrows(ExecutionException.class, () -> cleaned.get(30, TimeUnit.SECONDS));
  }
}
