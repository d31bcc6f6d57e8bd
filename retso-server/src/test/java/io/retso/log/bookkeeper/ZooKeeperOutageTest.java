package io.retso.log.bookkeeper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.Await;
import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.log.Tunnel;
import io.retso.server.embedded.EmbeddedBookKeeper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.apache.bookkeeper.client.api.LedgersIterator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The store while its ZooKeeper is away: connections break, and new ones break at once. */
@Timeout(60)
class ZooKeeperOutageTest {
  private static EmbeddedBookKeeper cluster;

  private Tunnel zooKeeper;
  private BookKeeperStore store;

  @BeforeAll
  static void startCluster(@TempDir Path directory) throws Exception {
    cluster = EmbeddedBookKeeper.start(directory, 1, false);
  }

  @AfterAll
  static void stopCluster() throws Exception {
    cluster.close();
  }

  @BeforeEach
  void connect() throws Exception {
    zooKeeper = new Tunnel(Integer.parseInt(cluster.zookeeper().split(":")[1]));
    store =
        BookKeeperStore.connect(BookKeeperSettings.of("127.0.0.1:" + zooKeeper.port(), 1, 1, 1));
  }

  @AfterEach
  void close() throws Exception {
    zooKeeper.mend();
    store.close();
    zooKeeper.close();
  }

  /** BookKeeper's client waits for ZooKeeper in whatever thread has the first ledger created. */
  @Test
  void whoHasALedgerCreatedIsNotKeptWaiting() {
    zooKeeper.cut();
    CompletableFuture<LedgerStore.Ledger> creation = store.create();
    assertFalse(creation.isDone(), "it took as long as the attempt");
    zooKeeper.mend();
    assertTrue(creation.join().id() >= 0);
  }

  /** BookKeeper's own client would wait for as long as a session lasts, ten seconds by default. */
  @Test
  void whatFoundNoConnectionIsDoneSoonAfterThereIsOne() throws Exception {
    for (int ledgers = 0; ledgers < 2; ledgers++) { // the first asks otherwise than the second
      zooKeeper.cut();
      CompletableFuture<LedgerStore.Ledger> creation = store.create();
      CompletableFuture<LedgerStore.Catalog> replacement =
          store
              .readCatalog()
              .thenCompose(now -> store.replaceCatalog(now, List.of(now.version() + 1L)));
      zooKeeper.awaitRefusals();
      assertFalse(creation.isDone());
      assertFalse(replacement.isDone());
      zooKeeper.mend();
      assertTimeout(
          Duration.ofSeconds(5),
          () -> {
            creation.join();
            replacement.join();
          });
    }
  }

  /** A request whose reply is lost is repeated; what it did may have been replaced meanwhile. */
  @Test
  void aReplacementMayBeRefusedAlthoughItTookEffect() throws Exception {
    try (BookKeeperStore other =
        BookKeeperStore.connect(BookKeeperSettings.of(cluster.zookeeper(), 1, 1, 1))) {
      LedgerStore.Catalog before = store.readCatalog().join();
      zooKeeper.deafen();
      CompletableFuture<LedgerStore.Catalog> replacement =
          store.replaceCatalog(before, before.content().takenOver("this", 1_001));
      Await.until(() -> other.readNewestCatalog().join().epoch() == before.epoch() + 1);
      LedgerStore.Catalog taken = other.readCatalog().join();
      other.replaceCatalog(taken, taken.content().takenOver("other", 1_002)).join();
      assertFalse(replacement.isDone());
      zooKeeper.cut();
      zooKeeper.mend();
      assertEquals(LogException.Reason.FENCED, failure(replacement).reason());
      LedgerStore.Catalog now = store.readCatalog().join();
      assertEquals(before.epoch() + 2, now.epoch());
      assertTrue(now.ledgers().containsAll(List.of(1_001L, 1_002L)), now::toString);
    }
  }

  /** A store that gives up after a second, and tries ZooKeeper again for as long as it is told. */
  private BookKeeperStore impatient(int retrySeconds) throws LogException {
    Duration second = Duration.ofSeconds(1);
    return BookKeeperStore.connect(
        new BookKeeperSettings(
            "127.0.0.1:" + zooKeeper.port(),
            ZooKeeperAccess.OPEN,
            BookieAccess.OPEN,
            "/retso/impatient",
            "/ledgers",
            1,
            1,
            1,
            second,
            second,
            Duration.ofSeconds(retrySeconds),
            second));
  }

