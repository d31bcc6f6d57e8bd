package io.retso.bench.load;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.Limits;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.util.Arrays;

/**
 * One client: begins, commits what has begun, begins anew when something was decided. Of the event
 * loop.
 *
 * <pre>
 *   reply BEGIN  --&gt; COMMIT of these transactions  \
 *   reply COMMIT --&gt; BEGIN of as many, CLEANED      &gt; one write at the end of the read burst
 * </pre>
 */
final class LoadConnection extends ChannelInboundHandlerAdapter {
  /** A commit frame of this size takes no further group. */
  private static final int FRAME_BYTES_ENOUGH = 256 * 1024;

  private static final int TRANSACTION_BYTES_MAX =
      Frames.COMMIT_FIXED_BYTES + RowSource.ROWS_PER_TRANSACTION_MAX * Long.BYTES;

  /** Cleanups that are reported even if no commit frame goes with them. */
  private static final int CLEANED_ENOUGH = Limits.FRAME_REQUESTS_MAX / 2;

  /** As many fit into a frame. */
  private static final int CLEANED_MAX = Limits.FRAME_REQUESTS_MAX;

  private final LoadRun run;
  private final LoadPlan plan;
  private final RowSource source;
  private final Groups beginning = new Groups(16);
  private final Groups committing = new Groups(16);

  /** Tickets of transactions whose commit is under way, in their order. */
  private final LongQueue tickets = new LongQueue();

  /** Start timestamps and tickets in turn. */
  private long[] cleaned = new long[512];

  private ChannelHandlerContext context;
  private ByteBuf unread;
  private ByteBuf out;
  private int commitHeader = -1;
  private int commitCount;
  private int beginsDue;
  private int cleanedCount;
  private int outstanding;
  private int cleanedFrames;
  private int frameId;

  LoadConnection(LoadRun run, LoadPlan plan, int number) {
    this.run = run;
    this.plan = plan;
    source = new RowSource(plan.seed() * 1000 + number, plan.rows());
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    context = ctx;
    ByteBuf hello = ctx.alloc().ioBuffer(128);
    Handshake.writeHello(
        hello,
        frameId++,
        new Handshake.Hello(
            Handshake.VERSION_MIN, Handshake.VERSION_MAX, plan.mode(), "retso bench"));
    ctx.writeAndFlush(hello, ctx.voidPromise());
  }

  /** Begins so many transactions; of a closed loop, which keeps up their number from here on. */
  void start(int transactions) {
    beginsDue += transactions;
    endOfBurst();
  }

  /**
   * Begins transactions of an open loop.
   *
   * @param due the instant at which they should have begun
   */
  void begin(int transactions, long due) {
    int left = transactions;
    while (left > 0) {
      int part = Math.min(left, Limits.FRAME_TIMESTAMPS_MAX);
      writeBegin(part, due);
      left -= part;
    }
  }

  int outstanding() {
    return outstanding;
  }

  /** Whether nothing is under way. */
  boolean isQuiet() {
    return outstanding == 0 && beginsDue == 0 && cleanedFrames == 0 && cleanedCount == 0;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    if (unread == null) {
      unread = bytes;
    } else {
      unread = join(unread, bytes);
    }
    long now = System.nanoTime();
    try {
      while (true) {
        int index = unread.readerIndex();
        int frameBytes = Frames.frameBytes(unread, index);
        if (frameBytes == 0 || unread.readableBytes() < frameBytes) {
          break;
        }
        if (Frames.isPing(unread, index)) {
          int id = Frames.frameId(unread, index);
          Frames.writeReplyHeader(out(Frames.HEADER_BYTES), FrameType.PING, 0, id);
        } else {
          Frames.checkReply(unread, index, frameBytes);
          take(index, frameBytes, now);
        }
        unread.skipBytes(frameBytes);
      }
    } catch (FrameException e) {
      run.fail("the server's reply is not understood: " + e.getMessage(), e);
    }
    if (unread != null && !unread.isReadable()) {
      unread.release();
      unread = null;
    }
  }

  private ByteBuf join(ByteBuf first, ByteBuf second) {
    ByteBuf joined = context.alloc().ioBuffer(first.readableBytes() + second.readableBytes());
    joined.writeBytes(first).writeBytes(second);
    first.release();
    second.release();
    return joined;
  }

  private void take(int index, int frameBytes, long now) throws FrameException {
    int count = Frames.count(unread, index);
    int body = index + Frames.HEADER_BYTES;
    if (Frames.isRole(unread, index)) {
      return; // it knows more of the other members
    }
    if (Frames.isError(unread, index)) {
      String why = Frames.errorText(unread, index);
      run.fail("the server refused: " + why + "; the server's log says more", null);
      return;
    }
    switch (Frames.replyType(unread, index)) {
      case BEGIN -> begun(body, count, now);
      case COMMIT, COMMIT_READS -> decided(body, count, now);
      case CLEANED -> cleanedFrames--;
      case HELLO -> {
        int bodyBytes = frameBytes - Frames.HEADER_BYTES;
        Handshake.readWelcome(unread.slice(body, bodyBytes));
        run.welcomed();
      }
      default -> run.fail("the server sent a frame that was not asked for", null);
    }
  }

  private void begun(int body, int count, long now) {
    long first = unread.getLong(body);
    long sent = beginning.began();
    beginning.remove();
    run.begun(count, now - sent);
    if (plan.work() == LoadPlan.Work.BEGINS) {
      outstanding -= count;
      run.completedBegins(count);
      again(count);
      return;
    }
    commit(first, body + Long.BYTES, count);
    committing.add(first, count, sent);
  }

