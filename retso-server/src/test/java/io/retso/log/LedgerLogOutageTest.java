package io.retso.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.retso.log.bookkeeper.BookKeeperSettings;
import io.retso.log.bookkeeper.BookKeeperStore;
import io.retso.log.bookkeeper.BookieAccess;
import io.retso.log.bookkeeper.ZooKeeperAccess;
import io.retso.server.embedded.EmbeddedBookKeeper;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A log on a real bookie and a real ZooKeeper, of which the latter cannot be reached for a time.
 */
@Timeout(120)
class LedgerLogOutageTest {
  private final BlockingQueue<Long> durable = new LinkedBlockingQueue<>();
  private final List<Long> replayed = new ArrayList<>();
  private volatile LogException failure;
  private long position;

  private final CommitLog.Listener listener =
      new CommitLog.Listener() {
        @Override
        public void durable(long upTo) {
          durable.add(upTo);
        }

        @Override
        public void failed(LogException cause) {
          failure = cause;
        }
      };

  private final LedgerLog.Replay replay =
      new LedgerLog.Replay() {
        @Override
        public void entry(ByteBuffer bytes) {
          replayed.add(LogEntry.position(bytes));
        }

        @Override
        public long segmentStart(ByteBuffer firstEntry) {
          return 16;
        }
      };

  private static BookKeeperStore connect(String zookeeper) throws LogException {
    return BookKeeperStore.connect(
        new BookKeeperSettings(
            zookeeper,
            ZooKeeperAccess.OPEN,
            BookieAccess.OPEN,
            "/retso/log",
            "/ledgers",
            1,
            1,
            1,
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            Duration.ofSeconds(2),
            Duration.ofSeconds(3)));
  }

  private LedgerLog takeOver(LedgerStore store, LedgerLog.Threads threads) {
    return LedgerLog.takeOver(
            store, threads, listener, new LedgerLog.Settings(1_000, 0, ""), replay)
        .join();
  }

  private void append(LedgerLog log, ExecutorService writer) throws InterruptedException {
    LogEntry entry = new LogEntry(64);
    entry.segment(16);
    long next = ++position;
    writer.execute(() -> log.append(next, entry.seal(next)));
    Long acknowledged = durable.poll(60, TimeUnit.SECONDS);
    assertNull(failure);
    assertEquals(next, acknowledged);
  }

  private static boolean isReady(LedgerLog log, ExecutorService writer) throws Exception {
    return writer.submit(log::isSegmentReady).get();
  }

  @Test
  void appendsGoOnWithoutZooKeeperAndTheLogRollsOnceItIsBack(@TempDir Path directory)
      throws Exception {
    ExecutorService writer = Executors.newSingleThreadExecutor();
    LedgerLog.Threads threads = new LedgerLog.Threads(writer, System::nanoTime);
    try (EmbeddedBookKeeper cluster = EmbeddedBookKeeper.start(directory, 1, false);
        Tunnel tunnel = new Tunnel(Integer.parseInt(cluster.zookeeper().split(":")[1]));
        BookKeeperStore store = connect("127.0.0.1:" + tunnel.port())) {
      LedgerLog log = takeOver(store, threads);
      writer.execute(() -> log.startSegment(16, 16));
      append(log, writer);
      tunnel.cut();
      writer.execute(log::prepareSegment);
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(8); // an attempt fails within 3 s
      while (System.nanoTime() < end) {
        append(log, writer);
        assertFalse(isReady(log, writer));
      }
      tunnel.mend();
      while (!isReady(log, writer)) {
        append(log, writer);
      }
      writer.execute(() -> log.startSegment(32, 16));
      append(log, writer);
      writer.submit(log::close).get();
      try (BookKeeperStore next = connect(cluster.zookeeper())) {
        takeOver(next, threads).close();
        assertEquals(position, replayed.size());
      }
    } finally {
      writer.shutdownNow();
    }
  }
}
