package io.retso.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.PooledByteBufAllocator;
import io.retso.Await;
import io.retso.log.bookkeeper.BookKeeperSettings;
import io.retso.log.bookkeeper.BookKeeperStore;
import io.retso.server.embedded.BookieFaults;
import io.retso.server.embedded.EmbeddedBookKeeper;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A log on real bookies that die, hang, and are full: ensemble 3, acknowledged by 2. */
@Timeout(180)
class BookKeeperStallTest {
  private static final int BOOKIES = 3;
  private static final int IN_FLIGHT = 4;

  private static EmbeddedBookKeeper cluster;

  @TempDir static Path directory;

  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
  private final LedgerLog.Threads threads = new LedgerLog.Threads(thread, System::nanoTime);
  private BookKeeperStore store;
  private Load load;

  @BeforeAll
  static void start() throws Exception {
    // A bookie finds out by itself that its disk is not full; not within this test.
    cluster =
        EmbeddedBookKeeper.start(
            directory, BOOKIES, false, bookie -> bookie.setDiskCheckInterval(3_600_000));
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  /** A writer that keeps appends under way all the time, on its thread. */
  private final class Load implements CommitLog.Listener, LedgerLog.Replay {
    private final TreeMap<Long, ByteBuffer> outstanding = new TreeMap<>();
    private LedgerLog log;
    private boolean stalled;
    private boolean ended;
    private long position;
    private long durable;
    private int stalls;
    private LogException failure;
    private long lastNanos;
    private long gapNanos;

    void begin(LedgerLog taken) {
      log = taken;
      log.startSegment(16, 16);
      lastNanos = System.nanoTime();
      append(true);
    }

    private void append(boolean isFirst) {
      LogEntry entry = new LogEntry(2_100);
      if (isFirst) {
        entry.segment(16);
      }
      while (entry.bytes() < 2_000) {
        entry.reserved(16 * (position + 1));
      }
      outstanding.put(++position, entry.seal(position));
      log.append(position, outstanding.get(position));
    }

    private void goOn() {
      while (!stalled && !ended && outstanding.size() < IN_FLIGHT) {
        append(false);
      }
    }

    void tick() {
      if (stalled) {
        log.proceed();
      }
    }

    @Override
    public void durable(long upTo) {
      long now = System.nanoTime();
      gapNanos = Math.max(gapNanos, now - lastNanos);
      lastNanos = now;
      durable = upTo;
      outstanding.headMap(upTo, true).clear();
      goOn();
    }

    @Override
    public void failed(LogException cause) {
      failure = cause;
    }

    @Override
    public void stalled(LogException cause) {
      stalled = true;
      stalls++;
    }

    @Override
    public void resumed(long upTo) {
      stalled = false;
      outstanding.headMap(upTo, true).clear();
      outstanding.forEach((at, entry) -> log.append(at, entry));
      durable(upTo);
    }

    @Override
    public void entry(ByteBuffer bytes) {}

    @Override
    public long segmentStart(ByteBuffer firstEntry) {
      return 16;
    }
  }

  @BeforeEach
  void begin(TestInfo test) throws Exception {
    store = connect(test);
    load = new Load();
    LedgerLog log =
        LedgerLog.takeOver(store, threads, load, new LedgerLog.Settings(1L << 40, 0, "one"), load)
            .get();
    onThread(
        () -> {
          load.begin(log);
          return null;
        });
    thread.scheduleWithFixedDelay(load::tick, 10, 10, TimeUnit.MILLISECONDS);
    goesOn();
  }

  @AfterEach
  void end() {
    thread.shutdownNow();
    store.close();
  }

  private static BookKeeperStore connect(TestInfo test) throws LogException {
    return BookKeeperStore.connect(
        BookKeeperSettings.of(cluster.zookeeper(), BOOKIES, BOOKIES, 2)
            .withTimeouts(Duration.ofSeconds(2), Duration.ofSeconds(2))
            .withZnode("/stall/" + test.getTestMethod().orElseThrow().getName()));
  }

  private <T> T onThread(Callable<T> task) throws Exception {
    return thread.submit(task).get(); // ended by the test's time limit
  }

  /** Waits until so many more entries are acknowledged. */
  private void goesOn() throws Exception {
    long target = onThread(() -> load.durable) + 200;
    await(() -> load.durable >= target);
  }

  private void await(Callable<Boolean> condition) throws Exception {
    Await.until(
        () -> {
          assertNull(onThread(() -> load.failure));
          return onThread(condition);
        });
  }

  private void says(String what) throws Exception {
    System.out.printf(
        "%s: longest time without an acknowledgement %d ms, %d stalls%n",
        what, onThread(() -> load.gapNanos / 1_000_000), onThread(() -> load.stalls));
  }

  private void resetGap() throws Exception {
    onThread(() -> load.gapNanos = 0);
  }

  /** A successor reads each entry once, and at least what was acknowledged. */
  private void nothingIsLost(TestInfo test) throws Exception {
    long acknowledged =
        onThread(
            () -> {
              load.ended = true;
              return load.durable;
            });
    List<Long> positions = new ArrayList<>();
    try (BookKeeperStore next = connect(test)) {
      LedgerLog.Replay replay =
          new LedgerLog.Replay() {
            @Override
            public void entry(ByteBuffer bytes) throws LogException {
              positions.add(LogEntry.read(bytes, new long[0], new Starts()));
            }

            @Override
            public long segmentStart(ByteBuffer firstEntry) {
              return 16;
            }
          };
      LedgerLog.takeOver(next, threads, load, new LedgerLog.Settings(1L << 40, 0, "two"), replay)
          .get();
    }
    assertTrue(positions.size() >= acknowledged, positions.size() + " of " + acknowledged);
    assertEquals(LogFixture.positions(1, positions.size()), positions);
  }

  @Test
  void oneOfThreeThatDiesIsNotWaitedFor(TestInfo test) throws Exception {
    resetGap();
    cluster.stopBookie(0);
    goesOn();
    says("one bookie is killed");
    resetGap();
    onThread(
        () -> {
          load.log.prepareSegment();
          return null;
        });
    await(() -> load.log.isSegmentReady());
    says("a ledger is prepared on two bookies");
    cluster.startBookie(0);
    goesOn();
    assertEquals(0, onThread(() -> load.stalls));
    nothingIsLost(test);
  }

  /** A standby makes a ledger ahead; whether it has an entry the dead bookie cannot say. */
  @Test
  void aServerStartsBesideAnEmptyLedgerOfADeadBookie(TestInfo test) throws Exception {
    LedgerStore.Ledger ahead = store.create().get();
    cluster.stopBookie(0);
    try (BookKeeperStore another = connect(test)) {
      assertEquals(store.logId(), another.logId());
    }
    LedgerStore.Ledger lost = store.create().get(); // not in the catalog, but written
    append(lost, ByteBuffer.allocateDirect(1));
    LogException refused = assertThrows(LogException.class, () -> connect(test));
    assertEquals(LogException.Reason.LOST, refused.reason());
    store.delete(lost.id()).get();
    store.delete(ahead.id()).get();
    cluster.startBookie(0);
    goesOn();
    nothingIsLost(test);
  }

  private static void append(LedgerStore.Ledger ledger, ByteBuffer entry) throws Exception {
    CompletableFuture<LogException> answer = new CompletableFuture<>();
    ledger.append(entry, 0, (context, failure) -> answer.complete(failure));
    assertNull(answer.get());
  }

  private static long directMebibytes() {
    return PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory() >> 20;
  }

  @Test
  void oneOfThreeThatHangsIsNotWaitedFor(TestInfo test) throws Exception {
    resetGap();
    BookieFaults.suspend(cluster, 1);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5); // more than its time-out
    while (System.nanoTime() < end) {
      goesOn();
    }
    says("one bookie hangs");
    System.out.printf(
        "%,d entries of 2 kB; %d MiB of direct memory hold them for the one that hangs%n",
        onThread(() -> load.durable), directMebibytes());
    long before = directMebibytes();
    LedgerStore.Ledger large = store.create().get();
    ByteBuffer halfMebibyte = ByteBuffer.allocateDirect(1 << 19);
    for (int i = 0; i < 200; i++) {
      append(large, halfMebibyte);
    }
    long grown = directMebibytes() - before;
    System.out.println(grown + " MiB are held after 100 MiB more");
    assertTrue(grown < 64, "what the bookie does not take is kept for it: " + grown + " MiB");
    store.delete(large.id()).get(); // or it would count as one that the catalog has lost
    BookieFaults.resume(cluster, 1);
    goesOn();
    assertEquals(0, onThread(() -> load.stalls));
    nothingIsLost(test);
  }

