package io.retso.client.call;

import io.retso.client.VouchedToken;
import io.retso.protocol.FrameType;

/** A request for a token of a user. */
public final class VouchCall extends Call<VouchedToken> {
  final String user;

  /** A request. */
  public VouchCall(String user, long deadlineNanos) {
    super(FrameType.VOUCH, 0, 0, NO_ROWS, deadlineNanos, true);
    this.user = user;
  }
}
