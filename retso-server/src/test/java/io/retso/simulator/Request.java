package io.retso.simulator;

import io.retso.protocol.FrameType;
import java.util.function.Consumer;

/** One request of a client, as long as it has no reply. */
final class Request {
  final FrameType type;

  /**
   * The transaction that it is about; of a begin, the newest timestamp known when it was made; of a
   * sweep, its timestamp; of an extension, its snapshot.
   */
  final long start;

  /** The reader's start, of a status query; of an extension, the newest timestamp known. */
  final long reader;

  /** The rows of a commit or an extension. */
  final long[] rows;

  final Consumer<Answer> reply;

  /** It was sent before, and the connection was lost. */
  boolean repeat;

  Request(FrameType type, long start, long reader, long[] rows, Consumer<Answer> reply) {
    this.type = type;
    this.start = start;
    this.reader = reader;
    this.rows = rows;
    this.reply = reply;
  }

  /** The newest timestamp that was known when it was made, which its answer must be above. */
  long known() {
    return switch (type) {
      case BEGIN -> start;
      case EXTEND -> Math.max(start, reader);
      default -> 0;
    };
  }
}
