package io.retso.bench.attack;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.retso.client.sockets.Sockets;
import io.retso.protocol.Frames;
import io.retso.protocol.Limits;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An attack under way, on one thread, from a loopback address that is not that of the good client:
 * the server knows clients by their address. Thread-safe.
 */
final class AttackRun implements AutoCloseable {
  private static final long RECONNECT_MILLIS = 10;

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("attack", true), Sockets.handlers());
  private final Attack attack;
  private final InetSocketAddress server;
  private final InetSocketAddress local;
  private final AtomicLong answered = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong seeds = new AtomicLong();
  private volatile boolean over;

  /**
   * Begins an attack.
   *
   * @param host an address of this machine, such as 127.0.0.2
   */
  AttackRun(Attack attack, InetSocketAddress server, String host) {
    this.attack = attack;
    this.server = server;
    local = new InetSocketAddress(host, 0);
    for (int i = 0; i < attack.connections(); i++) {
      connect();
    }
  }

  private void connect() {
    new Bootstrap()
        .group(group)
        .channel(Sockets.outgoing())
        .option(ChannelOption.TCP_NODELAY, true)
        .handler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel channel) {
                channel
                    .pipeline()
                    .addLast(
                        new LengthFieldBasedFrameDecoder(
                            Frames.LENGTH_BYTES + Limits.FRAME_BYTES_MAX, 0, Frames.LENGTH_BYTES))
                    .addLast(new Attacker(attack, AttackRun.this, seeds.incrementAndGet()));
              }
            })
        .connect(server, local);
  }

  boolean goesOn() {
    return !over;
  }

  /** So many requests were answered. */
  void answered(int requests) {
    answered.addAndGet(requests);
  }

  /** So many requests, or connections, were refused by name. */
  void refused(int requests) {
    refused.addAndGet(requests);
  }

  /** A connection is over; another one takes its place, a little later if it was not wanted. */
  void closed(boolean atOnce) {
    if (!over) {
      group.schedule(this::connect, atOnce ? 0 : RECONNECT_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** Requests answered so far. */
  long answered() {
    return answered.get();
  }

  /** Requests and connections refused so far. */
  long refused() {
    return refused.get();
  }

  /** Ends the attack and closes its connections. */
  @Override
  public void close() {
    over = true;
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5_000);
  }
}
