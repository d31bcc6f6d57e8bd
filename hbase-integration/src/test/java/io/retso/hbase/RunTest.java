package io.retso.hbase;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.number;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.TransactionHandle;
import io.retso.hbase.Transaction.State;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.GaveUpException;
import io.retso.hbase.errors.RollbackOnlyException;
import io.retso.hbase.errors.TransactionException;
import io.retso.hbase.errors.TransactionException.Category;
import io.retso.hbase.errors.UnknownCommitException;
import io.retso.hbase.failures.Failures;
import io.retso.hbase.transaction.Inside;
import io.retso.protocol.Timestamps;
import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Increment;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is repeated, what is not, and what the exceptions say. */
@ExtendWith(RetsoCluster.Extension.class)
class RunTest {
  private Fixture fixture;
  private TransactionManager manager;
  private TableName name;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
    name = fixture.table(Options.CLIENT_READS);
  }

  private static TransactionOptions repeated(int times, Duration within, Duration pauseMax) {
    return TransactionOptions.DEFAULT.withRetryPolicy(
        RetryPolicy.DEFAULT
            .withAttemptsMax(times)
            .withTimeMax(within)
            .withPauses(Duration.ofMillis(1), pauseMax));
  }

  @Test
  void concurrentIncrementsAreAllThereInTheEnd() throws Exception {
    int threads = 4;
    int each = 25;
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      all.add(
          CompletableFuture.runAsync(
              () -> {
                try {
                  for (int j = 0; j < each; j++) {
                    manager.run(
                        repeated(1000, Duration.ofMinutes(2), Duration.ofMillis(50)),
                        tx -> tx.table(name).incrementColumnValue(bytes("r"), F, Q, 1));
                  }
                } catch (IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              },
              task -> new Thread(task).start()));
    }
    for (CompletableFuture<Void> one : all) {
      one.get(2, TimeUnit.MINUTES);
    }
    long sum = manager.run(tx -> number(tx.table(name).get(get("r")).getValue(F, Q)));
    assertEquals(threads * each, sum);
    eventually("cleaned up", () -> fixture.marks(name) == 0);
    assertEquals(threads * each, fixture.versions(name), "one version for each commit");
  }

  @Test
  void givingUpSaysWhyAndHowOften() {
    AtomicInteger attempts = new AtomicInteger();
    GaveUpException e =
        assertThrows(
            GaveUpException.class,
            () ->
                manager.run(
                    repeated(3, Duration.ofMinutes(1), Duration.ofMillis(2)),
                    tx -> {
                      attempts.incrementAndGet();
                      tx.table(name).put(put("r", "mine"));
                      manager.run(
                          other -> {
                            other.table(name).put(put("r", "faster"));
                            return null;
                          });
                      return null;
                    }));
    assertEquals(3, attempts.get());
    assertEquals(3, e.attempts());
    assertEquals(Category.CONFLICT, e.category());
    assertTrue(e.getMessage().contains("3 attempts"), e.getMessage());
    assertTrue(e.getMessage().contains("row 'r' of table " + name), e.getMessage());
    assertTrue(e.getMessage().contains("RetryPolicy"), e.getMessage());
  }

  @Test
  void timeWithoutAnEndIsNoLimit() throws Exception {
    Duration forever = ChronoUnit.FOREVER.getDuration();
    Duration one = Duration.ofMillis(1);
    AtomicInteger attempts = new AtomicInteger();
    manager.run(
        repeated(5, forever, one),
        tx -> {
          tx.table(name).put(put("r", "mine"));
          if (attempts.incrementAndGet() == 1) {
            manager.run(
                other -> {
                  other.table(name).put(put("r", "faster"));
                  return null;
                });
          }
          return null;
        });
    assertEquals(2, attempts.get());
    for (Duration pauseMin : List.of(one, forever)) {
      Exception e =
          assertThrows(
              IllegalArgumentException.class,
              () -> RetryPolicy.DEFAULT.withPauses(pauseMin, forever));
      assertTrue(e.getMessage().contains("1 ms and 1 hour"), e.getMessage());
    }
  }

  @Test
  void givingUpHasTheCategoryOfWhatFailed() {
    TransactionException tooOld = Failures.tooOld(16, null);
    TransactionException write = new RollbackOnlyException(16, tooOld);
    assertEquals(Category.TOO_OLD, new GaveUpException(1, 1, write).category());
    assertEquals(Category.TOO_OLD, new GaveUpException(1, 1, tooOld).category());
  }

  /** Work that writes, does {@code more}, and fails. */
  private void isNotRepeated(IOException failure, Consumer<Transaction> more) {
    AtomicInteger attempts = new AtomicInteger();
    IOException thrown =
        assertThrows(
            IOException.class,
            () ->
                manager.run(
                    tx -> {
                      attempts.incrementAndGet();
                      tx.table(name).put(put("r", "a"));
                      more.accept(tx);
                      throw failure;
                    }));
    assertSame(failure, thrown);
    assertEquals(1, attempts.get());
  }

  @Test
  void exceptionOfTheWorkRollsBackAndIsNotRepeated() throws Exception {
    isNotRepeated(new IOException("mine"), tx -> {});
    assertNull(manager.run(tx -> read(tx.table(name), "r")));
  }

  @Test
  void workThatCommittedIsNotRepeatedThoughALaterTransactionConflicts() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    assertThrows(
        ConflictException.class,
        () ->
            manager.run(
                tx -> {
                  attempts.incrementAndGet();
                  tx.table(name).incrementColumnValue(bytes("counted"), F, Q, 1);
                  tx.commit();
                  try (Transaction later = manager.begin()) {
                    later.table(name).put(put("r", "slow"));
                    manager.run(
                        other -> {
                          other.table(name).put(put("r", "faster"));
                          return null;
                        });
                    later.commit();
                  }
                  return null;
                }));
    assertEquals(1, attempts.get());
    assertEquals(
        1, (long) manager.run(tx -> number(tx.table(name).get(get("counted")).getValue(F, Q))));
  }

  @Test
  void norIsWorkThatFailsWhileItsCommitIsUnderWay() {
    isNotRepeated(new ConflictException("of something else", null), Transaction::commitAsync);
  }

  @Test
  void commitThatTheWorkDoesNotWaitForIsWaitedForAndRepeated() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    AtomicReference<Transaction> last = new AtomicReference<>();
    manager.run(
        tx -> {
          last.set(tx);
          tx.table(name).put(put("r", "attempt " + attempts.incrementAndGet()));
          if (attempts.get() == 1) {
            manager.run(
                other -> {
                  other.table(name).put(put("r", "faster"));
                  return null;
                });
          }
          tx.commitAsync();
          return null;
        });
    assertEquals(State.COMMITTED, last.get().state());
    assertEquals(2, attempts.get());
    assertEquals("attempt 2", manager.run(tx -> read(tx.table(name), "r")));
  }

  @Test
  void workThatHandlesItsOwnConflictIsNotRepeated() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    manager.run(
        tx -> {
          attempts.incrementAndGet();
          tx.table(name).put(put("r", "mine"));
          manager.run(
              other -> {
                other.table(name).put(put("r", "faster"));
                return null;
              });
          assertThrows(ConflictException.class, tx::commit);
          return null;
        });
    assertEquals(1, attempts.get());
    assertEquals("faster", manager.run(tx -> read(tx.table(name), "r")));
  }

  @Test
  void lostReplyIsAnUnknownOutcomeNeverRepeatedAndResolvedLater() throws Exception {
    String address = fixture.cluster.oracleAddress();
    MutedOracle muted =
        fixture.opened(
            new MutedOracle(Integer.parseInt(address.substring(address.indexOf(':') + 1))));
    TableName own = fixture.cluster.freshName("t");
    fixture
        .preparation(muted.address())
        .create(Fixture.descriptor(own).build(), Options.CLIENT_READS);
    TransactionManager deaf =
        fixture.opened(
            fixture
                .builder()
                .oracle(muted.address())
                .requestTimeout(Duration.ofSeconds(1))
                .build());
    AtomicInteger attempts = new AtomicInteger();
    UnknownCommitException e =
        assertThrows(
            UnknownCommitException.class,
            () ->
                deaf.run(
                    tx -> {
                      attempts.incrementAndGet();
                      tx.table(own).put(put("r", "a"));
                      Inside.writes(tx).sendAll().join();
                      muted.mute(true);
                      return null;
                    }));
    assertEquals(1, attempts.get());
    assertTrue(e.getMessage().contains("transaction " + e.startTimestamp()), e.getMessage());
    assertTrue(e.getMessage().contains("with its handle()"), e.getMessage());
    assertFalse(e.toString().contains(e.handle()), "logs have no tickets");
    muted.mute(false);
    OptionalLong outcome = e.resolve();
    String value = deaf.run(tx -> read(tx.table(own), "r"));
    assertEquals(outcome.isPresent() ? "a" : null, value);
    eventually("resolved and cleaned up behind", () -> fixture.marks(own) == 0);
    assertEquals(1, Inside.counters(deaf).unknown.sum());
  }

  /** It is no unknown outcome, which to resolve again could help. */
  @Test
  void handlesThatWereNeverIssuedCannotBeResolved() throws Exception {
    TransactionHandle own = Inside.oracle(manager).begin();
    long start = own.startTimestamp();
    long later = start + 1_000_000 * Timestamps.GAP;
    for (TransactionHandle never :
        List.of(
            TransactionHandle.of(start, own.ticket() ^ 1),
            TransactionHandle.of(later, own.ticket()))) {
      Exception e =
          assertThrows(IllegalArgumentException.class, () -> manager.resolve(never.text()));
      assertTrue(
          e.getMessage().contains("transaction " + never + " was begun by another client"),
          e.getMessage());
      assertFalse(e.getMessage().contains("resolve"), e.getMessage());
      ExecutionException asynchronous =
          assertThrows(ExecutionException.class, () -> manager.resolveAsync(never.text()).get());
      assertInstanceOf(IllegalArgumentException.class, asynchronous.getCause());
    }
    assertEquals(OptionalLong.empty(), manager.resolve(own.text()));
  }

  @Test
  void failedWriteLeavesARollbackOnly() throws Exception {
    Configuration impatient = fixture.cluster.configuration();
    impatient.setInt("hbase.client.retries.number", 2);
    TransactionManager other =
        fixture.opened(TransactionManager.builder(impatient).sweepInterval(Duration.ZERO).build());
    try (Transaction tx = other.begin()) {
      TransactionalTable table = tx.table(name);
      table.put(put("r", "a"));
      try (Admin admin = fixture.cluster.connection().getAdmin()) {
        admin.disableTable(name);
        RollbackOnlyException e = assertThrows(RollbackOnlyException.class, tx::commit);
        assertTrue(e.getMessage().contains("roll back"), e.getMessage());
        assertEquals(State.ROLLED_BACK, tx.state());
        admin.enableTable(name);
      }
    }
    assertNull(manager.run(tx -> read(tx.table(name), "r")));
    eventually("nothing is left", () -> fixture.marks(name) == 0);
  }

  @Test
  void eachCallAfterAFailedWriteHasAFailureOfItsOwn() throws Exception {
    IOException cause = new IOException("HBase did not take it");
    try (Transaction tx = manager.begin()) {
      TransactionalTable table = tx.table(name);
      Inside.writeFailed(tx, cause);
      for (int i = 0; i < 3; i++) {
        RollbackOnlyException e =
            assertThrows(RollbackOnlyException.class, () -> table.put(put("r", "a")));
        assertSame(cause, e.getCause());
        assertEquals(1, e.getSuppressed().length, "waited for once");
      }
      assertEquals(State.ROLLBACK_ONLY, tx.state());
    }
    assertEquals(0, cause.getSuppressed().length);
  }

  @Test
  void asynchronousWritesTakeEffectInTheirOrder() throws Exception {
    try (Transaction tx = manager.begin()) {
      AsyncTransactionalTable table = tx.asyncTable(name).get(30, TimeUnit.SECONDS);
      List<CompletableFuture<?>> all = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        all.add(table.increment(new Increment(bytes("r")).addColumn(F, Q, 1)));
      }
      CompletableFuture<Long> value =
          table.get(get("r")).thenApply(row -> number(row.getValue(F, Q)));
      assertEquals(100, value.get(30, TimeUnit.SECONDS), "a read sees the writes called before it");
      tx.commitAsync().get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void commitIsRefusedWhileOperationsAreOutstanding() throws Exception {
    try (Transaction tx = manager.begin()) {
      tx.table(name).put(put("r", "a"));
      CompletableFuture<Void> slow = new CompletableFuture<>();
      CompletableFuture<Void> outstanding = Inside.operation(tx, true, () -> slow);
      IllegalStateException e = assertThrows(IllegalStateException.class, tx::commit);
      assertTrue(e.getMessage().contains("outstanding"), e.getMessage());
      slow.complete(null);
      outstanding.get(30, TimeUnit.SECONDS);
      tx.commit();
    }
    assertEquals("a", manager.run(tx -> read(tx.table(name), "r")));
  }

  @Test
  void committingAcrossTablesConflictsInEachOfThem() throws Exception {
    TableName other = fixture.table(Options.CLIENT_READS);
    Transaction both = manager.begin();
    Transaction one = manager.begin();
    both.table(name).put(put("a", "both"));
    both.table(other).put(put("b", "both"));
    one.table(other).put(put("b", "one"));
    one.commit();
    assertThrows(ConflictException.class, both::commit);
    assertNull(manager.run(tx -> read(tx.table(name), "a")));
    assertEquals("one", manager.run(tx -> read(tx.table(other), "b")));
    manager.run(
        tx -> {
          tx.table(name).put(put("b", "same row, another table"));
          return null;
        });
    eventually("cleaned up", () -> fixture.marks(name) + fixture.marks(other) == 0);
  }

  @Test
  void standingWatermarkLetsTheManagerSweep() throws Exception {
    fixture.deleteTablesThatHinderSweeps();
    TransactionManager dying = fixture.dyingManager();
    dying.run(
        tx -> {
          tx.table(name).put(put("r", "a"));
          return null;
        });
    TransactionManager sweeping =
        fixture.opened(fixture.builder().sweepInterval(Duration.ofMillis(50)).build());
    eventually("swept", () -> fixture.marks(name) == 0);
    eventually("counted", () -> Inside.counters(sweeping).sweeps.sum() > 0);
    assertEquals("a", manager.run(tx -> read(tx.table(name), "r")));
  }
}
