package io.retso.client.connection;

import io.retso.protocol.FrameType;

/** A request to hold a snapshot. */
final class HoldCall extends Call<Long> {
  final String name;
  final long ttlMillis;

  /** Tells this call from others that ask for the same name; its repetitions have the same. */
  final long number;

  HoldCall(String name, long ttlMillis, long number, long deadlineNanos) {
    super(FrameType.HOLD, 0, 0, NO_ROWS, deadlineNanos, true);
    this.number = number;
    this.name = name;
    this.ttlMillis = ttlMillis;
  }
}
