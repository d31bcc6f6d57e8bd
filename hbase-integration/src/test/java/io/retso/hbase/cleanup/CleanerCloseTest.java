package io.retso.hbase.cleanup;

import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static io.retso.hbase.Fixture.withCleanupTimeout;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.retso.client.CommitResult;
import io.retso.client.CommitResult.AbortReason;
import io.retso.client.TransactionHandle;
import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.table.WrittenRows;
import io.retso.hbase.transaction.Inside;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** A manager that closes before its cleanup is done, and cleanups that all fail at once. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class CleanerCloseTest {
  private static final int REQUEST_ROWS = 1_000;
  private static final int ROWS = 20 * REQUEST_ROWS;

  private Fixture fixture;

  /** What HBase's client would log for each row that it cannot send any more. */
  private final Logger hbase = (Logger) LoggerFactory.getLogger("org.apache.hadoop.hbase.client");

  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

  static Stream<Options> modes() {
    return Fixture.MODES.stream();
  }

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    logged.start();
    hbase.addAppender(logged);
    hbase.setLevel(Level.WARN);
    hbase.setAdditive(false);
  }

  @AfterEach
  void logAsBefore() {
    hbase.detachAppender(logged);
    hbase.setLevel(null);
    hbase.setAdditive(true);
  }

  private TransactionManager closingAtOnce() throws Exception {
    return fixture.opened(
        fixture.builder().cleanupDelay(Duration.ZERO).closeTimeout(Duration.ZERO).build());
  }

  private static Transaction written(TransactionManager manager, TableName name) throws Exception {
    Transaction tx = manager.begin();
    tx.table(name).put(IntStream.range(0, ROWS).mapToObj(i -> put("row" + i, "v")).toList());
    return tx;
  }

  private void assertLeftInPeace(TransactionManager manager, TableName name) throws Exception {
    Fixture.eventually("nothing is on its way", Inside.hbase(manager)::isClosed);
    List<String> messages =
        List.copyOf(logged.list).stream()
            .map(ILoggingEvent::getFormattedMessage)
            .filter(message -> message.contains("'" + name + "'"))
            .toList();
    assertEquals(List.of(), messages);
    Counters counters = Inside.counters(manager);
    assertEquals(1, counters.cleanedUp.sum() + counters.cleanupsFailed.sum());
    assertEquals(0, Inside.cleaner(manager).rows());
  }

  @ParameterizedTest
  @MethodSource("modes")
  void rowsThatAreLeftAtCloseAreLeftInPeace(Options mode) throws Exception {
    TableName name = fixture.table(mode);
    TransactionManager manager = closingAtOnce();
    written(manager, name).commit();
    manager.close();
    assertLeftInPeace(manager, name);
    assertEquals("v", fixture.manager().run(tx -> read(tx.table(name), "row7")));
  }

  @Test
  void soAreThoseOnTheirWayToARegionThatHangs() throws Exception {
    TableName name = fixture.table(Options.DEFAULT);
    HRegion region =
        fixture.cluster.hbase().cluster().getLiveRegionServers().stream()
            .flatMap(server -> server.getRegionServer().getRegions(name).stream())
            .map(HRegion.class::cast)
            .findFirst()
            .orElseThrow();
    CleanupGate gate = CleanupGate.into(region);
    TransactionManager manager = closingAtOnce();
    Transaction tx = written(manager, name);
    gate.set(CleanupGate.State.CLOSED);
    try {
      tx.commit();
      manager.close();
      assertLeftInPeace(manager, name);
      assertEquals(1, Inside.counters(manager).cleanupsFailed.sum());
      assertEquals(ROWS, fixture.marks(name));
    } finally {
      gate.set(CleanupGate.State.OPEN);
    }
  }

  /** A job of rows that are not there, on a table whose requests a test answers. */
  private CleanupJob job(TransactionManager manager, Options mode, Fixture.Around around)
      throws Exception {
    PreparedTable adopting = Fixture.prepared(manager, fixture.table(mode), around);
    PreparedTable table = // whose rows are cleaned up one by one
        new PreparedTable(
            adopting.descriptor(),
            adopting.settings().with(TableSettings.Cleanup.ROWS),
            adopting.raw(),
            adopting.shortTimeout(),
            adopting.regions(),
            adopting.loadedNanos());
    SortedSet<byte[]> rows = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    for (int i = 0; i < ROWS; i++) {
      rows.add(Fixture.bytes("row" + i));
    }
    TransactionHandle begun = Inside.oracle(manager).begin();
    return new CleanupJob(
        "nightly",
        begun,
        CommitResult.aborted(AbortReason.EARLIER),
        List.of(new WrittenRows(table, rows)));
  }

  @ParameterizedTest
  @MethodSource("modes")
  void nothingIsSentAfterClose(Options mode) throws Exception {
    TransactionManager manager = closingAtOnce();
    List<CompletableFuture<Object>> requests = new CopyOnWriteArrayList<>();
    AtomicInteger calls = new AtomicInteger();
    CleanupJob job =
        job(
            manager,
            mode,
            (method, call) -> {
              calls.incrementAndGet();
              List<CompletableFuture<Object>> answers =
                  Stream.generate(CompletableFuture::new).limit(REQUEST_ROWS).toList();
              requests.addAll(answers);
              return answers;
            });
    Inside.cleaner(manager).offer(job);
    assertTrue(calls.get() >= 4, "as many batches as may be on their way");
    manager.close();
    assertFalse(Inside.hbase(manager).isClosed(), "requests are on their way");
    int sent = calls.get();
    assertTrue(sent * REQUEST_ROWS < ROWS, "some are left");
    requests.forEach(request -> request.complete(Result.EMPTY_RESULT));
    assertEquals(sent, calls.get());
    assertEquals(0, Inside.cleaner(manager).rows());
    assertEquals(1, Inside.counters(manager).cleanupsFailed.sum());
    Fixture.eventually("closed", Inside.hbase(manager)::isClosed);
  }

  @Test
  void soItIsWithWhatReadsCameAcross() throws Exception {
    TransactionManager manager = closingAtOnce();
    List<CompletableFuture<Object>> requests = new CopyOnWriteArrayList<>();
    PreparedTable table =
        Fixture.prepared(
            manager,
            fixture.table(Options.CLIENT_READS),
            (method, call) -> {
              requests.add(new CompletableFuture<>());
              return List.copyOf(requests);
            });
    CleanupRequest request =
        new CleanupRequest(
            Fixture.bytes("row"), Inside.oracle(manager).begin().startTimestamp(), Outcome.ABORTED);
    Inside.orphans(manager).offer(table, List.of(request));
    Fixture.eventually("the row is read", () -> requests.size() == 1);
    manager.close();
    assertFalse(Inside.hbase(manager).isClosed(), "the read is on its way");
    requests.get(0).complete(Result.EMPTY_RESULT);
    assertEquals(1, requests.size(), "and the last request");
    Fixture.eventually("closed", Inside.hbase(manager)::isClosed);
  }

  /** In a loop: otherwise each batch would be sent from deeper in the stack than the last one. */
  @Test
  void batchesThatFailAtOnceDoNotNest() throws Exception {
    TransactionManager manager =
        fixture.opened(withCleanupTimeout(fixture.builder(), Duration.ofMillis(1)).build());
    AtomicInteger calls = new AtomicInteger();
    AtomicLong deepest = new AtomicLong();
    CleanupJob job =
        job(
            manager,
            Options.DEFAULT,
            (method, call) -> {
              calls.incrementAndGet();
              deepest.accumulateAndGet(sendersOnTheStack(), Math::max);
              return Stream.generate(
                      () -> CompletableFuture.failedFuture(new IOException("no connection")))
                  .limit(REQUEST_ROWS)
                  .toList();
            });
    Inside.cleaner(manager).offer(job);
    Fixture.eventually("given up", () -> Inside.counters(manager).cleanupsFailed.sum() == 1);
    assertTrue(calls.get() >= ROWS / REQUEST_ROWS, calls::toString);
    assertEquals(1, deepest.get());
  }

  @Test
  void rowsThatAreLeftToOthersAreLoggedWithTheTransactionsName() throws Exception {
    TransactionManager manager =
        fixture.opened(withCleanupTimeout(fixture.builder(), Duration.ofMillis(1)).build());
    Logger cleaner = (Logger) LoggerFactory.getLogger(Cleaner.class);
    cleaner.addAppender(logged);
    try {
      CleanupJob job =
          job(
              manager,
              Options.DEFAULT,
              (method, call) ->
                  Stream.generate(
                          () -> CompletableFuture.failedFuture(new IOException("no connection")))
                      .limit(REQUEST_ROWS)
                      .toList());
      Inside.cleaner(manager).offer(job);
      Fixture.eventually("given up", () -> Inside.counters(manager).cleanupsFailed.sum() == 1);
      String said = logged.list.get(0).getFormattedMessage();
      assertTrue(said.startsWith("[nightly] transaction "), said);
    } finally {
      cleaner.detachAppender(logged);
    }
  }

  private static long sendersOnTheStack() {
    String batches = Cleaner.class.getPackageName() + ".CleanupBatches";
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames
                    .filter(frame -> frame.getClassName().equals(batches))
                    .filter(frame -> frame.getMethodName().equals("send"))
                    .count());
  }
}
