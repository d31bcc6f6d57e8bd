package io.retso.hbase;

import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.retso.hbase.Transaction.State;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.GaveUpException;
import io.retso.hbase.errors.SnapshotTooOldException;
import io.retso.hbase.errors.TransactionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What single transactions have of their own: names, time limits; and the meters of all. */
@ExtendWith(RetsoCluster.Extension.class)
class OptionsTest {
  private static final TransactionOptions NAMED = TransactionOptions.DEFAULT.withName("transfer");
  private static final Duration INSTANT = Duration.ofMillis(1);

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private Fixture fixture;
  private TransactionManager manager;
  private TableName name;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.opened(fixture.builder().meterRegistry(meters).build());
    name = fixture.table(Options.DEFAULT);
  }

  @Test
  void namesArePrintableAndShort() {
    String longest = "x".repeat(TransactionOptions.NAME_LENGTH_MAX);
    assertEquals(longest, TransactionOptions.DEFAULT.withName(longest).name());
    for (String bad : List.of("", longest + "x", "line\nbreak", "\u001b[2J", "geld\u00fc")) {
      Exception e =
          assertThrows(
              IllegalArgumentException.class, () -> TransactionOptions.DEFAULT.withName(bad));
      assertTrue(e.getMessage().contains("printable"), e.getMessage());
      assertTrue(e.getMessage().chars().allMatch(c -> c >= ' ' && c <= '~'), e.getMessage());
    }
    for (Duration bad : List.of(Duration.ZERO, Duration.ofNanos(1), Duration.ofDays(2))) {
      assertThrows(
          IllegalArgumentException.class, () -> TransactionOptions.DEFAULT.withTimeLimit(bad));
    }
  }

  private Transaction overtaken() throws Exception {
    Transaction tx = manager.begin(NAMED);
    tx.table(name).put(put("r", "slow"));
    manager.run(
        other -> {
          other.table(name).put(put("r", "fast"));
          return null;
        });
    return tx;
  }

  @Test
  void theNameIsInMessages() throws Exception {
    Transaction tx = overtaken();
    assertTrue(tx.toString().startsWith("[transfer] transaction "), tx::toString);
    ConflictException e = assertThrows(ConflictException.class, tx::commit);
    assertEquals("transfer", e.transactionName());
    assertTrue(e.getMessage().startsWith("[transfer] transaction "), e.getMessage());
    TransactionOptions once = NAMED.withRetryPolicy(RetryPolicy.NEVER);
    GaveUpException gaveUp =
        assertThrows(
            GaveUpException.class,
            () ->
                manager.run(
                    once,
                    t -> {
                      throw new ConflictException("of a test", null);
                    }));
    assertEquals("transfer", gaveUp.transactionName());
    assertEquals("of a test", gaveUp.getCause().getMessage(), "the work's own exception");
  }

  private long ended(String named, String outcome) {
    return meters
        .find("retso.client.transactions")
        .tags("name", named, "outcome", outcome)
        .timers()
        .stream()
        .mapToLong(timer -> timer.count())
        .sum();
  }

  @Test
  void metersTellHowTransactionsEnded() throws Exception {
    assertThrows(ConflictException.class, overtaken()::commit);
    manager.begin(NAMED).rollback();
    manager.begin(NAMED).close();
    manager.beginReadOnly(NAMED).close();
    assertEquals(1, ended("transfer", "conflict"));
    String table = name.getNameAsString();
    assertEquals(
        1,
        meters
            .get("retso.client.refused")
            .tags("name", "transfer", "table", table)
            .counter()
            .count());
    assertEquals(2, ended("transfer", "rolled_back"));
    assertEquals(1, ended("transfer", "read"));
    assertEquals(1, ended("unnamed", "committed"));
    for (int i = 0; i < 150; i++) {
      manager.beginReadOnly(TransactionOptions.DEFAULT.withName("kind " + i)).close();
    }
    assertEquals(1, ended("kind 0", "read"));
    assertEquals(0, ended("kind 149", "read"));
    assertEquals(51, ended("other", "read"), "100 names have meters of their own");
    assertTrue(meters.get("retso.client.write.batches").functionCounter().count() > 0);
    eventually("0", () -> meters.get("retso.client.cleanup.rows").gauge().value() == 0);
    assertEquals(1, meters.get("retso.client.oracle.leading").gauge().value());
    assertTrue(meters.get("retso.client.oracle.members").gauge().value() >= 1);
    assertTrue(meters.get("retso.client.oracle.epoch").gauge().value() >= 1);
    assertEquals(0, meters.get("retso.client.oracle.leader.changes").functionCounter().count());
    manager.close();
    assertEquals(List.of(), meters.getMeters());
  }

  @Test
  void aTransactionThatOutlivesItsTimeLimitIsRolledBack() throws Exception {
    Transaction tx = manager.begin(NAMED.withTimeLimit(Duration.ofSeconds(1)));
    TransactionalTable table = tx.table(name);
    table.put(put("r", "a"));
    ResultScanner rows = table.getScanner(new Scan());
    eventually("rolled back", () -> tx.state() == State.ROLLED_BACK);
    for (TransactionException e :
        List.of(
            assertThrows(SnapshotTooOldException.class, () -> table.put(put("r", "b"))),
            assertThrows(SnapshotTooOldException.class, () -> read(table, "r")),
            assertThrows(SnapshotTooOldException.class, rows::next),
            assertThrows(SnapshotTooOldException.class, () -> tx.table(name)),
            assertThrows(SnapshotTooOldException.class, tx::commit))) {
      assertTrue(e.getMessage().contains("time limit of PT1S"), e.getMessage());
      assertTrue(e.getMessage().startsWith("[transfer] "), e.getMessage());
    }
    tx.rollback(); // harmless
    tx.close();
    eventually("counted", () -> ended("transfer", "too_old") == 1);
    eventually("nothing is left", () -> fixture.marks(name) == 0);
    assertNull(manager.read(t -> read(t.table(name), "r")));
  }

  @Test
  void aReaderThatOutlivesItsTimeLimitHasEnded() throws Exception {
    ReadTransaction tx = manager.beginReadOnly(NAMED.withTimeLimit(INSTANT));
    eventually("over", () -> ended("transfer", "too_old") == 1);
    assertThrows(SnapshotTooOldException.class, () -> tx.table(name));
    assertThrows(SnapshotTooOldException.class, tx::readTimestamp);
    tx.close();
  }

  @Test
  void attemptsThatTakeTooLongAreRepeated() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    manager.run(
        NAMED.withTimeLimit(Duration.ofSeconds(2)),
        tx -> {
          tx.table(name).put(put("r", "attempt " + attempts.incrementAndGet()));
          if (attempts.get() == 1) {
            CompletableFuture<Void> over = new CompletableFuture<>();
            over.completeOnTimeout(null, 10, TimeUnit.SECONDS);
            while (tx.state() == State.ACTIVE && !over.isDone()) {
              Thread.onSpinWait();
            }
          }
          return null;
        });
    assertEquals(2, attempts.get());
    assertEquals("attempt 2", manager.read(tx -> read(tx.table(name), "r")));
  }

  @Test
  void aCommitThatIsAskedForInTimeIsNotRolledBack() throws Exception {
    Transaction tx = manager.begin(NAMED.withTimeLimit(Duration.ofSeconds(30)));
    tx.table(name).put(put("r", "a"));
    assertTrue(tx.commit().getAsLong() > tx.startTimestamp());
    assertEquals(State.COMMITTED, tx.state());
  }

  // Without waiting.

  @Test
  void asynchronousWorkIsRepeatedAfterAConflict() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    String result =
        manager
            .runAsync(
                NAMED,
                tx ->
                    tx.asyncTable(name)
                        .thenCompose(table -> table.put(put("r", "by " + attempts.get())))
                        .thenCompose(
                            done ->
                                attempts.incrementAndGet() == 1
                                    ? faster()
                                    : CompletableFuture.completedFuture(null))
                        .thenApply(done -> "attempt " + attempts.get()))
            .get(1, TimeUnit.MINUTES);
    assertEquals("attempt 2", result);
    assertEquals(
        "by 1",
        manager
            .readAsync(
                tx ->
                    tx.asyncTable(name)
                        .thenCompose(table -> table.get(Fixture.get("r")))
                        .thenApply(row -> Fixture.text(row.getValue(Fixture.F, Fixture.Q))))
            .get(1, TimeUnit.MINUTES));
    assertEquals(1, meters.get("retso.client.retries").functionCounter().count());
  }

  private CompletableFuture<Void> faster() {
    return manager.runAsync(
        tx -> tx.asyncTable(name).thenCompose(table -> table.put(put("r", "faster"))));
  }

  @Test
  void asynchronousWorkThatFailsIsRolledBackAndNotRepeated() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    CompletableFuture<Object> failing =
        manager.runAsync(
            tx -> {
              attempts.incrementAndGet();
              return tx.asyncTable(name)
                  .thenCompose(table -> table.put(put("r", "a")))
                  .thenApply(
                      done -> {
                        throw new IllegalArgumentException("mine");
                      });
            });
    ExecutionException e =
        assertThrows(ExecutionException.class, () -> failing.get(1, TimeUnit.MINUTES));
    assertEquals("mine", e.getCause().getMessage());
    CompletableFuture<Object> atOnce =
        manager.runAsync(
            tx -> {
              throw new IllegalArgumentException("at once");
            });
    assertEquals(
        "at once", assertThrows(ExecutionException.class, atOnce::get).getCause().getMessage());
    CompletableFuture<Object> none = manager.runAsync(tx -> null);
    assertEquals(
        "the work returned no future: return one",
        assertThrows(ExecutionException.class, none::get).getCause().getMessage());
    assertEquals(1, attempts.get());
    assertNull(manager.read(tx -> read(tx.table(name), "r")));
  }

  @Test
  void cancelledWorkIsNotRepeated() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    CompletableFuture<Void> hold = new CompletableFuture<>();
    CompletableFuture<Void> running =
        manager.runAsync(
            tx -> {
              attempts.incrementAndGet();
              return hold;
            });
    eventually("it runs", () -> attempts.get() == 1);
    running.cancel(false);
    hold.completeExceptionally(new ConflictException("of a test", null));
    eventually("rolled back", () -> ended("unnamed", "rolled_back") == 1);
    assertEquals(1, attempts.get());
  }

  @Test
  void givingUpWithoutWaitingSaysHowOften() {
    AtomicInteger attempts = new AtomicInteger();
    TransactionOptions thrice =
        NAMED.withRetryPolicy(RetryPolicy.DEFAULT.withAttemptsMax(3).withPauses(INSTANT, INSTANT));
    CompletableFuture<Object> work =
        manager.runAsync(
            thrice,
            tx -> {
              attempts.incrementAndGet();
              throw new ConflictException("of a test", null);
            });
    ExecutionException e =
        assertThrows(ExecutionException.class, () -> work.get(1, TimeUnit.MINUTES));
    assertEquals(3, ((GaveUpException) e.getCause()).attempts());
    assertEquals(3, attempts.get());
  }
}
