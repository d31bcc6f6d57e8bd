package io.retso.bench.attack;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.Limits;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.util.SplittableRandom;

/** One connection of an attack: its frames, sent and counted. Of the attack's event loop. */
final class Attacker extends SimpleChannelInboundHandler<ByteBuf> {
  /** Tickets that it remembers: two frames full of them. */
  private static final int TICKETS = 2 * Limits.FRAME_TIMESTAMPS_MAX;

  private final long[] tickets = new long[TICKETS];
  private final Attack attack;
  private final AttackRun run;
  private final SplittableRandom random;
  private ChannelHandlerContext context;
  private long lastStart;
  private long committing;
  private int frameId;
  private boolean reconnects;

  Attacker(Attack attack, AttackRun run, long seed) {
    this.attack = attack;
    this.run = run;
    random = new SplittableRandom(seed);
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    context = ctx;
    ByteBuf hello = ctx.alloc().ioBuffer(128);
    Handshake.writeHello(
        hello,
        frameId++,
        new Handshake.Hello(
            Handshake.VERSION_MIN, Handshake.VERSION_MAX, Handshake.Mode.ORACLE, "attack"));
    send(hello);
  }

  private void send(ByteBuf frame) {
    if (run.goesOn()) {
      context.writeAndFlush(frame, context.voidPromise());
    } else {
      frame.release();
    }
  }

  private ByteBuf frame(FrameType type, int count, int bodyBytes) {
    ByteBuf frame = context.alloc().ioBuffer(Frames.HEADER_BYTES + bodyBytes);
    Frames.writeHeader(frame, type, count, frameId++, bodyBytes);
    return frame;
  }

  private void writeOwned(ByteBuf frame, long start) {
    frame.writeLong(start).writeLong(tickets[place(start)]);
  }

  private static int place(long start) {
    return (int) (start >>> Timestamps.GAP_BITS) & TICKETS - 1;
  }

  void begin(int count) {
    send(frame(FrameType.BEGIN, count, 0));
  }

  void watermark() {
    send(frame(FrameType.WATERMARK, 1, 0));
  }

  /** Asks to commit so many transactions that follow each other, each of random rows. */
  void commit(long first, int count, int rows, boolean repeat) {
    committing = first;
    ByteBuf frame =
        frame(FrameType.COMMIT, count, count * (Frames.COMMIT_FIXED_BYTES + rows * Long.BYTES));
    for (int i = 0; i < count; i++) {
      writeOwned(frame, first + ((long) i << Timestamps.GAP_BITS));
      frame.writeInt(rows | (repeat ? FrameType.REPEAT_FLAG : 0));
      for (int j = 0; j < rows; j++) {
        frame.writeLong(random.nextLong());
      }
    }
    send(frame);
  }

  /** Asks to commit a serializable transaction that wrote a row and read so many, all random. */
  void certify(long start, int reads) {
    committing = start;
    int bytes = Frames.COMMIT_READS_FIXED_BYTES + (1 + reads) * Long.BYTES;
    ByteBuf frame = frame(FrameType.COMMIT_READS, 1, bytes);
    writeOwned(frame, start);
    frame.writeInt(1 | FrameType.SERIALIZABLE_FLAG);
    frame.writeInt(0).writeInt(reads).writeInt(0).writeInt(0);
    for (int i = 0; i <= reads; i++) {
      frame.writeLong(random.nextLong());
    }
    send(frame);
  }

  /** Sends the first half of the largest commit, and no more. */
  void halfACommit() {
    int bytes = Frames.COMMIT_FIXED_BYTES + Limits.TRANSACTION_ROWS_MAX * Long.BYTES;
    ByteBuf half = context.alloc().ioBuffer(Frames.HEADER_BYTES + bytes / 2);
    Frames.writeHeader(half, FrameType.COMMIT, 1, frameId++, bytes);
    half.writeZero(bytes / 2);
    send(half);
  }

  void cleaned(long first, int count) {
    ByteBuf frame = frame(FrameType.CLEANED, count, count * Frames.TICKET_BYTES);
    for (int i = 0; i < count; i++) {
      writeOwned(frame, first + ((long) i << Timestamps.GAP_BITS));
    }
    send(frame);
  }

  /** Reports so many sweeps that took the same timestamp. */
  void swept(long timestamp, int count) {
    ByteBuf frame = frame(FrameType.SWEPT, count, count * Frames.TICKET_BYTES);
    for (int i = 0; i < count; i++) {
      writeOwned(frame, timestamp);
    }
    send(frame);
  }

  void query(long reader, int count) {
    ByteBuf frame = frame(FrameType.STATUS, count, count * Frames.STATUS_BYTES);
    for (int i = 0; i < count; i++) {
      Attack.writeQuery(frame, reader);
    }
    send(frame);
  }

  void stopReading() {
    context.channel().config().setAutoRead(false);
  }

  /** Closes this connection and opens another. */
  void reconnect() {
    reconnects = true;
    context.close();
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, ByteBuf in) {
    int count = Frames.count(in, 0);
    if (Frames.isError(in, 0)) {
      run.refused(1);
      return;
    }
    if (Frames.isPing(in, 0)) {
      ByteBuf pong = ctx.alloc().ioBuffer(Frames.HEADER_BYTES);
      Frames.writeReplyHeader(pong, FrameType.PING, 0, Frames.frameId(in, 0));
      send(pong);
      return;
    }
    FrameType type = Frames.replyType(in, 0);
    if (type == FrameType.HELLO) {
      run.answered(1);
      attack.welcomed(this);
    } else if (type == FrameType.BEGIN) {
      run.answered(count);
      lastStart = in.getLong(Frames.HEADER_BYTES);
      for (int i = 0; i < count; i++) {
        long start = lastStart + ((long) i << Timestamps.GAP_BITS);
        tickets[place(start)] = in.getLong(Frames.HEADER_BYTES + (1 + i) * Long.BYTES);
      }
      attack.begun(this, lastStart, count);
    } else if (type == FrameType.COMMIT || type == FrameType.COMMIT_READS) {
      int refused = 0;
      for (int i = 0; i < count; i++) {
        long outcome = in.getLong(Frames.HEADER_BYTES + i * Long.BYTES);
        refused += Outcome.isRefused(outcome) ? 1 : 0;
      }
      run.answered(count - refused);
      run.refused(refused);
      attack.decided(this, committing, count);
    } else if (Attack.isAnswer(type)) {
      run.answered(count);
      attack.answered(this, lastStart);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    run.closed(reconnects);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close(); // the server may end it at any time, which is counted
  }
}
