package io.retso.client.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** The bytes of one connection, as the client's loop sends them; a simulator gives its own. */
public interface Transport {
  ByteBufAllocator allocator();

  /** Whether more may be written; if not, {@link Connection#onWritable} follows. */
  boolean isWritable();

  /** Takes the bytes over. They leave with the next {@link #flush}. */
  void write(ByteBuf bytes);

  void flush();

  /** Ends it; {@link Connection#onClosed} follows. */
  void close();
}
