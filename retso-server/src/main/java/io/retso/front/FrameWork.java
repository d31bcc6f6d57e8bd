package io.retso.front;

import io.netty.buffer.ByteBuf;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Limits;

/** How much work a checked frame is, before it is done. Stateless. */
final class FrameWork {
  /** Timestamps lie side by side in memory. */
  private static final int BEGINS_PER_UNIT = 8;

  private FrameWork() {}

  /**
   * The work of a frame: see {@link ClientShare}.
   *
   * @param quantum of its client's host
   */
  static long units(FrameType type, int frameBytes, int count, long quantum) {
    return switch (type) {
      case BEGIN -> 1 + count / BEGINS_PER_UNIT;
      case TIMESTAMP, SAFE, KEYS -> 1;
      case WATERMARK -> quantum; // it may walk over 2^20 places of the tables
      case SWEPT -> Math.max(quantum, 1 + words(frameBytes)); // so may this
      case HOLDS -> 1 + Limits.HOLDS_MAX;
      case HELLO,
          COMMIT,
          COMMIT_READS,
          STATUS,
          ABORT,
          CLEANED,
          PING,
          AUTH,
          VOUCH,
          HOLD,
          RENEW,
          RELEASE ->
          1 + words(frameBytes);
    };
  }

  private static int words(int frameBytes) {
    return (frameBytes - Frames.HEADER_BYTES) / Long.BYTES;
  }

  /** The rows that a frame's commits write. */
  static int rows(FrameType type, ByteBuf in, int index, int frameBytes) {
    int count = Frames.count(in, index);
    return switch (type) {
      case COMMIT ->
          (frameBytes - Frames.HEADER_BYTES - count * Frames.COMMIT_FIXED_BYTES) / Long.BYTES;
      case COMMIT_READS -> rowsBesideReads(in, index + Frames.HEADER_BYTES, count);
      default -> 0;
    };
  }

  private static int rowsBesideReads(ByteBuf in, int body, int count) {
    int rows = 0;
    int at = body;
    for (int i = 0; i < count; i++) {
      rows += in.getInt(at + Frames.TICKET_BYTES) & FrameType.ROWS_MASK;
      at += Frames.ownedBytes(FrameType.COMMIT_READS, in, at);
    }
    return rows;
  }
}
