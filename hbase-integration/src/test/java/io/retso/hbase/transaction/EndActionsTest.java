package io.retso.hbase.transaction;

import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.SnapshotTooOldException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Actions after a commit and after a rollback. */
@ExtendWith(RetsoCluster.Extension.class)
class EndActionsTest {
  private final List<String> done = new CopyOnWriteArrayList<>();
  private TransactionManager manager;
  private TableName name;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    manager = fixture.manager();
    name = fixture.table(Options.CLIENT_READS);
  }

  private void ask(Transaction tx, String of) {
    tx.afterRollback(() -> done.add(of + " is rolled back"));
    tx.afterCommit(() -> done.add(of + " is committed"));
    tx.afterCommit(() -> done.add("again"));
  }

  @Test
  void theyHaveRunWhenTheCallReturns() throws Exception {
    Transaction first = manager.begin();
    Transaction second = manager.begin();
    ask(first, "first");
    ask(second, "second");
    first.table(name).put(put("r", "1"));
    second.table(name).put(put("r", "2"));
    first.commit();
    assertEquals(List.of("first is committed", "again"), done);
    assertThrows(ConflictException.class, second::commit);
    assertEquals("second is rolled back", done.get(2));
    second.rollback();
    second.close();
    assertEquals(3, done.size(), "once");
    for (Transaction ended : List.of(first, second)) {
      assertThrows(IllegalStateException.class, () -> ask(ended, "late"));
    }
  }

  @Test
  void aTransactionThatIsLeftIsRolledBack() throws Exception {
    try (Transaction tx = manager.begin()) {
      ask(tx, "it");
    }
    assertEquals(List.of("it is rolled back"), done);
    TransactionOptions short1 = TransactionOptions.DEFAULT.withTimeLimit(Duration.ofMillis(1));
    Transaction tx = manager.begin(short1);
    try {
      ask(tx, "old");
    } catch (IllegalStateException e) {
      done.add("old is rolled back"); // it was over before
    }
    Fixture.eventually("over", () -> done.contains("old is rolled back"));
    assertThrows(SnapshotTooOldException.class, tx::commit);
  }

  @Test
  void eachAttemptHasItsOwn() throws Exception {
    int[] attempts = {0};
    manager.run(
        tx -> {
          int attempt = ++attempts[0];
          ask(tx, "attempt " + attempt);
          tx.table(name).get(get("r"));
          tx.table(name).put(put("r", "mine"));
          if (attempt == 1) {
            manager.run(
                other -> {
                  other.table(name).put(put("r", "faster"));
                  return null;
                });
          }
          return null;
        });
    assertEquals(List.of("attempt 1 is rolled back", "attempt 2 is committed", "again"), done);
  }

  @Test
  void theFutureOfACommitWaitsForThem() throws Exception {
    String result =
        manager
            .runAsync(
                tx -> {
                  ask(tx, "it");
                  return tx.asyncTable(name)
                      .thenCompose(table -> table.put(put("r", "1")))
                      .thenApply(put -> "done");
                })
            .thenApply(text -> text + done)
            .get(30, TimeUnit.SECONDS);
    assertEquals("done[it is committed, again]", result);
  }

  @Test
  void theyAreCallbacksWhoseFailuresChangeNothing() throws Exception {
    CompletableFuture<Throwable> blocked = new CompletableFuture<>();
    Transaction tx = manager.begin();
    tx.table(name).put(put("r", "1"));
    tx.afterCommit(
        () -> {
          throw new AssertionError("of an action");
        });
    ask(tx, "it");
    tx.afterCommit(
        () -> {
          try {
            manager.read(other -> other.table(name).get(get("r")));
            blocked.complete(null);
          } catch (Exception e) {
            blocked.complete(e);
          }
        });
    assertTrue(tx.commit().isPresent());
    assertEquals(List.of("it is committed", "again"), done);
    Throwable refusal = blocked.get(30, TimeUnit.SECONDS);
    assertTrue(refusal instanceof IllegalStateException, () -> "it may block: " + refusal);
  }

  @Test
  void theyAreBounded() throws Exception {
    try (Transaction tx = manager.begin()) {
      for (int i = 0; i < Transaction.ACTIONS_MAX / 2; i++) {
        tx.afterCommit(() -> {});
        tx.afterRollback(() -> {});
      }
      assertThrows(IllegalStateException.class, () -> tx.afterCommit(() -> {}));
      assertThrows(NullPointerException.class, () -> tx.afterRollback(null));
    }
  }
}
