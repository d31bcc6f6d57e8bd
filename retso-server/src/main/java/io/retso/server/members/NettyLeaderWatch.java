package io.retso.server.members;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.retso.client.sockets.Sockets;
import io.retso.member.LeaderWatch;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.ServerRole;
import io.retso.text.ErrorText;
import io.retso.tls.TlsContext;
import io.retso.tls.TlsFailure;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to the port on which the leader serves clients. It says HELLO as a client does, and
 * sends a ping now and then so that it is not taken for dead. Of what comes back only the roles of
 * the server matter.
 *
 * <p>A connection that is closed is tried again at once: a leader that is alive accepts it, so it
 * may close connections as it likes. Only a refused port says that no server listens there. A host
 * that answers nothing is left to the silence of the log. Of the given loop's thread.
 *
 * <p>Two attempts are {@value #RETRY_MILLIS} ms apart at least. A server that accepts connections
 * and closes them without a welcome (it has its connections, or speaks no version that this build
 * speaks) is tried again after pauses that double: each attempt costs the leader's own thread.
 *
 * <p>An error is no sign that the leader lives. A server sends one when it ends, when its log
 * failed, and to a client that it does not know, as which it may just have been started again:
 * nothing of that is said by a server that leads.
 */
public final class NettyLeaderWatch implements LeaderWatch {
  /** From one attempt to connect to the next one, at least. */
  static final long RETRY_MILLIS = 20;

  /**
   * The longest such pause while the server does not say welcome: less than a leader may be silent.
   */
  static final long RETRY_MILLIS_MAX = 320;

  private static final Logger LOG = LoggerFactory.getLogger(NettyLeaderWatch.class);
  private static final int CONNECT_TIMEOUT_MILLIS = 500;
  private static final long TLS_NANOS = TimeUnit.MILLISECONDS.toNanos(CONNECT_TIMEOUT_MILLIS);

  /** A fraction of the time after which a leader that says nothing is taken for gone. */
  private static final long PING_MILLIS = 100;

  private final Bootstrap bootstrap;
  private final EventLoop loop;
  private final String clientName;
  private final Supplier<Optional<TlsContext>> tls;
  private final BooleanSupplier isTlsRequired;

  /**
   * The connection before found that the server speaks in clear. It may learn TLS at any time, so
   * that only the next one goes by it.
   */
  private boolean isClear;

  /** {@code host:port} of the leader that it watches; empty for none. */
  private String watched = "";

  /** Counts calls of {@link #watch} that changed something: older attempts are over. */
  private int generation;

  /** The address of the watched; null while it is not known. */
  private InetSocketAddress resolved;

  private Consumer<ServerRole> said = role -> {};
  private Runnable becomesGone = () -> {};
  private Channel channel;

  /** When the last attempt to resolve or to connect began. */
  private long attemptedNanos;

  /** Pause from there to the next attempt. */
  private long pauseMillis = RETRY_MILLIS;

  private boolean gone;
  private boolean answered;
  private String complaint = "";

  /**
   * Makes one that watches no leader.
   *
   * @param clientName see {@link LeaderWatch#clientName}
   * @param tls what each connection begins TLS with; empty to speak in clear
   * @param isTlsRequired whether one that answers in clear is not to be spoken to in clear
   */
  public NettyLeaderWatch(
      EventLoop loop,
      String clientName,
      Supplier<Optional<TlsContext>> tls,
      BooleanSupplier isTlsRequired) {
    this.loop = loop;
    this.clientName = clientName;
    this.tls = tls;
    this.isTlsRequired = isTlsRequired;
    this.bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(Sockets.outgoing())
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
    isClear = false;
    pauseMillis = RETRY_MILLIS;
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

  /**
   * What connections begin with may be something else by now: one in clear is made again, if there
   * is TLS.
   */
  public void look() {
    assert loop.inEventLoop();
    boolean isInClear = channel != null && channel.pipeline().get(SslHandler.class) == null;
    if (isInClear && tls.get().isPresent()) {
      channel.close();
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
    attemptedNanos = System.nanoTime();
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
    attemptedNanos = System.nanoTime();
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

  /** At once if the last attempt began long ago. */
  private void retry(int attempt) {
    if (!loop.isShuttingDown()) {
      Runnable next = resolved == null ? () -> resolve(attempt) : () -> connect(attempt);
      long sinceNanos = System.nanoTime() - attemptedNanos;
      long waitNanos = TimeUnit.MILLISECONDS.toNanos(pauseMillis) - sinceNanos;
      loop.schedule(() -> ifStillWanted(attempt, next), waitNanos, TimeUnit.NANOSECONDS);
    }
  }

  /** Says one thing once only: it is tried again and again. */
  private void complain(Throwable cause) {
    String what = TlsFailure.text(cause);
    if (TlsFailure.isOne(cause) && !what.equals(complaint)) {
      complaint = what;
      LOG.warn("TLS with the server that leads, at {}, failed: {}", watched, what);
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

    private boolean welcome;

    /** It began with TLS. */
    private boolean isEncrypted;

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
      Optional<TlsContext> context = tls.get();
      boolean begunInClear = isClear && !isTlsRequired.getAsBoolean();
      isClear = false;
      if (context.isPresent() && !begunInClear) {
        isEncrypted = true;
        String host = watched.substring(0, watched.lastIndexOf(':'));
        ctx.pipeline()
            .addFirst(context.get().connect(ctx.alloc(), host, resolved.getPort(), TLS_NANOS));
      } else {
        greet(ctx);
      }
    }

    /** The handshake of TLS is over. */
    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event instanceof SslHandshakeCompletionEvent handshake) {
        if (handshake.isSuccess()) {
          greet(ctx);
        } else {
          exceptionCaught(ctx, handshake.cause());
        }
      }
    }

    private void greet(ChannelHandlerContext ctx) {
      ByteBuf hello = ctx.alloc().buffer();
      Handshake.writeHello(
          hello,
          0,
          new Handshake.Hello(
              Handshake.VERSION_MIN, Handshake.VERSION_MAX, Handshake.Mode.ORACLE, clientName));
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
      try {
        unread.writeBytes(bytes);
      } finally {
        bytes.release();
      }
      int frameBytes;
      while ((frameBytes = Frames.frameBytes(unread, unread.readerIndex())) > 0
          && unread.readableBytes() >= frameBytes) {
        ByteBuf frame = unread.readSlice(frameBytes);
        if (attempt == generation && !Frames.isError(frame, frame.readerIndex())) {
          take(frame);
        }
      }
      unread.discardReadBytes();
    }

    /** What comes first, if it is no error, is the welcome. */
    private void take(ByteBuf frame) throws FrameException {
      answered = true;
      welcome = true;
      pauseMillis = RETRY_MILLIS;
      if (Frames.isRole(frame, frame.readerIndex())) {
        said.accept(Handshake.readRole(frame.skipBytes(Frames.HEADER_BYTES)));
      }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
      unread.release();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      if (attempt == generation) {
        channel = null;
        retry(attempt);
        pauseMillis = welcome ? pauseMillis : Math.min(2 * pauseMillis, RETRY_MILLIS_MAX);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      if (isEncrypted && attempt == generation) {
        isClear = TlsFailure.isInClear(cause);
        complain(cause);
      }
      ctx.close(); // channelInactive follows
    }
  }
}
