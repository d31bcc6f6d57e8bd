package io.retso.front;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;

/**
 * Replies of one connection that wait for the log, in the order of their requests. Replies of the
 * same log position share a buffer.
 *
 * <p>Of the sequencer's thread.
 */
final class ReplyLane {
  private static final int BUFFER_BYTES = 4096;

  private static final class Held {
    long position;
    ByteBuf replies;
    long since;
    int requests;
  }

  private final ArrayDeque<Held> held = new ArrayDeque<>();
  private final ArrayDeque<Held> spare = new ArrayDeque<>();

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
      held.add(last);
    }
    last.requests += requests;
    return last.replies;
  }

  /** Receives what may leave; owns the buffer. */
  interface Exit {
    void leave(ByteBuf replies, int requests, long since);
  }

  /** Lets replies go whose position is durable, up to the first whose is not. */
  void release(long durable, Exit exit) {
    while (!held.isEmpty() && held.peek().position <= durable) {
      Held first = held.poll();
      ByteBuf replies = first.replies;
      first.replies = null;
      spare.push(first);
      exit.leave(replies, first.requests, first.since);
    }
  }

  boolean isEmpty() {
    return held.isEmpty();
  }

  /** Drops everything. */
  void clear() {
    release(Long.MAX_VALUE, (replies, requests, since) -> replies.release());
  }
}
