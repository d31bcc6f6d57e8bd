package io.retso.client.connection;

import io.retso.protocol.FrameType;

/** A request frame that waits for its reply, with its calls in order. Event loop only. */
final class SentFrame {
  final FrameType type;
  final int id;
  final int count;
  final long sentNanos;

  /** The earliest deadline among the calls that are not yet done; a lower bound of it. */
  long deadlineNanos;

  /** The first of {@link #count} calls, linked through {@link Call#next}. */
  Call<?> head;

  SentFrame(FrameType type, int id, int count, long sentNanos, long deadlineNanos, Call<?> head) {
    this.type = type;
    this.id = id;
    this.count = count;
    this.sentNanos = sentNanos;
    this.deadlineNanos = deadlineNanos;
    this.head = head;
  }
}
