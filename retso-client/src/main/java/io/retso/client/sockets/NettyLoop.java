package io.retso.client.sockets;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.retso.client.NonBlocking;
import io.retso.client.connection.ClientLoop;
import io.retso.client.connection.ClientSettings;
import io.retso.client.connection.Connection;
import io.retso.client.connection.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.TimeUnit;

/** A client's loop on a thread and on sockets of Netty. */
public final class NettyLoop implements ClientLoop {
  private static final long END_SECONDS_MAX = 10;

  /** Beyond the upper mark calls wait in the dispatcher instead of in the channel's buffer. */
  private static final WriteBufferWaterMark WRITE_BUFFER_BYTES =
      new WriteBufferWaterMark(512 << 10, 2 << 20);

  private final ClientSettings settings;
  private final EventLoopGroup group;
  private final EventLoop loop;
  private final Lookups lookups;

  /** Starts the thread with its first task. */
  public NettyLoop(ClientSettings settings) {
    this(settings, InetAddress::getAllByName);
  }

  NettyLoop(ClientSettings settings, Lookups.Names names) {
    this.settings = settings;
    this.group =
        new MultiThreadIoEventLoopGroup(
            1, new LoopThreads(settings.name()), NioIoHandler.newFactory());
    this.loop = group.next();
    this.lookups =
        new Lookups(names, this, settings.connectTimeoutNanos(), settings.name() + "-names");
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public boolean inLoop() {
    return loop.inEventLoop();
  }

  @Override
  public void execute(Runnable task) {
    loop.execute(task);
  }

  @Override
  public void schedule(Runnable task, long delayNanos) {
    loop.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void connect(Connection connection) {
    String host = connection.address.getHostString();
    byte[] literal = NetUtil.createByteArrayFromIpAddressString(host);
    if (literal != null) {
      open(connection, addressOf(literal));
      return;
    }
    lookups.find(
        host,
        (address, failure) -> {
          if (address == null) {
            connection.onUnreachable(failure);
          } else {
            open(connection, address);
          }
        });
  }

  private static InetAddress addressOf(byte[] literal) {
    try {
      return InetAddress.getByAddress(literal);
    } catch (UnknownHostException e) {
      throw new AssertionError(e); // it has 4 or 16 bytes
    }
  }

  private void open(Connection connection, InetAddress address) {
    new Bootstrap()
        .group(loop)
        .channel(NioSocketChannel.class)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(
            ChannelOption.CONNECT_TIMEOUT_MILLIS,
            Math.toIntExact(Math.max(1, settings.connectTimeoutNanos() / 1_000_000)))
        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_BUFFER_BYTES)
        .handler(new Socket(connection))
        .connect(new InetSocketAddress(address, connection.address.getPort()))
        .addListener(
            done -> {
              if (!done.isSuccess()) {
                connection.onUnreachable(done.cause());
              }
            })
        .channel()
        .closeFuture()
        .addListener(
            closed -> {
              if (!connection.wasReady()) {
                lookups.failed(connection.address.getHostString(), address);
              }
            });
  }

  @Override
  public void shutDown() {
    lookups.close();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  @Override
  public void awaitEnd() {
    group.terminationFuture().awaitUninterruptibly(END_SECONDS_MAX, TimeUnit.SECONDS);
  }

  private static final class LoopThreads extends DefaultThreadFactory {
    LoopThreads(String name) {
      super(name, true);
    }

    @Override
    protected Thread newThread(Runnable task, String name) {
      return new LoopThread(threadGroup, task, name);
    }
  }

  private static final class LoopThread extends FastThreadLocalThread implements NonBlocking {
    LoopThread(ThreadGroup group, Runnable task, String name) {
      super(group, task, name);
    }
  }

  /** A socket between the network and its connection. */
  private static final class Socket extends ChannelInboundHandlerAdapter implements Transport {
    private final Connection connection;
    private Channel channel;

    Socket(Connection connection) {
      this.connection = connection;
    }

    @Override
    public ByteBufAllocator allocator() {
      return channel.alloc();
    }

    @Override
    public boolean isWritable() {
      return channel.isWritable();
    }

    @Override
    public void write(ByteBuf bytes) {
      channel.write(bytes, channel.voidPromise());
    }

    @Override
    public void flush() {
      channel.flush();
    }

    @Override
    public void close() {
      channel.close();
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      channel = ctx.channel();
      connection.onOpen(this);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      connection.onRead((ByteBuf) message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      connection.onClosed();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      connection.onFailure(cause);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
      connection.onWritable();
    }
  }
}
