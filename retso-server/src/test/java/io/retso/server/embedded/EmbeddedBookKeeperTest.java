package io.retso.server.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.Await;
import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.log.bookkeeper.BookKeeperSettings;
import io.retso.log.bookkeeper.BookKeeperStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.bookkeeper.bookie.storage.ldb.DbLedgerStorage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Real ZooKeeper and bookies in this process: their data, their failures, their manners. */
@Timeout(120)
class EmbeddedBookKeeperTest {
  @TempDir Path directory;

  private static BookKeeperStore connect(EmbeddedBookKeeper cluster) throws LogException {
    Duration patience = Duration.ofSeconds(20); // one bookie: no other is to be asked
    return BookKeeperStore.connect(
        BookKeeperSettings.of(cluster.zookeeper(), 1, 1, 1).withTimeouts(patience, patience));
  }

  /** Appends and returns the failure, or null. */
  private static LogException append(LedgerStore.Ledger ledger, int length) throws Exception {
    CompletableFuture<LogException> answer = new CompletableFuture<>();
    ledger.append(
        ByteBuffer.allocateDirect(length), 0, (context, failure) -> answer.complete(failure));
    return answer.get(30, TimeUnit.SECONDS);
  }

  /** G1 marks the whole heap after each array of half a region, 512 KiB at least, or more. */
  @Test
  void theJournalsBufferIsNotHumongous() throws Exception {
    int bytes =
        1024
            * BookieSettings.of("127.0.0.1:1", false, directory, 0, true)
                .getJournalWriteBufferSizeKB();
    assertTrue(bytes + 16 < 512 * 1024, "with the array's header " + bytes);
  }

  @Test
  void restartKeepsEverything() throws Exception {
    String zookeeper;
    long ledger;
    try (EmbeddedBookKeeper cluster = EmbeddedBookKeeper.start(directory, 1, true);
        BookKeeperStore store = connect(cluster)) {
      zookeeper = cluster.zookeeper();
      LedgerStore.Ledger written = store.create().get();
      ledger = written.id();
      store.replaceCatalog(store.readCatalog().get(), List.of(ledger)).get();
      store.replaceCatalog(store.readCatalog().get(), List.of(ledger)).get();
      for (int i = 0; i < 10; i++) {
        assertEquals(null, append(written, 1000 + i));
      }
    }
    // One more bookie than before is welcome.
    try (EmbeddedBookKeeper cluster = EmbeddedBookKeeper.start(directory, 2, true);
        BookKeeperStore store = connect(cluster)) {
      assertEquals(zookeeper, cluster.zookeeper());
      assertEquals(List.of(ledger), store.readCatalog().get().ledgers());
      try (LedgerStore.Entries entries = store.openFenced(ledger).get()) {
        assertEquals(10, entries.count());
        int[] length = {1000};
        entries
            .read(0, 10, Runnable::run, entry -> assertEquals(length[0]++, entry.remaining()))
            .get();
      }
      assertTrue(store.create().get().id() > ledger);
    }
  }

  /** A power failure leaves files that were just written without their contents. */
  @Test
  void startsThoughItsSmallFilesAreEmpty() throws Exception {
    EmbeddedBookKeeper.start(directory, 1, false).close();
    Files.writeString(directory.resolve("location"), "");
    Path port = directory.resolve("zookeeper").resolve("port");
    assertTrue(Files.exists(port));
    for (String damaged : List.of("", "x\n", "99999\n")) {
      Files.writeString(port, damaged);
      EmbeddedBookKeeper.start(directory, 1, false).close();
    }
  }

  @Test
  void directoryBelongsToOne() throws Exception {
    try (EmbeddedBookKeeper cluster = EmbeddedBookKeeper.start(directory, 1, false)) {
      IOException refused =
          assertThrows(IOException.class, () -> EmbeddedBookKeeper.start(directory, 1, false));
      assertTrue(refused.getMessage().contains("in use"), refused.getMessage());
      assertTrue(cluster.zookeeper().startsWith("127.0.0.1:"), "the first is not harmed");
    }
    EmbeddedBookKeeper.start(directory, 1, false).close();
  }

  @Test
  void movedDirectoryIsRefusedWithAHint() throws Exception {
    Path before = directory.resolve("before");
    EmbeddedBookKeeper.start(before, 1, false).close();
    Path after = Files.move(before, directory.resolve("after"));
    IOException refused =
        assertThrows(IOException.class, () -> EmbeddedBookKeeper.start(after, 1, false));
    assertTrue(refused.getMessage().contains("moved"), refused.getMessage());
    Files.move(after, before);
    EmbeddedBookKeeper.start(before, 1, false).close();
  }

