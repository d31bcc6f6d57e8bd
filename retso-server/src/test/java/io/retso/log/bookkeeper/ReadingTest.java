package io.retso.log.bookkeeper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.util.internal.PlatformDependent;
import io.retso.Await;
import io.retso.log.LedgerStore;
import io.retso.server.embedded.BookieFaults;
import io.retso.server.embedded.EmbeddedBookKeeper;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.apache.bookkeeper.client.api.DigestType;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Reading thousands of entries back, on three real bookies. */
@Timeout(120)
class ReadingTest {
  private static final int UNDER_WAY = 256;

  /** That of a server. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  @TempDir Path directory;

  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private EmbeddedBookKeeper cluster;
  private BookKeeperStore store;

  @BeforeEach
  void start() throws Exception {
    cluster = EmbeddedBookKeeper.start(directory, 3, false);
    store =
        BookKeeperStore.connect(
            BookKeeperSettings.of(cluster.zookeeper(), 3, 3, 2).withTimeouts(PATIENCE, PATIENCE));
  }

  @AfterEach
  void stop() throws Exception {
    store.close();
    cluster.close();
    thread.shutdown();
  }

  /** What an entry says: its index, and as many bytes as its length. */
  private static ByteBuffer entry(long index, int bytes) {
    ByteBuffer entry = ByteBuffer.allocateDirect(bytes);
    return entry.putLong(0, index).put(bytes - 1, (byte) bytes);
  }

  /** Writes a ledger, and seals it. */
  private long write(int... sizes) throws InterruptedException {
    LedgerStore.Ledger ledger = store.create().join();
    Semaphore room = new Semaphore(UNDER_WAY);
    CompletableFuture<Void> failed = new CompletableFuture<>();
    for (int i = 0; i < sizes.length; i++) {
      room.acquire();
      ledger.append(
          entry(i, sizes[i]),
          i,
          (index, failure) -> {
            if (failure != null) {
              failed.completeExceptionally(failure);
            }
            room.release();
          });
    }
    room.acquire(UNDER_WAY);
    assertTrue(!failed.isDone());
    ledger.closeAsync();
    return ledger.id();
  }

  private void readsAll(LedgerStore.Entries entries, int... sizes) {
    int[] next = {0};
    entries
        .read(
            0,
            sizes.length,
            thread,
            bytes -> {
              int index = next[0]++;
              assertEquals(entry(index, sizes[index]), bytes, "entry " + index);
            })
        .join();
    assertEquals(sizes.length, next[0]);
  }

  private static int[] sizes(int count, int bytes) {
    return new Random(count).ints(count, bytes / 2, bytes).toArray();
  }

  @Test
  void manySmallEntriesAreReadInOrder() throws Exception {
    int[] sizes = sizes(10_000, 100);
    try (LedgerStore.Entries entries = store.openFenced(write(sizes)).join()) {
      readsAll(entries, sizes);
      readsAll(entries, sizes);
    }
  }

  /** The mean says nothing of the next entries: batches end early, and nothing is left out. */
  @Test
  void largeEntriesBehindSmallOnesAreReadInOrder() throws Exception {
    int[] sizes = sizes(2_000, 100);
    for (int i = 600; i < 660; i++) {
      sizes[i] = 400_000;
    }
    sizes[1_000] = 2_500_000;
    try (LedgerStore.Entries entries = store.openFenced(write(sizes)).join()) {
      readsAll(entries, sizes);
    }
  }

  @Test
  void aBookieThatHangsIsNotWaitedFor() throws Exception {
    int[] sizes = sizes(3_000, 100);
    long ledger = write(sizes);
    try (LedgerStore.Entries entries = store.openFenced(ledger).join()) {
      BookieFaults.suspend(cluster, 1);
      readsAll(entries, sizes);
      BookieFaults.resume(cluster, 1);
    }
  }

  @Test
  void aBookieThatIsGoneIsNotMissed() throws Exception {
    int[] sizes = sizes(3_000, 100);
    long ledger = write(sizes);
    try (LedgerStore.Entries entries = store.openFenced(ledger).join()) {
      cluster.stopBookie(2);
      readsAll(entries, sizes);
    }
  }

  /** The end that was read before is not the end. */
  @Test
  void aLedgerThatIsClosedWhileItsEndIsReadIsNotAtItsEnd() throws Exception {
    BookKeeperSettings settings = BookKeeperSettings.of(cluster.zookeeper(), 3, 3, 2);
    try (ZooKeeperCatalog zooKeeper =
        ZooKeeperCatalog.connect(cluster.zookeeper(), ZooKeeperAccess.OPEN, "/any", PATIENCE)) {
      BookKeeperClients clients = BookKeeperClients.connect(settings, zooKeeper.client());
      LedgerStore.Ledger ledger = store.create().join();
      append(ledger, 0);
      ReadHandle open =
          clients
              .usual()
              .newOpenLedgerOp()
              .withLedgerId(ledger.id())
              .withRecovery(false)
              .withDigestType(DigestType.CRC32C)
              .withPassword(new byte[0])
              .execute()
              .join();
      Object late =
          Proxy.newProxyInstance(
              ReadHandle.class.getClassLoader(),
              new Class<?>[] {ReadHandle.class},
              (proxy, method, arguments) -> {
                Object answer = method.invoke(open, arguments);
                if (method.getName().equals("readLastAddConfirmedAsync") && !open.isClosed()) {
                  long last = (Long) ((CompletableFuture<?>) answer).join();
                  append(ledger, 1);
                  ledger.closeAsync().join();
                  Await.until(open::isClosed);
                  return CompletableFuture.completedFuture(last);
                }
                return answer;
              });
      try (LedgerStore.Entries entries =
          new BookKeeperEntries((ReadHandle) late, () -> null, PATIENCE)) {
        assertFalse(entries.refresh().join(), entries.count() + " of 2 entries");
        assertTrue(entries.refresh().join());
        assertEquals(2, entries.count());
      }
      clients.close();
    }
  }

  private static void append(LedgerStore.Ledger ledger, long index) {
    CompletableFuture<Void> appended = new CompletableFuture<>();
    ledger.append(entry(index, 100), index, (at, failure) -> appended.complete(null));
    appended.join();
  }

  /** What the tests read is far more than that. */
  @Test
  void answersAreReleased() throws Exception {
    int[] sizes = sizes(10_000, 2_000);
    long ledger = write(sizes);
    long before = used();
    for (int i = 0; i < 5; i++) {
      try (LedgerStore.Entries entries = store.openFenced(ledger).join()) {
        readsAll(entries, sizes);
      }
    }
    long more = used() - before;
    assertTrue(more < 40 << 20, more + " bytes more of direct memory");
  }

  private static long used() {
    return PlatformDependent.usedDirectMemory();
  }
}
