package io.retso.client.call;

import io.netty.buffer.ByteBuf;
import io.retso.client.CommitResult;
import io.retso.client.CommitSteps;
import io.retso.client.Conflict;
import io.retso.client.Hold;
import io.retso.client.OracleException;
import io.retso.client.OracleException.Category;
import io.retso.client.Receipts;
import io.retso.client.TransactionHandle;
import io.retso.client.TransactionStatus;
import io.retso.client.UnknownOutcomeException;
import io.retso.client.VouchedToken;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Outcome;
import io.retso.protocol.Steps;
import io.retso.protocol.Timestamps;
import io.retso.protocol.Vouching;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.ObjLongConsumer;

/** Turns the outcomes of a checked reply frame into answers of calls. Stateless. */
public final class Replies {
  private Replies() {}

  /**
   * Takes the commits out of {@code frame} that the server refused for now. Of the others {@link
   * #complete} completes the calls.
   *
   * @return how many
   */
  public static int takeRefused(
      SentFrame frame, ByteBuf in, int index, ObjLongConsumer<Call<?>> refused) {
    if (!frame.type.isCommit()) {
      return 0;
    }
    int count = 0;
    Call<?> kept = null;
    int at = index + Frames.HEADER_BYTES;
    for (Call<?> call = frame.head; call != null; at += Long.BYTES) {
      Call<?> next = call.next;
      if (!Outcome.isRefused(in.getLong(at))) {
        kept = call;
      } else {
        if (kept == null) {
          frame.head = next;
        } else {
          kept.next = next;
        }
        call.next = null;
        refused.accept(call, in.getLong(at));
        count++;
      }
      call = next;
    }
    return count;
  }

  /**
   * Completes the calls of {@code frame} in order. A call that is answered leaves the frame; when
   * this throws, those still in the frame have no answer.
   *
   * @param index where the reply begins in {@code in}; it passed {@link Frames#checkReply} and
   *     matches {@code frame} in type, id and count
   * @param timestampGap distance of the timestamps of one begin frame
   * @param strict whether answers must make sense; false for an echoing server
   * @throws FrameException if the reply contradicts the request
   */
  public static void complete(
      SentFrame frame, ByteBuf in, int index, int timestampGap, boolean strict)
      throws FrameException {
    int body = index + Frames.HEADER_BYTES;
    switch (frame.type) {
      case BEGIN -> begins(frame, in, body, timestampGap);
      case WATERMARK, TIMESTAMP, SAFE -> shared(frame, in.getLong(body), strict);
      case PING -> {
        if (frame.head != null) {
          next(frame).answer(null);
        }
      }
      case KEYS -> keys(frame, in, body);
      case VOUCH -> token(frame, in, index);
      case COMMIT, COMMIT_READS -> commits(frame, in, index, strict);
      case ABORT -> {
        int receipt = body + frame.count * Long.BYTES;
        for (; frame.head != null; body += Long.BYTES, receipt += Long.BYTES) {
          decided(frame, in.getLong(body), in.getLong(receipt), strict);
        }
      }
      case STATUS, CLEANED, SWEPT -> {
        for (; frame.head != null; body += Long.BYTES) {
          decided(frame, in.getLong(body), 0, strict);
        }
      }
      case HOLD, RENEW, RELEASE -> {
        for (; frame.head != null; body += Long.BYTES) {
          HoldReplies.complete(next(frame), in.getLong(body), strict);
        }
      }
      case HOLDS -> {
        List<Hold> holds = HoldReplies.list(in, index);
        while (frame.head != null) {
          next(frame).answer(holds);
        }
      }
      case HELLO, AUTH -> throw new AssertionError(frame.type + " has no calls");
    }
    assert frame.head == null : "a call of " + frame.type + " has no answer";
  }

  private static void commits(SentFrame frame, ByteBuf in, int index, boolean strict)
      throws FrameException {
    int body = index + Frames.HEADER_BYTES;
    int receipt = body + frame.count * Long.BYTES;
    int refusal = Frames.refusals(in, index);
    if (Steps.areIn(in, index)) {
      takeSteps(frame, in, index);
    }
    for (; frame.head != null; body += Long.BYTES, receipt += Long.BYTES) {
      long outcome = in.getLong(body);
      if (Outcome.isRefused(outcome)) {
        continue; // its call left the frame
      }
      if (refusal == 0 || !strict || !Outcome.isExplained(outcome)) {
        decided(frame, outcome, in.getLong(receipt), strict);
        continue;
      }
      Conflict conflict =
          conflict(frame.head, in.getLong(refusal), in.getLong(refusal + Long.BYTES));
      refusal += Frames.REFUSAL_BYTES;
      boolean readsAreKnown = frame.type == FrameType.COMMIT_READS;
      check(readsAreKnown || !Outcome.isNotSerializable(outcome), frame.head, outcome);
      CommitResult result = CommitResult.of(outcome, in.getLong(receipt));
      answer(frame, conflict == null ? result : result.explained(conflict));
    }
  }

