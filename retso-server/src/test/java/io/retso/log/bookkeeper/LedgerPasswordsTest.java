package io.retso.log.bookkeeper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ReferenceCounted;
import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.log.LogException.Reason;
import io.retso.security.ClusterSecret;
import io.retso.server.embedded.EmbeddedBookKeeper;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.apache.bookkeeper.client.api.WriteFlag;
import org.apache.bookkeeper.net.BookieId;
import org.apache.bookkeeper.proto.BookieClient;
import org.apache.bookkeeper.proto.BookieProtocol;
import org.apache.bookkeeper.proto.LedgerMetadataFormat.DigestType;
import org.apache.bookkeeper.proto.checksum.DigestManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which servers open which ledgers, with a real bookie. */
@Timeout(60)
class LedgerPasswordsTest {
  private static final ClusterSecret OLD = ClusterSecret.random();
  private static final ClusterSecret NEW = ClusterSecret.random();

  private static EmbeddedBookKeeper cluster;

  @BeforeAll
  static void startCluster(@TempDir Path directory) throws IOException {
    cluster = EmbeddedBookKeeper.start(directory, 1, false);
  }

  @AfterAll
  static void stopCluster() throws IOException {
    cluster.close();
  }

  /** What passwords are for; made anew by each loader of classes. */
  static final class Attempts implements BiConsumer<String, String> {
    @Override
    public void accept(String zookeeper, String name) {
      try {
        Log log = new Log(zookeeper, name);
        log.strangersNeitherAppendNorFence();
        log.anotherSecretOpensNothing();
        log.aSecretIsReplaced();
        log.ledgersWithoutPasswordsAreOpened();
        log.lostLedgersAreFound();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  void strangersNeitherAppendNorFence() throws Exception {
    new Log(cluster.zookeeper(), "").strangersNeitherAppendNorFence();
  }

  @Test
  void anotherSecretOpensNothing() throws Exception {
    new Log(cluster.zookeeper(), "").anotherSecretOpensNothing();
  }

  @Test
  void aSecretIsReplaced() throws Exception {
    new Log(cluster.zookeeper(), "").aSecretIsReplaced();
  }

  @Test
  void ledgersWithoutPasswordsAreOpened() throws Exception {
    new Log(cluster.zookeeper(), "").ledgersWithoutPasswordsAreOpened();
  }

  @Test
  void lostLedgersAreFound() throws Exception {
    new Log(cluster.zookeeper(), "").lostLedgersAreFound();
  }

  /** Servers of logs on one cluster. */
  private static final class Log {
    private final String zookeeper;
    private final String name;
    private String znode;

    Log(String zookeeper, String name) {
      this.zookeeper = zookeeper;
      this.name = name;
    }

    private BookKeeperStore connect(LedgerPasswords passwords) throws LogException {
      return BookKeeperStore.connect(
          BookKeeperSettings.of(zookeeper, 1, 1, 1).withZnode(znode), Optional.empty(), passwords);
    }

    private BookKeeperStore connect(ClusterSecret... lines) throws Exception {
      return connect(passwords(lines));
    }

    private static LedgerPasswords passwords(ClusterSecret... lines) {
      return LedgerPasswords.of(
          (purpose, log) ->
              List.of(lines).stream().map(line -> line.keys(purpose, log).get(0)).toList());
    }

    private static long write(LedgerStore store) throws Exception {
      LedgerStore.Ledger ledger = store.create().join();
      CompletableFuture<Void> appended = new CompletableFuture<>();
      ledger.append(
          ByteBuffer.wrap("entry".getBytes(UTF_8)), 0, (at, e) -> appended.complete(null));
      appended.join();
      ledger.closeAsync().join();
      store.replaceCatalog(store.readCatalog().join(), List.of(ledger.id())).join();
      return ledger.id();
    }

    private static void reads(LedgerStore store, long ledger) {
      for (boolean fence : List.of(false, true)) {
        try (LedgerStore.Entries entries =
            (fence ? store.openFenced(ledger) : store.openUnfenced(ledger)).join()) {
          assertEquals(1, entries.count());
        }
      }
    }

    private static Reason reasonOf(CompletableFuture<?> call) {
      return LogException.of(assertThrows(CompletionException.class, call::join)).reason();
    }

    /** What a client sends that leaves out what BookKeeper's own client looks at before. */
    void strangersNeitherAppendNorFence() throws Exception {
      znode = "/strangers" + name;
      try (BookKeeperStore store = connect(NEW);
          ZooKeeperCatalog anybody =
              ZooKeeperCatalog.connect(
                  zookeeper, ZooKeeperAccess.OPEN, znode, Duration.ofSeconds(10))) {
        LedgerStore.Ledger ledger = store.create().join();
        CompletableFuture<Void> first = new CompletableFuture<>();
        ledger.append(ByteBuffer.wrap(new byte[1]), 0, (at, e) -> first.complete(null));
        first.join();
        BookKeeperClients clients =
            BookKeeperClients.connect(BookKeeperSettings.of(zookeeper, 1, 1, 1), anybody.client());
        LedgerMetadata metadata = clients.usual().getLedgerMetadata(ledger.id()).join();
        BookieId bookie = metadata.getEnsembleAt(0).get(0);
        Method method = BookKeeper.class.getDeclaredMethod("getBookieClient");
        method.setAccessible(true);
        BookieClient bookies = (BookieClient) method.invoke(clients.usual());
        byte[] noPassword = DigestManager.generateMasterKey(new byte[0]);

        CompletableFuture<Integer> fenced = new CompletableFuture<>();
        bookies.readEntry(
            bookie,
            ledger.id(),
            0,
            (code, id, entry, bytes, context) -> fenced.complete(code),
            null,
            BookieProtocol.FLAG_DO_FENCING,
            noPassword);
        assertEquals(
            BKException.Code.UnauthorizedAccessException, fenced.get(30, TimeUnit.SECONDS));

        CompletableFuture<Integer> added = new CompletableFuture<>();
        ReferenceCounted forged = forged(ledger.id(), noPassword);
        bookies.addEntry(
            bookie,
            ledger.id(),
            noPassword,
            1,
            forged,
            (code, id, entry, address, context) -> added.complete(code),
            null,
            BookieProtocol.FLAG_RECOVERY_ADD,
            false,
            EnumSet.noneOf(WriteFlag.class));
        int answer = added.get(30, TimeUnit.SECONDS);
        forged.release();
        assertEquals(BKException.Code.UnauthorizedAccessException, answer);

        CompletableFuture<LogException> second = new CompletableFuture<>();
        ledger.append(ByteBuffer.wrap(new byte[1]), 0, (at, e) -> second.complete(e));
        assertEquals(null, second.join(), "its writer goes on");
        clients.close();
      }
    }

    /** An entry as a recovery copies it. */
    private static ReferenceCounted forged(long ledger, byte[] key) throws Exception {
      return DigestManager.instantiate(
              ledger, new byte[0], DigestType.CRC32C, UnpooledByteBufAllocator.DEFAULT, true)
          .computeDigestAndPackageForSending(
              1, 0, 1, Unpooled.wrappedBuffer(new byte[1]), key, BookieProtocol.FLAG_RECOVERY_ADD);
    }

    void anotherSecretOpensNothing() throws Exception {
      znode = "/another-secret" + name;
      long ledger;
      try (BookKeeperStore store = connect(OLD)) {
        ledger = write(store);
        reads(store, ledger);
      }
      for (LedgerPasswords wrong : List.of(passwords(NEW), LedgerPasswords.NONE)) {
        LogException e = assertThrows(LogException.class, () -> connect(wrong));
        assertEquals(Reason.LOCKED, e.reason(), e.getMessage());
      }
      znode = "/of-another-log" + name;
      try (BookKeeperStore other = connect(NEW)) {
        assertEquals(Reason.LOCKED, reasonOf(other.openUnfenced(ledger)));
        assertEquals(Reason.LOCKED, reasonOf(other.openFenced(ledger)));
      }
    }

    /** Each step is taken while a server goes on. */
    void aSecretIsReplaced() throws Exception {
      znode = "/replaced" + name;
      try (BookKeeperStore store = connect(OLD)) {
        long old = write(store);
        store.use(passwords(OLD, NEW), ZooKeeperAccess.OPEN);
        reads(store, old);
        store.use(passwords(NEW, OLD), ZooKeeperAccess.OPEN);
        reads(store, old);
        LogException tooEarly =
            assertThrows(LogException.class, () -> store.use(passwords(NEW), ZooKeeperAccess.OPEN));
        assertEquals(Reason.LOCKED, tooEarly.reason());
        reads(store, old);
        long young = write(store);
        store.use(passwords(NEW), ZooKeeperAccess.OPEN);
        reads(store, young);
        assertEquals(Reason.LOCKED, reasonOf(store.openUnfenced(old)));
      }
    }

    /** Made by a server without a secret. */
    void ledgersWithoutPasswordsAreOpened() throws Exception {
      znode = "/without" + name;
      long without;
      try (BookKeeperStore earlier = connect(LedgerPasswords.NONE)) {
        without = write(earlier);
      }
      try (BookKeeperStore store = connect(NEW)) {
        reads(store, without);
        reads(store, write(store));
      }
    }

    void lostLedgersAreFound() throws Exception {
      znode = "/lost" + name;
      try (BookKeeperStore store = connect(NEW)) {
        long known = write(store);
        write(store);
        store.replaceCatalog(store.readCatalog().join(), List.of(known)).join();
        assertEquals(Reason.LOST, assertThrows(LogException.class, () -> connect(NEW)).reason());
        store.replaceCatalog(store.readCatalog().join(), List.of()).join();
      }
    }
  }
}
