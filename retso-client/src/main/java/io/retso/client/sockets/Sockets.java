package io.retso.client.sockets;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;

/**
 * Which sockets a process has: Linux' own through epoll, where Netty's native library for them is
 * on the class path and can be loaded, otherwise those of the JDK. {@code
 * -Dio.netty.transport.noNative=true} chooses the JDK's. A loop and its channels must be of one
 * kind.
 *
 * <p>Thread-safe.
 */
public final class Sockets {
  private static final boolean NATIVE = Epoll.isAvailable();

  private Sockets() {}

  /** What makes the handlers of a loop. */
  public static IoHandlerFactory handlers() {
    return NATIVE ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
  }

  /** The class of a channel that connects. */
  public static Class<? extends SocketChannel> outgoing() {
    return NATIVE ? EpollSocketChannel.class : NioSocketChannel.class;
  }

  /** The class of a channel that listens. */
  public static Class<? extends ServerSocketChannel> listening() {
    return NATIVE ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
  }

  /** What is there, for a line of the log: {@code epoll} or {@code nio}. */
  public static String kind() {
    return NATIVE ? "epoll" : "nio";
  }
}
