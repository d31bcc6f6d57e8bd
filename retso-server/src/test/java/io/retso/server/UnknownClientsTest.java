package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.retso.client.OracleClient;
import io.retso.protocol.Authentication;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.Holding;
import io.retso.protocol.Limits;
import io.retso.tls.TlsContext;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What may be sent, and how much, before it is known who a client is; what is bad harms none. */
@Timeout(120)
class UnknownClientsTest {
  @TempDir private Path directory;
  private SecuredFixture fixture;
  private RetsoServer server;
  private OracleClient good;

  @BeforeEach
  void start() throws Exception {
    fixture = new SecuredFixture(directory);
    server = fixture.start();
    good = fixture.client(server, fixture.as("app").build());
    good.begin();
  }

  @AfterEach
  void stop() {
    good.begin(); // it goes on, whatever the others did
    good.close();
    server.close();
  }

  private Socket clear() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket.setSoTimeout(30_000);
    return socket;
  }

  /** With TLS, of somebody that shows nothing. */
  private Socket encrypted() throws IOException {
    return TlsContext.forHttp(fixture.authority.nothing())
        .getSocketFactory()
        .createSocket(clear(), "localhost", server.port(), true);
  }

  private static void send(Socket socket, Consumer<ByteBuf> writer) throws IOException {
    ByteBuf out = Unpooled.buffer();
    writer.accept(out);
    socket.getOutputStream().write(ByteBufUtil.getBytes(out));
  }

  static void sayHello(Socket socket) throws IOException {
    send(
        socket,
        out ->
            Handshake.writeHello(
                out, 1, new Handshake.Hello(1, 1, Handshake.Mode.ORACLE, "nobody")));
  }

  private static void hello(Socket socket) throws IOException {
    sayHello(socket);
    ByteBuf welcome = receive(socket);
    assertEquals(FrameType.HELLO, Frames.replyType(welcome, 0));
  }

  static ByteBuf receive(Socket socket) throws IOException {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    int length = in.readInt();
    ByteBuf frame = Unpooled.buffer().writeInt(length);
    byte[] bytes = new byte[length];
    in.readFully(bytes);
    return frame.writeBytes(bytes);
  }

  private static void assertRefused(ErrorCode code, String why, Socket socket) throws IOException {
    ByteBuf error = receive(socket);
    assertTrue(Frames.isError(error, 0));
    assertEquals(code, Frames.errorCode(error, 0), Frames.errorText(error, 0));
    assertTrue(Frames.errorText(error, 0).contains(why), Frames.errorText(error, 0));
    assertEquals(-1, socket.getInputStream().read(), "it is over");
  }

  @Test
  void requestsArePutOffUntilItIsKnownWhoAsks() throws Exception {
    for (FrameType type : FrameType.values()) {
      if (type == FrameType.HELLO || type == FrameType.PING || type == FrameType.AUTH) {
        continue;
      }
      try (Socket socket = encrypted()) {
        hello(socket);
        send(
            socket,
            out -> {
              int words = type == FrameType.COMMIT || type == FrameType.COMMIT_READS ? 9 : 2;
              switch (type) {
                case BEGIN, TIMESTAMP, SAFE, WATERMARK, KEYS, HOLDS ->
                    Frames.writeHeader(out, type, 1, 2, 0);
                case RENEW, RELEASE -> Frames.writeHeader(out, type, 1, 2, Long.BYTES);
                case HOLD -> {
                  Frames.writeHeader(out, type, 1, 2, Holding.REQUEST_BYTES);
                  Holding.writeRequest(out, 1, Limits.HOLD_MILLIS_MIN, "nightly");
                  return;
                }
                case COMMIT -> Frames.writeHeader(out, type, 1, 2, 20);
                case COMMIT_READS -> Frames.writeHeader(out, type, 1, 2, 36);
                default -> Frames.writeHeader(out, type, 1, 2, 16);
              }
              int body = out.getInt(0) - 8;
              assertTrue(body <= words * Long.BYTES);
              out.writeZero(body);
            });
        assertRefused(ErrorCode.NOT_AUTHENTICATED, "give it a certificate", socket);
      }
    }
  }

  @Test
  void largeFramesOfUnknownClientsAreNotReadToTheirEnd() throws Exception {
    try (Socket socket = clear()) {
      send(socket, out -> out.writeInt(Limits.FRAME_BYTES_MAX).writeZero(8));
      assertRefused(ErrorCode.TOO_LARGE, "precedes HELLO", socket);
    }
    try (Socket socket = encrypted()) {
      hello(socket);
      send(socket, out -> out.writeInt(Limits.FRAME_BYTES_MAX).writeZero(8));
      assertRefused(ErrorCode.TOO_LARGE, "identifies the client", socket);
    }
  }

  @Test
  void whatProvesNothingIsRefused() throws Exception {
    Random random = new Random(7);
    byte[] noise = new byte[300];
    random.nextBytes(noise);
    byte[][] proofs = {
      {}, noise, "retso1.AAAA.AAAA".getBytes(StandardCharsets.US_ASCII), new byte[1_400]
    };
    for (String mechanism : new String[] {"TOKEN", "GSSAPI", "token\n\u001b[31m", ""}) {
      for (byte[] proof : proofs) {
        try (Socket socket = encrypted()) {
          hello(socket);
          send(
              socket,
              out ->
                  Authentication.writeAttempt(
                      out, 2, new Authentication.Attempt(mechanism, proof)));
          assertRefused(ErrorCode.NOT_AUTHENTICATED, "", socket);
        }
      }
    }
  }

  /** Any bytes where AUTH is due, of any announced lengths, end that connection alone. */
  @Test
  void brokenAuthFramesEndTheirConnection() throws Exception {
    Random random = new Random(11);
    for (int i = 0; i < 40; i++) {
      byte[] body = new byte[random.nextInt(40)];
      random.nextBytes(body);
      try (Socket socket = encrypted()) {
        hello(socket);
        send(
            socket,
            out -> {
              Frames.writeHeader(out, FrameType.AUTH, 0, 2, body.length);
              out.writeBytes(body);
            });
        ByteBuf error = receive(socket);
        assertTrue(Frames.isError(error, 0), "seed 11, body " + i);
        assertEquals(-1, socket.getInputStream().read());
      }
    }
  }

  /** The oldest of the network that has most gives way; known ones are not counted. */
  @Test
  void unknownConnectionsAreFew() throws Exception {
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 0; i < 40; i++) {
        silent.add(clear());
      }
      for (int i = 0; i < 8; i++) {
        assertEquals(-1, silent.get(i).getInputStream().read());
      }
      try (OracleClient more = fixture.client(server, fixture.as("app").build())) {
        more.begin();
      }
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }
}
