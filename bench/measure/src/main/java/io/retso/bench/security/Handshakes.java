package io.retso.bench.security;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.retso.client.sockets.Sockets;
import io.retso.tls.TlsContext;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Connects again and again, as soon as a handshake with TLS is over. Thread-safe. */
final class Handshakes implements AutoCloseable {
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final MultiThreadIoEventLoopGroup loop =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("handshakes", true), Sockets.handlers());
  private final AtomicLong done = new AtomicLong();
  private final InetSocketAddress server;
  private final TlsContext tls;

  private Handshakes(InetSocketAddress server, TlsContext tls) {
    this.server = server;
    this.tls = tls;
  }

  /**
   * Begins.
   *
   * @param perSecond connections that are begun each second
   */
  static Handshakes start(InetSocketAddress server, TlsContext tls, int perSecond) {
    Handshakes handshakes = new Handshakes(server, tls);
    handshakes.loop.scheduleAtFixedRate(
        handshakes::connect, 0, TimeUnit.SECONDS.toNanos(1) / perSecond, TimeUnit.NANOSECONDS);
    return handshakes;
  }

  /** How many succeeded. */
  long done() {
    return done.get();
  }

  private void connect() {
    new Bootstrap()
        .group(loop)
        .channel(Sockets.outgoing())
        .handler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel channel) {
                channel
                    .pipeline()
                    .addLast(
                        tls.connect(
                            channel.alloc(),
                            server.getHostString(),
                            server.getPort(),
                            TIMEOUT_NANOS),
                        new Counter());
              }
            })
        .connect(server);
  }

  private final class Counter extends ChannelInboundHandlerAdapter {
    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event instanceof SslHandshakeCompletionEvent handshake) {
        if (handshake.isSuccess()) {
          done.incrementAndGet();
        }
        ctx.close();
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close(); // it counts as none
    }
  }

  @Override
  public void close() {
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2_000);
  }
}
