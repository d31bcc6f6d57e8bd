package io.retso.server.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.security.AccessControl;
import io.retso.security.Peer;
import io.retso.server.TestServers;
import io.retso.server.observe.HttpEndpoint.Reply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpEndpointTest {
  private final Queue<CompletableFuture<Reply>> done = new ConcurrentLinkedQueue<>();
  private HttpEndpoint endpoint;

  @BeforeEach
  void start() throws Exception {
    endpoint =
        HttpEndpoint.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            Map.of(
                "/page", (accept, caller) -> new Reply(200, Reply.TEXT, "for " + accept),
                "/ill", (accept, caller) -> new Reply(503, Reply.JSON, "{}"),
                "/bad",
                    (accept, caller) -> {
                      throw new IllegalStateException("broken page");
                    }),
            Map.of("/act", caller -> caller.mayAct() ? done.remove() : null),
            TestAccess.open(false));
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
  void aPageIsReadOnly(String method) throws Exception {
    HttpResponse<String> reply = TestServers.send(endpoint.port(), "/page", method, "*/*");
    assertEquals(405, reply.statusCode());
    assertEquals("GET, HEAD", reply.headers().firstValue("Allow").orElseThrow());
  }

  @Test
  void anActionIsDoneWithPostOnly() throws Exception {
    HttpResponse<String> reply = TestServers.get(endpoint.port(), "/act");
    assertEquals(405, reply.statusCode());
    assertEquals("POST", reply.headers().firstValue("Allow").orElseThrow());
    CompletableFuture<Reply> result = new CompletableFuture<>();
    done.add(result);
    CompletableFuture.runAsync(() -> result.complete(new Reply(200, Reply.TEXT, "later")));
    assertEquals("later", TestServers.send(endpoint.port(), "/act", "POST", "*/*").body());
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, 127.0.0.1, true",
    "127.0.0.2, 192.0.2.1, true",
    "::1, ::1, true",
    "192.0.2.1, 192.0.2.1, true",
    "192.0.2.2, 192.0.2.1, false",
    "2001:db8::2, 2001:db8::1, false"
  })
  void whoAsksFromThisMachineIsKnown(String peer, String own, boolean isSame) {
    assertEquals(
        isSame,
        Peer.inClear(new InetSocketAddress(peer, 1).getAddress(), new InetSocketAddress(own, 2))
            .isLocal());
  }

  @Test
  void othersMayHaveAServerHandOverOnlyIfThatIsSet() throws Exception {
    try (Observation observation = new Observation(new Health())) {
      assertEquals(403, handOver(observation, false, false).status());
      assertEquals(409, handOver(observation, false, true).status(), "there is no standby");
      assertEquals(409, handOver(observation, true, false).status());
    }
  }

  private static Reply handOver(Observation observation, boolean fromAnywhere, boolean isFromHere)
      throws Exception {
    HttpCaller caller =
        HttpCaller.of(AccessControl.open(null), Peer.inClear(null, isFromHere), "", fromAnywhere);
    return observation.actions().get("/handover").run(caller).get();
  }

  /** A page in a browser sends neither; its name may stand for this machine's address, too. */
  @ParameterizedTest
  @CsvSource({
    "localhost, X-Retso-Action: 1, 200",
    "127.0.0.1:7522, x-retso-action:1, 200",
    "[::1]:7522, X-Retso-Action: 1, 200",
    "localhost, X-Retso-Action: 2, 403",
    "localhost, Origin: http://page, 403",
    "page.example, X-Retso-Action: 1, 403",
    "localhost.page.example:80, X-Retso-Action: 1, 403",
  })
  void anActionMustBeMeant(String host, String header, int status) throws Exception {
    done.add(CompletableFuture.completedFuture(new Reply(200, Reply.TEXT, "done")));
    String answer = answer("POST /act HTTP/1.1\r\nHost: " + host + "\r\n" + header + "\r\n\r\n");
    assertTrue(answer.startsWith("HTTP/1.1 " + status + " "), answer);
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
    IOException e =
        assertThrows(
            IOException.class,
            () -> HttpEndpoint.start(taken, Map.of(), Map.of(), TestAccess.open(false)));
    assertTrue(e.getMessage().contains("http.port"), e.getMessage());
  }

  private Socket send(String bytes) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port());
    socket.setSoTimeout(30_000);
    socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
    return socket;
  }

  private String answer(String bytes) throws IOException {
    try (Socket socket = send(bytes)) {
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Clients that send half a request, or nothing, keep no other from a page. */
  @Test
  void clientsThatNeverFinishKeepNobodyOut() throws Exception {
    List<Socket> slow = new ArrayList<>();
    try {
      for (int i = 0; i < 3 * HttpEndpoint.CONNECTIONS_MAX; i++) {
        slow.add(send(i % 2 == 0 ? "" : "GET /page HTTP/1.1\r\nAccept: "));
        if (i % 16 == 0) {
          assertEquals(200, TestServers.get(endpoint.port(), "/page").statusCode());
        }
      }
      assertEquals(-1, slow.get(0).getInputStream().read(), "the oldest gave way");
    } finally {
      for (Socket socket : slow) {
        socket.close();
      }
    }
  }

  @Test
  void aRequestHasATimeLimit() throws Exception {
    try (HttpEndpoint impatient =
            HttpEndpoint.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Map.of(),
                Map.of(),
                TestAccess.open(false),
                50);
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), impatient.port())) {
      socket.setSoTimeout(30_000);
      assertEquals(-1, socket.getInputStream().read());
    }
  }

  @Test
  void requestsThatAreTooLongOrNoneAreRefused() throws Exception {
    String header = "X: " + "x".repeat(HttpConnection.REQUEST_BYTES_MAX) + "\r\n";
    assertTrue(answer("GET /page HTTP/1.1\r\n" + header).startsWith("HTTP/1.1 431 "));
    String line = "GET /page?" + "x".repeat(HttpConnection.REQUEST_BYTES_MAX) + " HTTP/1.1\r\n";
    assertTrue(answer(line).startsWith("HTTP/1.1 414 "));
    assertTrue(answer("hello\r\n\r\n").startsWith("HTTP/1.1 400 "));
    assertTrue(answer("GET %zz HTTP/1.1\r\nHost: a\r\n\r\n").startsWith("HTTP/1.1 400 "));
    assertTrue(answer("GET a:1 HTTP/1.1\r\nHost: a\r\n\r\n").startsWith("HTTP/1.1 400 "));
  }

  /** RFC 9110, 9.3.2; 9.1 wants it of every server. */
  @ParameterizedTest
  @ValueSource(strings = {"/page", "/ill", "/bad", "/none", "/act"})
  void headIsAsGetWithoutABody(String path) throws Exception {
    String rest = " " + path + " HTTP/1.1\r\nHost: a\r\nAccept: text/plain\r\n\r\n";
    String get = answer("GET" + rest);
    String head = answer("HEAD" + rest);
    assertEquals(withoutDate(get.substring(0, get.indexOf("\r\n\r\n") + 4)), withoutDate(head));
  }

  private static String withoutDate(String text) {
    return text.replaceAll("Date: [^\r]*", "Date:");
  }

  @Test
  void aReplySaysWhatRfc9110Requires() throws Exception {
    String reply = answer("GET /page HTTP/1.1\r\nHost: a\r\n\r\n");
    String date = "Date: \\w{3}, \\d\\d \\w{3} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT\r\n";
    assertTrue(reply.matches("(?s).*\r\n" + date + ".*"), reply);
    assertTrue(reply.contains("\r\nContent-Length: 4\r\n"), reply);
    assertTrue(reply.contains("\r\nConnection: close\r\n"), reply);
  }

  /** Forms of a request that RFC 9112 wants a server to accept. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /page HTTP/1.0\r\n\r\n",
        "GET /page HTTP/1.0\n\n",
        "\r\nGET /page HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /page?verbose=1&x HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /p%61ge HTTP/1.1\r\nhost:a\r\n\r\n",
        "GET http://[::1]:7522/page?x HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /page HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
        "GET /page HTTP/1.1\r\nHost:\r\n\r\nGET /ill HTTP/1.1\r\nHost: a\r\n\r\n",
      })
  void everyFormOfARequestIsUnderstood(String request) throws Exception {
    String reply = answer(request);
    assertTrue(reply.startsWith("HTTP/1.1 200 "), reply);
    assertTrue(reply.endsWith("\r\n\r\nfor "), reply);
  }

  @ParameterizedTest
  @CsvSource({
    "GET /page HTTP/1.1\\r\\n\\r\\n, 400", // no host
    "GET /page HTTP/1.1\\r\\nHost: a\\r\\nHost: b\\r\\n\\r\\n, 400",
    "GET /page HTTP/1.1\\r\\nHost : a\\r\\n\\r\\n, 400",
    "GET /page HTTP/2.0\\r\\nHost: a\\r\\n\\r\\n, 505",
    "BREW /page HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n, 501",
    "CONNECT a:80 HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n, 400",
  })
  void whatARequestMustNotBeIsRefused(String request, int status) throws Exception {
    String reply = answer(request.replace("\\r", "\r").replace("\\n", "\n"));
    assertTrue(reply.startsWith("HTTP/1.1 " + status + " "), reply);
  }

  /** If the connection were closed at once, the rest of the body would take back the reply. */
  @Test
  void aReplyIsReadByAClientThatStillSendsABody() throws Exception {
    done.add(CompletableFuture.completedFuture(new Reply(200, Reply.TEXT, "done")));
    try (Socket socket =
        send(
            "POST /act HTTP/1.1\r\nHost: localhost\r\nX-Retso-Action: 1\r\n"
                + "Content-Length: 3000000\r\n\r\n")) {
      byte[] part = new byte[1_000_000];
      String reply =
          new String(socket.getInputStream().readNBytes(12), StandardCharsets.ISO_8859_1);
      for (int i = 0; i < 3; i++) {
        socket.getOutputStream().write(part);
      }
      assertEquals("HTTP/1.1 200", reply);
      reply = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
      assertTrue(reply.endsWith("\r\n\r\ndone"), reply);
    }
  }
}
