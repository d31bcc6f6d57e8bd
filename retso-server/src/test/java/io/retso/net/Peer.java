package io.retso.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.retso.front.TestTickets;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.function.Consumer;

/** A client that reads whole frames. */
final class Peer implements AutoCloseable {
  final Socket socket = new Socket();
  final OutputStream out;
  private final DataInputStream in;

  Peer(InetSocketAddress address, String from) throws IOException {
    socket.bind(new InetSocketAddress(from, 0));
    socket.connect(address);
    socket.setTcpNoDelay(true);
    out = socket.getOutputStream();
    in = new DataInputStream(socket.getInputStream());
  }

  void send(Consumer<ByteBuf> writer) throws IOException {
    ByteBuf buffer = Unpooled.buffer();
    writer.accept(buffer);
    out.write(buffer.array(), 0, buffer.readableBytes());
  }

  void sendPart(ByteBuf frame, int from, int to) throws IOException {
    out.write(frame.array(), from, to - from);
  }

  /** Sends what is missing of a frame; returns what the reply is to. */
  FrameType complete(ByteBuf frame, int from) throws IOException {
    sendPart(frame, from, frame.readableBytes());
    return Frames.replyType(frame(), 0);
  }

  Peer hello() throws IOException {
    return hello("test");
  }

  /** As a client of a name. */
  Peer hello(String name) throws IOException {
    sayHello(name);
    ByteBuf reply = frame();
    assertEquals(FrameType.HELLO, Frames.replyType(reply, 0));
    int chosen = reply.getUnsignedShort(Frames.HEADER_BYTES);
    assertEquals(Handshake.VERSION_MAX, chosen, "the version that it chose");
    return this;
  }

  private void sayHello(String name) throws IOException {
    int version = Handshake.VERSION_MAX;
    Handshake.Hello hello = new Handshake.Hello(version, version, Handshake.Mode.ORACLE, name);
    send(b -> Handshake.writeHello(b, 1, hello));
  }

  ByteBuf frame() throws IOException {
    int length = in.readInt();
    ByteBuf frame = Unpooled.buffer(length + Frames.LENGTH_BYTES).writeInt(length);
    byte[] rest = new byte[length];
    in.readFully(rest);
    return frame.writeBytes(rest);
  }

  long begin() throws IOException {
    send(b -> Frames.writeHeader(b, FrameType.BEGIN, 1, 5, 0));
    return frame().getLong(Frames.HEADER_BYTES);
  }

  /** Three calls that share a frame and its one answer. */
  long watermark() throws IOException {
    send(b -> Frames.writeHeader(b, FrameType.WATERMARK, 3, 7, 0));
    ByteBuf reply = frame();
    assertEquals(3, Frames.count(reply, 0));
    assertEquals(Frames.HEADER_BYTES + Long.BYTES, reply.readableBytes());
    return reply.getLong(Frames.HEADER_BYTES);
  }

  long swept(long timestamp) throws IOException {
    send(
        b -> {
          Frames.writeHeader(b, FrameType.SWEPT, 1, 8, Frames.TICKET_BYTES);
          b.writeLong(timestamp).writeLong(TestTickets.of(timestamp));
        });
    return frame().getLong(Frames.HEADER_BYTES);
  }

  long commit(long start, long... rows) throws IOException {
    send(
        b -> {
          int bodyBytes = Frames.COMMIT_FIXED_BYTES + rows.length * Long.BYTES;
          Frames.writeHeader(b, FrameType.COMMIT, 1, 6, bodyBytes);
          b.writeLong(start).writeLong(TestTickets.of(start)).writeInt(rows.length);
          for (long row : rows) {
            b.writeLong(row);
          }
        });
    return frame().getLong(Frames.HEADER_BYTES);
  }

  /** One timestamp for so many calls. */
  long timestamp(int calls) throws IOException {
    send(b -> Frames.writeHeader(b, FrameType.TIMESTAMP, calls, 9, 0));
    ByteBuf reply = frame();
    assertEquals(FrameType.TIMESTAMP, Frames.replyType(reply, 0));
    assertEquals(9, Frames.frameId(reply, 0));
    assertEquals(calls, Frames.count(reply, 0));
    assertEquals(Frames.HEADER_BYTES + Long.BYTES, reply.readableBytes());
    return reply.getLong(Frames.HEADER_BYTES);
  }

  void assertRefused(ErrorCode code) throws IOException {
    ByteBuf error = frame();
    assertTrue(Frames.isError(error, 0));
    assertEquals(code, Frames.errorCode(error, 0), () -> Frames.errorText(error, 0));
    assertClosed();
  }

  /** The text of the error with which a client of a name is turned away. */
  String refusal(String name) throws IOException {
    sayHello(name);
    return refusal();
  }

  /** The text of the error with which this connection is turned away. */
  String refusal() throws IOException {
    ByteBuf error = frame();
    assertEquals(ErrorCode.TOO_MANY_CONNECTIONS, Frames.errorCode(error, 0));
    return Frames.errorText(error, 0);
  }

  void assertClosed() throws IOException {
    try {
      assertEquals(-1, in.read());
    } catch (SocketException reset) { // it had sent more than the server read
      assertTrue(true);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
