package io.retso.server.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.Await;
import io.retso.security.AccessControl;
import io.retso.security.AccessFile;
import io.retso.security.Audit;
import io.retso.security.ClusterSecret;
import io.retso.server.TestServers;
import io.retso.server.observe.HttpEndpoint.Reply;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that are told events: how many, for how long, and which are dropped. */
@Timeout(120)
class HttpEventsTest {
  /** Characters of an event that fits into no buffer of the system. */
  private static final int EVENT_CHARS = 2 << 20;

  /** Events that were made, by what the clients accept. */
  private final Map<String, Integer> made = new ConcurrentHashMap<>();

  private final AccessControl access =
      new AccessControl(false, System::currentTimeMillis, Audit.NONE);
  private HttpEndpoint endpoint;

  @BeforeEach
  void start() throws Exception {
    access.use(ClusterSecret.random(), "log");
    access.use(AccessFile.parse("access", "tls off\nauth off\n"));
    endpoint =
        HttpEndpoint.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            Map.of(
                "/page", (accept, caller) -> new Reply(200, Reply.TEXT, "a page"),
                "/live", (accept, caller) -> next(accept, caller, ""),
                "/large", (accept, caller) -> next(accept, caller, "x".repeat(EVENT_CHARS))),
            Map.of(),
            new HttpEndpoint.Access(access, Optional::empty, false, Set.of("localhost")),
            2_000);
  }

  @AfterEach
  void stop() {
    endpoint.close();
  }

  private Reply next(String accept, HttpCaller caller, String text) {
    int number = made.merge(accept, 1, Integer::sum);
    return caller.mayRead()
        ? new Reply(200, Reply.EVENTS, "data: " + number + text + "\n\n")
        : new Reply(403, Reply.TEXT, "no more\n");
  }

  private int made(String accept) {
    return made.getOrDefault(accept, 0);
  }

  /** One that has asked. */
  private final class Client implements AutoCloseable {
    private final Socket socket = new Socket();
    private final BufferedReader lines;

    Client(String path, String accept) throws IOException {
      socket.setReceiveBufferSize(4 << 10);
      socket.setSoTimeout(30_000);
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), endpoint.port()), 30_000);
      send("GET " + path + " HTTP/1.1\r\nHost: a\r\nAccept: " + accept + "\r\n\r\n");
      lines =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    void send(String text) throws IOException {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** The lines until the next empty one. */
    List<String> paragraph() throws IOException {
      List<String> read = new ArrayList<>();
      for (String line = lines.readLine(); line != null && !line.isEmpty(); ) {
        read.add(line);
        line = lines.readLine();
      }
      return read;
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  @Test
  void eventsFollowEachOtherBeyondTheTimeLimitOfARequest() throws Exception {
    try (Client client = new Client("/live", "a")) {
      List<String> head = client.paragraph();
      assertEquals("HTTP/1.1 200 OK", head.get(0));
      assertTrue(head.contains("Content-Type: text/event-stream; charset=utf-8"), head::toString);
      assertTrue(head.contains("Cache-Control: no-store"), head::toString);
      assertTrue(head.stream().noneMatch(line -> line.startsWith("Content-Length")));
      for (int i = 1; i <= 4; i++) { // one a second
        assertEquals(List.of("data: " + i), client.paragraph());
      }
    }
  }

  @Test
  void whatAClientSendsLaterIsNotUnderstood() throws Exception {
    try (Client client = new Client("/live", "a")) {
      client.paragraph();
      assertEquals(List.of("data: 1"), client.paragraph());
      client.send("GET /page HTTP/1.1\r\nHost: a\r\n\r\n".repeat(10_000) + "\0\r\n");
      assertEquals(List.of("data: 2"), client.paragraph());
      assertEquals(List.of("data: 3"), client.paragraph());
    }
  }

  @Test
  void oneTooManyIsToldSoAndGetsThePlaceOfOneThatGoes() throws Exception {
    List<Client> clients = new ArrayList<>();
    try {
      for (int i = 0; i < HttpEndpoint.STREAMS_MAX; i++) {
        clients.add(new Client("/live", "a"));
        assertEquals("HTTP/1.1 200 OK", clients.get(i).paragraph().get(0));
      }
      var refused = TestServers.get(endpoint.port(), "/live");
      assertEquals(503, refused.statusCode());
      assertTrue(refused.body().contains("read /status"), refused.body());
      assertEquals(200, TestServers.get(endpoint.port(), "/page").statusCode());
      clients.get(0).close();
      Await.aMinute(
          "a place",
          () -> {
            try (Client next = new Client("/live", "b")) {
              return next.paragraph().get(0).equals("HTTP/1.1 200 OK");
            }
          });
    } finally {
      for (Client client : clients) {
        client.close();
      }
    }
  }

  @Test
  void idleConnectionsTakeNoPlaceOfThese() throws Exception {
    List<Socket> idle = new ArrayList<>();
    try (Client client = new Client("/live", "a")) {
      client.paragraph();
      for (int i = 0; i < 2 * HttpEndpoint.CONNECTIONS_MAX; i++) {
        idle.add(new Socket(InetAddress.getLoopbackAddress(), endpoint.port()));
      }
      idle.get(0).setSoTimeout(30_000);
      assertEquals(-1, idle.get(0).getInputStream().read(), "the oldest gave way");
      for (int i = 1; i <= 3; i++) {
        assertEquals(List.of("data: " + i), client.paragraph());
      }
    } finally {
      for (Socket socket : idle) {
        socket.close();
      }
    }
  }

  @Test
  void aClientThatDoesNotReadIsDroppedAndOthersAreNot() throws Exception {
    try (Client slow = new Client("/large", "slow");
        Client other = new Client("/live", "other")) {
      other.paragraph();
      for (int i = 1; i <= 4; i++) {
        assertEquals(List.of("data: " + i), other.paragraph());
      }
      assertEquals(1, made("slow"), "it is asked for no more");
      assertThrows(IOException.class, () -> readToTheEndOfAnEvent(slow));
    }
  }

  /** As a rule the connection ends by a reset, as what was not read is thrown away. */
  private static void readToTheEndOfAnEvent(Client client) throws IOException {
    client.paragraph();
    char[] part = new char[8 << 10];
    long all = 0;
    for (int n = client.lines.read(part); n >= 0; n = client.lines.read(part)) {
      all += n;
      assertTrue(all < EVENT_CHARS, "all of the event came");
    }
    throw new IOException("it ended early");
  }

  @Test
  void aClientThatMayReadNoMoreIsDisconnected() throws Exception {
    try (Client client = new Client("/live", "a")) {
      client.paragraph();
      assertEquals(List.of("data: 1"), client.paragraph());
      access.use(AccessFile.parse("access", "tls required\nauth required\n"));
      List<String> rest = client.paragraph();
      for (int i = 0; !rest.isEmpty(); i++) {
        assertFalse(rest.toString().contains("no more"), rest::toString);
        assertTrue(i < 3, "it is told events still");
        rest = client.paragraph();
      }
    }
    assertEquals(403, TestServers.get(endpoint.port(), "/live").statusCode());
  }

  @Test
  void headHasNoEvents() throws Exception {
    var head = TestServers.send(endpoint.port(), "/live", "HEAD", "*/*");
    assertEquals(200, head.statusCode());
    assertEquals(Reply.EVENTS, head.headers().firstValue("Content-Type").orElseThrow());
    assertEquals("", head.body());
  }
}
