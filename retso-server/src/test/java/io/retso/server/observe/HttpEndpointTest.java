package io.retso.server.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.server.TestServers;
import io.retso.server.observe.HttpEndpoint.Reply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpEndpointTest {
  private HttpEndpoint endpoint;

  @BeforeEach
  void start() throws Exception {
    endpoint =
        HttpEndpoint.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            Map.of(
                "/page", accept -> new Reply(200, Reply.TEXT, "for " + accept),
                "/ill", accept -> new Reply(503, Reply.JSON, "{}"),
                "/bad",
                    accept -> {
                      throw new IllegalStateException("broken page");
                    }));
  }

  @AfterEach
  void stop() {
    endpoint.close();
  }

  @Test
  void aPageSeesWhatTheReaderAccepts() throws Exception {
    HttpResponse<String> reply = TestServers.send(endpoint.port(), "/page", "GET", "text/plain");
    assertEquals(200, reply.statusCode());
    assertEquals("for text/plain", reply.body());
    assertEquals(Reply.TEXT, reply.headers().firstValue("Content-Type").orElseThrow());
  }

  @Test
  void aPageDecidesItsStatus() throws Exception {
    assertEquals(503, TestServers.get(endpoint.port(), "/ill").statusCode());
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/pages", "/page/", "/page/1", "/Page"})
  void otherPathsAreNotFoundAndTheKnownOnesNamed(String path) throws Exception {
    HttpResponse<String> reply = TestServers.get(endpoint.port(), path);
    assertEquals(404, reply.statusCode());
    assertTrue(reply.body().contains("/bad, /ill, /page"), reply.body());
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS"})
  void onlyGetIsAllowed(String method) throws Exception {
    HttpResponse<String> reply = TestServers.send(endpoint.port(), "/page", method, "*/*");
    assertEquals(405, reply.statusCode());
    assertEquals("GET", reply.headers().firstValue("Allow").orElseThrow());
  }

  @Test
  void aPageThatFailsIsAnErrorAndTheNextOneIsNot() throws Exception {
    assertEquals(500, TestServers.get(endpoint.port(), "/bad").statusCode());
    assertEquals(200, TestServers.get(endpoint.port(), "/page").statusCode());
  }

  @Test
  void aPortThatIsTakenIsRefusedWithTheSettingToChange() {
    InetSocketAddress taken =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), endpoint.port());
    IOException e = assertThrows(IOException.class, () -> HttpEndpoint.start(taken, Map.of()));
    assertTrue(e.getMessage().contains("http.port"), e.getMessage());
  }
}
