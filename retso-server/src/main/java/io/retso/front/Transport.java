package io.retso.front;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.retso.protocol.FrameException;

/** What carries the bytes of one connection; called on the sequencer's thread. */
public interface Transport {
  /** Whether the client is on the server's own machine. */
  boolean isLocal();

  /** Where buffers for replies come from. */
  ByteBufAllocator allocator();

  /** Sends replies with the next {@link #flush}; owns the buffer. */
  void write(ByteBuf replies);

  /** Sends what was written. */
  void flush();

  /**
   * The client has said HELLO, and is about to be welcomed.
   *
   * @param clientName what it calls itself
   * @throws FrameException if one of that name is not wanted here
   */
  default void greeted(String clientName) throws FrameException {}

  /** Frames that had to wait may be taken now: {@link Conversation#take} is to be called again. */
  void resume();
}
