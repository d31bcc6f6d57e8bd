package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What a client says of itself makes no line of its own, and turns none, wherever it is shown. */
@Timeout(60)
class LogInjectionTest {
  private static final String HOSTILE =
      "x\n12:00:00 WARN all is lost\r\u001b[2J\u202egnol\u2028\u0085end";

  @TempDir private Path directory;

  private static void send(Socket socket, ByteBuf bytes) throws Exception {
    socket.getOutputStream().write(ByteBufUtil.getBytes(bytes));
  }

  @Test
  void namesOfClientsMakeNoLines() throws Exception {
    SecuredFixture fixture = new SecuredFixture(directory);
    fixture.levels("optional", "optional");
    Logger own = (Logger) LoggerFactory.getLogger("io.retso");
    ListAppender<ILoggingEvent> logged = new ListAppender<>();
    logged.start();
    Level before = own.getLevel();
    own.setLevel(Level.TRACE);
    own.addAppender(logged);
    List<String> said = new ArrayList<>();
    try (RetsoServer server = fixture.start();
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(20_000);
      ByteBuf hello = Unpooled.buffer();
      Handshake.writeHello(hello, 1, new Handshake.Hello(1, 1, Handshake.Mode.ORACLE, HOSTILE));
      send(socket, hello);
      assertTrue(!Frames.isError(UnknownClientsTest.receive(socket), 0));
      var page = fixture.ask(server, "operator", "GET", "/clients");
      assertEquals(200, page.statusCode());
      said.addAll(page.body().lines().toList());
      assertEquals(2, page.body().lines().count(), page.body());
      send(socket, Unpooled.wrappedBuffer(new byte[] {0, 0, 0, 20}, new byte[20]));
      assertTrue(Frames.isError(UnknownClientsTest.receive(socket), 0));
      assertEquals(-1, socket.getInputStream().read());
    } finally {
      own.detachAppender(logged);
      own.setLevel(before);
    }
    for (ILoggingEvent event : List.copyOf(logged.list)) {
      said.add(event.getFormattedMessage());
    }
    said.addAll(Files.readAllLines(fixture.audit()));
    assertTrue(said.stream().anyMatch(line -> line.contains("is disconnected")), said::toString);
    assertTrue(said.stream().anyMatch(line -> line.contains("all is lost")), said::toString);
    for (String line : said) {
      assertTrue(line.chars().noneMatch(LogInjectionTest::isHarmful), line);
    }
  }

  private static boolean isHarmful(int character) {
    int type = Character.getType(character);
    return type == Character.CONTROL
        || type == Character.FORMAT
        || type == Character.LINE_SEPARATOR
        || type == Character.PARAGRAPH_SEPARATOR;
  }
}
