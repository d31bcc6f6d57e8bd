package io.retso.client.call;

import io.retso.client.OracleException.Category;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.Handshake.Welcome;
import io.retso.protocol.Limits;

/**
 * What the server of a connection cannot take, which only the handshake says: more ids than it
 * allows, or what its version of the protocol does not have. Stateless; event loop only.
 */
public final class Refusals {
  private Refusals() {}

  /** Takes out and fails those of {@code calls}, all of one type, that a server cannot take. */
  public static void refuse(CallList calls, Welcome limits, Intake<Call<?>> intake) {
    Call<?> first = calls.peek();
    if (first == null) {
      return;
    }
    boolean allows =
        limits.rowsMax() >= Limits.TRANSACTION_ROWS_MAX
            && limits.frameBytesMax() >= Limits.FRAME_BYTES_MAX;
    if (first.type.isCommit() && !allows) {
      refuseTooLarge(calls, limits, intake);
    } else if (first.type.isAboutHolds() && limits.version() < Handshake.HOLDS) {
      refuseHolds(calls, limits, intake);
    }
  }

  private static void refuseHolds(CallList calls, Welcome limits, Intake<Call<?>> intake) {
    Call<?> call;
    while ((call = calls.poll()) != null) {
      intake.release(1);
      call.fail(
          Category.INCOMPATIBLE,
          "the oracle's server speaks version "
              + limits.version()
              + " of the protocol, and snapshots are held from version "
              + Handshake.HOLDS
              + " on: upgrade it",
          null);
    }
  }

  private static void refuseTooLarge(CallList calls, Welcome limits, Intake<Call<?>> intake) {
    CallList allowed = new CallList();
    Call<?> call;
    while ((call = calls.poll()) != null) {
      if (call.ids() <= limits.rowsMax()
          && Frames.HEADER_BYTES - Frames.LENGTH_BYTES + FrameWriter.bytesOf(call)
              <= limits.frameBytesMax()) {
        allowed.add(call);
        continue;
      }
      intake.release(1);
      call.fail(
          Category.INVALID_REQUEST,
          "transaction "
              + call.start
              + (call.type == FrameType.COMMIT ? " writes " : " names ")
              + call.ids()
              + " rows; this oracle takes at most "
              + limits.rowsMax()
              + " rows and frames of "
              + limits.frameBytesMax()
              + " bytes; split it",
          null);
    }
    calls.addFirst(allowed);
  }
}
