package io.retso.client.call;

import io.retso.client.CommitSteps;
import io.retso.client.OracleException;
import io.retso.protocol.FrameType;
import java.util.function.Consumer;

/** A request frame that waits for its reply, with its calls in order. Event loop only. */
public final class SentFrame {
  public final FrameType type;
  public final int id;

  /** Calls; 0 in a ping of the connection itself. */
  public final int count;

  final long sentNanos;

  /** The earliest deadline among the calls that are not yet done; a lower bound of it. */
  long deadlineNanos;

  /** The first of {@link #count} calls, linked through {@link Call#next}; null if there is none. */
  Call<?> head;

  /** Whether it asks how long its steps took: at least one of its calls does. */
  final boolean asksSteps;

  /** How long they took; null as long as that is not known. */
  CommitSteps steps;

  /** A frame without calls: a ping of the connection itself. */
  public static SentFrame ping(int id, long nowNanos) {
    long never = nowNanos + Long.MAX_VALUE / 2;
    return new SentFrame(FrameType.PING, id, 0, nowNanos, never, null, false);
  }

  SentFrame(
      FrameType type,
      int id,
      int count,
      long sentNanos,
      long deadlineNanos,
      Call<?> head,
      boolean asksSteps) {
    assert (head == null) == (count == 0);
    this.type = type;
    this.id = id;
    this.count = count;
    this.sentNanos = sentNanos;
    this.deadlineNanos = deadlineNanos;
    this.head = head;
    this.asksSteps = asksSteps;
  }

  /** The server did nothing of it: its calls are as before it was sent. */
  public void wasNotSent() {
    for (Call<?> call = head; call != null; call = call.next) {
      call.wasNotSent();
    }
  }

  /** Its calls have no answer but this. */
  public void fail(OracleException.Category category, String message, Throwable cause) {
    takeCalls(call -> call.fail(category, message, cause));
  }

  /** Takes out those of its calls that are left, in their order. */
  public void takeCalls(Consumer<Call<?>> sink) {
    Call<?> call = head;
    head = null;
    while (call != null) {
      Call<?> next = call.next;
      call.next = null;
      sink.accept(call);
      call = next;
    }
  }
}
