package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.Frames;
import io.retso.server.config.Settings;
import io.retso.tls.TlsContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Applications that take all places, and strangers that do, leave some for those that serve all.
 */
@Timeout(120)
class KeptPlacesTest {
  private static final int PLACES = 32;
  private static final int KEPT = 2;

  @TempDir private Path directory;
  private SecuredFixture fixture;
  private RetsoServer server;
  private final List<Socket> open = new ArrayList<>();
  private final Map<String, SSLSocketFactory> factories = new HashMap<>();

  @BeforeEach
  void start() throws Exception {
    fixture = new SecuredFixture(directory);
    server =
        RetsoServer.start(
            fixture
                .settings(
                    TestServers.small()
                        .set(Settings.LOG, "memory")
                        .set(Settings.CLIENT_IDLE_TIMEOUT, Duration.ofMinutes(1))
                        .set(Settings.CONNECTIONS_MAX, PLACES)
                        .set(Settings.CONNECTIONS_PER_HOST, PLACES))
                .build());
  }

  @AfterEach
  void stop() throws IOException {
    for (Socket socket : open) {
      socket.close();
    }
    server.close();
  }

  private Socket clear() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket.setSoTimeout(30_000);
    open.add(socket);
    return socket;
  }

  /** Connects as somebody, and returns what the oracle says to HELLO. */
  private ByteBuf greet(String name) throws Exception {
    SSLSocketFactory known = factories.get(name);
    if (known == null) {
      known = TlsContext.forHttp(fixture.authority.client(name)).getSocketFactory();
      factories.put(name, known);
    }
    Socket socket = known.createSocket(clear(), "localhost", server.port(), true);
    open.add(socket);
    UnknownClientsTest.sayHello(socket);
    return UnknownClientsTest.receive(socket);
  }

  private void assertServed(String name) throws Exception {
    ByteBuf reply = greet(name);
    assertFalse(Frames.isError(reply, 0), () -> name + ": " + Frames.errorText(reply, 0));
  }

  private void assertTurnedAway(String name, String why) throws Exception {
    ByteBuf reply = greet(name);
    assertTrue(Frames.isError(reply, 0), name);
    assertEquals(ErrorCode.TOO_MANY_CONNECTIONS, Frames.errorCode(reply, 0));
    assertTrue(Frames.errorText(reply, 0).contains(why), Frames.errorText(reply, 0));
  }

  @Test
  void applicationsLeavePlacesToRegionServersAndOperators() throws Exception {
    for (int i = 0; i < PLACES - KEPT; i++) {
      assertServed("app");
    }
    assertTurnedAway("etl", "kept for region servers");
    for (int i = 0; i < 2 * PLACES; i++) {
      clear(); // says nothing
    }
    assertServed("region-server");
    assertTurnedAway("app", "kept for region servers");
    assertServed("operator");
    assertTurnedAway("region-server", "raise connections.max");
  }

  /** An application finds its places free, however many others have not said who they are. */
  @Test
  void strangersTakeNoPlacesOfApplications() throws Exception {
    for (int i = 0; i < 2 * PLACES; i++) {
      clear();
    }
    for (int i = 0; i < PLACES - KEPT; i++) {
      assertServed("app");
    }
  }

  /** Also one that need not say who it is: it does not, and gets none of them. */
  @Test
  void placesAreKeptWhereClientsMaySayWhoTheyAre() throws Exception {
    fixture.levels("optional", "optional");
    assertEquals(200, fixture.reload(server).statusCode());
    for (int i = 0; i < PLACES - KEPT; i++) {
      Socket socket = clear();
      UnknownClientsTest.sayHello(socket);
      assertFalse(Frames.isError(UnknownClientsTest.receive(socket), 0));
    }
    Socket oneMore = clear();
    UnknownClientsTest.sayHello(oneMore);
    assertTrue(Frames.isError(UnknownClientsTest.receive(oneMore), 0));
    assertServed("region-server");
  }

  @Test
  void noPlaceIsKeptWhereNobodyIsAsked() throws Exception {
    fixture.levels("off", "off");
    assertEquals(200, fixture.reload(server).statusCode());
    for (int i = 0; i < PLACES; i++) {
      Socket socket = clear();
      UnknownClientsTest.sayHello(socket);
      assertFalse(Frames.isError(UnknownClientsTest.receive(socket), 0));
    }
  }
}
