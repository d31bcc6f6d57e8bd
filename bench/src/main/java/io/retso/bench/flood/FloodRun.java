package io.retso.bench.flood;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.retso.client.sockets.Sockets;
import io.retso.cluster.ClusterException;
import io.retso.cluster.SecuredFiles;
import io.retso.tls.TlsContext;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

/**
 * A flood under way, on one thread, from four loopback addresses of as many networks: the server
 * has places for each network. Thread-safe.
 */
final class FloodRun implements AutoCloseable {
  private static final String[] HOSTS = {"127.0.1.2", "127.0.2.2", "127.0.3.2", "127.0.4.2"};
  private static final long AGAIN_MILLIS = 10;
  private static final long HANDSHAKE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final MultiThreadIoEventLoopGroup loop =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("flood", true), Sockets.handlers());
  private final AtomicLong done = new AtomicLong();
  private final AtomicLong opened = new AtomicLong();
  private final Flood flood;
  private final InetSocketAddress server;
  private final TlsContext tls;
  private final SSLContext jdk;
  private volatile boolean over;

  FloodRun(Flood flood, InetSocketAddress server, SecuredFiles files) throws ClusterException {
    this.flood = flood;
    this.server = server;
    tls = files.ofStranger();
    jdk = files.sockets("");
    for (int i = 0; i < flood.connections(); i++) {
      connect();
    }
  }

  private void connect() {
    int host = (int) (opened.getAndIncrement() % HOSTS.length);
    new Bootstrap()
        .group(loop)
        .channel(Sockets.outgoing())
        .option(ChannelOption.TCP_NODELAY, true)
        .handler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel channel) {
                switch (flood.tls()) {
                  case USUAL ->
                      channel
                          .pipeline()
                          .addLast(
                              tls.connect(
                                  channel.alloc(),
                                  server.getHostString(),
                                  server.getPort(),
                                  HANDSHAKE_NANOS));
                  case JDK -> {
                    SSLEngine engine = jdk.createSSLEngine(server.getHostString(), 0);
                    engine.setUseClientMode(true);
                    channel.pipeline().addLast(new SslHandler(engine));
                  }
                  case NONE -> {}
                }
                channel.pipeline().addLast(new Flooder(flood, FloodRun.this));
              }
            })
        .connect(server, new InetSocketAddress(HOSTS[host], 0))
        .addListener(
            connected -> {
              if (!connected.isSuccess()) {
                closed();
              }
            });
  }

  /** Something of the flood was done once more. */
  void done() {
    done.incrementAndGet();
  }

  /** A connection is over; another one takes its place. */
  void closed() {
    if (!over) {
      loop.schedule(this::connect, AGAIN_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** How often a connection got as far as it wants to, or did what it does again. */
  long count() {
    return done.get();
  }

  /** Ends the flood and closes its connections. */
  @Override
  public void close() {
    over = true;
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5_000);
  }
}
