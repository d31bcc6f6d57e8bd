package io.retso.front;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.retso.protocol.FrameException;
import io.retso.security.Peer;

/** What carries the bytes of one connection; called on the sequencer's thread. */
public interface Transport {
  /** What is known of the client before it says a word. */
  Peer peer();

  /** Where buffers for replies come from. */
  ByteBufAllocator allocator();

  /** Sends replies with the next {@link #flush}; owns the buffer. */
  void write(ByteBuf replies);

  /** Sends what was written. */
  void flush();

  /**
   * The client has said HELLO, or has proved its identity, and is about to be told so.
   *
   * @param clientName what it calls itself
   * @throws FrameException if one of that name is not wanted here
   */
  default void greeted(String clientName) throws FrameException {}

  /** What follows on work that was done beside the sequencer's thread. */
  interface Afterwards {
    /**
     * Looks at what came of it.
     *
     * @throws FrameException if the connection is to be ended
     */
    void run() throws FrameException;
  }

  /**
   * Has work done that takes long, beside the sequencer's thread if there is another, and then what
   * follows on it; that not if the connection is over by then.
   *
   * @throws FrameException if the connection is to be ended
   */
  default void beside(Runnable work, Afterwards then) throws FrameException {
    work.run();
    then.run();
  }

  /** Frames that had to wait may be taken now: {@link Conversation#take} is to be called again. */
  void resume();
}
