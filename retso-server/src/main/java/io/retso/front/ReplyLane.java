package io.retso.front;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.function.LongSupplier;

/**
 * Replies of one connection that wait for the log, in the order of their requests. Replies of the
 * same log position share a buffer.
 *
 * <p>Of the sequencer's thread.
 */
final class ReplyLane {
  private static final int BUFFER_BYTES = 4096;

  /** Replies of one log position. */
  static final class Held {
    private long position;
    private ByteBuf replies;
    private long since;
    private int requests;

    /** Whether one of them tells how long its steps took. */
    private boolean tellsSteps;

    /** When they were durable, if they tell steps; {@link #UNKNOWN} as long as they are not. */
    private long loggedNanos;

    ByteBuf replies() {
      return replies;
    }

    int requests() {
      return requests;
    }

    /** When the first of them was decided. */
    long since() {
      return since;
    }

    boolean tellsSteps() {
      return tellsSteps;
    }

    /** When they were durable, if they tell steps: by now at the latest. */
    long loggedNanos(long now) {
      return loggedNanos == UNKNOWN ? now : loggedNanos;
    }
  }

  private static final long UNKNOWN = Long.MIN_VALUE;

  private final ArrayDeque<Held> held = new ArrayDeque<>();
  private final ArrayDeque<Held> spare = new ArrayDeque<>();

  /** How many of those that are held tell steps. */
  private int tellSteps;

  /**
   * Whether a reply at {@code position} may leave at once: what it waits for is durable, and no
   * reply to an earlier request is held.
   */
  boolean mayLeave(long position, long durable) {
    return position <= durable && held.isEmpty();
  }

  /**
   * The buffer for replies that wait for {@code position}. A position that is lower than the one
   * before waits for that one, too.
   *
   * @param now nanoseconds of the injected clock
   */
  ByteBuf hold(long position, int requests, long now, ByteBufAllocator allocator) {
    Held last = held.peekLast();
    if (last == null || last.position != position) {
      last = spare.isEmpty() ? new Held() : spare.pop();
      last.position = position;
      last.replies = allocator.ioBuffer(BUFFER_BYTES);
      last.since = now;
      last.requests = 0;
      last.tellsSteps = false;
      last.loggedNanos = UNKNOWN;
      held.add(last);
    }
    last.requests += requests;
    return last.replies;
  }

  /** One of the replies that were held last tells how long its steps took. */
  void tellSteps() {
    Held last = held.getLast();
    tellSteps += last.tellsSteps ? 0 : 1;
    last.tellsSteps = true;
  }

  /** Notes for those that tell steps when they were durable; they may have to wait on. */
  void logged(long durable, LongSupplier nanoClock) {
    if (tellSteps == 0) {
      return;
    }
    long now = nanoClock.getAsLong();
    for (Held each : held) {
      if (each.position <= durable && each.loggedNanos == UNKNOWN) {
        each.loggedNanos = now;
      }
    }
  }

  /** Receives what may leave; owns the buffer. */
  interface Exit {
    void leave(Held replies);
  }

  /** Lets replies go whose position is durable, up to the first whose is not. */
  void release(long durable, Exit exit) {
    while (!held.isEmpty() && held.peek().position <= durable) {
      Held first = held.poll();
      tellSteps -= first.tellsSteps ? 1 : 0;
      exit.leave(first);
      first.replies = null;
      spare.push(first);
    }
  }

  boolean isEmpty() {
    return held.isEmpty();
  }

  /** Drops everything. */
  void clear() {
    release(Long.MAX_VALUE, dropped -> dropped.replies.release());
  }
}
