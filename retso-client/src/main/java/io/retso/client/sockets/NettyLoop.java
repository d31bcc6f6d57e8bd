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
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.retso.client.ClientSecurity;
import io.retso.client.NonBlocking;
import io.retso.client.OracleClient;
import io.retso.client.connection.ClientLoop;
import io.retso.client.connection.ClientSettings;
import io.retso.client.connection.Connection;
import io.retso.client.connection.Proof;
import io.retso.client.connection.Transport;
import io.retso.text.Addresses;
import io.retso.tls.TlsFailure;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A client's loop on a thread and on sockets of Netty. */
public final class NettyLoop implements ClientLoop {
  private static final Logger LOG = LoggerFactory.getLogger(OracleClient.class);
  private static final long END_SECONDS_MAX = 10;

  /** Beyond the upper mark calls wait in the dispatcher instead of in the channel's buffer. */
  private static final WriteBufferWaterMark WRITE_BUFFER_BYTES =
      new WriteBufferWaterMark(512 << 10, 2 << 20);

  private final ClientSettings settings;
  private final EventLoopGroup group;
  private final EventLoop loop;
  private final Lookups lookups;

  /** Null for a client that speaks in clear. */
  private final Credentials credentials;

  /** Starts the thread with its first task. */
  public NettyLoop(ClientSettings settings) {
    this(settings, InetAddress::getAllByName);
  }

  NettyLoop(ClientSettings settings, Lookups.Names names) {
    this.settings = settings;
    this.group =
        new MultiThreadIoEventLoopGroup(1, new LoopThreads(settings.name()), Sockets.handlers());
    this.loop = group.next();
    this.lookups =
        new Lookups(names, this, settings.connectTimeoutNanos(), settings.name() + "-names");
    this.credentials =
        settings.security() == null
            ? null
            : new Credentials(settings.security(), this, settings.name() + "-files");
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
    if (credentials == null) {
      connect(connection, null);
      return;
    }
    credentials.find(
        (read, failure) -> {
          if (read == null) {
            connection.onUntrusted(failure);
          } else {
            connect(connection, read);
          }
        });
  }

  private void connect(Connection connection, Credentials.Read read) {
    String host = connection.address.getHostString();
    byte[] literal = NetUtil.createByteArrayFromIpAddressString(host);
    if (literal != null) {
      open(connection, addressOf(literal), read);
      return;
    }
    lookups.find(
        host,
        (address, failure) -> {
          if (address == null) {
            connection.onUnreachable(failure);
          } else {
            open(connection, address, read);
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

  /**
   * Opens a connection.
   *
   * @param read null to speak in clear
   */
  private void open(Connection connection, InetAddress address, Credentials.Read read) {
    Socket socket = new Socket(connection, address, read);
    new Bootstrap()
        .group(loop)
        .channel(Sockets.outgoing())
        .option(ChannelOption.TCP_NODELAY, true)
        .option(
            ChannelOption.CONNECT_TIMEOUT_MILLIS,
            Math.toIntExact(Math.max(1, settings.connectTimeoutNanos() / 1_000_000)))
        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_BUFFER_BYTES)
        .handler(socket)
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
              if (!connection.wasReady() && !socket.givenUp) {
                lookups.failed(connection.address.getHostString(), address);
              }
            });
  }

  /** A server that answered in clear is spoken to in clear, if that is allowed for now. */
  private void openInClear(Connection connection, InetAddress address) {
    LOG.warn(
        "the server at {} speaks in clear, and so does this client: every host on the way can read"
            + " and change what is said. Require TLS as soon as all servers have it",
        Addresses.text(connection.address));
    open(connection, address, null);
  }

  @Override
  public void shutDown() {
    lookups.close();
    if (credentials != null) {
      credentials.close();
    }
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

  /** A socket between the network and its connection, with TLS or in clear. */
  private final class Socket extends ChannelInboundHandlerAdapter implements Transport {
    private final Connection connection;
    private final InetAddress address;

    /** Null if it speaks in clear. */
    private final Credentials.Read read;

    /** Another one takes its place. */
    private boolean givenUp;

    private Channel channel;

    Socket(Connection connection, InetAddress address, Credentials.Read read) {
      this.connection = connection;
      this.address = address;
      this.read = read;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      if (read != null) {
        int port = connection.address.getPort();
        long timeout = settings.connectTimeoutNanos();
        ctx.pipeline().addFirst(read.tls.connect(ctx.alloc(), serverName(), port, timeout));
      }
    }

    /** The name for which the server's certificate is to be. */
    private String serverName() {
      return credentials.security().serverName().orElse(connection.address.getHostString());
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
    public void proof(List<String> mechanisms, Consumer<Proof> asker) {
      if (read == null) { // others could read a token, or use a connection that tickets have opened
        asker.accept(null);
        return;
      }
      credentials.find(
          (latest, failure) -> {
            if (channel.isActive()) {
              asker.accept(
                  credentials.proof(latest == null ? read : latest, mechanisms, serverName()));
            }
          });
    }

    @Override
    public void close() {
      channel.close();
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      channel = ctx.channel();
      if (read == null) {
        connection.onOpen(this);
      }
    }

    /** The handshake of TLS is over. */
    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event instanceof SslHandshakeCompletionEvent handshake) {
        if (handshake.isSuccess()) {
          connection.onOpen(this);
        } else {
          exceptionCaught(ctx, handshake.cause());
        }
      }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      connection.onRead((ByteBuf) message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      if (!givenUp) {
        connection.onClosed();
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      if (givenUp) {
        return;
      }
      boolean mayBeClear =
          read != null && credentials.security().mode() == ClientSecurity.Mode.PREFER;
      if (mayBeClear && TlsFailure.isInClear(cause)) {
        givenUp = true;
        ctx.close();
        openInClear(connection, address);
      } else {
        connection.onFailure(cause);
      }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
      connection.onWritable();
    }
  }
}
