package io.retso.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.Await;
import io.retso.log.bookkeeper.BookKeeperSettings;
import io.retso.log.bookkeeper.BookKeeperStore;
import io.retso.server.embedded.EmbeddedBookKeeper;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a reader sees of a ledger that another process writes, on real bookies. */
@Timeout(120)
class BookKeeperTailTest {
  private static EmbeddedBookKeeper cluster;

  @TempDir static Path directory;

  @BeforeAll
  static void start() throws Exception {
    cluster = EmbeddedBookKeeper.start(directory, 3, false);
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private static BookKeeperStore connect(TestInfo test) throws LogException {
    return BookKeeperStore.connect(
        BookKeeperSettings.of(cluster.zookeeper(), 3, 3, 2)
            .withZnode("/tail/" + test.getTestMethod().orElseThrow().getName()));
  }

  private static ByteBuffer entry(int bytes) {
    return ByteBuffer.allocateDirect(bytes);
  }

  private static void append(LedgerStore.Ledger ledger) {
    CompletableFuture<Void> appended = new CompletableFuture<>();
    ledger.append(entry(100), 0, (context, failure) -> appended.complete(null));
    appended.join();
  }

  @Test
  void anEntryConfirmsThoseBeforeItAndClosingTheLast(TestInfo test) throws Exception {
    try (BookKeeperStore writer = connect(test);
        BookKeeperStore reader = connect(test)) {
      LedgerStore.Ledger ledger = writer.create().join();
      LedgerStore.Entries entries = reader.openUnfenced(ledger.id()).join();
      assertEquals(0, entries.count());
      for (int i = 0; i < 10; i++) {
        append(ledger);
        assertEquals(false, entries.refresh().join());
        assertEquals(i, entries.count(), "of " + (i + 1));
      }
      ledger.closeAsync();
      Await.until(() -> entries.refresh().join()); // ZooKeeper tells it
      assertEquals(10, entries.count());
      AtomicLong seen = new AtomicLong();
      entries.read(0, 10, Runnable::run, bytes -> seen.incrementAndGet()).join();
      assertEquals(10, seen.get());
      entries.close();
    }
  }

  /** Four entries on their way at any time, as a server under load has them. */
  @Test
  void aBusyWritersEntriesAreConfirmedByThoseThatFollow(TestInfo test) throws Exception {
    int inFlight = 4;
    try (BookKeeperStore writer = connect(test);
        BookKeeperStore reader = connect(test)) {
      LedgerStore.Ledger ledger = writer.create().join();
      LedgerStore.Entries entries = reader.openUnfenced(ledger.id()).join();
      Semaphore room = new Semaphore(inFlight);
      AtomicLong acknowledged = new AtomicLong();
      Thread load =
          new Thread(
              () -> {
                for (int i = 0; i < 2_000; i++) {
                  room.acquireUninterruptibly();
                  ledger.append(
                      entry(2_000),
                      i,
                      (context, failure) -> {
                        acknowledged.incrementAndGet();
                        room.release();
                      });
                }
              });
      load.start();
      long polls = 0;
      long behind = 0;
      long most = 0;
      long nanos = System.nanoTime();
      while (acknowledged.get() < 2_000) {
        long before = acknowledged.get();
        entries.refresh().join();
        assertTrue(entries.count() <= acknowledged.get(), "one that is not acknowledged is shown");
        most = Math.max(most, before - entries.count());
        behind += Math.max(0, before - entries.count());
        polls++;
      }
      nanos = System.nanoTime() - nanos;
      System.out.printf(
          "%d polls of %d us each; %.1f entries behind on average, %d at most%n",
          polls, nanos / 1000 / polls, (double) behind / polls, most);
      assertTrue(most <= inFlight, most + " entries behind");
      append(ledger); // what an idle writer appends
      entries.refresh().join();
      assertEquals(2_000, entries.count());
      entries.close();
      load.join();
    }
  }

  /** Positions of what was shown. */
  private static final class Shown implements LedgerLog.Replay, CommitLog.Listener {
    final List<Long> positions = new ArrayList<>();
    volatile long durable;

    @Override
    public void entry(ByteBuffer bytes) {
      positions.add(LogEntry.position(bytes));
    }

    @Override
    public long segmentStart(ByteBuffer firstEntry) throws LogException {
      return Starts.of(firstEntry);
    }

    @Override
    public void durable(long position) {
      durable = position;
    }

    @Override
    public void failed(LogException cause) {}
  }

  /** Says how long each call took. */
  private static final class TimedStore extends ForwardingStore {
    private final List<String> steps;

    TimedStore(LedgerStore store, List<String> steps) {
      super(store);
      this.steps = steps;
    }

    private <T> CompletableFuture<T> timed(String what, CompletableFuture<T> call) {
      long before = System.nanoTime();
      return call.whenComplete(
          (value, e) -> steps.add(what + " " + (System.nanoTime() - before) / 1_000 + " us"));
    }

    @Override
    public CompletableFuture<Catalog> readCatalog() {
      return timed("read catalog", super.readCatalog());
    }

    @Override
    public CompletableFuture<Catalog> replaceCatalog(Catalog expected, Content wanted) {
      return timed("replace catalog", super.replaceCatalog(expected, wanted));
    }

    @Override
    public CompletableFuture<Ledger> create() {
      return timed("create", super.create());
    }

    @Override
    public CompletableFuture<Entries> openFenced(long ledger) {
      return timed("fence", super.openFenced(ledger));
    }
  }

  private long position;

  private void append(LedgerLog log, Shown writer, ExecutorService thread) throws Exception {
    LogEntry entry = new LogEntry(64);
    entry.segment(16 * (position + 1));
    long next = ++position;
    thread.submit(() -> log.append(next, entry.seal(next))).get();
    Await.until(() -> writer.durable >= next);
  }

  private static void roll(LedgerLog log, ExecutorService thread, long start) throws Exception {
    thread.submit(log::prepareSegment).get();
    Await.until(() -> thread.submit(log::isSegmentReady).get());
    thread.submit(() -> log.startSegment(start, 0)).get();
  }

  @Test
  void aStandbyFollowsOverRollsAndTakesOver(TestInfo test) throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    LedgerLog.Threads threads = new LedgerLog.Threads(thread, System::nanoTime);
    LedgerLog.Settings settings = new LedgerLog.Settings(1_000_000, 0, "one host:1");
    Shown first = new Shown();
    Shown second = new Shown();
    try (BookKeeperStore writing = connect(test);
        BookKeeperStore reading = connect(test)) {
      LedgerLog log = LedgerLog.takeOver(writing, threads, first, settings, first).join();
      thread.submit(() -> log.startSegment(16, 0)).get();
      List<String> steps = Collections.synchronizedList(new ArrayList<>());
      LogTail tail = new LogTail(new TimedStore(reading, steps), threads, settings, second);
      for (int segment = 1; segment <= 3; segment++) {
        for (int i = 0; i < 20; i++) {
          append(log, first, thread);
          thread.submit(tail::poll).get().join();
        }
        roll(log, thread, 16 * (position + 1));
      }
      append(log, first, thread);
      append(log, first, thread);
      while (thread.submit(() -> second.positions.size()).get() < position - 1) {
        thread.submit(tail::poll).get().join();
      }
      steps.clear();
      long before = System.nanoTime();
      LedgerLog taken = thread.submit(() -> tail.takeOver(second)).get().join();
      System.out.printf(
          "taken over within %d ms: %s%n", (System.nanoTime() - before) / 1_000_000, steps);
      assertEquals(LogFixture.positions(1, position), second.positions);
      assertEquals(log.epoch() + 1, taken.epoch());
      thread.submit(taken::close).get();
    } finally {
      thread.shutdownNow();
    }
  }
}