  private static void takeSteps(SentFrame frame, ByteBuf in, int index) throws FrameException {
    if (!frame.asksSteps) {
      throw new FrameException(
          ErrorCode.MALFORMED_FRAME, "a reply has steps for which its request does not ask");
    }
    frame.steps = new CommitSteps(step(in, index, 0), step(in, index, 1), step(in, index, 2));
  }

  private static Duration step(ByteBuf in, int index, int number) {
    return Duration.of(Steps.get(in, index, number), ChronoUnit.MICROS);
  }

  /** Answers the first call of a frame, with how long its steps took if it asks for that. */
  private static void answer(SentFrame frame, CommitResult result) {
    Call<?> call = next(frame);
    call.answer(call.asksSteps && frame.steps != null ? result.timed(frame.steps) : result);
  }

  /** What a refused commit met; null if no id is known to be the reason. */
  private static Conflict conflict(Call<?> call, long ids, long commit) throws FrameException {
    int offending = Frames.offending(ids);
    int alsoRead = Frames.alsoRead(ids);
    boolean known =
        call.isPlace(offending) && (alsoRead == FrameType.NO_ID || call.isPlace(alsoRead));
    boolean after = commit == 0 || Timestamps.isWellFormed(commit) && commit > call.start;
    if (offending == FrameType.NO_ID && alsoRead == FrameType.NO_ID && commit == 0) {
      return null;
    }
    if (!known || !after) {
      throw new FrameException(
          ErrorCode.MALFORMED_FRAME,
          "transaction "
              + call.start
              + " of "
              + call.ids()
              + " ids is refused because of id "
              + offending
              + ", id "
              + alsoRead
              + " and the commit at "
              + commit);
    }
    return new Conflict(
        call.id(offending),
        commit == 0 ? OptionalLong.empty() : OptionalLong.of(commit),
        alsoRead == FrameType.NO_ID ? Optional.empty() : Optional.of(call.id(alsoRead)));
  }

  private static void begins(SentFrame frame, ByteBuf in, int body, int timestampGap)
      throws FrameException {
    long first = in.getLong(body);
    long last = first + (long) (frame.count - 1) * timestampGap;
    if (!Timestamps.isWellFormed(first)
        || !Timestamps.isWellFormed(last)
        || !Timestamps.isWellFormed(timestampGap)) {
      throw new FrameException(
          ErrorCode.MALFORMED_FRAME, "start timestamps " + first + " to " + last);
    }
    int ticket = body + Long.BYTES;
    for (long start = first; frame.head != null; start += timestampGap, ticket += Long.BYTES) {
      next(frame).answer(TransactionHandle.of(start, in.getLong(ticket)));
    }
  }

  /** One timestamp is the answer to all calls of the frame. */
  private static void shared(SentFrame frame, long timestamp, boolean strict)
      throws FrameException {
    if (strict && !Timestamps.isWellFormed(timestamp)) {
      throw new FrameException(
          ErrorCode.MALFORMED_FRAME, timestamp + " in answer to " + frame.type);
    }
    while (frame.head != null) {
      next(frame).answer(timestamp);
    }
  }

  private static void keys(SentFrame frame, ByteBuf in, int body) {
    long[] numbers = new long[FrameType.KEYS_NUMBERS];
    Arrays.setAll(numbers, i -> in.getLong(body + i * Long.BYTES));
    Receipts receipts = Receipts.of(numbers);
    while (frame.head != null) {
      next(frame).answer(receipts);
    }
  }

  private static void token(SentFrame frame, ByteBuf in, int index) throws FrameException {
    int bodyBytes = Frames.frameBytes(in, index) - Frames.HEADER_BYTES;
    ByteBuf body = in.slice(index + Frames.HEADER_BYTES, bodyBytes);
    long lastsMillis = Vouching.readLastsMillis(body);
    next(frame).answer(new VouchedToken(Vouching.readToken(body), lastsMillis));
  }

