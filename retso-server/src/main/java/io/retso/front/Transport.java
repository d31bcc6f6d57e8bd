package io.retso.front;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.retso.protocol.ErrorCode;

/** What carries the bytes of one connection; called on the sequencer's thread. */
public interface Transport {
  /** Where buffers for replies come from. */
  ByteBufAllocator allocator();

  /** Sends replies with the next {@link #flush}; owns the buffer. */
  void write(ByteBuf replies);

  /** Sends what was written. */
  void flush();

  /** Sends an error, which is about a frame or 0, and closes the connection behind it. */
  void refuse(int frameId, ErrorCode code, String text);

  /** Frames that had to wait may be taken now: {@link Conversation#take} is to be called again. */
  void resume();
}
