package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.retso.client.OracleClient;
import io.retso.protocol.OracleIdentity;
import io.retso.security.ClusterSecret;
import io.retso.server.RetsoServer.Failure;
import io.retso.server.commands.ExitCode;
import io.retso.server.commands.StatusCommand;
import io.retso.server.config.ConfigException;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import io.retso.text.Addresses;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@Timeout(120)
class RetsoServerTest {
  @TempDir private Path directory;

  @Test
  void aServerIsHealthyUntilItIsClosed() throws Exception {
    int port;
    try (RetsoServer server = TestServers.inMemory()) {
      assertTrue(server.port() > 0);
      port = server.httpPort();
      HttpResponse<String> health = TestServers.get(port, "/health");
      assertEquals(200, health.statusCode(), health.body());
      assertEquals("{\n  \"status\": \"serving\"\n}\n", health.body());
      assertFalse(server.end().isDone());
    }
    assertThrows(IOException.class, () -> TestServers.get(port, "/health"));
  }

  @Test
  void closingEndsTheWaitAndMayBeRepeated() throws Exception {
    RetsoServer server = TestServers.inMemory();
    var waiting = server.end();
    server.close();
    server.close();
    assertEquals(Optional.empty(), waiting.get(10, TimeUnit.SECONDS));
    assertEquals(Optional.empty(), server.awaitTermination());
  }

  @Test
  void anOracleIsItsLogWhereverItRunsAndWhateverItIsCalled() throws Exception {
    OracleIdentity first = identityAt("log");
    assertEquals("retso", first.name());
    OracleIdentity again = identityAt("log", "main.eu-1");
    assertEquals("main.eu-1", again.name());
    assertTrue(again.isSameAs(first), "another port and another name");
    assertFalse(identityAt("another-log").isSameAs(first));
    try (RetsoServer one = TestServers.inMemory();
        RetsoServer two = TestServers.inMemory()) {
      assertFalse(one.identity().isSameAs(two.identity()), "each forgets what it knew");
    }
    for (String name : List.of("", "-a", "a b", "a".repeat(65))) {
      assertThrows(
          IllegalArgumentException.class,
          () -> TestServers.small().set(Settings.ORACLE_NAME, name));
    }
  }

  /**
   * The identity of a durable server that runs for a moment; the last argument is its name, if
   * there are two.
   */
  private OracleIdentity identityAt(String... logAndName) throws Exception {
    ServerConfig.Builder config =
        TestServers.small()
            .set(Settings.DATA_DIR, directory.resolve(logAndName[0]))
            .set(Settings.LOG_SYNC, false);
    if (logAndName.length > 1) {
      config.set(Settings.ORACLE_NAME, logAndName[1]);
    }
    try (RetsoServer server = RetsoServer.start(config.build());
        OracleClient client =
            OracleClient.builder().address("127.0.0.1:" + server.port()).build()) {
      assertEquals(server.identity(), client.identity());
      return client.identity();
    }
  }

  @Test
  void theDescriptionHasAllThatMattersInAtMostTenLines() throws Exception {
    try (RetsoServer server = TestServers.inMemory()) {
      String text = String.join("\n", server.description());
      assertTrue(server.description().size() <= 10);
      assertTrue(text.contains("127.0.0.1:" + server.port()), text);
      assertTrue(text.contains("http://127.0.0.1:" + server.httpPort() + "/metrics"), text);
      assertTrue(text.contains("memory, nothing is kept"), text);
      assertTrue(text.contains("100,000 (2 MiB); window 65,536 timestamps"), text);
      assertTrue(text.contains("recovered  0 transactions in "), text);
    }
  }

  @Test
  void portsThatAreTakenAreRefusedWithTheSettingToChange() throws Exception {
    try (ServerSocket taken = new ServerSocket(0)) {
      int port = taken.getLocalPort();
      ServerConfig listen =
          TestServers.small().set(Settings.LOG, "memory").set(Settings.LISTEN_PORT, port).build();
      IOException e = assertThrows(IOException.class, () -> RetsoServer.start(listen));
      assertTrue(e.getMessage().contains("listen.port"), e.getMessage());
      ServerConfig http =
          TestServers.small().set(Settings.LOG, "memory").set(Settings.HTTP_PORT, port).build();
      e = assertThrows(IOException.class, () -> RetsoServer.start(http));
      assertTrue(e.getMessage().contains("http.port"), e.getMessage());
    }
  }

  @Test
  void anUnknownHostIsRefusedWithTheSettingToChange() throws Exception {
    ServerConfig config =
        TestServers.small()
            .set(Settings.LOG, "memory")
            .set(Settings.LISTEN_HOST, "no-such-host.invalid")
            .build();
    IOException e = assertThrows(IOException.class, () -> RetsoServer.start(config));
    assertTrue(e.getMessage().contains("listen.host = no-such-host.invalid"), e.getMessage());
  }

