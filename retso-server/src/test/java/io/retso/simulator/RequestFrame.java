package io.retso.simulator;

import io.netty.buffer.ByteBuf;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Timestamps;

/** What the judge must know of requests of one type on their way, and of their decision. */
final class RequestFrame {
  final FrameType type;
  final int id;
  final int count;

  /** The transaction that each request is about; of a sweep, its timestamp; or 0. */
  final long[] starts;

  /** The reader's start of each status query, otherwise 0. */
  final long[] readers;

  /** What was true when the server took it; null before. */
  Circumstances decided;

  /** It asks for timestamps, and waited while others had need of them. */
  boolean putOff;

  /**
   * What was true when a server took a frame.
   *
   * @param epoch of the server: its place in the order of take-overs
   * @param number the same, as clients are told it
   * @param isNewest whether no other had taken the log over from it
   * @param windowLow below this it remembered only uncleaned commits
   * @param nextTimestamp the next one before the frame was taken
   * @param hadMarks for each request whether the transaction had pending marks in the table
   * @param mayRefuse whether a client could have more than its share of uncleaned commits
   */
  record Circumstances(
      int epoch,
      long number,
      boolean isNewest,
      long windowLow,
      long nextTimestamp,
      boolean[] hadMarks,
      boolean mayRefuse) {}

  private RequestFrame(FrameType type, int id, int count) {
    this.type = type;
    this.id = id;
    this.count = count;
    this.starts = new long[count];
    this.readers = new long[count];
  }

  /** The next frame of requests in a buffer; null if there is none, or not all of it. */
  static RequestFrame peekOrNull(ByteBuf in) throws FrameException {
    int index = in.readerIndex();
    int bytes = Frames.frameBytes(in, index);
    if (bytes == 0 || in.readableBytes() < bytes) {
      return null;
    }
    FrameType type = Frames.requestType(in, index);
    if (type == FrameType.HELLO || type == FrameType.PING) {
      return null;
    }
    RequestFrame frame = new RequestFrame(type, Frames.frameId(in, index), Frames.count(in, index));
    frame.read(in, index + Frames.HEADER_BYTES);
    return frame;
  }

  private void read(ByteBuf in, int body) {
    int at = body;
    for (int i = 0; i < count; i++) {
      switch (type) {
        case HELLO, PING, BEGIN, TIMESTAMP, SAFE, WATERMARK, KEYS, VOUCH -> {} // the count says all
        case HOLD, RENEW, RELEASE, HOLDS -> {} // about no transaction
        case STATUS -> {
          starts[i] = in.getLong(at);
          readers[i] = in.getLong(at + Long.BYTES);
          at += Frames.STATUS_BYTES;
        }
        case ABORT, CLEANED, SWEPT, COMMIT, COMMIT_READS -> {
          starts[i] = in.getLong(at);
          at += Frames.ownedBytes(type, in, at);
        }
      }
    }
  }

  /** Counts commits that say that they are repeated. */
  static int repeats(ByteBuf in) throws FrameException {
    int index = in.readerIndex();
    FrameType type = Frames.requestType(in, index);
    if (type == null || !type.isCommit()) {
      return 0;
    }
    int repeats = 0;
    int at = index + Frames.HEADER_BYTES;
    for (int i = Frames.count(in, index); i > 0; i--) {
      repeats += (in.getInt(at + Frames.TICKET_BYTES) & FrameType.REPEAT_FLAG) == 0 ? 0 : 1;
      at += Frames.ownedBytes(type, in, at);
    }
    return repeats;
  }

  /** The i-th answer of a reply frame at {@code index}. */
  Answer answer(int i, ByteBuf reply, int index) {
    int body = index + Frames.HEADER_BYTES;
    long outcome =
        switch (type) {
          case BEGIN -> reply.getLong(body) + i * (long) Timestamps.GAP;
          case TIMESTAMP, SAFE, WATERMARK -> reply.getLong(body);
          default -> reply.getLong(body + i * Long.BYTES);
        };
    return new Answer(outcome, decided.windowLow, decided.hadMarks[i], decided.mayRefuse);
  }
}
