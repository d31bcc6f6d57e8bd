package io.retso.server.rehearsal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.log.bookkeeper.BookKeeperSettings;
import io.retso.log.bookkeeper.BookKeeperStore;
import io.retso.server.embedded.EmbeddedBookKeeper;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A rehearsal on a real ZooKeeper and real bookies. */
@Timeout(120)
class RehearsalTest {
  private EmbeddedBookKeeper cluster;
  private BookKeeperStore store;

  /** Ledgers that a rehearsal has made. */
  private final ConcurrentLinkedQueue<Long> made = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void start(@TempDir Path directory) throws Exception {
    cluster = EmbeddedBookKeeper.start(directory, 3, false);
    store = connect();
  }

  private BookKeeperStore connect() throws LogException {
    return BookKeeperStore.connect(BookKeeperSettings.of(cluster.zookeeper(), 3, 3, 2));
  }

  @AfterEach
  void stop() throws Exception {
    store.close();
    cluster.close();
  }

  private CompletableFuture<LedgerStore.Ledger> create() {
    return store
        .createForNobody()
        .thenApply(
            ledger -> {
              made.add(ledger.id());
              return ledger;
            });
  }

  @Test
  void aTakeOverAndAHandOverArePlayedToTheirEnd() throws Exception {
    Rehearsal.play(store, this::create, System::nanoTime);
    assertEquals(3, made.size(), "each of three leaders began a ledger");
    assertEquals(List.of(), store.readCatalog().get(30, TimeUnit.SECONDS).ledgers());
    for (long ledger : made) { // they are deleted in the background; again does no harm
      store.delete(ledger).get(30, TimeUnit.SECONDS);
      assertThrows(Exception.class, () -> store.openUnfenced(ledger).get(30, TimeUnit.SECONDS));
    }
  }

  /** As of a process that is killed in the middle. */
  @Test
  void aLedgerThatIsLeftBehindIsNoLedgerThatTheLogHasLost() throws Exception {
    try (BookKeeperStore killed = connect()) {
      LedgerStore.Ledger ledger = killed.createForNobody().get(30, TimeUnit.SECONDS);
      CompletableFuture<LogException> answer = new CompletableFuture<>();
      ledger.append(
          ByteBuffer.allocateDirect(8), 1, (position, failure) -> answer.complete(failure));
      assertEquals(null, answer.get(30, TimeUnit.SECONDS));
    }
    connect().close();
  }

  @Test
  void whatFailsIsOver() throws Exception {
    CompletableFuture<Void> over =
        Rehearsal.run(
            store,
            () ->
                CompletableFuture.failedFuture(
                    new LogException(LogException.Reason.UNAVAILABLE, "no bookies")),
            System::nanoTime);
    over.get(10, TimeUnit.SECONDS);
    assertFalse(over.isCompletedExceptionally());
    assertTrue(made.isEmpty());
  }
}
