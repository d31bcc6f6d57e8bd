package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.log.LogException;
import io.retso.log.bookkeeper.ZooKeeperAccess;
import io.retso.log.bookkeeper.ZooKeeperStranger;
import io.retso.security.ClusterSecret;
import io.retso.server.commands.ExitCode;
import io.retso.server.commands.StartFailure;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import io.retso.server.embedded.EmbeddedBookKeeper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Nodes of the log in ZooKeeper, and whom it lets in. */
@Timeout(120)
class SecuredLogTest {
  @TempDir private Path directory;

  private ServerConfig.Builder member(EmbeddedBookKeeper cluster, Path secret, String auth) {
    return TestServers.small()
        .set(Settings.ZOOKEEPER, cluster.zookeeper())
        .set(Settings.ZOOKEEPER_AUTH, auth)
        .set(Settings.LOG_ENSEMBLE, 1)
        .set(Settings.SECRET_FILE, secret);
  }

  private static OracleClient client(RetsoServer... servers) {
    var builder = OracleClient.builder().requestTimeout(Duration.ofSeconds(60));
    for (RetsoServer server : servers) {
      builder.address("127.0.0.1:" + server.port());
    }
    return builder.build();
  }

  private static String secureLog(
      EmbeddedBookKeeper cluster, Path secret, int code, String auth, String... flags) {
    StringWriter said = new StringWriter();
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "secure-log",
                "--zookeeper=" + cluster.zookeeper(),
                "--zookeeper-auth=" + auth,
                "--secret-file=" + secret));
    arguments.addAll(List.of(flags));
    CommandLine command =
        new CommandLine(ServerMain.class)
            .setOut(new PrintWriter(said))
            .setErr(new PrintWriter(said));
    assertEquals(code, command.execute(arguments.toArray(String[]::new)), said::toString);
    return said.toString();
  }

  private static void startFails(ServerConfig.Builder settings, String text) {
    StartFailure failure =
        StartFailure.of(
            assertThrows(LogException.class, () -> RetsoServer.start(settings.build())));
    assertEquals(ExitCode.LOG_UNAVAILABLE, failure.code());
    assertTrue(failure.line().contains(text), failure.line());
  }

  /** As it is done with a cluster that runs, and back. */
  @Test
  void nodesThatAreThereAreGivenToTheLogAndBack() throws Exception {
    Path secret = directory.resolve("secret");
    Path other = directory.resolve("other");
    ClusterSecret.make(secret);
    ClusterSecret.make(other);
    ZooKeeperAccess access = ZooKeeperAccess.bySecret(ClusterSecret.read(secret)::keys);
    try (EmbeddedBookKeeper cluster =
        EmbeddedBookKeeper.start(
            directory.resolve("log"), 1, false, access.withOpenNodes(), bookie -> {})) {
      RetsoServer.start(member(cluster, secret, "none").build()).close();
      RetsoServer first = RetsoServer.start(member(cluster, secret, "digest").build());
      RetsoServer second = RetsoServer.start(member(cluster, secret, "digest").build());
      try (OracleClient client = client(first, second)) {
        TransactionHandle open = client.begin();
        String refused = secureLog(cluster, secret, 64, "none");
        assertTrue(refused.contains("set it to digest, sasl or x509"), refused);
        String said = secureLog(cluster, secret, 0, "digest");
        assertTrue(said.contains("only servers and bookies of the log may"), said);
        List<String> nodes =
            ZooKeeperStranger.nodes(cluster.zookeeper(), access, "/retso", "/ledgers");
        assertTrue(nodes.stream().anyMatch(node -> node.startsWith("/retso/log-members/")));
        assertTrue(nodes.stream().anyMatch(node -> node.matches("/ledgers/.*/L[0-9]+")));
        ZooKeeperStranger.isKeptOut(cluster.zookeeper(), nodes);

        String key = "its identity there is not that of the servers that made it";
        startFails(member(cluster, other, "digest"), key);
        startFails(member(cluster, secret, "none"), key);
        secureLog(cluster, other, 74, "digest");

        first.kill();
        assertTrue(client.commit(open, 1).isCommitted());
        assertTrue(second.leads());
        ZooKeeperStranger.isKeptOut(
            cluster.zookeeper(),
            ZooKeeperStranger.nodes(cluster.zookeeper(), access, "/retso", "/ledgers"));

        secureLog(cluster, secret, 0, "digest", "--open");
      } finally {
        first.close();
        second.close();
      }
      secureLog(cluster, secret, 0, "digest", "--open"); // what was made until the last restart
      assertFalse(
          ZooKeeperStranger.nodes(cluster.zookeeper(), ZooKeeperAccess.OPEN, "/retso", "/ledgers")
              .isEmpty());
      RetsoServer.start(member(cluster, secret, "none").build()).close();
    }
  }

  @Test
  void bookiesGetThePasswordAndNotTheSecret() throws Exception {
    Path secret = directory.resolve("secret");
    ClusterSecret.make(secret);
    Path file = directory.resolve("password");
    StringWriter said = new StringWriter();
    int code =
        new CommandLine(ServerMain.class)
            .setOut(new PrintWriter(said))
            .setErr(new PrintWriter(said))
            .execute(
                "secure-log",
                "--zookeeper=127.0.0.1:1",
                "--zookeeper-auth=digest",
                "--secret-file=" + secret,
                "--password=" + file);
    assertEquals(0, code, said::toString);
    ZooKeeperAccess access = ZooKeeperAccess.bySecret(ClusterSecret.read(secret)::keys);
    assertEquals(String.join("\n", access.passwords()) + "\n", Files.readString(file));
    assertFalse(Files.readString(file).contains(Files.readString(secret).strip()));
  }
}
