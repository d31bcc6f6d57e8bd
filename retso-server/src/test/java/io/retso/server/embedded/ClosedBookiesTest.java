package io.retso.server.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.Await;
import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.log.bookkeeper.BookKeeperSettings;
import io.retso.log.bookkeeper.BookKeeperStore;
import io.retso.log.bookkeeper.ZooKeeperAccess;
import io.retso.tls.PrivateFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.bookie.BookieImpl;
import org.apache.bookkeeper.client.BookKeeperAdmin;
import org.apache.bookkeeper.conf.ClientConfiguration;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.discover.RegistrationManager;
import org.apache.bookkeeper.meta.MetadataDrivers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Bookies whose nodes in ZooKeeper are open to a password only. */
@Timeout(60)
class ClosedBookiesTest {
  private static final ZooKeeperAccess ACCESS = ZooKeeperAccess.byPasswords(List.of("word"));

  @TempDir private Path directory;
  private EmbeddedBookKeeper cluster;

  @BeforeEach
  void start() throws Exception {
    cluster =
        EmbeddedBookKeeper.start(
            directory.resolve("log"), 1, false, ACCESS, bookie -> bookie.setGcWaitTime(100));
  }

  @AfterEach
  void stop() throws Exception {
    cluster.close();
  }

  private boolean has(long ledger) throws Exception {
    BookieImpl bookie = (BookieImpl) cluster.server(0).getBookie();
    return bookie.getLedgerStorage().ledgerExists(ledger);
  }

  @Test
  void deletedLedgersAreCollectedAndNoOthers() throws Exception {
    BookKeeperSettings settings =
        BookKeeperSettings.of(cluster.zookeeper(), 1, 1, 1).withAccess(ACCESS);
    try (BookKeeperStore store = BookKeeperStore.connect(settings)) {
      LedgerStore.Ledger kept = store.create().join();
      LedgerStore.Ledger deleted = store.create().join();
      for (LedgerStore.Ledger ledger : List.of(kept, deleted)) {
        CompletableFuture<LogException> appended = new CompletableFuture<>();
        ledger.append(ByteBuffer.wrap(new byte[9]), 0, (at, failure) -> appended.complete(failure));
        assertNull(appended.join());
      }
      store.replaceCatalog(store.readCatalog().join(), List.of(kept.id())).join();
      Await.until(() -> has(deleted.id()) && has(kept.id()));
      store.delete(deleted.id()).join();
      Await.until(() -> !has(deleted.id()));
      assertTrue(has(kept.id()));
    }
  }

  /** As processes of bookies are configured, and BookKeeper's shell. */
  @Test
  void aBookieHasItsPasswordFromAFile() throws Exception {
    BookieMain.registerDrivers();
    ServerConfiguration own =
        BookieSettings.of(cluster.zookeeper(), true, directory.resolve("b"), 7, false);
    assertThrows(
        Exception.class,
        () -> MetadataDrivers.runFunctionWithRegistrationManager(own, this::instance));
    Path file = directory.resolve("password");
    own.setProperty(PasswordFile.KEY, file.toString());
    assertThrows(
        Exception.class,
        () -> MetadataDrivers.runFunctionWithRegistrationManager(own, this::instance),
        "a file that is not there");
    PrivateFile.make(file, "another\nword\n");
    String instance = MetadataDrivers.runFunctionWithRegistrationManager(own, this::instance);
    assertEquals(36, instance.length(), instance);
    BookKeeperAdmin admin = new BookKeeperAdmin(new ClientConfiguration(own));
    try {
      assertEquals(1, admin.getAvailableBookies().size());
    } finally {
      admin.close();
    }
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertThrows(
        Exception.class,
        () -> MetadataDrivers.runFunctionWithRegistrationManager(own, this::instance),
        "a file that others can read");
  }

  private String instance(RegistrationManager manager) {
    try {
      return manager.getClusterInstanceId();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
