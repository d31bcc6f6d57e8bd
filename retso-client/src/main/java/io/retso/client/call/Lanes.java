package io.retso.client.call;

import io.retso.client.OracleException.Category;
import io.retso.protocol.FrameType;
import java.util.ArrayDeque;
import java.util.List;

/**
 * The frames of one connection that wait for replies, in lanes, as the protocol orders them: begins
 * and timestamps in one, decisions in the other. A ping has a lane of its own, because the protocol
 * does not say which it travels in. Event loop only.
 */
public final class Lanes {
  private final ArrayDeque<SentFrame> fastLane = new ArrayDeque<>();
  private final ArrayDeque<SentFrame> logLane = new ArrayDeque<>();
  private final ArrayDeque<SentFrame> pingLane = new ArrayDeque<>();
  private final List<ArrayDeque<SentFrame>> all = List.of(fastLane, logLane, pingLane);

  /** The lane of a type of frames, the oldest first. */
  public ArrayDeque<SentFrame> of(FrameType type) {
    if (type.isLogged()) {
      return logLane;
    }
    return type == FrameType.PING ? pingLane : fastLane;
  }

  public boolean areEmpty() {
    return fastLane.isEmpty() && logLane.isEmpty() && pingLane.isEmpty();
  }

  /** Takes out a frame, the oldest of each lane first; null if there is none. */
  public SentFrame poll() {
    for (ArrayDeque<SentFrame> lane : all) {
      if (!lane.isEmpty()) {
        return lane.poll();
      }
    }
    return null;
  }

  /** Takes out the frame with an id if it is the oldest of its lane, and no ping; else null. */
  public SentFrame takeNext(int id) {
    for (ArrayDeque<SentFrame> lane : all) {
      if (lane != pingLane && !lane.isEmpty() && lane.peek().id == id) {
        return lane.poll();
      }
    }
    return null;
  }

  /**
   * Fails the calls whose deadline has passed. They stay in their frames, so that replies keep
   * matching, and keep counting as outstanding until then.
   */
  public void expire(long nowNanos, String message) {
    for (ArrayDeque<SentFrame> lane : all) {
      for (SentFrame frame : lane) {
        if (frame.deadlineNanos - nowNanos <= 0) {
          expire(frame, nowNanos, message);
        }
      }
    }
  }

  private static void expire(SentFrame frame, long nowNanos, String message) {
    long deadlineNanos = Long.MAX_VALUE;
    boolean waiting = false;
    for (Call<?> call = frame.head; call != null; call = call.next) {
      if (call.isDone()) {
        continue;
      }
      assert call.deadlineNanos - frame.deadlineNanos >= 0 : "a frame expires late";
      if (call.deadlineNanos - nowNanos <= 0) {
        call.fail(Category.TIMEOUT, message, null);
      } else if (!waiting || call.deadlineNanos - deadlineNanos < 0) {
        waiting = true;
        deadlineNanos = call.deadlineNanos;
      }
    }
    frame.deadlineNanos = waiting ? deadlineNanos : nowNanos + Long.MAX_VALUE / 2;
  }

  /** How long a reply has been owed while nothing was read; 0 if none is. */
  public long silenceNanos(long nowNanos, long lastReadNanos) {
    long silence = 0;
    for (ArrayDeque<SentFrame> lane : all) {
      SentFrame oldest = lane.peek();
      if (oldest != null) {
        silence =
            Math.max(silence, Math.min(nowNanos - oldest.sentNanos, nowNanos - lastReadNanos));
      }
    }
    return silence;
  }
}
