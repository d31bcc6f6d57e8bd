package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.log.bookkeeper.BookKeeperSettings;
import io.retso.log.bookkeeper.BookKeeperStore;
import io.retso.log.bookkeeper.BookieAccess;
import io.retso.log.bookkeeper.LedgerPasswords;
import io.retso.log.bookkeeper.ZooKeeperAccess;
import io.retso.log.bookkeeper.ZooKeeperStranger;
import io.retso.security.ClusterSecret;
import io.retso.server.commands.ExitCode;
import io.retso.server.commands.StartFailure;
import io.retso.server.config.Settings;
import io.retso.server.embedded.BookieKey;
import io.retso.server.embedded.DataDirectory;
import io.retso.tls.TestAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What another account of the machine finds of a server that keeps its log itself. */
@Timeout(120)
class EmbeddedLockedTest {
  @TempDir private Path directory;
  private Path data;

  private RetsoServer start(String auth) throws Exception {
    data = directory.resolve("data");
    return RetsoServer.start(
        TestServers.small()
            .set(Settings.DATA_DIR, data)
            .set(Settings.LOG_SYNC, false)
            .set(Settings.ZOOKEEPER_AUTH, auth)
            .build());
  }

  private static TransactionHandle commit(RetsoServer server, TransactionHandle open) {
    try (OracleClient client =
        OracleClient.builder().address("127.0.0.1:" + server.port()).build()) {
      if (open != null) {
        assertTrue(client.commit(open, 1).isCommitted());
      }
      return client.begin();
    }
  }

  private static String zookeeper(RetsoServer server) {
    return server.embedded().orElseThrow().zookeeper();
  }

  private ZooKeeperAccess own() throws Exception {
    return ZooKeeperAccess.bySecret(ClusterSecret.read(data.resolve("secret"))::keys);
  }

  private void strangerIsKeptOut(RetsoServer server) throws Exception {
    List<String> nodes = ZooKeeperStranger.nodes(zookeeper(server), own(), "/retso", "/ledgers");
    assertTrue(nodes.size() > 10, nodes::toString);
    ZooKeeperStranger.isKeptOut(zookeeper(server), nodes);
    ZooKeeperStranger.isKeptOut(zookeeper(server), List.of("/"));
  }

  /** A stranger may know where everything is: the bookie shows entries to its server alone. */
  private void bookieIsClosed(RetsoServer server) throws Exception {
    ClusterSecret secret = ClusterSecret.read(data.resolve("secret"));
    readFirstEntry(server, new BookieKey(secret.keys("embedded bookies", "").get(0)).ofServer());
    for (BookieAccess other : List.of(BookieAccess.OPEN, new BookieKey(new byte[16]).ofServer())) {
      assertThrows(CompletionException.class, () -> readFirstEntry(server, other));
    }
  }

  private void readFirstEntry(RetsoServer server, BookieAccess access) throws Exception {
    BookKeeperSettings settings =
        BookKeeperSettings.of(zookeeper(server), 1, 1, 1)
            .withAccess(own())
            .withBookies(access)
            .withTimeouts(Duration.ofSeconds(2), Duration.ofSeconds(2));
    LedgerPasswords passwords =
        LedgerPasswords.of(ClusterSecret.read(data.resolve("secret"))::keys);
    try (BookKeeperStore store = BookKeeperStore.connect(settings, Optional.empty(), passwords)) {
      long first = store.readCatalog().join().ledgers().get(0);
      try (LedgerStore.Entries entries = store.openUnfenced(first).join()) {
        entries.read(0, 1, Runnable::run, bytes -> {}).join();
      }
    }
  }

  /** It was left open by an earlier build, or by settings. */
  @Test
  void aLogThatIsOpenIsClosedAtTheNextStartAndBack() throws Exception {
    TransactionHandle open;
    try (RetsoServer server = start("none")) {
      open = commit(server, null);
      assertFalse(
          ZooKeeperStranger.nodes(zookeeper(server), ZooKeeperAccess.OPEN, "/ledgers").isEmpty());
    }
    try (RetsoServer server = start("auto")) {
      open = commit(server, open);
      strangerIsKeptOut(server);
      bookieIsClosed(server);
      assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(data)));
    }
    try (RetsoServer server = start("none")) {
      commit(server, open);
      assertFalse(
          ZooKeeperStranger.nodes(zookeeper(server), ZooKeeperAccess.OPEN, "/ledgers").isEmpty());
    }
  }

  @Test
  void itsDirectoryIsItsOwn() throws Exception {
    data = Files.createDirectories(directory.resolve("data"));
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
    DataDirectory.prepare(data);
    Path made = directory.resolve("a/b/made");
    DataDirectory.prepare(made);
    Path link = Files.createSymbolicLink(directory.resolve("link"), made);
    DataDirectory.prepare(link);
    for (Path each : List.of(data, made)) {
      assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(each)));
    }
    Path file = Files.writeString(directory.resolve("file"), "");
    IOException e = assertThrows(IOException.class, () -> DataDirectory.prepare(file));
    assertTrue(e.getMessage().contains("move what is in its place"), e.getMessage());
  }

  @Test
  void itsSecretIsReplaced() throws Exception {
    TransactionHandle open;
    try (RetsoServer server = start("auto")) {
      open = commit(server, null);
    }
    Path secret = data.resolve("secret");
    String before = Files.readString(secret);
    ClusterSecret.make(directory.resolve("next"));
    String after = Files.readString(directory.resolve("next"));
    TestAuthority.replace(secret, after);
    StartFailure failure = StartFailure.of(assertThrows(LogException.class, () -> start("auto")));
    assertEquals(ExitCode.LOG_UNAVAILABLE, failure.code());
    String line = failure.line();
    assertTrue(line.contains("another secret than this server has; give this server"), line);
    TestAuthority.replace(secret, after + before);
    try (RetsoServer server = start("auto")) {
      commit(server, open);
      strangerIsKeptOut(server);
      assertEquals(200, TestServers.get(server.httpPort(), "/health").statusCode());
    }
  }
}
