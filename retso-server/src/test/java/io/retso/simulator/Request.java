package io.retso.simulator;

import io.retso.protocol.FrameType;
import java.util.function.Consumer;

/** One request of a client, as long as it has no reply. */
final class Request {
  final FrameType type;

  /**
   * The transaction that it is about; where a timestamp is wanted, the newest one that was known
   * when it was made; of a sweep, its timestamp.
   */
  final long start;

  /** The reader's timestamp, of a status query. */
  final long reader;

  /** The rows of a commit. */
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
      case BEGIN, TIMESTAMP -> start;
      default -> 0;
    };
  }
}
