package io.retso.client.call;

import io.retso.protocol.FrameType;

/** A request to hold a snapshot. */
public final class HoldCall extends Call<Long> {
  final String name;
  final long ttlMillis;

  /** Tells this call from others that ask for the same name; its repetitions have the same. */
  final long number;

  /**
   * A request.
   *
   * @param number tells it from others of its name
   */
  public HoldCall(String name, long ttlMillis, long number, long deadlineNanos) {
    super(FrameType.HOLD, 0, 0, NO_ROWS, deadlineNanos, true);
    this.number = number;
    this.name = name;
    this.ttlMillis = ttlMillis;
  }
}
