package io.retso.hbase.cleanup;

import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static io.retso.hbase.Fixture.withCleanupTimeout;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.CommitResult;
import io.retso.client.CommitResult.AbortReason;
import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.SweepResult;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.cleanup.CleanupGate.State;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.trace.Tracing;
import io.retso.hbase.transaction.Inside;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Cleanup that cannot keep up, or fails: what is kept in memory is bounded, and nothing is lost.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class BackPressureTest {
  private static final int ROWS_MAX = 10;
  private static final int TRANSACTION_ROWS = 4;

  private Fixture fixture;
  private TableName name;
  private CleanupGate gate;
  private TransactionManager manager;
  private TransactionManager other;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    fixture.deleteTablesThatHinderSweeps();
    name = fixture.table(Options.DEFAULT);
    gate = CleanupGate.into(fixture.regions(name).get(0));
    manager = opened(Duration.ofMinutes(10)); // a gate is closed for as long as a test likes
    other = fixture.manager();
  }

  private TransactionManager opened(Duration cleanupTimeout) throws Exception {
    return fixture.opened(
        withCleanupTimeout(fixture.builder().maxCleanupRows(ROWS_MAX), cleanupTimeout).build());
  }

  @AfterEach
  void openTheGate() {
    gate.set(State.OPEN);
  }

  private Transaction written(String prefix, int rows) throws Exception {
    Transaction tx = manager.begin();
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      puts.add(put(prefix + i, prefix));
    }
    tx.table(name).put(puts);
    Inside.writes(tx).sendAll().get(30, TimeUnit.SECONDS);
    return tx;
  }

  private void assertBounded() {
    long rows = Inside.cleaner(manager).rows();
    assertTrue(rows <= ROWS_MAX, () -> rows + " rows");
  }

  private void assertCleanedUp() throws Exception {
    Fixture.eventually("nothing waits", () -> Inside.cleaner(manager).rows() == 0);
    Fixture.eventually("no mark is left", () -> fixture.marks(name) == 0);
  }

  /** Aborts that are not waited for may be on their way to the oracle yet. */
  private void assertSwept() throws Exception {
    Fixture.eventually("swept", () -> other.sweep().reported() && fixture.marks(name) == 0);
  }

  @Test
  void beyondTheLimitRepliesToCommitsWait() throws Exception {
    gate.set(State.CLOSED);
    written("a", TRANSACTION_ROWS).commit();
    written("b", TRANSACTION_ROWS).commit();
    List<CompletableFuture<OptionalLong>> late = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      late.add(written("late" + i + "-", TRANSACTION_ROWS).commitAsync());
    }
    for (int i = 0; i < 20; i++) {
      String row = "late" + i + "-0"; // they are committed all the same, and others see it
      Fixture.eventually(row, () -> other.run(tx -> read(tx.table(name), row)) != null);
    }
    written("answered after them", 1).rollback();
    other.run(
        tx -> {
          tx.table(name).put(put("b0", "by another"));
          return null;
        });
    assertEquals("by another", manager.run(tx -> read(tx.table(name), "b0")), "reads go on");
    for (CompletableFuture<OptionalLong> commit : late) {
      assertFalse(commit.isDone());
    }
    assertBounded();
    gate.set(State.OPEN);
    for (CompletableFuture<OptionalLong> commit : late) {
      assertTrue(commit.get(60, TimeUnit.SECONDS).getAsLong() > 0);
    }
    assertSwept(); // what was rolled back while others waited
    assertCleanedUp();
    assertEquals(1, Inside.counters(manager).cleanupsFailed.sum(), "all others by this manager");
    assertEquals("by another", other.run(tx -> read(tx.table(name), "b0")));
    assertEquals("late7-", other.run(tx -> read(tx.table(name), "late7-3")));
  }

  @Test
  void soDoRepliesToConflictsAndRollbacksLeaveTheirRowsToOthers() throws Exception {
    Transaction loser = written("x", TRANSACTION_ROWS);
    other.run(
        tx -> {
          tx.table(name).put(put("x0", "first"));
          return null;
        });
    gate.set(State.CLOSED);
    written("a", TRANSACTION_ROWS).commit();
    written("b", TRANSACTION_ROWS).commit();
    CompletableFuture<OptionalLong> lost = loser.commitAsync();
    Fixture.eventually("decided", () -> Inside.counters(manager).conflicts.sum() == 1);
    for (int i = 0; i < 20; i++) {
      written("rolled back", TRANSACTION_ROWS).rollback();
    }
    Fixture.eventually("given up", () -> Inside.counters(manager).cleanupsFailed.sum() == 20);
    assertFalse(lost.isDone());
    assertBounded();
    gate.set(State.OPEN);
    ExecutionException e =
        assertThrows(ExecutionException.class, () -> lost.get(60, TimeUnit.SECONDS));
    assertTrue(e.getCause() instanceof ConflictException, e::toString);
    Fixture.eventually("nothing waits", () -> Inside.cleaner(manager).rows() == 0);
    assertEquals("first", other.run(tx -> read(tx.table(name), "x0")));
    SweepResult swept = other.sweep();
    assertTrue(swept.reported(), swept::toString);
    assertEquals(0, fixture.marks(name));
  }

  /** A transaction that is larger than the limit goes alone. */
  @Test
  void noTransactionIsTooLarge() throws Exception {
    gate.set(State.CLOSED);
    written("a", TRANSACTION_ROWS).commit();
    CompletableFuture<OptionalLong> large = written("large", 3 * ROWS_MAX).commitAsync();
    CompletableFuture<OptionalLong> behind = written("b", 1).commitAsync();
    Fixture.eventually("committed", () -> other.run(tx -> read(tx.table(name), "large0")) != null);
    assertFalse(large.isDone());
    gate.set(State.OPEN);
    large.get(60, TimeUnit.SECONDS);
    behind.get(60, TimeUnit.SECONDS);
    assertCleanedUp();
  }

  /** One that would fit, ahead of which a larger one waits: otherwise that might wait for ever. */
  @Test
  void noTransactionOvertakesThoseThatWait() throws Exception {
    gate.set(State.CLOSED);
    written("a", TRANSACTION_ROWS).commit();
    CompletableFuture<Void> large = offered("large", ROWS_MAX - 1);
    CompletableFuture<Void> small = offered("small", 1);
    assertFalse(large.isDone());
    assertFalse(small.isDone());
    written("aside", 1).rollback();
    Fixture.eventually("given up", () -> Inside.counters(manager).cleanupsFailed.sum() == 1);
    assertEquals(TRANSACTION_ROWS, Inside.cleaner(manager).rows());
    gate.set(State.OPEN);
    large.get(60, TimeUnit.SECONDS);
    small.get(60, TimeUnit.SECONDS);
    Fixture.eventually("nothing waits", () -> Inside.cleaner(manager).rows() == 0);
    assertSwept(); // what was rolled back
  }

  /** A transaction that was aborted, as its end hands it over. */
  private CompletableFuture<Void> offered(String prefix, int rows) throws Exception {
    Transaction tx = written(prefix, rows);
    assertTrue(manager.resolve(tx.handle()).isEmpty());
    return Inside.cleaner(manager)
        .offer(
            new CleanupJob(
                "",
                Inside.handle(tx),
                CommitResult.aborted(AbortReason.EARLIER),
                Inside.writes(tx).sentRows()));
  }

  /** Their outcomes are known. What was admitted may take as long as HBase's client likes. */
  @Test
  void commitsThatWaitForRoomAreAnsweredAtClose() throws Exception {
    AsyncConnection hbase =
        fixture.opened(
            ConnectionFactory.createAsyncConnection(fixture.cluster.configuration())
                .get(60, TimeUnit.SECONDS));
    manager =
        fixture.opened(
            TransactionManager.builder(hbase)
                .sweepInterval(Duration.ZERO)
                .maxCleanupRows(ROWS_MAX)
                .closeTimeout(Duration.ZERO)
                .build());
    gate.set(State.CLOSED);
    written("a", TRANSACTION_ROWS).commit();
    written("b", TRANSACTION_ROWS).commit();
    List<CompletableFuture<OptionalLong>> late = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      late.add(written("late" + i + "-", TRANSACTION_ROWS).commitAsync());
    }
    Fixture.eventually("decided", () -> Inside.counters(manager).committed.sum() == 5);
    manager.close();
    for (CompletableFuture<OptionalLong> commit : late) {
      assertTrue(commit.get(60, TimeUnit.SECONDS).getAsLong() > 0);
    }
    assertEquals(3, Inside.counters(manager).cleanupsFailed.sum());
    assertEquals("late2-", other.run(tx -> read(tx.table(name), "late2-3")));
    gate.set(State.OPEN);
    assertTrue(other.sweep().reported());
    assertEquals(0, fixture.marks(name));
  }

  /** Though more batches than may leave at a time are on their way to it. */
  @Test
  void aRegionThatHangsKeepsNoOthersWaiting() throws Exception {
    TableName healthy = fixture.table(Options.DEFAULT);
    gate.set(State.CLOSED);
    for (int i = 1; i <= 3; i++) {
      int batches = i;
      written("a" + i, 1).commit();
      Fixture.eventually("on its way", () -> gate.kept() == batches);
    }
    manager.run(
        tx -> {
          tx.table(healthy).put(put("h", "1"));
          return null;
        });
    Fixture.eventually("cleaned up", () -> fixture.marks(healthy) == 0);
    Fixture.eventually("and finished", () -> Inside.cleaner(manager).rows() == 3);
    assertEquals(0, Inside.counters(manager).cleanupsFailed.sum());
    gate.set(State.OPEN);
    assertCleanedUp();
  }

  @Test
  void rowsOfARegionThatHangsAreGivenUpAndNotReported() throws Exception {
    manager = opened(Duration.ofMillis(100));
    gate.set(State.CLOSED);
    Transaction first = written("a", TRANSACTION_ROWS);
    first.commit();
    for (int i = 0; i < 4; i++) { // these must wait for room until others are given up
      written("b" + i, TRANSACTION_ROWS).commit();
    }
    Fixture.eventually("given up", () -> Inside.counters(manager).cleanupsFailed.sum() == 5);
    assertEquals(0, Inside.cleaner(manager).rows());
    assertEquals(5 * TRANSACTION_ROWS, fixture.marks(name));
    assertEquals(0, Inside.counters(manager).cleanedUp.sum());
    assertTrue(Inside.oracle(manager).lowWatermark() <= first.startTimestamp(), "not reported");
    gate.set(State.OPEN); // what was given up may go on in the region, beside readers and sweeps
    assertEquals("b3", other.run(tx -> read(tx.table(name), "b30")));
    assertSwept();
    assertEquals(0, fixture.uncleaned(name));
    assertEquals("a", other.run(tx -> read(tx.table(name), "a0")));
    assertEquals("b3", other.run(tx -> read(tx.table(name), "b30")));
  }

  /** The next reader of them tries again; until then nothing of them is kept in memory. */
  @Test
  void orphansOfARegionThatHangsAreGivenUp() throws Exception {
    manager = opened(Duration.ofMillis(100));
    Transaction orphan = fixture.dyingManager().begin();
    orphan.table(name).put(put("a", "1"));
    CleanupRequest request =
        new CleanupRequest(
            Fixture.bytes("a"), orphan.startTimestamp(), orphan.commit().getAsLong());
    List<CompletableFuture<?>> sent = new CopyOnWriteArrayList<>();
    PreparedTable table =
        Fixture.prepared(
            manager,
            name,
            (method, call) -> {
              List<?> answers = (List<?>) call.call();
              answers.forEach(answer -> sent.add((CompletableFuture<?>) answer));
              return answers;
            });
    gate.set(State.CLOSED);
    new Orphans(1, new Counters(), Tracing.NONE).offer(table, List.of(request));
    Fixture.eventually("given up", () -> !sent.isEmpty() && sent.get(0).isDone());
    assertTrue(sent.get(0).isCompletedExceptionally());
    assertEquals(1, fixture.marks(name));
    gate.set(State.OPEN);
    assertEquals("1", other.run(tx -> read(tx.table(name), "a")));
    assertSwept();
  }

  @Test
  void cleanupsThatFailAreLeftToSweepsAndNotReported() throws Exception {
    gate.set(State.REFUSING);
    Transaction first = written("a", TRANSACTION_ROWS);
    first.commit();
    for (int i = 0; i < 2; i++) { // beside it: another one would wait until it is given up
      written("b" + i, (ROWS_MAX - TRANSACTION_ROWS) / 2).commit();
    }
    Fixture.eventually("given up", () -> Inside.counters(manager).cleanupsFailed.sum() == 3);
    assertEquals(0, Inside.cleaner(manager).rows());
    assertEquals(ROWS_MAX, fixture.marks(name));
    assertTrue(Inside.oracle(manager).lowWatermark() <= first.startTimestamp(), "not reported");
    assertEquals("b1", other.run(tx -> read(tx.table(name), "b10")));
    gate.set(State.OPEN);
    SweepResult swept = other.sweep();
    assertTrue(swept.reported(), swept::toString);
    assertEquals(0, fixture.marks(name));
    assertEquals("b1", other.run(tx -> read(tx.table(name), "b10")));
  }
}
