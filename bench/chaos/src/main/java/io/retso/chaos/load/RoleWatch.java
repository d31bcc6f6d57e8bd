package io.retso.chaos.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.ServerRole;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLSocketFactory;

/**
 * Asks each server of a log on a connection of its own whether it leads, and hears of changes. The
 * one with the highest epoch of those that said so is the leader. A daemon thread for each server.
 */
public final class RoleWatch {
  private static final int CONNECT_MILLIS = 500;
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Optional<SSLSocketFactory> tls;
  private final Listener listener;
  private long epoch;

  /** Gets the leaders, one after the other. */
  public interface Listener {
    /** A server says for the first time that it leads in an epoch. */
    void leads(String address, long epoch);
  }

  private RoleWatch(Optional<SSLSocketFactory> tls, Listener listener) {
    this.tls = tls;
    this.listener = listener;
  }

  /**
   * Watches servers from now on.
   *
   * @param addresses {@code host:port} each
   * @param tls of a client that they know; empty to speak in clear
   */
  public static void start(
      List<String> addresses, Optional<SSLSocketFactory> tls, Listener listener) {
    RoleWatch watch = new RoleWatch(tls, listener);
    for (String address : addresses) {
      Thread thread = new Thread(() -> watch.watch(address), "role of " + address);
      thread.setDaemon(true);
      thread.start();
    }
  }

  private void watch(String address) {
    int colon = address.lastIndexOf(':');
    while (true) {
      try (Socket socket = new Socket()) {
        String host = address.substring(0, colon);
        int port = Integer.parseInt(address.substring(colon + 1));
        socket.connect(new InetSocketAddress(host, port), CONNECT_MILLIS);
        if (tls.isPresent()) {
          try (Socket encrypted = tls.get().createSocket(socket, host, port, true)) {
            listen(address, encrypted);
          }
        } else {
          listen(address, socket);
        }
      } catch (IOException | FrameException e) {
        LockSupport.parkNanos(AGAIN_NANOS); // it is down, or cut off
      }
    }
  }

  private void listen(String address, Socket socket) throws IOException, FrameException {
    ByteBuf hello = Unpooled.buffer();
    Handshake.writeHello(
        hello,
        0,
        new Handshake.Hello(
            Handshake.VERSION_MIN, Handshake.VERSION_MAX, Handshake.Mode.ORACLE, "retso watch"));
    write(socket, hello);
    InputStream in = socket.getInputStream();
    ByteBuf unread = Unpooled.buffer();
    while (true) {
      int bytes = unread.isReadable() ? Frames.frameBytes(unread, unread.readerIndex()) : 0;
      if (bytes == 0 || unread.readableBytes() < bytes) {
        if (unread.writeBytes(in, 1 << 12) < 0) {
          throw new IOException("the connection ended");
        }
        continue;
      }
      take(address, socket, unread.readSlice(bytes));
      unread.discardSomeReadBytes();
    }
  }

  private void take(String address, Socket socket, ByteBuf frame)
      throws IOException, FrameException {
    if (Frames.isPing(frame, 0)) {
      ByteBuf reply = Unpooled.buffer();
      Frames.writeReplyHeader(reply, FrameType.PING, 0, Frames.frameId(frame, 0));
      write(socket, reply);
    } else if (Frames.isRole(frame, 0)) {
      said(address, Handshake.readRole(frame.skipBytes(Frames.HEADER_BYTES)));
    } else if (!Frames.isError(frame, 0) && Frames.replyType(frame, 0) == FrameType.HELLO) {
      said(address, Handshake.readWelcome(frame.skipBytes(Frames.HEADER_BYTES)).role());
    }
  }

  private static void write(Socket socket, ByteBuf bytes) throws IOException {
    bytes.readBytes(socket.getOutputStream(), bytes.readableBytes());
  }

  private synchronized void said(String address, ServerRole role) {
    if (role.leads() && role.epoch() > epoch) {
      epoch = role.epoch();
      listener.leads(address, epoch);
    }
  }
}
