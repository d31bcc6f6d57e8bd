package io.retso.front;

import io.netty.buffer.ByteBuf;
import io.retso.protocol.Frames;
import io.retso.protocol.Steps;
import java.util.function.LongSupplier;

/**
 * Takes the time of the steps of commits of one connection, for frames that ask for it; for others
 * it looks at no clock.
 *
 * <p>Of the sequencer's thread.
 */
final class StepClock {
  private final LongSupplier nanoClock;

  /** Whether the frame that is looked at asks, and since when it is there. */
  private boolean asked;

  private long arrivedNanos;

  StepClock(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** Looks at a checked frame: at the same one again, as long as it is not {@link #taken}. */
  void look(ByteBuf in, int index) {
    if (Steps.areIn(in, index) && !asked) {
      asked = true;
      arrivedNanos = nanoClock.getAsLong();
    }
  }

  /** The frame was taken; what is looked at now is another one. */
  void taken() {
    asked = false;
  }

  boolean isAsked() {
    return asked;
  }

  /**
   * The commits of the frame are decided, and their reply is written at {@code index}.
   *
   * @param waits whether the reply waits for the log: then {@link #left} completes it
   */
  void decided(ByteBuf out, int index, boolean waits) {
    long now = nanoClock.getAsLong();
    Steps.add(out, index);
    Steps.set(out, index, 0, Steps.micros(now - arrivedNanos));
    Steps.set(out, index, 1, waits ? now : 0);
  }

  /** Completes those of the replies that say how long their steps took; they leave now. */
  static void left(ByteBuf replies, long loggedNanos, long now) {
    int at = replies.readerIndex();
    while (at < replies.writerIndex()) {
      if (Steps.areIn(replies, at)) {
        long decided = Steps.get(replies, at, 1);
        long logged = Math.max(decided, loggedNanos); // that of its position: it may be earlier
        Steps.set(replies, at, 1, Steps.micros(logged - decided));
        Steps.set(replies, at, 2, Steps.micros(now - logged));
      }
      at += Frames.LENGTH_BYTES + replies.getInt(at);
    }
  }
}