  private static LogException failure(CompletableFuture<?> call) {
    return LogException.of(assertThrows(CompletionException.class, call::join));
  }

  /** Creations wait for one another, so one that succeeds is behind all before it. */
  private static long createdBehind(BookKeeperStore impatient) throws Exception {
    CompletableFuture<?>[] created = {impatient.create()};
    Await.until(
        () -> {
          if (created[0].isCompletedExceptionally()) {
            created[0] = impatient.create();
          }
          return created[0].isDone() && !created[0].isCompletedExceptionally();
        });
    return ((LedgerStore.Ledger) created[0].join()).id();
  }

  private static List<Long> ids(BookKeeperClients clients) throws IOException {
    List<Long> ids = new ArrayList<>();
    LedgersIterator each = clients.usual().newListLedgersOp().execute().join().iterator();
    while (each.hasNext()) {
      ids.add(each.next());
    }
    return ids;
  }

  @Test
  void aLedgerThatIsCreatedTooLateIsDeleted() throws Exception {
    BookKeeperSettings settings = BookKeeperSettings.of(cluster.zookeeper(), 1, 1, 1);
    try (ZooKeeperCatalog direct =
            ZooKeeperCatalog.connect(
                cluster.zookeeper(), ZooKeeperAccess.OPEN, "/any", Duration.ofSeconds(10));
        BookKeeperStore impatient = impatient(20)) {
      BookKeeperClients clients = BookKeeperClients.connect(settings, direct.client());
      long before = impatient.create().join().id();
      zooKeeper.cut();
      CompletableFuture<LedgerStore.Ledger> late = impatient.create();
      assertEquals(LogException.Reason.UNAVAILABLE, failure(late).reason());
      zooKeeper.mend();
      long next = createdBehind(impatient);
      assertTrue(next > before + 1, "another one was created before " + next);
      Await.until(() -> ids(clients).stream().noneMatch(id -> id > before && id < next));
      clients.close();
    }
  }

  @Test
  void anErrorInACallOfTheCatalogIsAnAnswer() throws Exception {
    LedgerStore.Catalog now = store.readCatalog().join();
    List<Long> damaged =
        new AbstractList<>() {
          @Override
          public Long get(int index) {
            throw new StackOverflowError("tested");
          }

          @Override
          public int size() {
            return 1;
          }
        };
    LogException e =
        failure(store.replaceCatalog(now, new LedgerStore.Content(now.epoch(), "", damaged)));
    assertInstanceOf(StackOverflowError.class, e.getCause());
    assertEquals(now, store.readCatalog().join());
  }

  @Test
  void aCallOfTheCatalogThatHangsFailsAndSoDoWhatWaitsBehindIt() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    List<Long> hanging =
        new AbstractList<>() {
          @Override
          public Long get(int index) {
            try {
              released.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            return 7L;
          }

          @Override
          public int size() {
            return 1;
          }
        };
    try (BookKeeperStore impatient = impatient(1)) {
      LedgerStore.Catalog now = impatient.readCatalog().join();
      CompletableFuture<LedgerStore.Catalog> replacement =
          impatient.replaceCatalog(now, new LedgerStore.Content(now.epoch(), "", hanging));
      CompletableFuture<LedgerStore.Catalog> reading = impatient.readCatalog();
      assertEquals(LogException.Reason.UNAVAILABLE, failure(replacement).reason());
      assertEquals(LogException.Reason.UNAVAILABLE, failure(reading).reason());
      released.countDown();
      assertEquals(List.of(7L), impatient.readCatalog().join().ledgers(), "it took effect late");
    }
  }

  @Test
  void closingEndsWhileTheFirstCreationWaitsForZooKeeper() throws Exception {
    zooKeeper.cut();
    store.create();
    store.readCatalog();
    zooKeeper.awaitRefusals();
    assertTimeoutPreemptively(Duration.ofSeconds(6), store::close);
  }
}
