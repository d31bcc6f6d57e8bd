package io.retso.hbase;

import static io.retso.hbase.Fixture.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.TablePreparation.Options;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.ScanResultConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A scan and the end of its transaction, when threads get ahead of each other. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class ScanEndTest {
  private Fixture fixture;
  private TableName name;
  private TransactionManager manager;

  @BeforeEach
  void open(RetsoCluster cluster) throws Exception {
    fixture = new Fixture(cluster);
    name = fixture.table(Options.DEFAULT);
    manager = fixture.manager();
    manager.run(tx -> tx.table(name).put(put("r", "old")));
  }

  @AfterEach
  void close() throws Exception {
    fixture.close();
  }

  /** The table, with something that happens right before or after a scan of HBase's is opened. */
  private AsyncTransactionalTable table(Transaction tx, Callable<?> before, Callable<?> after)
      throws Exception {
    PreparedTable real = manager.tables().find(name).get(30, TimeUnit.SECONDS);
    Class<?> type = AsyncTable.class;
    @SuppressWarnings("unchecked")
    AsyncTable<AdvancedScanResultConsumer> raw =
        (AsyncTable<AdvancedScanResultConsumer>)
            Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> {
                  boolean isScan = method.getName().equals("scan");
                  if (isScan) {
                    before.call();
                  }
                  Object result = invoke(method, real.raw(), arguments);
                  if (isScan) {
                    after.call();
                  }
                  return result;
                });
    return new AsyncTransactionalTable(
        tx,
        new PreparedTable(real.descriptor(), real.settings(), raw, real.loadedNanos()),
        manager);
  }

  private static Object invoke(Method method, Object target, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** Whoever has seen all rows may commit, though the thread that opened the scan sleeps. */
  @Test
  void theEndOfAScanHoldsUpNoCommit() throws Exception {
    CompletableFuture<Long> committed = new CompletableFuture<>();
    try (Transaction tx = manager.begin()) {
      table(tx, () -> null, () -> committed.exceptionally(failure -> 0L).get(60, TimeUnit.SECONDS))
          .scan(
              new Scan(),
              new ScanResultConsumer() {
                @Override
                public boolean onNext(Result row) {
                  return true;
                }

                @Override
                public void onError(Throwable failure) {
                  committed.completeExceptionally(failure);
                }

                @Override
                public void onComplete() {
                  try {
                    committed.complete(tx.commitAsync().join());
                  } catch (RuntimeException e) {
                    committed.completeExceptionally(e);
                  }
                }
              });
      assertEquals(tx.startTimestamp(), committed.get(60, TimeUnit.SECONDS));
    }
  }

  /** Its own row has been moved above its snapshot: that nothing is found is not the answer. */
  @Test
  void aScanThatIsOpenedAfterTheEndFails() throws Exception {
    Transaction tx = manager.begin();
    tx.table(name).put(put("own", "1"));
    tx.writes().sendAll().get(60, TimeUnit.SECONDS); // so that this thread opens the scan
    Callable<Long> commit =
        () -> {
          long timestamp = tx.commitAsync().get(60, TimeUnit.SECONDS);
          Fixture.eventually("cleaned up", () -> manager.metrics().cleanupRows() == 0);
          return timestamp;
        };
    CompletableFuture<List<Result>> rows =
        table(tx, commit, () -> null)
            .scanAll(new Scan().withStartRow(Fixture.bytes("o")).withStopRow(Fixture.bytes("p")));
    ExecutionException e =
        assertThrows(ExecutionException.class, () -> rows.get(60, TimeUnit.SECONDS));
    assertTrue(e.getCause().getMessage().contains("ended while it was scanned"), e::toString);
  }
}
