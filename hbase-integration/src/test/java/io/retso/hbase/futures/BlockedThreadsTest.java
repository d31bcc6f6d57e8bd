package io.retso.hbase.futures;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.NonBlocking;
import io.retso.hbase.AsyncTransactionalTable;
import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.Transaction.State;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.TransactionalTable;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.SnapshotTooOldException;
import io.retso.hbase.options.Isolation;
import io.retso.hbase.options.ReadSnapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.ScanResultConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * An application blocks every thread that it can get hold of: those of the JVM's common pool, and
 * those on which its callbacks run. Deadlines, retries, cleanups and other threads go on; blocking
 * methods are refused in callbacks.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class BlockedThreadsTest {
  private static final TransactionOptions SHORT =
      TransactionOptions.DEFAULT.withTimeLimit(Duration.ofMillis(1));

  private Fixture fixture;
  private TableName name;
  private TransactionManager manager;
  private final CountDownLatch over = new CountDownLatch(1);

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    name = fixture.table(Options.DEFAULT);
    manager = fixture.manager();
  }

  @AfterEach
  void release() {
    over.countDown();
  }

  private void block() {
    try {
      over.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void blockCommonPool() {
    assertTrue(ForkJoinPool.getCommonPoolParallelism() > 1, "otherwise the JDK does not use it");
    for (int i = 0; i < 64; i++) {
      ForkJoinPool.commonPool().execute(this::block);
    }
  }

  /** Those on which callbacks run that do not stay on HBase's. */
  private void blockCallbacks() throws Exception {
    AtomicInteger blocked = new AtomicInteger();
    int count = Math.max(2, Runtime.getRuntime().availableProcessors());
    eventually(
        "all callback threads are blocked",
        () -> {
          manager
              .beginAsync()
              .thenAccept(
                  tx -> {
                    if (Thread.currentThread().getName().startsWith("retso-callback")) {
                      blocked.incrementAndGet();
                      block();
                    }
                  });
          return blocked.get() >= count;
        });
  }

  /** All that takes its time, behind the replies or before them. */
  private void assertAllGoesOn() throws Exception {
    Transaction late = manager.begin(SHORT);
    eventually("rolled back in time", () -> late.state() == State.ROLLED_BACK);
    assertThrows(SnapshotTooOldException.class, late::commit);

    Transaction other = manager.begin();
    other.table(name).put(put("r", "other"));
    AtomicInteger attempts = new AtomicInteger();
    manager.run(
        tx -> {
          tx.table(name).put(put("r", "v"));
          if (attempts.incrementAndGet() == 1) {
            other.commit();
          }
          return null;
        });
    assertEquals(2, attempts.get(), "it ran again");
    eventually("cleaned up", () -> fixture.marks(name) == 0);

    TransactionManager dying = fixture.dyingManager();
    dying.run(
        tx -> {
          tx.table(name).put(put("orphan", "v"));
          return null;
        });
    TransactionOptions deferred =
        TransactionOptions.DEFAULT
            .withIsolation(Isolation.SERIALIZABLE)
            .withReadSnapshot(ReadSnapshot.DEFERRED);
    assertEquals("v", manager.read(deferred, tx -> read(tx.table(name), "orphan")));
  }

  @Test
  void theCommonPoolMayBeFull() throws Exception {
    blockCommonPool();
    assertAllGoesOn();
    AtomicInteger attempts = new AtomicInteger();
    CompletableFuture<Integer> again =
        manager.runAsync(
            tx ->
                attempts.incrementAndGet() < 3
                    ? CompletableFuture.failedFuture(new ConflictException("expected", null))
                    : CompletableFuture.completedFuture(attempts.get()));
    assertEquals(3, again.get(60, TimeUnit.SECONDS));
  }

  @Test
  void callbacksMayBlock() throws Exception {
    blockCallbacks();
    assertAllGoesOn();
    long begun = System.nanoTime();
    manager.close();
    assertTrue(System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(9), "nothing was left to do");
  }

  /** The timer may be late. */
  @Test
  void nothingBeginsOrCommitsWhenTheTimeIsOver() throws Exception {
    CountDownLatch blocked = new CountDownLatch(2);
    for (int i = 0; i < 2; i++) {
      Timers.after(
          0,
          TimeUnit.NANOSECONDS,
          () -> {
            blocked.countDown();
            block();
          });
    }
    blocked.await();
    Transaction first = manager.begin(SHORT);
    Transaction second = manager.begin(SHORT);
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < TimeUnit.MILLISECONDS.toNanos(2)) {
      Thread.onSpinWait();
    }
    assertEquals(State.ACTIVE, first.state(), "the timer is late");
    assertThrows(SnapshotTooOldException.class, first::commit);
    assertEquals(State.ROLLED_BACK, first.state());
    CompletableFuture<Void> put =
        second.asyncTable(name).thenCompose(table -> table.put(put("r", "v")));
    assertInstanceOf(
        SnapshotTooOldException.class,
        assertThrows(ExecutionException.class, () -> put.get(60, TimeUnit.SECONDS)).getCause());
  }

  private interface Blocking {
    void in(Transaction open, TransactionalTable table) throws IOException;
  }

  /** The methods that wait, of each kind of object. */
  private Map<String, Blocking> blocking() {
    Map<String, Blocking> calls = new LinkedHashMap<>();
    calls.put("begin", (tx, table) -> manager.begin());
    calls.put("run", (tx, table) -> manager.run(inner -> null));
    calls.put("read", (tx, table) -> manager.read(inner -> null));
    calls.put("resolve", (tx, table) -> manager.resolve(tx.handle()));
    calls.put("sweep", (tx, table) -> manager.sweep());
    calls.put("table", (tx, table) -> tx.table(name));
    calls.put("read timestamp", (tx, table) -> tx.readTimestamp());
    calls.put("commit", (tx, table) -> tx.commit());
    calls.put("get", (tx, table) -> table.get(Fixture.get("r")));
    calls.put("put", (tx, table) -> table.put(put("r", "callback")));
    calls.put("batch", (tx, table) -> table.batch(List.of(put("r", "callback")), null));
    calls.put("scan", (tx, table) -> table.getScanner(new Scan()));
    return calls;
  }

  /** On a thread of ours. */
  private CompletableFuture<?> begin() {
    return manager.beginAsync();
  }

  /** On a thread of HBase's. */
  private CompletableFuture<?> get() {
    return manager
        .beginReadOnly()
        .asyncTable(name)
        .thenCompose(table -> table.get(Fixture.get("r")));
  }

  @Test
  void blockingMethodsAreRefusedInCallbacks() throws Exception {
    for (Map.Entry<String, Blocking> call : blocking().entrySet()) {
      try (Transaction open = manager.begin()) {
        TransactionalTable table = open.table(name);
        for (Supplier<CompletableFuture<?>> future :
            List.<Supplier<CompletableFuture<?>>>of(this::begin, this::get)) {
          IllegalStateException refusal =
              refusal(future, () -> call.getValue().in(open, table), call.getKey());
          assertTrue(refusal.getMessage().contains("in a callback"), refusal::getMessage);
          assertEquals(State.ACTIVE, open.state(), call.getKey());
        }
        open.commit();
      }
    }
    assertNull(manager.<String>read(tx -> read(tx.table(name), "r")), "nothing was begun");
  }

  private interface Call {
    void run() throws IOException;
  }

  private static IllegalStateException refusal(
      Supplier<CompletableFuture<?>> future, Call call, String what) throws Exception {
    Thread caller = Thread.currentThread();
    List<IllegalStateException> refusals = new CopyOnWriteArrayList<>();
    eventually(
        what,
        () -> {
          future
              .get()
              .thenRun(
                  () -> {
                    if (Thread.currentThread() != caller) { // it was not done before
                      refusals.add(assertThrows(IllegalStateException.class, call::run));
                    }
                  })
              .join();
          return !refusals.isEmpty();
        });
    return refusals.get(0);
  }

  /** Nothing there waits, so that it is no mistake. */
  @Test
  void whatDoesNotWaitMayBeCalledInCallbacks() throws Exception {
    Transaction open = manager.begin();
    CompletableFuture<Void> done =
        begin()
            .thenRun(
                () -> {
                  try {
                    open.rollback();
                    manager.close();
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                });
    done.get(60, TimeUnit.SECONDS);
    assertEquals(State.ROLLED_BACK, open.state());
    assertThrows(IllegalStateException.class, manager::begin);
  }

  private final Set<String> seen = ConcurrentHashMap.newKeySet();

  /** Notes the thread that it is on. */
  private <T> T here(T value) {
    seen.add(
        Thread.currentThread() instanceof NonBlocking ? Thread.currentThread().getName() : "other");
    return value;
  }

  /** Rows in doubt, so that a scan asks the oracle. */
  @Test
  void noCallbackRunsWhereOthersWouldWait() throws Exception {
    TableName clientReads = fixture.table(Options.CLIENT_READS);
    for (int i = 0; i < 20; i++) {
      fixture
          .dyingManager()
          .run(
              tx -> {
                tx.table(clientReads).put(put("r" + tx.startTimestamp(), "v"));
                return null;
              });
      Transaction ended = manager.beginAsync().thenApply(this::here).get(60, TimeUnit.SECONDS);
      ended.close();
      manager
          .resolveAsync(ended.handle())
          .handle((answer, failure) -> here(""))
          .get(60, TimeUnit.SECONDS);
      int number = i;
      manager
          .runAsync(
              tx ->
                  here(tx)
                      .asyncTable(clientReads)
                      .thenApply(this::here)
                      .thenCompose(table -> here(table).put(put("own" + number, "v")))
                      .thenCompose(put -> here(tx).readTimestampAsync())
                      .thenApply(this::here))
          .thenApply(this::here)
          .get(60, TimeUnit.SECONDS);
      try (Transaction tx = manager.begin()) {
        AsyncTransactionalTable table = tx.asyncTable(clientReads).get(60, TimeUnit.SECONDS);
        table.put(put("r", "v"));
        table.get(Fixture.get("r").addFamily(F)).thenApply(this::here).get(60, TimeUnit.SECONDS);
        assertTrue(scan(table).get(60, TimeUnit.SECONDS) > i);
        tx.commitAsync().thenApply(this::here).get(60, TimeUnit.SECONDS);
      }
    }
    assertTrue(
        seen.stream().anyMatch(thread -> thread.startsWith("retso-callback")), seen::toString);
    seen.removeIf(thread -> thread.startsWith("retso-callback") || thread.equals("other"));
    assertEquals(Set.of(), seen);
  }

  private CompletableFuture<Integer> scan(AsyncTransactionalTable table) {
    CompletableFuture<Integer> count = new CompletableFuture<>();
    table.scan(
        new Scan(),
        new ScanResultConsumer() {
          private int rows;

          @Override
          public boolean onNext(Result row) {
            rows++;
            return here(true);
          }

          @Override
          public void onError(Throwable failure) {
            count.completeExceptionally(here(failure));
          }

          @Override
          public void onComplete() {
            count.complete(here(rows));
          }
        });
    return count;
  }

  /** Their names are HBase's. */
  @Test
  void theTimersOfHBaseAreKnown() throws Exception {
    manager.read(tx -> read(tx.table(name), "r"));
    for (String timer : Callbacks.HBASE_TIMERS) {
      Thread thread =
          Thread.getAllStackTraces().keySet().stream()
              .filter(other -> other.getName().startsWith(timer))
              .findAny()
              .orElseThrow(() -> new AssertionError("HBase has no thread " + timer));
      CompletableFuture<Void> refused =
          CompletableFuture.runAsync(
              Callbacks::checkMayBlock, task -> new Thread(task, thread.getName()).start());
      assertInstanceOf(
          IllegalStateException.class,
          assertThrows(ExecutionException.class, () -> refused.get(60, TimeUnit.SECONDS))
              .getCause());
    }
  }
}