  @Test
  void aServerListensOnIpv6() throws Exception {
    assumeTrue(hasIpv6(), "this machine has no ::1");
    ServerConfig config =
        TestServers.small()
            .set(Settings.LOG, "memory")
            .set(Settings.LISTEN_HOST, "::1")
            .set(Settings.HTTP_HOST, "::1")
            .build();
    try (RetsoServer server = RetsoServer.start(config);
        OracleClient client = OracleClient.builder().address("[::1]:" + server.port()).build()) {
      assertTrue(client.commit(client.begin(), 1).isCommitted());
      String text = String.join("\n", server.description());
      assertTrue(text.contains("clients    [::1]:" + server.port()), text);
      assertTrue(text.contains("http://[::1]:" + server.httpPort() + "/metrics"), text);
      StringWriter out = new StringWriter();
      int code =
          new CommandLine(new StatusCommand())
              .setOut(new PrintWriter(out))
              .execute("--http", "[::1]:" + server.httpPort());
      assertEquals(0, code, out::toString);
      IOException e = assertThrows(IOException.class, () -> RetsoServer.start(sameAs(server)));
      String taken = "1]:" + server.port() + ": Address already in use; choose another listen.host";
      assertTrue(e.getMessage().contains(taken), e.getMessage());
    }
  }

  private static ServerConfig sameAs(RetsoServer server) throws ConfigException {
    return TestServers.small()
        .set(Settings.LOG, "memory")
        .set(Settings.LISTEN_HOST, "::1")
        .set(Settings.LISTEN_PORT, server.port())
        .build();
  }

  private static boolean hasIpv6() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("::1"))) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  /** Addresses of both kinds, as machines of an IPv6-only cluster have. */
  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::"})
  void aServerThatListensEverywhereNamesAnAddressThatOthersReach(String host) throws Exception {
    assumeTrue(hasIpv6(), "this machine has no ::1");
    ServerConfig config =
        TestServers.small()
            .set(Settings.LOG, "memory")
            .set(Settings.LISTEN_HOST, host)
            .set(Settings.INSECURE, "yes-i-know")
            .build();
    try (RetsoServer server = RetsoServer.start(config)) {
      String clients = server.description().get(1).replaceAll(" *clients *(\\S*), .*", "$1");
      assertFalse(Addresses.parse(clients).getHostString().matches("0.0.0.0|::|.*%.*"), clients);
      for (String address : List.of("127.0.0.1:", "[::1]:")) {
        try (OracleClient client =
            OracleClient.builder().address(address + server.port()).build()) {
          assertEquals(server.identity(), client.identity());
        }
      }
    }
  }

  /** As long as clients need not say who they are. */
  @ParameterizedTest
  @ValueSource(strings = {"listen.host", "http.host"})
  void aServerLetsOtherMachinesInOnlyIfItIsTold(String host) throws Exception {
    ServerConfig.Builder builder =
        TestServers.small()
            .set(Settings.LOG, "memory")
            .set(host.equals("http.host") ? Settings.HTTP_HOST : Settings.LISTEN_HOST, "0.0.0.0");
    ServerConfig config = builder.build();
    ConfigException e = assertThrows(ConfigException.class, () -> RetsoServer.start(config));
    assertTrue(
        e.getMessage().startsWith(host + " = 0.0.0.0 lets other machines in"), e.getMessage());
    assertTrue(e.getMessage().contains("insecure = yes-i-know"), e.getMessage());
    ServerConfig told = builder.set(Settings.INSECURE, "yes-i-know").build();
    try (RetsoServer server = RetsoServer.start(told)) {
      String status = TestServers.get(server.httpPort(), "/status").body();
      assertTrue(status.contains("INSECURE"), status);
      HttpResponse<String> health = TestServers.get(server.httpPort(), "/health");
      assertEquals(200, health.statusCode());
      assertTrue(health.body().contains("INSECURE"), health.body());
    }
  }

  @Test
  void aSecretThatOthersCanReadStartsNothing(@TempDir Path directory) throws Exception {
    Path secret = directory.resolve("secret");
    ClusterSecret.make(secret);
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r--r--"));
    ServerConfig config =
        TestServers.small()
            .set(Settings.ZOOKEEPER, "127.0.0.1:1") // it is not asked
            .set(Settings.SECRET_FILE, secret)
            .build();
    ConfigException e = assertThrows(ConfigException.class, () -> RetsoServer.start(config));
    assertTrue(e.getMessage().contains("can be read by others (rw-r--r--)"), e.getMessage());
  }

  @Test
  void aHeapThatIsTooSmallStartsNothing() throws Exception {
    ServerConfig config = TestServers.small().set(Settings.ROWS, "1G").build();
    ConfigException e = assertThrows(ConfigException.class, () -> RetsoServer.start(config));
    assertTrue(e.getMessage().contains("-Xmx"), e.getMessage());
  }

  @Test
  void anErrorOnTheOraclesThreadEndsTheServer() throws Exception {
    try (RetsoServer server = TestServers.inMemory()) {
      server
          .oracleThread()
          .execute(
              () -> {
                throw new IllegalStateException("injected");
              });
      Failure failure = server.end().get(10, TimeUnit.SECONDS).orElseThrow();
      assertEquals(ExitCode.INTERNAL, failure.code());
      assertTrue(failure.message().contains("injected"), failure.message());
      assertEquals(503, TestServers.get(server.httpPort(), "/health").statusCode());
    }
  }

  @Test
  void aRestartHasALargerEpoch() throws Exception {
    long first;
    try (RetsoServer server = TestServers.inMemory()) {
      first = server.epoch();
    }
    try (RetsoServer server = TestServers.inMemory()) {
      assertTrue(server.epoch() > first);
    }
  }
}