  @Test
  void oneOfThreeThatIsFullIsLeftOut(TestInfo test) throws Exception {
    resetGap();
    BookieFaults.setWritable(cluster, 2, false);
    goesOn();
    await(() -> load.stalls > 0);
    goesOn();
    says("one bookie is full");
    BookieFaults.setWritable(cluster, 2, true);
    goesOn();
    nothingIsLost(test);
  }

  @Test
  void theLogGoesOnWhenTheQuorumIsBack(TestInfo test) throws Exception {
    cluster.stopBookie(0);
    cluster.stopBookie(1);
    await(() -> load.stalled);
    resetGap();
    cluster.startBookie(1);
    long back = System.nanoTime();
    goesOn();
    System.out.printf("after the quorum is back %d ms%n", (System.nanoTime() - back) / 1_000_000);
    cluster.startBookie(0);
    goesOn();
    nothingIsLost(test);
  }

  @Test
  void theLogGoesOnWhenAllBookiesAreBack(TestInfo test) throws Exception {
    for (int i = 0; i < BOOKIES; i++) {
      cluster.stopBookie(i);
    }
    await(() -> load.stalled);
    for (int i = 0; i < BOOKIES; i++) {
      cluster.startBookie(i);
    }
    long back = System.nanoTime();
    goesOn();
    System.out.printf("after all are back %d ms%n", (System.nanoTime() - back) / 1_000_000);
    nothingIsLost(test);
  }