  private static void decided(SentFrame frame, long outcome, long receipt, boolean strict)
      throws FrameException {
    Call<?> call = frame.head;
    if (!strict) {
      next(frame).answer(meaningless(call.type, outcome));
      return;
    }
    if (outcome == Outcome.INVALID_TIMESTAMP) {
      invalidTimestamp(next(frame));
      return;
    }
    if (outcome == Outcome.NOT_OWNER) {
      check(call.type != FrameType.STATUS, call, outcome);
      notOwner(next(frame));
      return;
    }
    boolean readsAreKnown = call.type == FrameType.COMMIT_READS;
    check(readsAreKnown || !Outcome.isNotSerializable(outcome), call, outcome);
    switch (call.type) {
      case COMMIT, COMMIT_READS -> commit(frame, outcome, receipt);
      case STATUS -> {
        TransactionStatus status = TransactionStatus.of(outcome);
        check(status != null, call, outcome);
        next(frame).answer(status);
      }
      case ABORT -> abort(frame, outcome, receipt);
      case CLEANED -> cleaned(frame, outcome);
      case SWEPT -> {
        check(outcome == Outcome.DONE, call, outcome);
        next(frame).answer(null);
      }
      default -> throw new AssertionError(call.type);
    }
  }

  private static void commit(SentFrame frame, long outcome, long receipt) throws FrameException {
    Call<?> call = frame.head;
    if (outcome == Outcome.UNKNOWN) {
      forgotten(next(frame));
    } else if (outcome == Outcome.ALREADY_COMMITTED) {
      // No failure that says it is not committed: a caller would run it again.
      next(frame)
          .completeExceptionally(
              new UnknownOutcomeException(
                  call.start,
                  "transaction "
                      + call.start
                      + " is committed already, by another request: a transaction is committed"
                      + " once; abort with its handle answers its commit timestamp",
                  null));
    } else {
      decided(frame, outcome, receipt);
    }
  }

  private static void abort(SentFrame frame, long outcome, long receipt) throws FrameException {
    if (outcome == Outcome.UNKNOWN || outcome == Outcome.RETRY) {
      forgotten(next(frame));
    } else if (outcome == Outcome.DONE) {
      next(frame).answer(CommitResult.of(Outcome.ABORTED, receipt));
    } else {
      decided(frame, outcome, receipt);
    }
  }

  /** A transaction is committed, later than it started, or aborted. */
  private static void decided(SentFrame frame, long outcome, long receipt) throws FrameException {
    Call<?> call = frame.head;
    CommitResult result = CommitResult.of(outcome, receipt);
    check(result != null && !(outcome > 0 && outcome <= call.start), call, outcome);
    answer(frame, result);
  }

  private static void cleaned(SentFrame frame, long outcome) throws FrameException {
    Call<?> call = frame.head;
    if (outcome == Outcome.OPEN) {
      next(frame)
          .completeExceptionally(
              new OracleException(
                  Category.INVALID_REQUEST,
                  "transaction "
                      + call.start
                      + " is still open: commit or abort it before its clean-up is reported",
                  null));
      return;
    }
    // Whatever is decided or no longer remembered needs no further clean-up: reports may repeat.
    check(
        outcome == Outcome.DONE
            || outcome == Outcome.RETRY
            || outcome == Outcome.UNKNOWN
            || CommitResult.of(outcome, 0) != null,
        call,
        outcome);
    next(frame).answer(null);
  }

  private static Object meaningless(FrameType type, long outcome) {
    return switch (type) {
      case STATUS -> TransactionStatus.of(Outcome.RETRY);
      case COMMIT, COMMIT_READS, ABORT -> CommitResult.committed(outcome);
      default -> null;
    };
  }

  private static void forgotten(Call<?> call) {
    call.completeExceptionally(
        new UnknownOutcomeException(
            call.start,
            "the outcome of transaction "
                + call.start
                + " is unknown: the oracle no longer remembers it; look at the rows that it wrote",
            null));
  }

  /** Nothing was done of this copy of the request; an older one may have been carried out. */
  private static void notOwner(Call<?> call) {
    call.wasNotSent();
    call.fail(
        Category.NOT_PERMITTED,
        "transaction "
            + call.start
            + " was begun by another client, or its ticket was made with a secret that the oracle"
            + " no longer has: only its owner may commit, abort or report it, with the handle that"
            + " begin() returned",
        null);
  }

  private static void invalidTimestamp(Call<?> call) {
    call.completeExceptionally(
        new OracleException(
            Category.INVALID_REQUEST,
            "the oracle never issued timestamp "
                + call.start
                + (call.type == FrameType.STATUS ? " or " + call.ticket : "")
                + "; use timestamps that begin() or timestamp() of the same oracle returned",
            null));
  }

  private static void check(boolean sensible, Call<?> call, long outcome) throws FrameException {
    if (!sensible) {
      throw new FrameException(
          ErrorCode.MALFORMED_FRAME,
          Outcome.nameOf(outcome) + " in answer to " + call.type + " of transaction " + call.start);
    }
  }

  /** Takes the first call out of the frame. */
  private static Call<?> next(SentFrame frame) {
    Call<?> call = frame.head;
    frame.head = call.next;
    call.next = null;
    return call;
  }
}
