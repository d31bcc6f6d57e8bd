package io.retso.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.ScheduledFuture;
import io.retso.oracle.CommitBatch;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.Limits;
import io.retso.protocol.Timestamps;
import io.retso.sequencer.Sequencer;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client: takes frames apart, hands the requests to the sequencer and holds the replies until
 * they may leave. Of the event loop.
 */
final class Connection extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);
  private static final long HELLO_TIMEOUT_MILLIS = 10_000;

  private final OracleServer server;
  private final ReplyLane starts = new ReplyLane();
  private final ReplyLane decisions = new ReplyLane();
  private final ReplyLane.Exit exit = this::leave;

  private ChannelHandlerContext context;
  private Handshake.Hello hello;
  private boolean echo;

  /** Bytes that were read and not taken yet: part of a frame, or frames that wait. */
  private ByteBuf unread;

  /** Replies that leave at the end of this burst. */
  private ByteBuf leaving;

  private boolean inBurst;
  private boolean holding;
  private boolean waitingForLog;
  private boolean closing;
  private ScheduledFuture<?> stallTimer;

  Connection(OracleServer server) {
    this.server = server;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    context = ctx;
    if (!server.admit(this)) {
      refuse(
          0,
          ErrorCode.TOO_MANY_CONNECTIONS,
          "the server has its "
              + server.settings().connectionsMax()
              + " connections; share one client, or raise connections.max");
      return;
    }
    ctx.executor()
        .schedule(
            () -> {
              if (hello == null) {
                refuse(0, ErrorCode.HANDSHAKE, "no HELLO within 10 seconds");
              }
            },
            HELLO_TIMEOUT_MILLIS,
            TimeUnit.MILLISECONDS);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    server.mutableCounters().bytesIn += bytes.readableBytes();
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
        joined = context.alloc().ioBuffer(first.readableBytes() + second.readableBytes());
        joined.writeBytes(first);
        first.release();
      }
      joined.writeBytes(second);
      return joined;
    } finally {
      second.release();
    }
  }

  /** Takes all complete frames that the log has room for. */
  private void takeFrames() {
    int id = 0;
    try {
      while (!waitingForLog && !closing && context.channel().isWritable()) {
        int index = unread.readerIndex();
        int frameBytes = Frames.frameBytes(unread, index);
        if (frameBytes == 0 || unread.readableBytes() < frameBytes) {
          break;
        }
        id = Frames.frameId(unread, index);
        Frames.checkRequest(unread, index, frameBytes);
        if (!echo && !server.sequencer().canTake(frameBytes)) {
          waitForLog();
          break;
        }
        take(index, frameBytes, id);
        unread.skipBytes(frameBytes);
        server.mutableCounters().frames++;
      }
    } catch (FrameException e) {
      refuse(id, e.code(), e.getMessage());
    }
    if (unread != null && !unread.isReadable()) {
      unread.release();
      unread = null;
    }
  }

  private void take(int index, int frameBytes, int id) throws FrameException {
    int type = Frames.type(unread, index);
    int count = Frames.count(unread, index);
    if (type == FrameType.HELLO) {
      greet(index, frameBytes, id);
    } else if (hello == null) {
      throw new FrameException(
          ErrorCode.HANDSHAKE, "a frame " + FrameType.nameOf(type) + " precedes HELLO");
    } else if (type == FrameType.PING) {
      Frames.writeHeader(leaving(), FrameType.PING | FrameType.REPLY, 0, id, 0);
    } else if (echo) {
      echo(type, count, id);
    } else if (type == FrameType.BEGIN) {
      begin(count, id);
    } else if (type == FrameType.EXTEND) {
      extend(index + Frames.HEADER_BYTES, count, id);
    } else {
      decide(type, index + Frames.HEADER_BYTES, count, id);
    }
  }

  private void greet(int index, int frameBytes, int id) throws FrameException {
    if (hello != null) {
      throw new FrameException(ErrorCode.HANDSHAKE, "a second HELLO");
    }
    int bodyBytes = frameBytes - Frames.HEADER_BYTES;
    ByteBuf body = unread.slice(index + Frames.HEADER_BYTES, bodyBytes);
    Handshake.Hello theirs = Handshake.readHello(body, bodyBytes);
    int version = Handshake.chooseVersion(theirs.versionMin(), theirs.versionMax());
    hello = theirs;
    echo = theirs.mode() == Handshake.Mode.ECHO;
    Handshake.writeWelcome(
        leaving(),
        id,
        new Handshake.Welcome(
            version,
            theirs.mode(),
            Limits.FRAME_BYTES_MAX,
            Limits.TRANSACTION_ROWS_MAX,
            Timestamps.GAP,
            server.settings().epoch().getAsLong()));
  }

  private void begin(int count, int id) {
    Sequencer sequencer = server.sequencer();
    long first = sequencer.begin(count);
    ByteBuf out = fastLane(sequencer.startsPosition(), count);
    Frames.writeHeader(out, FrameType.BEGIN | FrameType.REPLY, count, id, Long.BYTES);
    out.writeLong(first);
  }

  private void extend(int bodyIndex, int count, int id) {
    Sequencer sequencer = server.sequencer();
    long stamp = sequencer.extension();
    ByteBuf out = fastLane(sequencer.extensionPosition(), count);
    Frames.writeHeader(out, FrameType.EXTEND | FrameType.REPLY, count, id, count * Long.BYTES);
    takeBatches(bodyIndex, count, stamp, out);
  }

  private ByteBuf fastLane(long position, int count) {
    if (position <= server.sequencer().durable() && starts.isEmpty()) {
      server.settings().latencies().atOnce(count);
      return leaving();
    }
    return hold(starts, position, count);
  }

  private void decide(int type, int index, int count, int id) {
    Sequencer sequencer = server.sequencer();
    boolean isQuery = type == FrameType.STATUS || type == FrameType.WATERMARK;
    long position = isQuery ? sequencer.queryPosition() : sequencer.position();
    ByteBuf out;
    if (position <= sequencer.durable() && decisions.isEmpty()) {
      server.settings().latencies().decided(0, count);
      out = leaving();
    } else {
      out = hold(decisions, position, count);
    }
    int answers = Frames.hasOneAnswer(type) ? 1 : count;
    Frames.writeHeader(out, type | FrameType.REPLY, count, id, answers * Long.BYTES);
    joinBurst();
    switch (type) {
      case FrameType.COMMIT -> takeBatches(index, count, 0, out);
      case FrameType.STATUS -> {
        for (int i = 0, at = index; i < count; i++, at += Frames.STATUS_BYTES) {
          out.writeLong(sequencer.status(unread.getLong(at), unread.getLong(at + Long.BYTES)));
        }
      }
      case FrameType.ABORT -> {
        for (int i = 0; i < count; i++) {
          out.writeLong(sequencer.abort(unread.getLong(index + i * Long.BYTES)));
        }
      }
      case FrameType.WATERMARK -> out.writeLong(sequencer.lowWatermark());
      case FrameType.SWEPT -> {
        for (int i = 0; i < count; i++) {
          out.writeLong(sequencer.swept(unread.getLong(index + i * Long.BYTES)));
        }
      }
      default -> {
        for (int i = 0; i < count; i++) {
          out.writeLong(sequencer.cleaned(unread.getLong(index + i * Long.BYTES)));
        }
      }
    }
  }

  /**
   * Has requests that list rows decided, as many at a time as a batch takes.
   *
   * @param extension the timestamp that snapshots are extended to; 0 if they are commits
   */
  private void takeBatches(int bodyIndex, int count, long extension, ByteBuf out) {
    ByteBuf in = unread;
    CommitBatch batch = server.batch();
    long[] rows = batch.rows();
    int index = bodyIndex;
    for (int i = 0; i < count; i++) {
      int word = in.getInt(index + Long.BYTES);
      int rowCount = word & FrameType.ROWS_MASK;
      if (!batch.hasRoomFor(rowCount)) {
        decideBatch(batch, extension, out);
      }
      boolean repeat = (word & FrameType.REPEAT_FLAG) != 0;
      int to = batch.add(in.getLong(index), repeat, rowCount);
      index += Frames.COMMIT_FIXED_BYTES;
      for (int end = to + rowCount; to < end; to++, index += Long.BYTES) {
        rows[to] = in.getLong(index);
      }
    }
    decideBatch(batch, extension, out);
  }

  private void decideBatch(CommitBatch batch, long extension, ByteBuf out) {
    if (extension == 0) {
      server.sequencer().commit(batch);
    } else {
      server.sequencer().extend(batch, extension);
    }
    for (int i = 0; i < batch.size(); i++) {
      out.writeLong(batch.outcome(i));
    }
    batch.clear();
  }

  private void echo(int type, int count, int id) {
    ByteBuf out = leaving();
    int longs = Frames.hasOneAnswer(type) ? 1 : count;
    Frames.writeHeader(out, type | FrameType.REPLY, count, id, longs * Long.BYTES);
    for (int i = 0; i < longs; i++) {
      out.writeLong(Timestamps.GAP);
    }
  }

  private ByteBuf hold(ReplyLane lane, long position, int requests) {
    if (!holding) {
      holding = true;
      server.holds(this);
    }
    joinBurst();
    long now = server.settings().nanoClock().getAsLong();
    return lane.hold(position, requests, now, context.alloc());
  }

  private ByteBuf leaving() {
    joinBurst();
    if (leaving == null) {
      leaving = context.alloc().ioBuffer(4096);
    }
    return leaving;
  }

  private void joinBurst() {
    if (!inBurst) {
      inBurst = true;
      server.joinBurst(this);
    }
  }

  /** Sends what may leave. */
  void endOfBurst() {
    inBurst = false;
    if (leaving != null) {
      ByteBuf replies = leaving;
      leaving = null;
      context.writeAndFlush(replies, context.voidPromise());
    }
  }

  /** The log is durable up to a position. Returns whether replies are still held. */
  boolean release(long durable) {
    starts.release(durable, exit);
    decisions.release(durable, exit);
    context.flush();
    holding = !starts.isEmpty() || !decisions.isEmpty();
    return holding;
  }

  private void leave(ByteBuf replies, int requests, long since) {
    server
        .settings()
        .latencies()
        .decided(server.settings().nanoClock().getAsLong() - since, requests);
    context.write(replies, context.voidPromise());
  }

  private void waitForLog() {
    waitingForLog = true;
    context.channel().config().setAutoRead(false);
    server.waitForLog(this);
  }

  /** The log may have room again. */
  void resume() {
    waitingForLog = false;
    takeWaiting();
  }

  private void takeWaiting() {
    if (unread != null) {
      takeFrames();
    }
    if (!closing && !waitingForLog && context.channel().isWritable()) {
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
      if (!waitingForLog && !closing) {
        takeWaiting();
      }
    } else {
      // The client does not read its replies: it gets no more until it does.
      ctx.channel().config().setAutoRead(false);
      if (stallTimer == null) {
        long millis = server.settings().stallMillis();
        stallTimer = ctx.executor().schedule(this::stalled, millis, TimeUnit.MILLISECONDS);
      }
    }
  }

  private void stalled() {
    server.mutableCounters().stalled++;
    LOG.warn("{} did not read its replies in time; disconnected", name());
    closing = true;
    context.close(); // an error frame would only queue behind what it does not read
  }

  void stopReading() {
    context.channel().config().setAutoRead(false);
  }

  /** Tells the client why, closes its connection behind what is already on its way. */
  void refuse(int id, ErrorCode code, String text) {
    if (closing) {
      return;
    }
    closing = true;
    server.mutableCounters().rejected++;
    LOG.info("{} is disconnected: {}", name(), text);
    ByteBuf out = leaving == null ? context.alloc().ioBuffer(256) : leaving;
    leaving = null;
    Frames.writeError(out, id, code, text);
    context.writeAndFlush(out).addListener(ChannelFutureListener.CLOSE);
  }

  private String name() {
    String address = String.valueOf(context.channel().remoteAddress());
    return hello == null
        ? "client " + address
        : "client " + PrintableName.of(hello.clientName()) + " " + address;
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    closing = true;
    server.forget(this);
    if (stallTimer != null) {
      stallTimer.cancel(false);
    }
    if (unread != null) {
      unread.release();
      unread = null;
    }
    if (leaving != null) {
      leaving.release();
      leaving = null;
    }
    starts.clear();
    decisions.clear();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (!(cause instanceof IOException)) { // a reset by the peer is no news
      LOG.error("{} is disconnected: an error in this server", name(), cause);
    }
    closing = true;
    ctx.close();
  }
}
