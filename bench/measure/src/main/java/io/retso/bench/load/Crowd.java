package io.retso.bench.load;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.retso.client.sockets.Sockets;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * So many connections to a server, on one thread, from loopback addresses in turn: another one
 * takes the place of each that ends. Thread-safe.
 */
public abstract class Crowd implements AutoCloseable {
  private static final long AGAIN_MILLIS = 10;

  protected final InetSocketAddress server;
  private final List<String> hosts;
  private final MultiThreadIoEventLoopGroup loop;
  private final AtomicLong opened = new AtomicLong();
  private volatile boolean over;

  /**
   * Without connections yet.
   *
   * @param thread name of its thread
   * @param hosts addresses of this machine, such as 127.0.0.2
   */
  protected Crowd(String thread, InetSocketAddress server, String... hosts) {
    this.server = server;
    this.hosts = List.of(hosts);
    loop =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory(thread, true), Sockets.handlers());
  }

  /** Gives a connection its handlers, which say when it is {@link #closed}. */
  protected abstract void prepare(SocketChannel channel);

  /** Opens so many connections. */
  protected final void open(int connections) {
    for (int i = 0; i < connections; i++) {
      connect();
    }
  }

  private void connect() {
    int host = (int) (opened.getAndIncrement() % hosts.size());
    new Bootstrap()
        .group(loop)
        .channel(Sockets.outgoing())
        .option(ChannelOption.TCP_NODELAY, true)
        .handler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel channel) {
                prepare(channel);
              }
            })
        .connect(server, new InetSocketAddress(hosts.get(host), 0))
        .addListener(
            connected -> {
              if (!connected.isSuccess()) {
                closed(false);
              }
            });
  }

  /** A connection is over; another one takes its place, a little later if it was not wanted. */
  public final void closed(boolean atOnce) {
    if (!over) {
      loop.schedule(this::connect, atOnce ? 0 : AGAIN_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** Whether it was not closed yet. */
  public final boolean goesOn() {
    return !over;
  }

  /** Closes all connections. */
  @Override
  public final void close() {
    over = true;
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5_000);
  }
}
