package io.retso.simulator;

import java.util.function.Consumer;

/** One request of a client, as long as it has no reply. */
final class Request {
  enum Kind {
    BEGIN,
    COMMIT,
    STATUS,
    ABORT,
    CLEANED,
    WATERMARK,
    SWEPT,
    EXTEND
  }

  final Kind kind;

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

  Request(Kind kind, long start, long reader, long[] rows, Consumer<Answer> reply) {
    this.kind = kind;
    this.start = start;
    this.reader = reader;
    this.rows = rows;
    this.reply = reply;
  }

  /** Bytes on the wire, without the frame's header. */
  int bytes() {
    return switch (kind) {
      case BEGIN, WATERMARK -> 0;
      case COMMIT, EXTEND -> 12 + rows.length * Long.BYTES;
      case STATUS -> 16;
      case ABORT, CLEANED, SWEPT -> 8;
    };
  }
}
