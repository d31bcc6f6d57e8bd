package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.Await;
import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.log.LogException;
import io.retso.security.ClusterSecret;
import io.retso.server.commands.ExitCode;
import io.retso.server.commands.StartFailure;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import io.retso.server.embedded.EmbeddedBookKeeper;
import io.retso.tls.TestAuthority;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers of one log whose secrets are replaced, or differ. */
@Timeout(120)
class LogSecretTest {
  @TempDir private Path directory;

  private static String line(Path file) throws Exception {
    ClusterSecret.make(file);
    return Files.readString(file);
  }

  private static ServerConfig.Builder member(EmbeddedBookKeeper cluster, Path secret) {
    return TestServers.small()
        .set(Settings.ZOOKEEPER, cluster.zookeeper())
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

  /** Neither as text nor as bytes. */
  private static void assertNoNodeHas(String zookeeper, String... secrets) throws Exception {
    ZooKeeper keeper = new ZooKeeper(zookeeper, 30_000, event -> {});
    try {
      List<String> nodes = ZKUtil.listSubTreeBFS(keeper, "/");
      assertTrue(nodes.size() > 20, nodes::toString);
      for (String node : nodes) {
        byte[] data = keeper.getData(node, false, null);
        String text = new String(data == null ? new byte[0] : data, StandardCharsets.ISO_8859_1);
        for (String secret : secrets) {
          assertFalse(text.contains(secret) || node.contains(secret), node);
          byte[] bytes = Base64.getDecoder().decode(secret);
          assertFalse(text.contains(new String(bytes, StandardCharsets.ISO_8859_1)), node);
        }
      }
    } finally {
      keeper.close();
    }
  }

  @Test
  void aSecretIsReplacedWhileServersGoOn() throws Exception {
    Path secret = directory.resolve("secret");
    String before = line(secret);
    String after = line(directory.resolve("next"));
    try (EmbeddedBookKeeper cluster =
        EmbeddedBookKeeper.start(directory.resolve("log"), 1, false)) {
      RetsoServer first = RetsoServer.start(member(cluster, secret).build());
      try {
        StartFailure failure =
            StartFailure.of(
                assertThrows(
                    LogException.class,
                    () -> RetsoServer.start(member(cluster, directory.resolve("next")).build())));
        assertEquals(ExitCode.LOG_UNAVAILABLE, failure.code());
        assertTrue(
            failure.line().contains("made with another secret than this server has; give this"),
            failure.line());
        assertTrue(first.leads(), "a server with another secret takes nothing over");

        TestAuthority.replace(secret, after);
        HttpResponse<String> tooEarly =
            TestServers.send(first.httpPort(), "/reload", "POST", "*/*");
        assertTrue(tooEarly.body().contains("was replaced, keep the line"), tooEarly.body());
        TestServers.await(first.httpPort(), "/health", 200, "made with another secret");
        TestAuthority.replace(secret, after + before);
        HttpResponse<String> both = TestServers.send(first.httpPort(), "/reload", "POST", "*/*");
        assertEquals(200, both.statusCode(), both.body());

        RetsoServer second = RetsoServer.start(member(cluster, secret).build());
        try (OracleClient client = client(first, second)) {
          TransactionHandle open = client.begin();
          first.kill();
          assertTrue(client.commit(open, 1).isCommitted());
          Await.until(second::leads);
          assertNoNodeHas(cluster.zookeeper(), after.strip(), before.strip());
        } finally {
          second.close();
        }
      } finally {
        first.close();
      }
    }
  }
}
