package io.retso.server.members;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.retso.member.LeaderWatch;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.ServerRole;
import io.retso.text.ErrorText;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A connection to the port on which the leader serves clients. It says HELLO as a client does, and
 * sends a ping now and then so that it is not taken for dead. Of what comes back only the roles of
 * the server matter.
 *
 * <p>A connection that is closed is tried again at once: a leader that is alive accepts it, so it
 * may close connections as it likes. Only a refusal says that nobody listens there. A host that
 * answers nothing is left to the silence of the log. Of the given loop's thread.
 */
public final class NettyLeaderWatch implements LeaderWatch {
  /** Time between two attempts to connect where nobody listens. */
  static final long RETRY_MILLIS = 20;

  private static final int CONNECT_TIMEOUT_MILLIS = 500;

  /** A fraction of the time after which a leader that says nothing is taken for gone. */
  private static final long PING_MILLIS = 100;

  private final Bootstrap bootstrap;
  private final EventLoop loop;
  private final String clientName;

  /** {@code host:port} of whom it watches; empty for nobody. */
  private String watched = "";

  /** Counts calls of {@link #watch} that changed something: older attempts are over. */
  private int generation;

  /** Of the watched; null while it is not known. */
  private InetSocketAddress resolved;

  private Consumer<ServerRole> said = role -> {};
  private Runnable becomesGone = () -> {};
  private Channel channel;
  private boolean gone;
  private boolean answered;

  /**
   * Makes one that watches nobody.
   *
   * @param clientName see {@link LeaderWatch#clientName}
   */
  public NettyLeaderWatch(EventLoop loop, String clientName) {
    this.loop = loop;
    this.clientName = clientName;
    this.bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS);
  }

  @Override
  public void watch(String address, Consumer<ServerRole> listener, Runnable whenGone) {
    assert loop.inEventLoop();
    said = listener;
    becomesGone = whenGone;
    if (address.equals(watched)) {
      return;
    }
    generation++;
    watched = address;
    resolved = null;
    gone = false;
    answered = false;
    if (channel != null) {
      channel.close();
      channel = null;
    }
    if (!address.isEmpty()) {
      resolve(generation);
    }
  }

  @Override
  public boolean isGone() {
    return gone;
  }

  @Override
  public boolean hasAnswered() {
    boolean has = answered;
    answered = false;
    return has;
  }

  /** Asks for the address of a name elsewhere, as that may take long. */
  private void resolve(int attempt) {
    int colon = watched.lastIndexOf(':');
    String host = watched.substring(0, colon);
    int port = Integer.parseInt(watched.substring(colon + 1));
    CompletableFuture.supplyAsync(() -> new InetSocketAddress(host, port))
        .thenAcceptAsync(
            found -> {
              resolved = found;
              connect(attempt);
            },
            task -> loop.execute(() -> ifStillWanted(attempt, task)));
  }

  private void ifStillWanted(int attempt, Runnable task) {
    if (attempt == generation) {
      task.run();
    }
  }

  private void connect(int attempt) {
    if (resolved == null || resolved.isUnresolved()) {
      resolved = null;
      retry(attempt);
      return;
    }
    bootstrap
        .clone()
        .handler(new Visitor(attempt))
        .connect(resolved)
        .addListener(
            connected ->
                ifStillWanted(
                    attempt,
                    () -> {
                      if (!connected.isSuccess()) {
                        retry(attempt);
                        refused(connected.cause());
                      }
                    }));
  }

  private void refused(Throwable cause) {
    if (!gone && isRefusal(cause)) {
      gone = true;
      becomesGone.run();
    }
  }

  /** Netty's time-out, and an unreachable network, are such exceptions, too. */
  private static boolean isRefusal(Throwable e) {
    return e instanceof ConnectException && ErrorText.of(e).contains("refused");
  }

  private void retry(int attempt) {
    if (!loop.isShuttingDown()) {
      Runnable next = resolved == null ? () -> resolve(attempt) : () -> connect(attempt);
      loop.schedule(() -> ifStillWanted(attempt, next), RETRY_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  @Override
  public void close() {
    watch("", role -> {}, () -> {});
  }

  private final class Visitor extends ChannelInboundHandlerAdapter {
    private final int attempt;

    /** Small: nothing is asked for that has a long answer. */
    private final ByteBuf unread = Unpooled.buffer();

    Visitor(int attempt) {
      this.attempt = attempt;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      if (attempt != generation) {
        ctx.close();
        return;
      }
      channel = ctx.channel();
      gone = false;
      ByteBuf hello = ctx.alloc().buffer();
      Handshake.writeHello(
          hello,
          0,
          new Handshake.Hello(
              Handshake.VERSION_MAX, Handshake.VERSION_MAX, Handshake.Mode.ORACLE, clientName));
      ctx.writeAndFlush(hello, ctx.voidPromise());
      ping(ctx);
    }

    private void ping(ChannelHandlerContext ctx) {
      loop.schedule(
          () -> {
            if (ctx.channel().isActive()) {
              ByteBuf ping = ctx.alloc().buffer();
              Frames.writeHeader(ping, FrameType.PING, 0, 0, 0);
              ctx.writeAndFlush(ping, ctx.voidPromise());
              ping(ctx);
            }
          },
          PING_MILLIS,
          TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws FrameException {
      ByteBuf bytes = (ByteBuf) message;
      answered |= attempt == generation;
      try {
        unread.writeBytes(bytes);
      } finally {
        bytes.release();
      }
      int frameBytes;
      while ((frameBytes = Frames.frameBytes(unread, unread.readerIndex())) > 0
          && unread.readableBytes() >= frameBytes) {
        ByteBuf frame = unread.readSlice(frameBytes);
        if (attempt == generation && Frames.isRole(frame, frame.readerIndex())) {
          said.accept(Handshake.readRole(frame.skipBytes(Frames.HEADER_BYTES)));
        }
      }
      unread.discardReadBytes();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
      unread.release();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      if (attempt == generation) {
        channel = null;
        connect(attempt);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close(); // channelInactive follows
    }
  }
}