  /** Each damage with its own remedy. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bookie-0/ledgers | | some have no cookie | put back what was deleted",
        "bookie-0/ledgers/current/VERSION | x | cannot parse cookie | put back what was deleted",
        "zookeeper/version-2/log.1 | xxxxxxxxxxxxxxxxxxxxxxxx | magic number | put back a sound"
            + " copy"
      })
  void damageIsRefusedWithItsCauseAndRemedy(
      String what, String instead, String cause, String remedy) throws Exception {
    EmbeddedBookKeeper.start(directory, 1, false).close();
    Path place = directory.resolve(what);
    assertTrue(Files.exists(place));
    if (instead == null) {
      delete(place);
    } else {
      Files.writeString(place, instead);
    }
    IOException e =
        assertThrows(
            IOException.class, () -> EmbeddedBookKeeper.start(directory, 1, false).close());
    assertTrue(e.getMessage().contains(cause), e.getMessage());
    assertTrue(e.getMessage().contains(remedy), e.getMessage());
  }

  private static void delete(Path place) throws IOException {
    try (Stream<Path> files = Files.walk(place)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Test
  void withoutItsBookieAppendsFailAndWithItTheyGoOn() throws Exception {
    try (EmbeddedBookKeeper cluster = EmbeddedBookKeeper.start(directory, 1, false);
        BookKeeperStore store = connect(cluster)) {
      LedgerStore.Ledger ledger = store.create().get();
      store.replaceCatalog(store.readCatalog().get(), List.of(ledger.id())).get();
      assertEquals(null, append(ledger, 100));
      cluster.stopBookie(0);
      assertEquals(LogException.Reason.UNAVAILABLE, append(ledger, 100).reason());
      AtomicReference<ExecutionException> noBookie = new AtomicReference<>();
      Await.until(
          () -> {
            try {
              store.create().get(); // until the client has heard that the bookie is gone
              return false;
            } catch (ExecutionException e) {
              noBookie.set(e);
              return true;
            }
          });
      assertEquals(LogException.Reason.UNAVAILABLE, LogException.of(noBookie.get()).reason());

      cluster.startBookie(0);
      try (BookKeeperStore next = connect(cluster);
          LedgerStore.Entries entries = next.openFenced(ledger.id()).get()) {
        assertEquals(1, entries.count());
        assertEquals(null, append(next.create().get(), 100));
      }
    }
  }

  /** What BookKeeper's own storage loses; see {@link JournalKeepingStorage}. */
  @Test
  void whatCouldNotBeWrittenToTheEntryLogIsInTheJournal() throws Exception {
    long ledger;
    Path obstacle = directory.resolve("bookie-0/ledgers/current/0.log");
    try (EmbeddedBookKeeper cluster =
            EmbeddedBookKeeper.start(
                directory, 1, true, bookie -> bookie.setFlushInterval(3_600_000));
        BookKeeperStore store = connect(cluster)) {
      LedgerStore.Ledger written = store.create().get();
      ledger = written.id();
      store.replaceCatalog(store.readCatalog().get(), List.of(ledger)).get();
      Files.createDirectory(obstacle); // where the first entry log would be: it cannot be opened
      for (int i = 0; i < 10; i++) {
        assertEquals(null, append(written, 1000 + i));
      }
      cluster.stopBookie(0); // tries to checkpoint twice
    }
    Files.delete(obstacle);
    try (EmbeddedBookKeeper cluster = EmbeddedBookKeeper.start(directory, 1, true);
        BookKeeperStore store = connect(cluster);
        LedgerStore.Entries entries = store.openFenced(ledger).get()) {
      assertEquals(10, entries.count());
      int[] length = {1000};
      entries
          .read(0, 10, Runnable::run, entry -> assertEquals(length[0]++, entry.remaining()))
          .get();
    }
  }

  @Test
  void deletedLedgersFreeTheDisk() throws Exception {
    try (EmbeddedBookKeeper cluster =
            EmbeddedBookKeeper.start(
                directory,
                1,
                false,
                bookie -> {
                  bookie.setProperty(DbLedgerStorage.WRITE_CACHE_MAX_SIZE_MB, 4);
                  bookie.setEntryLogSizeLimit(2 << 20);
                  bookie.setMaxJournalSizeMB(2);
                  bookie.setFlushInterval(100);
                  bookie.setGcWaitTime(100);
                });
        BookKeeperStore store = connect(cluster)) {
      for (int i = 0; i < 4; i++) {
        LedgerStore.Ledger ledger = store.create().get();
        for (int j = 0; j < 16; j++) {
          assertEquals(null, append(ledger, 512 << 10));
        }
        ledger.closeAsync();
        store.delete(ledger.id()).get();
      }
      // 16 entry logs of 2 MB were written; what remains is the one being written and its like.
      awaitFiles("bookie-0/ledgers/current", ".log", 2);
      awaitFiles("bookie-0/journal/current", ".txn", 3);
    }
  }

  private void awaitFiles(String path, String suffix, int atMost) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    List<String> files = files(path, suffix);
    while (files.size() > atMost) {
      assertTrue(System.nanoTime() < deadline, "these are left: " + files);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      files = files(path, suffix);
    }
  }

  private List<String> files(String path, String suffix) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve(path))) {
      return files.map(Path::toString).filter(file -> file.endsWith(suffix)).toList();
    }
  }

  @Test
  void needsABookie() {
    assertThrows(
        IllegalArgumentException.class, () -> EmbeddedBookKeeper.start(directory, 0, false));
  }
}
