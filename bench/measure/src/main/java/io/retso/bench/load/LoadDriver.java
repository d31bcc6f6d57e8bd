package io.retso.bench.load;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.retso.client.sockets.Sockets;
import io.retso.text.ErrorText;
import io.retso.tls.TlsContext;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Drives load at servers from one event loop; one run at a time. Thread-safe apart from that.
 *
 * <p>Each run has connections of its own.
 */
public final class LoadDriver implements AutoCloseable {
  private static final int READ_BYTES = 64 * 1024;
  private static final int CONNECT_TIMEOUT_MILLIS = 5_000;

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("load", true), Sockets.handlers());

  private final SocketAddress local;
  private final Optional<TlsContext> tls;

  /** Makes clients of the usual address. */
  public LoadDriver() {
    this(null, Optional.empty());
  }

  /**
   * Makes clients of an address.
   *
   * @param host an address of this machine, such as 127.0.0.2: servers know client hosts by it;
   *     null for the usual one
   */
  public LoadDriver(String host) {
    this(host, Optional.empty());
  }

  /**
   * Makes clients that identify themselves.
   *
   * @param tls what their connections begin TLS with; empty to speak in clear
   */
  public LoadDriver(Optional<TlsContext> tls) {
    this(null, tls);
  }

  private LoadDriver(String host, Optional<TlsContext> tls) {
    this.local = host == null ? null : new InetSocketAddress(host, 0);
    this.tls = tls;
  }

  /** Starts a run; its progress can be watched. */
  public Progress start(InetSocketAddress server, LoadPlan plan) {
    EventLoop loop = (EventLoop) group.next();
    LoadRun run = new LoadRun(loop, plan);
    List<Channel> channels = new ArrayList<>();
    Bootstrap bootstrap =
        new Bootstrap()
            .group(group)
            .channel(Sockets.outgoing())
            .localAddress(local)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
            .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
            .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ_BYTES))
            .option(
                ChannelOption.WRITE_BUFFER_WATER_MARK,
                new WriteBufferWaterMark(Integer.MAX_VALUE - 1, Integer.MAX_VALUE));
    for (LoadConnection connection : run.connections()) {
      channels.add(connect(bootstrap, server, connection, run));
    }
    run.result().whenComplete((result, failure) -> channels.forEach(Channel::close));
    return run;
  }

  private Channel connect(
      Bootstrap bootstrap, InetSocketAddress server, LoadConnection connection, LoadRun run) {
    return bootstrap
        .clone()
        .handler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel channel) {
                tls.ifPresent(
                    context ->
                        channel
                            .pipeline()
                            .addLast(
                                context.connect(
                                    channel.alloc(),
                                    server.getHostString(),
                                    server.getPort(),
                                    TimeUnit.MILLISECONDS.toNanos(CONNECT_TIMEOUT_MILLIS))));
                channel.pipeline().addLast(connection); // what it writes waits for the handshake
              }
            })
        .connect(server)
        .addListener(
            connected -> {
              if (!connected.isSuccess()) {
                run.fail(
                    "cannot connect to "
                        + server
                        + ": "
                        + ErrorText.of(connected.cause())
                        + "; is a server listening there?",
                    connected.cause());
              }
            })
        .channel();
  }

  /** Closes connections and loop. */
  @Override
  public void close() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2_000);
  }
}
