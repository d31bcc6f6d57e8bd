package io.retso.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.ScheduledFuture;
import io.retso.front.Conversation;
import io.retso.front.Conversation.Progress;
import io.retso.front.Transport;
import io.retso.protocol.Authentication.Level;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameException;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.Limits;
import io.retso.security.Identity;
import io.retso.security.Peer;
import io.retso.text.Visible;
import io.retso.tls.TlsContext;
import io.retso.tls.TlsFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bytes of one client: hands them to its {@link Conversation} and sends what comes back, reads
 * no further than is taken, and disconnects a client that does not read. Of the event loop.
 */
final class Connection extends ChannelInboundHandlerAdapter implements Transport {
  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

  /** From the connection to HELLO, and to where the client is identified if it must be. */
  static final long HELLO_TIMEOUT_MILLIS = 5_000;

  /** Ticks of the server without a byte after which a client is pinged, and given up. */
  static final int TICKS_TO_PING = 4;

  private static final int TICKS_TO_CLOSE = 2 * TICKS_TO_PING;

  private final OracleServer server;
  private final InetAddress host;
  private final Conversation conversation;
  private Peer peer;

  private ChannelHandlerContext context;

  /** Bytes that were read and not taken yet: part of a frame, or frames that wait. */
  private ByteBuf unread;

  /** Frames wait until {@link #resume}. */
  private boolean waiting;

  private boolean closing;

  /** Nothing is read for now: its host takes much of the memory of connections. */
  private boolean paused;

  /** Its memory counts no more: it was closed for that. */
  private boolean shed;

  /** Ticks since the last byte came, or since it was refused. */
  private int quietTicks;

  private ScheduledFuture<?> helloTimer;
  private ScheduledFuture<?> stallTimer;

  Connection(OracleServer server, SocketChannel channel) {
    this.server = server;
    InetSocketAddress remote = channel.remoteAddress(); // null if it is over already
    this.host = remote == null ? InetAddress.getLoopbackAddress() : remote.getAddress();
    this.peer = Peer.inClear(host, channel.localAddress());
    this.conversation = server.desk().open(this, remote == null ? channel : host);
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    context = ctx;
    if (server.desk().isClosing()) {
      refuse(0, ErrorCode.SHUTTING_DOWN, "the server is shutting down");
      return;
    }
    boolean isToSay = server.desk().access().authentication() == Level.REQUIRED;
    String objection = server.admission().admit(this, isToSay);
    if (objection != null) {
      refuse(0, ErrorCode.TOO_MANY_CONNECTIONS, objection);
      return;
    }
    server.mutableCounters().accepted++;
    long millis = server.admission().isApart(this) ? Admission.HELLO_MILLIS : HELLO_TIMEOUT_MILLIS;
    helloTimer = server.later(millis, this::awaitNoLonger);
  }

  private void awaitNoLonger() {
    boolean isToSay = identity() != null && identity().isToSay();
    if (isToSay) {
      refuse(0, ErrorCode.NOT_AUTHENTICATED, "it did not identify itself in time");
    } else if (conversation.hello() == null) {
      String objection =
          server.admission().isApart(this) ? server.admission().objection(this) : null;
      if (objection == null) {
        refuse(0, ErrorCode.HANDSHAKE, "no HELLO in time");
      } else {
        refuse(0, ErrorCode.TOO_MANY_CONNECTIONS, objection);
      }
    }
  }

  @Override
  public Peer peer() {
    return peer;
  }

