package io.retso.hbase.operation;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.G;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.scan;
import static io.retso.hbase.Fixture.text;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.AsyncTransactionalTable;
import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Batches of which an action fails at its turn: callers learn which were carried out. */
@ExtendWith(RetsoCluster.Extension.class)
class BatchTest {
  private Fixture fixture;
  private TransactionManager manager;
  private TableName name;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
    name = fixture.table(TablePreparation.Options.DEFAULT);
  }

  /** The third one fails, since there is text where a number should be. */
  private static List<Row> actions() {
    return List.of(
        put("a", "text"),
        get("a"),
        new Increment(bytes("a")).addColumn(F, Q, 1),
        new Put(bytes("a")).addColumn(G, Q, Q),
        get("a"));
  }

  @Test
  void resultsSayWhatWasCarriedOut() throws Exception {
    Transaction tx = manager.begin();
    Object[] results = new Object[5];
    IOException failure =
        assertThrows(IOException.class, () -> tx.table(name).batch(actions(), results));
    assertTrue(((Result) results[0]).isEmpty());
    assertEquals("text", text(((Result) results[1]).getValue(F, Q)));
    for (int i = 2; i < results.length; i++) {
      assertSame(failure, results[i]);
    }
    assertThrows(IOException.class, () -> tx.table(name).batch(actions(), null));
    tx.commit(); // the failed one left nothing behind, the others go on
    assertEquals("a=text", manager.run(next -> scan(next.table(name), new Scan())));
    assertTrue(manager.run(next -> next.table(name).get(get("a").addFamily(G))).isEmpty());
  }

  @Test
  void callbacksAreCalledForWhatWasCarriedOut() throws Exception {
    try (Transaction tx = manager.begin()) {
      List<Object> called = new ArrayList<>();
      Object[] results = {"of", "the", "last", "batch", "before"};
      assertThrows(
          IOException.class,
          () ->
              tx.table(name)
                  .batchCallback(actions(), results, (region, row, result) -> called.add(result)));
      assertEquals(List.of(results[0], results[1]), called);
      assertThrows(
          IllegalArgumentException.class,
          () ->
              tx.table(name)
                  .batchCallback(
                      List.of(get("a").readAllVersions(), get("a")),
                      new Object[] {"of", "before"},
                      (region, row, result) -> called.add(result)));
      assertEquals(2, called.size());
    }
  }

  @Test
  void refusedBatchesHaveNoResults() throws Exception {
    try (Transaction tx = manager.begin()) {
      Object[] results = new Object[2];
      List<Row> refused = List.of(put("a", "text"), get("a").readAllVersions());
      assertThrows(IllegalArgumentException.class, () -> tx.table(name).batch(refused, results));
      assertArrayEquals(new Object[2], results);
    }
  }

  @Test
  void futuresSayWhatWasCarriedOut() throws Exception {
    try (Transaction tx = manager.begin()) {
      AsyncTransactionalTable table = tx.asyncTable(name).get(30, TimeUnit.SECONDS);
      List<CompletableFuture<Result>> futures = table.batch(actions());
      assertTrue(futures.get(0).get(30, TimeUnit.SECONDS).isEmpty());
      Result read = futures.get(1).get(30, TimeUnit.SECONDS);
      assertEquals("text", text(read.getValue(F, Q)));
      for (CompletableFuture<Result> future : futures.subList(2, 5)) {
        Throwable failure =
            assertThrows(ExecutionException.class, () -> future.get(30, TimeUnit.SECONDS));
        assertTrue(failure.getCause() instanceof IOException, failure::toString);
      }
      tx.commit(); // nothing of the batch is outstanding when its futures are done
    }
  }
}