  /** Appends commit requests to the frame of this burst. */
  private void commit(long first, int firstTicket, int count) {
    ByteBuf to = out(count * TRANSACTION_BYTES_MAX + Frames.HEADER_BYTES);
    boolean full =
        commitCount + count > Limits.FRAME_TIMESTAMPS_MAX
            || to.writerIndex() - commitHeader > FRAME_BYTES_ENOUGH;
    if (commitHeader >= 0 && full) {
      finishCommits();
    }
    if (commitHeader < 0) {
      commitHeader = to.writerIndex();
      FrameType type = plan.work().namesReads() ? FrameType.COMMIT_READS : FrameType.COMMIT;
      Frames.writeHeader(to, type, 0, frameId++, 0);
    }
    commitCount += count;
    for (int i = 0; i < count; i++) {
      long ticket = unread.getLong(firstTicket + i * Long.BYTES);
      to.writeLong(first + ((long) i << Timestamps.GAP_BITS)).writeLong(ticket);
      tickets.add(ticket);
      int ids = plan.work().namesReads() ? countsOfReads(to) : countOfWrites(to);
      for (int j = 0; j < ids; j++) {
        to.writeLong(source.nextRow());
      }
    }
  }

  private int countOfWrites(ByteBuf to) {
    int n = source.nextCount();
    to.writeInt(n);
    return n;
  }

  /** Writes, validated, reads, range reads, range writes. */
  private int countsOfReads(ByteBuf to) {
    boolean certified = plan.work() == LoadPlan.Work.CERTIFIED_READS;
    to.writeInt(LoadPlan.WRITES_BESIDE_READS | (certified ? FrameType.SERIALIZABLE_FLAG : 0));
    to.writeInt(0);
    to.writeInt(LoadPlan.READS_NAMED);
    to.writeInt(0);
    to.writeInt(0);
    return LoadPlan.IDS_OF_READS;
  }

  private void finishCommits() {
    Frames.finishFrame(out, commitHeader, commitCount);
    commitHeader = -1;
    commitCount = 0;
  }

  /** A commit frame is answered: whole groups, in their order. */
  private void decided(int body, int count, long now) {
    int index = body;
    int left = count;
    while (left > 0) {
      int size = committing.count();
      long first = committing.first();
      run.decided(size, now - committing.began(), now - committing.committed());
      committing.remove();
      for (int i = 0; i < size; i++, index += Long.BYTES) {
        long outcome = unread.getLong(index);
        long ticket = tickets.remove();
        if (!Outcome.isCommitted(outcome)) {
          run.notCommitted(outcome);
        } else if (plan.cleanup()) {
          cleaned(first + ((long) i << Timestamps.GAP_BITS), ticket);
        }
      }
      left -= size;
    }
    outstanding -= count;
    again(count);
  }

  private void cleaned(long start, long ticket) {
    if (2 * cleanedCount == cleaned.length) {
      if (cleanedCount < CLEANED_MAX) {
        cleaned = Arrays.copyOf(cleaned, 2 * cleaned.length);
      } else {
        writeCleaned();
      }
    }
    cleaned[2 * cleanedCount] = start;
    cleaned[2 * cleanedCount + 1] = ticket;
    cleanedCount++;
  }

  private void again(int count) {
    if (!plan.isOpenLoop() && run.goesOn()) {
      beginsDue += count;
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    endOfBurst();
  }

  /** Sends everything that became ready: one write. */
  void endOfBurst() {
    boolean commits = commitHeader >= 0;
    if (commits) {
      finishCommits();
    }
    boolean alone = cleanedCount >= CLEANED_ENOUGH || !run.goesOn();
    if (cleanedCount > 0 && (commits || alone)) {
      writeCleaned();
    }
    long now = System.nanoTime();
    if (beginsDue > 0) {
      int begins = beginsDue;
      beginsDue = 0;
      begin(begins, now);
    }
    committing.sent(now);
    if (out != null) {
      ByteBuf full = out;
      out = null;
      context.writeAndFlush(full, context.voidPromise());
    }
    run.endOfBurst(this);
  }

  private void writeBegin(int count, long due) {
    Frames.writeHeader(out(Frames.HEADER_BYTES), FrameType.BEGIN, count, frameId++, 0);
    beginning.add(0, count, due);
    outstanding += count;
  }

  private void writeCleaned() {
    int bytes = cleanedCount * Frames.TICKET_BYTES;
    if (commitHeader >= 0) {
      finishCommits();
    }
    ByteBuf to = out(Frames.HEADER_BYTES + bytes);
    Frames.writeHeader(to, FrameType.CLEANED, cleanedCount, frameId++, bytes);
    for (int i = 0; i < 2 * cleanedCount; i++) {
      to.writeLong(cleaned[i]);
    }
    cleanedCount = 0;
    cleanedFrames++;
  }

  private ByteBuf out(int bytes) {
    if (out == null) {
      out = context.alloc().ioBuffer(Math.max(bytes, 1024));
    } else {
      out.ensureWritable(bytes);
    }
    return out;
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (unread != null) {
      unread.release();
      unread = null;
    }
    if (out != null) {
      out.release();
      out = null;
    }
    run.closed(this);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    run.fail("the connection broke: " + cause, cause);
    ctx.close();
  }
}
