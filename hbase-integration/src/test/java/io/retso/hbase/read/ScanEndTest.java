package io.retso.hbase.read;

import static io.retso.hbase.Fixture.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.AsyncTransactionalTable;
import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.transaction.Inside;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.ScanResultConsumer;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
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
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    name = fixture.table(Options.DEFAULT);
    manager = fixture.manager();
    manager.run(
        tx -> {
          tx.table(name).put(put("r", "old"));
          return null;
        });
  }

  /** The table, with something that happens right before or after a scan of HBase's is opened. */
  private AsyncTransactionalTable table(Transaction tx, Callable<?> before, Callable<?> after)
      throws Exception {
    return Fixture.table(
        manager,
        tx,
        name,
        (method, call) -> {
          boolean isScan = method.equals("scan");
          if (isScan) {
            before.call();
          }
          Object result = call.call();
          if (isScan) {
            after.call();
          }
          return result;
        });
  }

  /** A caller that has seen all rows may commit, though the thread that opened the scan sleeps. */
  @Test
  void theEndOfAScanHoldsUpNoCommit() throws Exception {
    CompletableFuture<OptionalLong> committed = new CompletableFuture<>();
    try (Transaction tx = manager.begin()) {
      table(
              tx,
              () -> null,
              () -> committed.exceptionally(failure -> null).get(60, TimeUnit.SECONDS))
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
      assertTrue(committed.get(60, TimeUnit.SECONDS).isEmpty());
    }
  }

  /** Its own row has been moved above its snapshot: that nothing is found is not the answer. */
  @Test
  void aScanThatIsOpenedAfterTheEndFails() throws Exception {
    Transaction tx = manager.begin();
    tx.table(name).put(put("own", "1"));
    Inside.writes(tx).sendAll().get(60, TimeUnit.SECONDS); // so that this thread opens the scan
    Callable<OptionalLong> commit =
        () -> {
          OptionalLong timestamp = tx.commitAsync().get(60, TimeUnit.SECONDS);
          Fixture.eventually("cleaned up", () -> Inside.cleaner(manager).rows() == 0);
          return timestamp;
        };
    CompletableFuture<List<Result>> rows =
        table(tx, commit, () -> null)
            .scanAll(new Scan().withStartRow(Fixture.bytes("o")).withStopRow(Fixture.bytes("p")));
    ExecutionException e =
        assertThrows(ExecutionException.class, () -> rows.get(60, TimeUnit.SECONDS));
    assertTrue(e.getCause().getMessage().contains("ended while it was scanned"), e::toString);
  }

  private interface End {
    void of(Transaction tx) throws IOException;
  }

  /** A coprocessor that counts the scanners that clients have open in its region. */
  public static final class ScannerCount implements RegionCoprocessor, RegionObserver {
    private final AtomicInteger open = new AtomicInteger();

    /** Called by HBase. */
    public ScannerCount() {}

    static ScannerCount in(HRegion region) throws IOException {
      RegionCoprocessorHost host = region.getCoprocessorHost();
      host.load(ScannerCount.class, Coprocessor.PRIORITY_USER, region.getReadOnlyConfiguration());
      return (ScannerCount) host.findCoprocessor(ScannerCount.class.getName());
    }

    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public RegionScanner postScannerOpen(
        ObserverContext<RegionCoprocessorEnvironment> context, Scan scan, RegionScanner scanner) {
      open.incrementAndGet();
      return scanner;
    }

    @Override
    public void postScannerClose(
        ObserverContext<RegionCoprocessorEnvironment> context, InternalScanner scanner) {
      open.decrementAndGet();
    }
  }

  /** More rows than may wait were there, and HBase's scanner waited for the application. */
  @Test
  void aScanThatIsLeftInTheMiddleEndsWithItsTransaction() throws Exception {
    String large = "x".repeat(1 << 20);
    manager.run(
        tx -> {
          for (int i = 10; i < 22; i++) {
            tx.table(name).put(put("large" + i, large));
          }
          return null;
        });
    Fixture.eventually("cleaned up", () -> Inside.cleaner(manager).rows() == 0);
    AtomicInteger open = ScannerCount.in(fixture.regions(name).get(0)).open;
    for (End end : List.<End>of(Transaction::commit, Transaction::rollback, Transaction::close)) {
      Transaction tx = manager.begin();
      ResultScanner rows = tx.table(name).getScanner(new Scan());
      assertEquals("large10", Fixture.text(rows.next().getRow()));
      Fixture.eventually("it waits", () -> !((BlockingScanner) rows).room().isDone());
      assertEquals(1, open.get());
      end.of(tx);
      Fixture.eventually("HBase's scanner is closed", () -> open.get() == 0);
      assertThrows(IllegalStateException.class, rows::next);
    }
    try (Transaction tx = manager.begin();
        ResultScanner rows = tx.table(name).getScanner(new Scan())) {
      assertEquals("large10", Fixture.text(rows.next().getRow()));
      Fixture.eventually("it waits", () -> !((BlockingScanner) rows).room().isDone());
      assertEquals(12, rows.next(100).length, "and goes on");
    }
  }

  /** The page was on its way when the transaction ended. */
  @Test
  void aScanOfATransactionThatHasEndedDoesNotWait() throws Exception {
    Transaction tx = manager.begin();
    BlockingScanner rows =
        new BlockingScanner(Inside.scanOwner(tx), new Scan(), ScanRange.UNTRACKED);
    Cell large = new KeyValue(Fixture.bytes("r"), Fixture.F, Fixture.Q, 1, new byte[5 << 20]);
    tx.rollback();
    rows.next(Result.create(List.of(large)));
    assertTrue(rows.room().isDone());
  }
}
