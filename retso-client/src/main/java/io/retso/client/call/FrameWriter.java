package io.retso.client.call;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.retso.client.CommitRequest;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.Holding;
import io.retso.protocol.Limits;
import io.retso.protocol.Steps;
import io.retso.protocol.Vouching;

/** Packs calls of one type into request frames. Stateless. */
public final class FrameWriter {
  /**
   * A frame is closed when it reaches this size, though the server would take more: while it works
   * on one frame, the next is on its way. One commit alone may be larger.
   */
  static final int FRAME_BYTES_TARGET = 64 << 10;

  private FrameWriter() {}

  /** Bytes of {@code call} in the body of a frame. */
  static int bytesOf(Call<?> call) {
    return switch (call.type) {
      case COMMIT -> Frames.COMMIT_FIXED_BYTES + call.rows.length * Long.BYTES;
      case COMMIT_READS -> Frames.COMMIT_READS_FIXED_BYTES + call.ids() * Long.BYTES;
      case STATUS -> Frames.STATUS_BYTES;
      case ABORT, CLEANED, SWEPT -> Frames.TICKET_BYTES;
      case VOUCH -> Vouching.bodyBytes(((VouchCall) call).user);
      case HOLD -> Holding.REQUEST_BYTES;
      case RENEW, RELEASE -> Long.BYTES;
      case HELLO, AUTH, BEGIN, TIMESTAMP, SAFE, PING, WATERMARK, KEYS, HOLDS -> 0;
    };
  }

  /**
   * Takes from {@code calls}, which is not empty, as many as one frame holds.
   *
   * @param version of the protocol that the server speaks
   * @return the frame, not yet encoded
   */
  public static SentFrame take(CallList calls, int frameId, long nowNanos, int version) {
    CallList taken = new CallList();
    Call<?> call = calls.peek();
    FrameType type = call.type;
    int countMax = countMax(type);
    int count = 0;
    int bytes = Frames.HEADER_BYTES;
    long deadlineNanos = call.deadlineNanos;
    boolean asksSteps = false;
    do {
      asksSteps |= call.asksSteps;
      taken.add(calls.poll());
      if (call.deadlineNanos - deadlineNanos < 0) {
        deadlineNanos = call.deadlineNanos;
      }
      count++;
      bytes += bytesOf(call);
      call = calls.peek();
    } while (call != null && count < countMax && bytes + bytesOf(call) <= FRAME_BYTES_TARGET);
    asksSteps &= version >= Handshake.STEPS;
    return new SentFrame(type, frameId, count, nowNanos, deadlineNanos, taken.takeAll(), asksSteps);
  }

  private static int countMax(FrameType type) {
    return switch (type) {
      case PING, VOUCH -> 1;
      case BEGIN, COMMIT, COMMIT_READS -> Limits.FRAME_TIMESTAMPS_MAX;
      case HOLD, RENEW, RELEASE, HOLDS -> Limits.HOLDS_MAX;
      case HELLO, AUTH, STATUS, ABORT, CLEANED, WATERMARK, SWEPT, TIMESTAMP, SAFE, KEYS ->
          Limits.FRAME_REQUESTS_MAX;
    };
  }

  /**
   * The bytes of a frame. From here on its calls count as sent: a commit among them that is written
   * again carries the flag of a repetition.
   */
  public static ByteBuf encode(SentFrame frame, ByteBufAllocator allocator) {
    int bodyBytes = 0;
    for (Call<?> call = frame.head; call != null; call = call.next) {
      bodyBytes += bytesOf(call);
    }
    ByteBuf out = allocator.directBuffer(Frames.HEADER_BYTES + bodyBytes);
    Frames.writeHeader(out, frame.type, frame.count, frame.id, bodyBytes);
    if (frame.asksSteps) {
      Steps.ask(out, 0);
    }
    for (Call<?> call = frame.head; call != null; call = call.next) {
      write(call, out);
    }
    return out;
  }

  private static void write(Call<?> call, ByteBuf out) {
    switch (call.type) {
      case COMMIT -> {
        out.writeLong(call.start).writeLong(call.ticket);
        out.writeInt(call.rows.length | (call.maybeSent ? FrameType.REPEAT_FLAG : 0));
        writeIds(call.rows, out);
      }
      case COMMIT_READS -> writeReads(call.request, call.maybeSent, out);
      case STATUS, ABORT, CLEANED, SWEPT -> out.writeLong(call.start).writeLong(call.ticket);
      case VOUCH -> Vouching.writeUser(out, ((VouchCall) call).user);
      case HOLD -> {
        HoldCall hold = (HoldCall) call;
        Holding.writeRequest(out, hold.number, hold.ttlMillis, hold.name);
      }
      case RENEW, RELEASE -> out.writeLong(call.start);
      case HELLO, AUTH, BEGIN, TIMESTAMP, SAFE, PING, WATERMARK, KEYS, HOLDS -> {} // by count
    }
    call.maybeSentBefore = call.maybeSent;
    call.maybeSent = true;
  }

  private static void writeReads(CommitRequest request, boolean repeat, ByteBuf out) {
    int flags = repeat ? FrameType.REPEAT_FLAG : 0;
    flags |= request.isSerializable() ? FrameType.SERIALIZABLE_FLAG : 0;
    out.writeLong(request.transaction().startTimestamp());
    out.writeLong(request.transaction().ticket());
    out.writeInt(request.writes().length | flags);
    out.writeInt(request.validated().length);
    out.writeInt(request.reads().length);
    out.writeInt(request.rangeReads().length);
    out.writeInt(request.rangeWrites().length);
    writeIds(request.writes(), out);
    writeIds(request.validated(), out);
    writeIds(request.reads(), out);
    writeIds(request.rangeReads(), out);
    writeIds(request.rangeWrites(), out);
  }

  private static void writeIds(long[] ids, ByteBuf out) {
    for (long id : ids) {
      out.writeLong(id);
    }
  }
}