  /** The handshake of TLS is over. */
  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake) {
      if (handshake.isSuccess()) {
        peer = peer.encrypted(TlsContext.certificateOf(ctx.pipeline().get(SslHandler.class)));
      } else {
        tlsFailed(handshake.cause());
      }
    }
  }

  private void tlsFailed(Throwable cause) {
    if (!closing && server.lines().admits()) {
      LOG.info("{} is disconnected: TLS failed: {}", name(), TlsFailure.text(cause));
    }
    if (!closing) {
      server.mutableCounters().rejected++;
    }
    disconnect();
  }

  @Override
  public void beside(Runnable work, Afterwards then) {
    try {
      server.door().execute(() -> workAtTheDoor(work, then));
    } catch (RejectedExecutionException e) { // the server ends
      disconnect();
    }
  }

  private void workAtTheDoor(Runnable work, Afterwards then) {
    work.run();
    try {
      server.executor().execute(() -> goOn(then));
    } catch (RejectedExecutionException e) {
      // The loop has ended, and its connections with it.
    }
  }

  private void goOn(Afterwards then) {
    if (!closing) {
      try {
        then.run();
      } catch (FrameException e) {
        refuse(conversation.frameId(), e.code(), e.getMessage());
      }
    }
  }

  /** See {@link Conversation#look}. */
  void look() {
    try {
      conversation.look();
    } catch (FrameException e) {
      refuse(0, e.code(), e.getMessage());
    }
  }

  @Override
  public void greeted(String clientName) throws FrameException {
    server.admission().greeted(this, clientName);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    server.mutableCounters().bytesIn += bytes.readableBytes();
    server.memory().moved(bytes.readableBytes());
    quietTicks = 0;
    if (closing) {
      bytes.release();
      return;
    }
    if (unread == null) {
      unread = bytes;
    } else {
      unread = join(unread, bytes);
    }
    takeFrames();
  }

  /** Appends what was just read to the part of a frame that was left over. */
  private ByteBuf join(ByteBuf first, ByteBuf second) {
    try {
      ByteBuf joined = first;
      if (first.maxFastWritableBytes() < second.readableBytes() || first.refCnt() > 1) {
        // Twice what there is, so that many small pieces are copied twice on the average; but no
        // more than the frame needs.
        int bytes = first.readableBytes() + second.readableBytes();
        int room = Math.min(2 * bytes, firstFrameBytes(first));
        joined = context.alloc().ioBuffer(Math.max(bytes, room));
        joined.writeBytes(first);
        first.release();
      }
      joined.writeBytes(second);
      return joined;
    } finally {
      second.release();
    }
  }

  /** The size of the frame that has begun; 0 if that is not known yet. */
  private static int firstFrameBytes(ByteBuf part) {
    return part.readableBytes() < Frames.LENGTH_BYTES
        ? 0
        : Frames.LENGTH_BYTES + Math.min(Limits.FRAME_BYTES_MAX, part.getInt(part.readerIndex()));
  }

  /** Takes all complete frames that may be taken now. */
  private void takeFrames() {
    try {
      while (!waiting && !closing && context.channel().isWritable()) {
        Progress progress = conversation.take(unread);
        if (progress == Progress.TAKEN) {
          server.mutableCounters().frames++;
        } else if (progress == Progress.WAITING) {
          waiting = true;
          server.mutableCounters().logWaits++;
          stopReading();
        } else {
          break;
        }
      }
    } catch (FrameException e) {
      refuse(conversation.frameId(), e.code(), e.getMessage());
    }
    if (unread != null && !unread.isReadable()) {
      unread.release();
      unread = null;
    }
  }

  @Override
  public ByteBufAllocator allocator() {
    return context.alloc();
  }

  @Override
  public void write(ByteBuf replies) {
    server.memory().moved(replies.readableBytes());
    context.write(replies, context.voidPromise());
  }

  @Override
  public void flush() {
    context.flush();
  }

  @Override
  public void resume() {
    waiting = false;
    takeWaiting();
  }

  private void takeWaiting() {
    if (unread != null) {
      takeFrames();
    }
    readOn();
  }

  private void readOn() {
    boolean takesMore = !closing && !waiting && !paused && !server.desk().isClosing();
    if (takesMore && context.channel().isWritable()) {
      context.channel().config().setAutoRead(true);
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (ctx.channel().isWritable()) {
      if (stallTimer != null) {
        stallTimer.cancel(false);
        stallTimer = null;
      }
      if (!waiting && !closing) {
        takeWaiting();
      }
    } else {
      // The client does not read its replies: it gets no more until it does.
      ctx.channel().config().setAutoRead(false);
      if (stallTimer == null) {
        stallTimer = server.later(server.settings().stallMillis(), this::stalled);
      }
    }
  }

  /**
   * Time passes. A client that is silent because it is not read from, or because the log owes it
   * replies, is not idle; one that has not said HELLO has a limit of its own.
   */
  void tick() {
    if (closing) { // a client that does not read what it was refused with
      if (++quietTicks >= TICKS_TO_CLOSE) {
        context.close();
      }
      return;
    }
    boolean owed = waiting || paused || conversation.isHolding() || !context.channel().isWritable();
    if (owed || conversation.hello() == null) {
      quietTicks = 0;
    } else if (++quietTicks == TICKS_TO_PING) {
      conversation.ping();
    } else if (quietTicks == TICKS_TO_CLOSE) {
      server.mutableCounters().stalled++;
      refuse(0, ErrorCode.STALLED, "it sent nothing, and did not answer a ping");
    }
  }

  /** The client's host. */
  InetAddress host() {
    return host;
  }

  /** See {@link Conversation#ofSameClient}. */
  int ofSameClient() {
    return conversation.ofSameClient();
  }

  boolean isKnown() {
    return identity() != null && identity().isKnown();
  }

  /** Whose it is, for people: parts that are not known are a dash. */
  String described() {
    Handshake.Hello hello = conversation.hello();
    return (isKnown() ? identity().principal() : "-")
        + "  "
        + (isKnown() && !identity().roles().isEmpty() ? identity().roles() : "-")
        + "  "
        + (peer.isEncrypted() ? "tls" : "clear")
        + "  "
        + host.getHostAddress()
        + "  "
        + (hello == null ? "-" : Visible.of(hello.clientName()));
  }

  /** The client, as far as it is known; null before the handshake. */
  Identity identity() {
    return conversation.identity();
  }

  /** Memory that is taken by what it sent and by what it did not read. */
  long heldBytes() {
    ChannelOutboundBuffer unsent = context.channel().unsafe().outboundBuffer();
    return shed
        ? 0
        : (unread == null ? 0 : unread.capacity())
            + (unsent == null ? 0 : unsent.totalPendingWriteBytes());
  }

  /** Whether nothing more is read from it for now. */
  void pause(boolean pause) {
    if (paused != pause) {
      paused = pause;
      if (pause) {
        stopReading();
      } else {
        readOn();
      }
    }
  }

  /** Gives its memory to others. */
  void shed() {
    shed = true;
    giveUp("is disconnected: its host takes most of the memory of connections");
  }

  /** There are too many of which it is not known whose they are. */
  void giveWay() {
    server.mutableCounters().rejected++;
    if (server.lines().admits()) {
      LOG.warn(
          "{} is disconnected: others wait that have not identified themselves, either", name());
    }
    closing = true;
    // Past the handler of TLS, which would wait for its goodbye to leave, and hold what it has
    // read.
    context.pipeline().firstContext().close();
  }

  private void stalled() {
    giveUp("did not read its replies in time; disconnected");
  }

  /** Without an error frame, which would only queue behind what the client does not read. */
  private void giveUp(String why) {
    server.mutableCounters().stalled++;
    if (server.lines().admits()) {
      LOG.warn("{} {}", name(), why);
    }
    disconnect();
  }

  void stopReading() {
    context.channel().config().setAutoRead(false);
  }

  /** Sends the client the reason, closes its connection behind what is already on its way. */
  void refuse(int id, ErrorCode code, String text) {
    if (closing) {
      return;
    }
    closing = true;
    quietTicks = 0;
    server.mutableCounters().rejected++;
    if (server.lines().admits()) {
      LOG.info("{} is disconnected: {}", name(), text);
    }
    conversation.writeLeaving();
    ByteBuf out = context.alloc().ioBuffer(256);
    Frames.writeError(out, id, code, text);
    context.writeAndFlush(out).addListener(ChannelFutureListener.CLOSE);
  }

  /** Nothing in it begins a line of the log, or turns one. */
  private String name() {
    String address = String.valueOf(context.channel().remoteAddress());
    return conversation.hello() == null
        ? "client " + address
        : "client " + Visible.of(conversation.hello().clientName()) + " " + address;
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    closing = true;
    server.admission().forget(this);
    if (helloTimer != null) { // it would keep this connection in memory, and there may be many
      helloTimer.cancel(false);
    }
    if (stallTimer != null) {
      stallTimer.cancel(false);
    }
    if (unread != null) {
      unread.release();
      unread = null;
    }
    conversation.close();
  }

  /**
   * What one client's bytes led to ends its connection. A broken invariant ends the server: what is
   * not as it is written may be of all clients.
   */
  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof AssertionError) {
      server.desk().stop(cause);
      return;
    }
    if (TlsFailure.isOne(cause)) {
      tlsFailed(cause);
      return;
    }
    if (!(cause instanceof IOException) && server.lines().admits()) { // a reset is no news
      LOG.error("{} is disconnected: an error in handling its bytes", name(), cause);
    }
    disconnect();
  }

  /** Ends the connection without another word. */
  void disconnect() {
    closing = true;
    context.close();
  }
}
