package io.retso.simulator;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Timestamps;
import java.util.List;

/** Requests of one type on their way, as bytes, and what the judge must know of their decision. */
final class RequestFrame {
  final FrameType type;
  final int id;
  final List<Request> requests;

  /** What was true when the server took it; null before. */
  Circumstances decided;

  /** It asks for timestamps, and waited while others had need of them. */
  boolean putOff;

  /**
   * What was true when a server took a frame.
   *
   * @param epoch of the server
   * @param windowLow below this it remembered only uncleaned commits
   * @param nextTimestamp the next one before the frame was taken
   * @param hadMarks for each request whether the transaction had pending marks in the table
   * @param mayRefuse whether a client could have more than its share of uncleaned commits
   */
  record Circumstances(
      int epoch, long windowLow, long nextTimestamp, boolean[] hadMarks, boolean mayRefuse) {}

  RequestFrame(int id, List<Request> requests) {
    this.type = requests.get(0).type;
    this.id = id;
    this.requests = requests;
  }

  /** The frame's bytes. */
  ByteBuf encode() {
    ByteBuf out = Unpooled.buffer();
    Frames.writeHeader(out, type, 0, id, 0);
    requests.forEach(request -> write(request, out));
    Frames.finishFrame(out, 0, requests.size());
    return out;
  }

  private static void write(Request request, ByteBuf out) {
    switch (request.type) {
      case HELLO, BEGIN, TIMESTAMP, PING, WATERMARK -> {} // the count says all
      case STATUS -> out.writeLong(request.start).writeLong(request.reader);
      case ABORT, CLEANED, SWEPT -> out.writeLong(request.start);
      case COMMIT -> {
        out.writeLong(request.start);
        out.writeInt(request.rows.length | (request.repeat ? FrameType.REPEAT_FLAG : 0));
        for (long row : request.rows) {
          out.writeLong(row);
        }
      }
    }
  }

  /** The i-th answer of a reply frame at {@code index}. */
  Answer answer(int i, ByteBuf reply, int index) {
    int body = index + Frames.HEADER_BYTES;
    long outcome =
        switch (type) {
          case BEGIN -> reply.getLong(body) + i * (long) Timestamps.GAP;
          case TIMESTAMP, WATERMARK -> reply.getLong(body);
          default -> reply.getLong(body + i * Long.BYTES);
        };
    return new Answer(
        outcome, decided.epoch, decided.windowLow, decided.hadMarks[i], decided.mayRefuse);
  }
}