  /** An embedded one is started again by its cluster. */
  @Test
  void theLogGoesOnWhenBookiesHaveEndedByThemselves(TestInfo test) throws Exception {
    // At the same time: the first one would be back before the second has ended.
    CompletableFuture.allOf(
            CompletableFuture.runAsync(() -> BookieFaults.fail(cluster, 0)),
            CompletableFuture.runAsync(() -> BookieFaults.fail(cluster, 1)))
        .join();
    await(() -> load.stalls > 0);
    goesOn();
    nothingIsLost(test);
  }

  @Test
  void theLogGoesOnWhenThereIsRoomAgain(TestInfo test) throws Exception {
    BookieFaults.setWritable(cluster, 0, false);
    BookieFaults.setWritable(cluster, 1, false);
    await(() -> load.stalled);
    BookieFaults.setWritable(cluster, 1, true);
    long back = System.nanoTime();
    goesOn();
    System.out.printf("after there is room %d ms%n", (System.nanoTime() - back) / 1_000_000);
    BookieFaults.setWritable(cluster, 0, true);
    goesOn();
    nothingIsLost(test);
  }

  @Test
  void theLogGoesOnWhenTwoBookiesAnswerAgain(TestInfo test) throws Exception {
    resetGap();
    BookieFaults.suspend(cluster, 0);
    BookieFaults.suspend(cluster, 1);
    await(() -> load.stalled);
    says("two bookies hang");
    BookieFaults.resume(cluster, 0);
    long back = System.nanoTime();
    goesOn();
    System.out.printf("after two of three answer %d ms%n", (System.nanoTime() - back) / 1_000_000);
    BookieFaults.resume(cluster, 1);
    goesOn();
    nothingIsLost(test);
  }
}
