package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.server.RetsoServer.Failure;
import io.retso.server.config.ConfigException;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class RetsoServerTest {
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
  void theDescriptionHasAllThatMattersInAtMostTenLines() throws Exception {
    try (RetsoServer server = TestServers.inMemory()) {
      String text = String.join("\n", server.description());
      assertTrue(server.description().size() <= 10);
      assertTrue(text.contains("127.0.0.1:" + server.port()), text);
      assertTrue(text.contains("http://127.0.0.1:" + server.httpPort() + "/metrics"), text);
      assertTrue(text.contains("memory, nothing is kept"), text);
      assertTrue(text.contains("100,000 (2 MiB); window 65,536 stamps"), text);
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
