package io.retso.hbase.read;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.AsyncTransactionalTable;
import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.operation.OperationQueue;
import io.retso.hbase.options.Isolation;
import io.retso.hbase.table.IdSet;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.transaction.Inside;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.ScanResultConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the application gets while it commits is either in the read set, or it does not get it. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class ReadsAtTheCommitTest {
  private static final TransactionOptions SERIALIZABLE =
      TransactionOptions.DEFAULT.withIsolation(Isolation.SERIALIZABLE);

  private TransactionManager manager;
  private TableName name;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    manager = fixture.manager();
    name = fixture.table(Options.DEFAULT);
    manager.run(
        tx -> {
          tx.table(name).put(List.of(put("a", "0"), put("b", "0"), put("c", "0")));
          return null;
        });
  }

  /** Commits when it has a number of rows. */
  private static final class CommittingConsumer implements ScanResultConsumer {
    final List<String> rows = new ArrayList<>();
    final CompletableFuture<Void> end = new CompletableFuture<>();
    private final Transaction tx;
    private final int after;

    CommittingConsumer(Transaction tx, int after) {
      this.tx = tx;
      this.after = after;
    }

    @Override
    public boolean onNext(Result row) {
      rows.add(Fixture.text(row.getRow()));
      if (rows.size() == after) {
        tx.commitAsync().join();
      }
      return true;
    }

    @Override
    public void onError(Throwable failure) {
      end.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      end.complete(null);
    }

    void expectFailure() {
      Throwable failure =
          assertThrows(ExecutionException.class, () -> end.get(60, TimeUnit.SECONDS)).getCause();
      assertTrue(
          assertInstanceOf(IllegalStateException.class, failure).getMessage().contains("end"));
    }
  }

  private CommittingConsumer scan(Scan scan, int after) throws Exception {
    Transaction tx = manager.begin(SERIALIZABLE);
    CommittingConsumer consumer = new CommittingConsumer(tx, after);
    tx.asyncTable(name).get(60, TimeUnit.SECONDS).scan(scan, consumer);
    return consumer;
  }

  /** All of them came in one page. */
  @Test
  void aConsumerGetsNoRowsBehindTheCommit() throws Exception {
    CommittingConsumer consumer = scan(new Scan(), 1);
    consumer.expectFailure();
    assertEquals(List.of("a"), consumer.rows);
  }

  @Test
  void norDoesItLearnThatThereAreNoMore() throws Exception {
    CommittingConsumer consumer = scan(new Scan(), 3);
    consumer.expectFailure();
    assertEquals(List.of("a", "b", "c"), consumer.rows);
  }

  /** It learns nothing that it does not know. */
  @Test
  void whoCommitsAtTheLimitOfAScanIsNoFailure() throws Exception {
    CommittingConsumer consumer = scan(new Scan().setLimit(2), 2);
    assertNull(consumer.end.get(60, TimeUnit.SECONDS));
    assertEquals(List.of("a", "b"), consumer.rows);
  }

  /** What a commit would report right after a scanner was told that the transaction is open. */
  private ReadSet.Ids reported;

  private BlockingScanner scanner(Transaction tx) throws Exception {
    ReadSet reads = Inside.reads(tx);
    ScanOwner real = Inside.scanOwner(tx);
    ScanOwner owner =
        (ScanOwner)
            Proxy.newProxyInstance(
                ScanOwner.class.getClassLoader(),
                new Class<?>[] {ScanOwner.class},
                (proxy, method, arguments) -> {
                  Object answer = method.invoke(real, arguments);
                  if (method.getName().equals("checkOpen")) {
                    reported = reads.ids(new IdSet(), 100);
                  }
                  return answer;
                });
    PreparedTable table = Inside.tables(manager).find(name).get(60, TimeUnit.SECONDS);
    Scan scan = new Scan().withStartRow(bytes("a"));
    return new BlockingScanner(owner, scan, reads.scan(table, scan));
  }

  @Test
  void whatAScannerGivesAwayIsInTheReadSetBefore() throws Exception {
    try (Transaction tx = manager.begin(SERIALIZABLE);
        BlockingScanner rows = scanner(tx)) {
      rows.next(Result.create(List.of(new KeyValue(bytes("a"), F, Q, 1, bytes("0")))));
      assertNotNull(rows.next());
      assertEquals(1, reported.ids().length, "the row");
      rows.completed(true);
      assertNull(rows.next());
      assertTrue(reported.ranges().length > 0, "the rest of the table");
    }
  }

  /** The thread that reads is held up before its operation counts as outstanding. */
  @Test
  void aGetThatComesBesideTheCommitIsRefused() throws Exception {
    Transaction tx = manager.begin(SERIALIZABLE);
    AsyncTransactionalTable table = tx.asyncTable(name).get(60, TimeUnit.SECONDS);
    OperationQueue operations = Inside.operations(tx);
    CompletableFuture<Result> row = new CompletableFuture<>();
    Thread reader =
        new Thread(
            () ->
                table.get(get("a")).whenComplete((found, failure) -> complete(row, found, failure)),
            "reader");
    CompletableFuture<OptionalLong> commit;
    synchronized (operations) {
      reader.start();
      while (!waitsFor(reader, operations)) {
        Thread.onSpinWait();
      }
      commit = tx.commitAsync();
    }
    assertTrue(commit.get(60, TimeUnit.SECONDS).isEmpty());
    Throwable failure =
        assertThrows(ExecutionException.class, () -> row.get(60, TimeUnit.SECONDS)).getCause();
    assertInstanceOf(IllegalStateException.class, failure);
  }

  private static <T> void complete(CompletableFuture<T> future, T answer, Throwable failure) {
    if (failure == null) {
      future.complete(answer);
    } else {
      future.completeExceptionally(failure);
    }
  }

  private static boolean waitsFor(Thread thread, Object monitor) {
    LockInfo lock = ManagementFactory.getThreadMXBean().getThreadInfo(thread.getId()).getLockInfo();
    return lock != null && lock.getIdentityHashCode() == System.identityHashCode(monitor);
  }
}
