package io.retso.log.bookkeeper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.log.LogException.Reason;
import io.retso.server.embedded.EmbeddedBookKeeper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The store against a real ZooKeeper and three real bookies. */
@Timeout(60)
class BookKeeperStoreTest {
  private static final int BOOKIES = 3;

  private static EmbeddedBookKeeper cluster;

  /** What an append was answered. */
  private record Answer(long context, LogException failure) {}

  private final BlockingQueue<Answer> answers = new ArrayBlockingQueue<>(1000);

  @BeforeAll
  static void startCluster(@TempDir Path directory) throws IOException {
    cluster = EmbeddedBookKeeper.start(directory, BOOKIES, false);
  }

  @AfterAll
  static void stopCluster() throws IOException {
    cluster.close();
  }

  private static BookKeeperSettings settings(TestInfo test, int write, int ack) {
    return BookKeeperSettings.of(cluster.zookeeper(), write, write, ack)
        .withZnode("/tests/" + Integer.toHexString(test.getDisplayName().hashCode()));
  }

  private static BookKeeperStore connect(TestInfo test, int write, int ack) throws LogException {
    return BookKeeperStore.connect(settings(test, write, ack));
  }

  private void append(LedgerStore.Ledger ledger, ByteBuffer entry, long context) {
    ledger.append(
        entry, context, (position, failure) -> answers.add(new Answer(position, failure)));
  }

  private Answer answer() throws InterruptedException {
    Answer answer = answers.poll(30, TimeUnit.SECONDS);
    assertNotEquals(null, answer, "no answer to an append");
    return answer;
  }

  private void appendAndWait(LedgerStore.Ledger ledger, ByteBuffer entry, long context)
      throws InterruptedException {
    append(ledger, entry, context);
    assertEquals(new Answer(context, null), answer());
  }

  private static ByteBuffer entry(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return ByteBuffer.allocateDirect(length).put(bytes).flip();
  }

  private static List<ByteBuffer> read(LedgerStore.Entries entries, long from, long to)
      throws LogException {
    List<ByteBuffer> read = new ArrayList<>();
    await(
        entries.read(
            from,
            to,
            Runnable::run,
            bytes -> read.add(ByteBuffer.allocate(bytes.remaining()).put(bytes).flip())));
    return read;
  }

  private static <T> T await(CompletableFuture<T> future) throws LogException {
    try {
      return future.join();
    } catch (CompletionException e) {
      throw LogException.of(e);
    }
  }

  private static Reason reasonOf(org.junit.jupiter.api.function.Executable call) {
    return assertThrows(LogException.class, call).reason();
  }

  @Test
  void catalogIsReplacedByCompareAndSet(TestInfo test) throws LogException {
    try (BookKeeperStore mine = connect(test, 1, 1);
        BookKeeperStore other = connect(test, 1, 1)) {
      LedgerStore.Catalog empty = await(mine.readCatalog());
      assertEquals(List.of(), empty.ledgers());

      LedgerStore.Catalog one = await(mine.replaceCatalog(empty, List.of(7L)));
      assertEquals(one, await(other.readCatalog()));
      LedgerStore.Catalog two = await(other.replaceCatalog(one, List.of(7L, 9L)));

      assertEquals(Reason.FENCED, reasonOf(() -> await(mine.replaceCatalog(one, List.of(7L, 8L)))));
      assertEquals(Reason.FENCED, reasonOf(() -> await(mine.replaceCatalog(empty, List.of()))));
      assertEquals(two.ledgers(), await(mine.readCatalog()).ledgers());
    }
  }

  /** A repeated call after a lost reply finds its own work, and must not take it for another's. */
  @Test
  void replacementWhoseReplyWasLostIsOnesOwn(TestInfo test) throws LogException {
    try (BookKeeperStore mine = connect(test, 1, 1);
        BookKeeperStore other = connect(test, 1, 1)) {
      LedgerStore.Catalog empty = await(mine.readCatalog());
      LedgerStore.Catalog one = await(mine.replaceCatalog(empty, List.of(7L)));
      assertEquals(one, await(mine.replaceCatalog(empty, List.of(7L))));
      assertEquals(Reason.FENCED, reasonOf(() -> await(other.replaceCatalog(empty, List.of(7L)))));
    }
  }

