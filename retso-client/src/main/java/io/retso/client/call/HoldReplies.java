package io.retso.client.call;

import io.netty.buffer.ByteBuf;
import io.retso.client.Hold;
import io.retso.client.OracleException;
import io.retso.client.OracleException.Category;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Holding;
import io.retso.protocol.Limits;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** What the oracle's answers about held snapshots mean. Stateless. */
final class HoldReplies {
  private HoldReplies() {}

  /** The answer to a call of HOLD, RENEW or RELEASE. */
  static void complete(Call<?> call, long outcome, boolean strict) throws FrameException {
    if (call.type != FrameType.HOLD) {
      boolean wasHeld = outcome == Outcome.DONE;
      check(wasHeld || outcome == Outcome.NOT_HELD || !strict, call, outcome);
      call.answer(wasHeld);
    } else if (outcome == Outcome.HOLD_NAME_TAKEN) {
      refuse(
          call,
          Category.INVALID_REQUEST,
          "another snapshot is held by the name "
              + ((HoldCall) call).name
              + ": release it, or take another name");
    } else if (outcome == Outcome.HOLDS_FULL) {
      refuse(
          call,
          Category.OVERLOADED,
          "the oracle holds "
              + Limits.HOLDS_MAX
              + " snapshots, and takes no more: release one that is not needed any longer");
    } else if (outcome == Outcome.HOLDS_NOT_UNDERSTOOD) {
      refuse(
          call,
          Category.INCOMPATIBLE,
          "not all servers of the oracle understand held snapshots: upgrade them, and let the lead"
              + " change once (retso handover)");
    } else {
      check(Timestamps.isWellFormed(outcome) || !strict, call, outcome);
      call.answer(outcome);
    }
  }

  private static void refuse(Call<?> call, Category category, String message) {
    call.completeExceptionally(new OracleException(category, message, null));
  }

  private static void check(boolean sensible, Call<?> call, long outcome) throws FrameException {
    if (!sensible) {
      String message = Outcome.nameOf(outcome) + " in answer to " + call.type;
      FrameException broken = new FrameException(ErrorCode.MALFORMED_FRAME, message);
      call.fail(Category.INCOMPATIBLE, message, broken); // it has left its frame
      throw broken;
    }
  }

  /** The held snapshots in the reply to HOLDS at {@code index}. */
  static List<Hold> list(ByteBuf in, int index) {
    return Holding.reports(in, index).stream()
        .map(
            report ->
                new Hold(
                    report.name(),
                    report.timestamp(),
                    Duration.ofMillis(report.ttlMillis()),
                    Instant.ofEpochMilli(report.sinceMillis()),
                    Duration.ofMillis(report.leftMillis())))
        .toList();
  }
}
