package io.retso.hbase.cleanup;

import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static io.retso.hbase.Fixture.scan;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.CommitResult;
import io.retso.client.TransactionHandle;
import io.retso.hbase.AsyncTransactionalTable;
import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.cleanup.CleanupGate.State;
import io.retso.hbase.layout.AdoptionRequest.Adoption;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.table.WrittenRows;
import io.retso.hbase.trace.Tracing;
import io.retso.hbase.transaction.Inside;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.StreamSupport;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.AsyncTableRegionLocator;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Regions are told outcomes, each for many transactions; and what follows from their answers. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class AdoptedCleanupTest {
  private static final int TRANSACTIONS = 50;

  private Fixture fixture;
  private TransactionManager manager;
  private Counters counters;
  private TableName name;

  /** The gate of the region of rows below m; the other one is that of rows from m on. */
  private CleanupGate low;

  private CleanupGate high;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
    counters = Inside.counters(manager);
    name = fixture.cluster.freshName("t");
    fixture.preparation().create(Fixture.descriptor(name).build(), Options.DEFAULT, bytes("m"));
    apart();
    for (HRegion region : fixture.regions(name)) {
      CleanupGate gate = CleanupGate.into(region);
      if (region.getRegionInfo().getStartKey().length == 0) {
        low = gate;
      } else {
        high = gate;
      }
    }
  }

  /** Each region on a server of its own: one that is held up holds up all of a request. */
  private void apart() throws Exception {
    while (fixture.regionServers().size() < 2) {
      fixture.cluster.hbase().startRegionServer();
    }
    try (Admin admin = fixture.cluster.connection().getAdmin()) {
      List<RegionInfo> regions = admin.getRegions(name);
      for (int i = 0; i < 2; i++) {
        ServerName server = fixture.regionServers().get(i).getServerName();
        admin.move(regions.get(i).getEncodedNameAsBytes(), server);
      }
    }
  }

  @AfterEach
  void openTheGates() {
    low.set(State.OPEN);
    high.set(State.OPEN);
  }

  private long write(String... rows) throws Exception {
    Transaction tx = manager.begin();
    for (String row : rows) {
      tx.table(name).put(put(row, "1"));
    }
    tx.commit();
    return tx.startTimestamp();
  }

  private void assertWhole(String rows) throws Exception {
    assertEquals(0, fixture.marks(name));
    assertEquals(rows, manager.run(tx -> scan(tx.table(name), new Scan())));
    assertEquals(0, fixture.uncleaned(name));
    assertEquals(rows, manager.run(tx -> scan(tx.table(name), new Scan())));
    assertEquals(0, counters.cleanupsFailed.sum());
  }

  /** The first transaction of a region is none of them: its mark is a cell. */
  @Test
  void aRegionIsToldOnceOfManyTransactionsHowManyRowsItHas() throws Exception {
    manager = fixture.opened(fixture.builder().cleanupDelay(Duration.ofSeconds(2)).build());
    counters = Inside.counters(manager);
    for (int i = 0; i < TRANSACTIONS; i++) {
      write("a" + i, "b" + i, "x" + i);
    }
    eventually("reported", () -> counters.cleanedUp.sum() == TRANSACTIONS);
    assertEquals(3 * TRANSACTIONS, counters.rowsCleaned.sum());
    long adopted = counters.rowsAdopted.sum();
    assertTrue(adopted >= TRANSACTIONS, () -> adopted + " rows");
    for (CleanupGate gate : List.of(low, high)) {
      List<Integer> sizes = gate.lists().stream().map(List::size).toList();
      assertEquals(TRANSACTIONS, sizes.stream().mapToInt(size -> size).sum());
      assertTrue(sizes.size() < TRANSACTIONS / 2, sizes::toString);
      assertEquals(
          List.of(gate == low ? 2 : 1),
          gate.lists().stream().flatMap(List::stream).map(Adoption::rows).distinct().toList());
    }
    assertEquals(0, fixture.marks(name));
    assertEquals(0, fixture.uncleaned(name));
    assertEquals("1", manager.run(tx -> read(tx.table(name), "b7")));
  }

  @Test
  void isReportedWhenTheLastRegionHasAnswered() throws Exception {
    high.set(State.CLOSED);
    long first = write("a", "x");
    eventually("the other region has answered", () -> counters.rowsCleaned.sum() > 0);
    assertEquals(1, counters.rowsCleaned.sum());
    long second = write("b"); // reports go in order
    eventually("reported", () -> counters.cleanedUp.sum() > 0);
    assertEquals(1, counters.cleanedUp.sum());
    assertTrue(Inside.oracle(manager).lowWatermark() <= first, "it is open as before");
    assertTrue(first < second);
    high.set(State.OPEN);
    eventually("reported", () -> counters.cleanedUp.sum() == 2);
    assertWhole("a=1 b=1 x=1");
  }

  /** What is in a file is moved by no flush. */
  @Test
  void whatARegionDoesNotAdoptIsCleanedUpRowByRow() throws Exception {
    Transaction tx = manager.begin();
    for (String row : List.of("a", "b", "x")) {
      tx.table(name).put(put(row, "1"));
    }
    Inside.writes(tx).sendAll().get(30, TimeUnit.SECONDS);
    for (HRegion region : fixture.regions(name)) {
      region.flush(true);
    }
    tx.commit();
    eventually("reported", () -> counters.cleanedUp.sum() == 1);
    assertEquals(0, counters.rowsAdopted.sum());
    assertEquals(3, counters.rowsCleaned.sum());
    assertWhole("a=1 b=1 x=1");
  }

  @Test
  void aRegionThatFailsIsAskedAgain() throws Exception {
    high.set(State.REFUSING);
    write("a", "x");
    eventually("asked", () -> high.lists().size() >= 2);
    assertEquals(0, counters.cleanedUp.sum());
    high.set(State.OPEN);
    eventually("reported", () -> counters.cleanedUp.sum() == 1);
    assertEquals(1, low.lists().size(), "the other one is not");
    assertWhole("a=1 x=1");
  }

  /** Each attempt takes two of five seconds, so the third is the last, be it of a list or a row. */
  @Test
  void itsTimeRunsFromTheFirstAttempt() throws Exception {
    assertEquals(3, attemptsOfTwoSeconds(CommitResult.committed(32)));
    assertEquals(3, attemptsOfTwoSeconds(CommitResult.aborted(CommitResult.AbortReason.EARLIER)));
  }

  private int attemptsOfTwoSeconds(CommitResult decided) throws Exception {
    AtomicLong nanos = new AtomicLong();
    AtomicInteger attempts = new AtomicInteger();
    PreparedTable failing =
        Fixture.prepared(
            manager,
            name,
            (method, call) -> {
              if (!method.equals("batch")) {
                return call.call();
              }
              attempts.incrementAndGet();
              nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
              return List.of(CompletableFuture.failedFuture(new IOException("expected")));
            });
    Counters own = new Counters();
    Cleaner.Options options = new Cleaner.Options(100, 0, 5000, start -> true);
    Cleaner cleaner = new Cleaner(Inside.oracle(manager), own, options, Tracing.NONE, nanos::get);
    TreeSet<byte[]> rows = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    rows.add(bytes("a"));
    cleaner.offer(
        new CleanupJob(
            "", TransactionHandle.of(16, 0), decided, List.of(new WrittenRows(failing, rows))));
    eventually("given up", () -> own.cleanupsFailed.sum() == 1);
    return attempts.get();
  }

  /** Commits a row of each region, of which the cleanup has these parts of HBase's client. */
  private void commitWith(
      PreparedTable real,
      AsyncTable<AdvancedScanResultConsumer> shortTimeout,
      AsyncTableRegionLocator regions)
      throws Exception {
    Transaction tx = manager.begin();
    AsyncTransactionalTable table =
        Inside.table(
            tx,
            new PreparedTable(
                real.descriptor(),
                real.settings(),
                real.raw(),
                shortTimeout,
                regions,
                real.loadedNanos()));
    table.put(put("a", "1")).get(30, TimeUnit.SECONDS);
    table.put(put("x", "1")).get(30, TimeUnit.SECONDS);
    tx.commit();
    eventually("reported", () -> counters.cleanedUp.sum() == 1);
  }

  @Test
  void regionsThatAreNotFoundAreLookedForAgain() throws Exception {
    PreparedTable real = Inside.tables(manager).find(name).get(30, TimeUnit.SECONDS);
    AtomicInteger failures = new AtomicInteger(2);
    AsyncTableRegionLocator failing =
        (AsyncTableRegionLocator)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {AsyncTableRegionLocator.class},
                (proxy, method, arguments) ->
                    method.getName().equals("getRegionLocation") && failures.getAndDecrement() > 0
                        ? CompletableFuture.failedFuture(new IOException("no region"))
                        : method.invoke(real.regions(), arguments));
    commitWith(real, real.shortTimeout(), failing);
    assertTrue(failures.get() < 0);
    assertWhole("a=1 x=1");
  }

  /** Plain readers see it until then. */
  @Test
  void whatWasAbortedIsRemovedAtOnceUnlessItIsMuch() throws Exception {
    writeAndRollBack(CleanupPart.ABORTED_ROWS_MAX);
    writeAndRollBack(CleanupPart.ABORTED_ROWS_MAX + 1);
  }

  private void writeAndRollBack(int rows) throws Exception {
    write("a", "x");
    eventually("cleaned up", () -> Inside.cleaner(manager).rows() == 0);
    long cleaned = counters.rowsCleaned.sum();
    long adopted = counters.rowsAdopted.sum();
    Transaction tx = manager.begin();
    for (int i = 0; i < rows; i++) {
      tx.table(name).put(put("y" + i, "aborted"));
    }
    Inside.writes(tx).sendAll().get(30, TimeUnit.SECONDS);
    assertEquals(rows, plainRows("y"));
    tx.rollback();
    eventually("cleaned up", () -> counters.rowsCleaned.sum() == cleaned + rows);
    boolean isMuch = rows > CleanupPart.ABORTED_ROWS_MAX;
    assertEquals(isMuch ? rows : 0, plainRows("y"));
    assertEquals(isMuch ? rows : 0, counters.rowsAdopted.sum() - adopted);
    assertWhole("a=1 x=1");
  }

  /** Rows that a plain reader sees; without a look at marks, which would make cells of them. */
  private long plainRows(String prefix) throws Exception {
    Scan scan = new Scan().addFamily(Fixture.F).setStartStopRowForPrefixScan(bytes(prefix));
    try (Table table = fixture.cluster.connection().getTable(name);
        ResultScanner rows = table.getScanner(scan)) {
      return StreamSupport.stream(rows.spliterator(), false).count();
    }
  }

  /** The first call of a method fails as if HBase's client was broken. */
  @SuppressWarnings("unchecked") // it is of the same type as what it calls
  private static <T> T brokenOnce(Class<? super T> type, T real, String broken) {
    AtomicBoolean isBroken = new AtomicBoolean(true);
    return (T)
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().equals(broken) && isBroken.getAndSet(false)) {
                throw new LinkageError("a test wants it");
              }
              return method.invoke(real, arguments);
            });
  }

  /** First as the region is looked for, then as the list is sent. */
  @Test
  void whatIsThrownAmidAListIsAFailedAttempt() throws Exception {
    cleanUpWithABrokenClient();
    assertTrue(counters.rowsAdopted.sum() > 0);
  }

  @Test
  void whatIsThrownAmidRequestsIsAFailedAttempt() throws Exception {
    try (Admin admin = fixture.cluster.connection().getAdmin()) {
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(name))
              .setValue("RETSO_CLEANUP", "ROWS")
              .build());
    }
    manager = fixture.manager();
    counters = Inside.counters(manager);
    cleanUpWithABrokenClient();
    assertEquals(0, counters.rowsAdopted.sum());
  }

  private void cleanUpWithABrokenClient() throws Exception {
    PreparedTable real = Inside.tables(manager).find(name).get(30, TimeUnit.SECONDS);
    commitWith(
        real,
        brokenOnce(AsyncTable.class, real.shortTimeout(), "batch"),
        brokenOnce(AsyncTableRegionLocator.class, real.regions(), "getRegionLocation"));
    write("b"); // by the same loop
    eventually("reported", () -> counters.cleanedUp.sum() == 2);
    assertWhole("a=1 b=1 x=1");
  }

  /** What becomes of the regions between the look at their places and the request. */
  enum Change {
    SPLIT,
    MERGE,
    MOVE;

    void carryOut(Admin admin, TableName name) throws Exception {
      List<RegionInfo> regions = admin.getRegions(name);
      switch (this) {
        case SPLIT ->
            admin
                .splitRegionAsync(regions.get(0).getRegionName(), bytes("b"))
                .get(60, TimeUnit.SECONDS);
        case MERGE ->
            admin
                .mergeRegionsAsync(
                    regions.stream().map(RegionInfo::getRegionName).toArray(byte[][]::new), false)
                .get(60, TimeUnit.SECONDS);
        case MOVE -> {
          for (RegionInfo region : regions) {
            admin.move(region.getEncodedNameAsBytes()); // to any other server
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void regionsThatAreOthersByThenAreToldRowByRow(Change change) throws Exception {
    write("a0", "x0");
    eventually("reported", () -> counters.cleanedUp.sum() == 1);
    long adopted = counters.rowsAdopted.sum();
    AtomicBoolean isCleanup = new AtomicBoolean();
    Transaction tx = manager.begin();
    try (Admin admin = fixture.cluster.connection().getAdmin()) {
      AsyncTransactionalTable table =
          Fixture.table(
              manager,
              tx,
              name,
              (method, call) -> {
                if (isCleanup.getAndSet(false)) {
                  change.carryOut(admin, name);
                }
                return call.call();
              });
      for (String row : List.of("a", "b", "c", "x", "y")) {
        table.put(put(row, "1")).get(30, TimeUnit.SECONDS);
      }
      Inside.writes(tx).sendAll().get(30, TimeUnit.SECONDS);
      isCleanup.set(true);
      tx.commit();
      eventually("reported", () -> counters.cleanedUp.sum() == 2);
    }
    long byRegions = counters.rowsAdopted.sum() - adopted;
    assertTrue(byRegions <= (change == Change.SPLIT ? 2 : 0), () -> byRegions + " rows");
    assertWhole("a=1 a0=1 b=1 c=1 x=1 x0=1 y=1");
  }

  /** More rows than may wait are those of one transaction, which goes alone. */
  @Test
  void rowsAreBoundedUntilTheirRegionsHaveAnswered() throws Exception {
    manager = fixture.opened(fixture.builder().maxCleanupRows(3).build());
    counters = Inside.counters(manager);
    high.set(State.CLOSED);
    write("a", "x");
    Transaction late = manager.begin();
    late.table(name).put(List.of(put("b", "1"), put("c", "1")));
    var commit = late.commitAsync();
    eventually("committed", () -> counters.committed.sum() == 2);
    assertEquals(2, Inside.cleaner(manager).rows());
    assertTrue(!commit.isDone());
    high.set(State.OPEN);
    commit.get(60, TimeUnit.SECONDS);
    eventually("reported", () -> counters.cleanedUp.sum() == 2);
    assertWhole("a=1 b=1 c=1 x=1");
  }

  /** The answer may come after the call returned; what follows from it is left to others. */
  @Test
  void answersThatAreOutstandingAtCloseAreNotFollowed() throws Exception {
    manager = fixture.opened(fixture.builder().closeTimeout(Duration.ZERO).build());
    counters = Inside.counters(manager);
    Transaction tx = manager.begin();
    tx.table(name).put(List.of(put("a", "1"), put("x", "1")));
    Inside.writes(tx).sendAll().get(30, TimeUnit.SECONDS);
    for (HRegion region : fixture.regions(name)) {
      region.flush(true); // so the region will answer "row by row"
    }
    high.set(State.CLOSED);
    tx.commit();
    eventually("asked", () -> high.kept() == 1);
    eventually("the other one is done", () -> counters.rowsCleaned.sum() == 1);
    manager.close();
    high.set(State.OPEN);
    eventually("nothing is on its way", Inside.hbase(manager)::isClosed);
    assertEquals(0, counters.cleanedUp.sum());
    assertEquals(1, counters.cleanupsFailed.sum());
    manager = fixture.manager();
    // The region that found the mark at its flush may be cleaning it up, or have done so.
    fixture.sweep(manager);
    counters = Inside.counters(manager);
    assertWhole("a=1 x=1");
  }
}