  @ParameterizedTest
  @CsvSource({"retso-log 2, NEWER", "retso-log x, CORRUPT"})
  void catalogOfAnotherFormatIsRefused(String format, Reason reason, TestInfo test)
      throws Exception {
    BookKeeperSettings settings = settings(test, 1, 1);
    try (CuratorFramework client =
        CuratorFrameworkFactory.newClient(cluster.zookeeper(), new RetryOneTime(100))) {
      client.start();
      client
          .create()
          .creatingParentsIfNeeded()
          .forPath(settings.znode(), (format + "\nsomething\nledgers\n").getBytes());
    }
    assertEquals(reason, reasonOf(() -> BookKeeperStore.connect(settings)));
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "3, 2", "3, 3"})
  void readsWhatWasAppendedInOrder(int write, int ack, TestInfo test) throws Exception {
    try (BookKeeperStore store = connect(test, write, ack)) {
      LedgerStore.Ledger ledger = await(store.create());
      List<ByteBuffer> written = new ArrayList<>();
      Random random = new Random(write);
      for (int i = 0; i < 200; i++) {
        written.add(entry(1 + random.nextInt(i % 10 == 0 ? 300_000 : 500), i));
        append(ledger, written.get(i), i);
      }
      for (int i = 0; i < written.size(); i++) {
        assertEquals(new Answer(i, null), answer());
      }
      ledger.closeAsync();

      try (LedgerStore.Entries entries = await(store.openFenced(ledger.id()))) {
        assertEquals(written.size(), entries.count());
        assertEquals(written, read(entries, 0, entries.count()));
        assertEquals(written.subList(7, 9), read(entries, 7, 9));
      }
    }
  }

  /** More of them than a bookie holds in memory before it moves them to its entry log. */
  @Test
  void theLargestEntriesAreMovedToTheEntryLog(TestInfo test) throws Exception {
    try (BookKeeperStore store = connect(test, 3, 2)) {
      LedgerStore.Ledger ledger = await(store.create());
      ByteBuffer largest = entry((5 << 19) + 64, 1);
      for (int i = 0; i < 28; i++) {
        appendAndWait(ledger, largest, i);
      }
    }
  }

  /** The slowest bookie of three gets an entry after two have acknowledged it. */
  @Test
  void bufferMayBeUsedAgainOnceAcknowledged(TestInfo test) throws Exception {
    try (BookKeeperStore store = connect(test, 3, 2)) {
      LedgerStore.Ledger ledger = await(store.create());
      ByteBuffer buffer = ByteBuffer.allocateDirect(100_000);
      for (int i = 0; i < 100; i++) {
        buffer.clear().put(entry(buffer.capacity(), i)).flip();
        appendAndWait(ledger, buffer, i);
      }
      try (LedgerStore.Entries entries = await(store.openFenced(ledger.id()))) {
        // With a bookie less, every replica of the others is read at some time.
        for (int bookie = 0; bookie < BOOKIES; bookie++) {
          cluster.stopBookie(bookie);
          List<ByteBuffer> read = read(entries, 0, entries.count());
          cluster.startBookie(bookie);
          for (int i = 0; i < read.size(); i++) {
            assertEquals(entry(buffer.capacity(), i), read.get(i), "entry " + i);
          }
        }
      }
    }
  }

  @Test
  void ledgerWithoutEntries(TestInfo test) throws Exception {
    try (BookKeeperStore store = connect(test, 1, 1)) {
      LedgerStore.Ledger ledger = await(store.create());
      for (int i = 0; i < 2; i++) { // open, and sealed
        try (LedgerStore.Entries entries = await(store.openFenced(ledger.id()))) {
          assertEquals(0, entries.count());
          assertEquals(List.of(), read(entries, 0, 0));
          assertThrows(IllegalArgumentException.class, () -> read(entries, 0, 1));
        }
      }
    }
  }

  @Test
  void openingFencesTheWriter(TestInfo test) throws Exception {
    try (BookKeeperStore old = connect(test, 3, 2);
        BookKeeperStore successor = connect(test, 3, 2)) {
      LedgerStore.Ledger ledger = await(old.create());
      appendAndWait(ledger, entry(100, 0), 0);

      try (LedgerStore.Entries entries = await(successor.openFenced(ledger.id()))) {
        assertEquals(1, entries.count());
        for (int i = 1; i < 4; i++) { // after the first failure BookKeeper would say "closed"
          append(ledger, entry(100, i), i);
          Answer answer = answer();
          assertEquals(i, answer.context());
          assertEquals(Reason.FENCED, answer.failure().reason(), answer.failure().getMessage());
        }
        assertEquals(1, entries.count());
      }
    }
  }

  /** What is acknowledged last is known to the writer alone until the next entry names it. */
  @Test
  void openingUnfencedLetsTheWriterGoOn(TestInfo test) throws Exception {
    try (BookKeeperStore writer = connect(test, 3, 2);
        BookKeeperStore reader = connect(test, 3, 2)) {
      LedgerStore.Ledger ledger = await(writer.create());
      for (int i = 0; i < 3; i++) {
        appendAndWait(ledger, entry(100, i), i);
      }
      try (LedgerStore.Entries entries = await(reader.openUnfenced(ledger.id()))) {
        assertTrue(entries.count() >= 2, entries.count() + " entries");
        assertEquals(List.of(entry(100, 0), entry(100, 1)), read(entries, 0, 2));
      }
      appendAndWait(ledger, entry(100, 3), 3);
    }
  }

  @Test
  void deletedLedger(TestInfo test) throws Exception {
    try (BookKeeperStore store = connect(test, 1, 1)) {
      LedgerStore.Ledger ledger = await(store.create());
      appendAndWait(ledger, entry(100, 0), 0);
      await(store.delete(ledger.id()));
      await(store.delete(ledger.id()));

      assertEquals(Reason.GONE, reasonOf(() -> await(store.openFenced(ledger.id()))));
      assertEquals(Reason.GONE, reasonOf(() -> await(store.openUnfenced(ledger.id()))));
    }
  }

  @Test
  void goesOnAndRecoversWithTwoOfThreeBookies(TestInfo test) throws Exception {
    try (BookKeeperStore store = connect(test, 3, 2);
        BookKeeperStore successor = connect(test, 3, 2)) {
      LedgerStore.Ledger ledger = await(store.create());
      appendAndWait(ledger, entry(1000, 0), 0);
      cluster.stopBookie(1);
      try {
        for (int i = 1; i < 50; i++) {
          appendAndWait(ledger, entry(1000, i), i);
        }
        appendAndWait(await(store.create()), entry(1000, 0), 0);
        try (LedgerStore.Entries entries = await(successor.openFenced(ledger.id()))) {
          List<ByteBuffer> read = read(entries, 0, 50);
          for (int i = 0; i < 50; i++) {
            assertEquals(entry(1000, i), read.get(i));
          }
        }
      } finally {
        cluster.startBookie(1);
      }
      appendAndWait(await(store.create()), entry(1000, 0), 0);
    }
  }

  @Test
  void unreachableZooKeeperIsUnavailable() {
    BookKeeperSettings usual = BookKeeperSettings.of("127.0.0.1:1", 1, 1, 1);
    BookKeeperSettings shortTimeout =
        new BookKeeperSettings(
            usual.zookeeper(),
            ZooKeeperAccess.OPEN,
            BookieAccess.OPEN,
            usual.znode(),
            usual.ledgersRoot(),
            1,
            1,
            1,
            usual.addTimeout(),
            usual.readTimeout(),
            Duration.ofMillis(500),
            Duration.ofMillis(500));
    LogException failure =
        assertThrows(LogException.class, () -> BookKeeperStore.connect(shortTimeout));
    assertEquals(Reason.UNAVAILABLE, failure.reason());
    assertTrue(failure.getMessage().contains("127.0.0.1:1"), failure.getMessage());
  }

  @Test
  void quorumsThatCannotBeAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> BookKeeperSettings.of("localhost", 1, 2, 1));
    assertThrows(IllegalArgumentException.class, () -> BookKeeperSettings.of("localhost", 3, 2, 3));
    assertThrows(IllegalArgumentException.class, () -> BookKeeperSettings.of("localhost", 3, 2, 0));
  }

  private static void withZooKeeper(ZooKeeperCall call) throws Exception {
    try (CuratorFramework client =
        CuratorFrameworkFactory.newClient(cluster.zookeeper(), new RetryOneTime(100))) {
      client.start();
      call.run(client);
    }
  }

  private interface ZooKeeperCall {
    void run(CuratorFramework client) throws Exception;
  }

  private void appendToNewLedger(BookKeeperStore store) throws Exception {
    LedgerStore.Ledger ledger = await(store.create());
    LedgerStore.Catalog catalog = await(store.readCatalog());
    List<Long> ledgers = new ArrayList<>(catalog.ledgers());
    ledgers.add(ledger.id());
    await(store.replaceCatalog(catalog, ledgers));
    appendAndWait(ledger, entry(100, 0), 0);
  }

  @Test
  void aLogKeepsItsIdentity(TestInfo test) throws Exception {
    String id;
    try (BookKeeperStore store = connect(test, 1, 1)) {
      id = store.logId();
      appendToNewLedger(store);
    }
    try (BookKeeperStore store = connect(test, 1, 1)) {
      assertEquals(id, store.logId());
      appendToNewLedger(store);
      assertEquals(id, store.logId());
    }
  }

  @Test
  void aCatalogThatIsGoneWhileTheBookiesHoldTheLogIsNoNewLog(TestInfo test) throws Exception {
    try (BookKeeperStore store = connect(test, 1, 1)) {
      appendToNewLedger(store);
    }
    withZooKeeper(client -> client.delete().forPath(settings(test, 1, 1).znode()));
    LogException failure = assertThrows(LogException.class, () -> connect(test, 1, 1));
    assertEquals(Reason.LOST, failure.reason());
    assertTrue(failure.getMessage().contains("which its catalog"), failure.getMessage());
    assertEquals(Reason.LOST, reasonOf(() -> connect(test, 1, 1)), "still");
  }

  /** It was made ahead, before another one of the catalog, and written later. */
  @Test
  void aCatalogThatLacksALedgerOlderThanItsNewestIsRefused(TestInfo test) throws Exception {
    try (BookKeeperStore store = connect(test, 1, 1)) {
      appendToNewLedger(store);
      LedgerStore.Ledger ahead = await(store.create());
      appendToNewLedger(store);
      connect(test, 1, 1).close(); // it is empty
      appendAndWait(ahead, entry(10, 1), 1);
      await(ahead.closeAsync());
    }
    assertEquals(Reason.LOST, reasonOf(() -> connect(test, 1, 1)));
  }

  @Test
  void aCatalogThatLacksItsNewestLedgerIsRefused(TestInfo test) throws Exception {
    String znode = settings(test, 1, 1).znode();
    try (BookKeeperStore store = connect(test, 1, 1)) {
      appendToNewLedger(store);
      withZooKeeper(
          client -> {
            byte[] older = client.getData().forPath(znode);
            appendToNewLedger(store);
            client.setData().forPath(znode, older);
          });
    }
    assertEquals(Reason.LOST, reasonOf(() -> connect(test, 1, 1)));
  }

  /** A crash between creating a ledger and adding it leaves one; so does a take-over that lost. */
  @Test
  void anEmptyLedgerThatTheCatalogDoesNotKnowIsNoLoss(TestInfo test) throws Exception {
    try (BookKeeperStore store = connect(test, 1, 1)) {
      appendToNewLedger(store);
      await(store.create());
    }
    connect(test, 1, 1).close();
  }
}
