package io.retso.hbase;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.number;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Transaction.State;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.RollbackOnlyException;
import io.retso.hbase.transaction.Inside;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * When a blocking method has returned, by a result, a failure or an interrupt, nothing of it stands
 * in the way of the commit: the application has no future to wait for.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class BlockingCallsTest {
  private Fixture fixture;
  private TableName name;
  private TransactionManager manager;

  /** What HBase is asked for goes on when this completes. */
  private final CompletableFuture<Void> release = new CompletableFuture<>();

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    name = fixture.table(Options.DEFAULT);
    manager = fixture.manager();
  }

  @AfterEach
  void release() {
    Thread.interrupted();
    release.complete(null);
  }

  /** The table; HBase answers what is asked through it after {@link #release}. */
  private TransactionalTable held(Transaction tx) throws Exception {
    return Inside.blockingTable(
        tx,
        Fixture.prepared(
            manager,
            name,
            (method, call) -> {
              Object answer = call.call();
              return answer instanceof CompletableFuture<?> future
                  ? release.thenCompose(released -> future)
                  : answer;
            }));
  }

  private interface Call {
    void on(TransactionalTable table) throws IOException;
  }

  /** All that ask HBase for something before they return. */
  @SuppressWarnings("deprecation") // of HBase's builders, which code still uses
  private static Map<String, Call> calls() throws IOException {
    Increment increment = new Increment(bytes("r")).addColumn(F, Q, 1);
    CheckAndMutate checked =
        CheckAndMutate.newBuilder(bytes("r")).ifNotExists(F, Q).build(put("r", "v"));
    RowMutations mutations = new RowMutations(bytes("r")).add(List.of(increment));
    Map<String, Call> calls = new LinkedHashMap<>();
    calls.put("get", table -> table.get(get("r")));
    calls.put("gets", table -> table.get(List.of(get("r"), get("s"))));
    calls.put("exists", table -> table.exists(get("r")));
    calls.put("exist", table -> table.exists(List.of(get("r"), get("s"))));
    calls.put("getForUpdate", table -> table.getForUpdate(get("r")));
    calls.put("getValidated", table -> table.getValidated(get("r")));
    calls.put("delete", table -> table.delete(new Delete(bytes("r"))));
    calls.put("deletes", table -> table.delete(List.of(new Delete(bytes("r")))));
    calls.put("append", table -> table.append(new Append(bytes("r")).addColumn(F, Q, F)));
    calls.put("increment", table -> table.increment(increment));
    calls.put("increment value", table -> table.incrementColumnValue(bytes("r"), F, Q, 1));
    calls.put("mutate row", table -> table.mutateRow(mutations));
    calls.put("batch", table -> table.batch(List.of(increment, get("r")), null));
    calls.put(
        "batch callback", table -> table.batchCallback(List.of(increment), null, (a, b, c) -> {}));
    calls.put("check", table -> table.checkAndMutate(checked));
    calls.put("checks", table -> table.checkAndMutate(List.of(checked)));
    calls.put(
        "check builder",
        table ->
            table
                .asTable()
                .checkAndMutate(bytes("r"), F)
                .qualifier(Q)
                .ifNotExists()
                .thenPut(put("r", "v")));
    calls.put(
        "scan",
        table -> {
          table.put(put("r", "v"));
          table.getScanner(new Scan()).next();
        });
    return calls;
  }

  @Test
  @SuppressWarnings("try") // closed before its end, too
  void interruptedCallsHoldUpNoCommit() throws Exception {
    for (Map.Entry<String, Call> call : calls().entrySet()) {
      try (Transaction tx = manager.begin()) {
        TransactionalTable table = held(tx);
        Thread.currentThread().interrupt();
        assertThrows(InterruptedIOException.class, () -> call.getValue().on(table), call.getKey());
        assertTrue(Thread.interrupted(), call.getKey());
        CompletableFuture<OptionalLong> commit = tx.commitAsync();
        assertEquals(State.COMMITTING, tx.state(), call.getKey());
        assertThrows(IllegalStateException.class, tx::commitAsync);
        assertThrows(IllegalStateException.class, tx::rollbackAsync);
        assertThrows(IllegalStateException.class, () -> table.get(get("r")));
        tx.close(); // its commit was asked for
        assertFalse(commit.isDone(), call.getKey());
      }
    }
  }

  /**
   * What goes on is not lost, if it is committed: neither what had begun nor what waited for it.
   */
  @Test
  void whatGoesOnIsInTheCommit() throws Exception {
    Increment increment = new Increment(bytes("r")).addColumn(F, Q, 1);
    CompletableFuture<OptionalLong> commit;
    try (Transaction tx = manager.begin()) {
      TransactionalTable table = held(tx);
      for (int i = 0; i < 3; i++) {
        Thread.currentThread().interrupt();
        assertThrows(InterruptedIOException.class, () -> table.increment(increment));
        assertTrue(Thread.interrupted());
      }
      commit = tx.commitAsync();
    }
    release.complete(null);
    assertTrue(commit.get(60, TimeUnit.SECONDS).isPresent());
    assertEquals(
        3, manager.read(tx -> number(tx.table(name).get(get("r")).getValue(F, Q))).longValue());
  }

  @Test
  void theRetryLoopWaitsForWhatGoesOn() throws Exception {
    Increment increment = new Increment(bytes("r")).addColumn(F, Q, 1);
    manager.run(
        tx -> {
          try {
            TransactionalTable table = held(tx);
            Thread.currentThread().interrupt();
            assertThrows(InterruptedIOException.class, () -> table.increment(increment));
            assertTrue(Thread.interrupted());
            tx.commitAsync();
          } catch (Exception e) {
            throw new IOException(e);
          }
          assertEquals(State.COMMITTING, tx.state());
          release.complete(null);
          return null;
        });
    assertEquals(
        1, manager.read(tx -> number(tx.table(name).get(get("r")).getValue(F, Q))).longValue());
  }

  @Test
  void aWriteThatFailsBehindAnInterruptIsNotCommitted() throws Exception {
    try (Transaction tx = manager.begin()) {
      TransactionalTable table = held(tx);
      table.put(put("r", "v"));
      Thread.currentThread().interrupt();
      assertThrows(InterruptedIOException.class, () -> table.get(get("r").addFamily(F)));
      assertTrue(Thread.interrupted());
      CompletableFuture<OptionalLong> commit = tx.commitAsync();
      release.completeExceptionally(new IOException("expected"));
      ExecutionException e =
          assertThrows(ExecutionException.class, () -> commit.get(60, TimeUnit.SECONDS));
      assertEquals(RollbackOnlyException.class, e.getCause().getClass());
      assertEquals(State.ROLLBACK_ONLY, tx.state());
      tx.rollback();
      assertEquals(State.ROLLED_BACK, tx.state());
    }
    assertNull(manager.<String>read(tx -> read(tx.table(name), "r")));
  }

  /** They are opened behind the write, while they are closed already, or left. */
  @Test
  void scannersThatAreNotReadHoldUpNoCommit() throws Exception {
    for (boolean isClosed : new boolean[] {false, true}) {
      for (boolean isAsync : new boolean[] {false, true}) {
        CompletableFuture<Void> gate = new CompletableFuture<>();
        CompletableFuture<OptionalLong> commit;
        try (Transaction tx = manager.begin()) {
          var prepared =
              Fixture.prepared(
                  manager,
                  name,
                  (method, call) -> {
                    Object answer = call.call();
                    return method.equals("put")
                        ? gate.thenCompose(released -> (CompletableFuture<?>) answer)
                        : answer;
                  });
          TransactionalTable table = Inside.blockingTable(tx, prepared);
          table.put(put("r", "v" + isClosed));
          ResultScanner scanner =
              isAsync
                  ? Inside.table(tx, prepared).getScanner(new Scan())
                  : table.getScanner(new Scan());
          if (isClosed) {
            scanner.close();
          }
          commit = tx.commitAsync();
          assertFalse(commit.isDone());
        }
        gate.complete(null);
        assertTrue(commit.get(60, TimeUnit.SECONDS).isPresent());
        assertEquals("v" + isClosed, manager.read(tx -> read(tx.table(name), "r")));
      }
    }
  }
}
