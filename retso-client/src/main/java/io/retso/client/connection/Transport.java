package io.retso.client.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.function.Consumer;

/** The bytes of one connection, as the client's loop sends them; a simulator gives its own. */
public interface Transport {
  ByteBufAllocator allocator();

  /** Whether more may be written; if not, {@link Connection#onWritable} follows. */
  boolean isWritable();

  /** Takes the bytes over. They leave with the next {@link #flush}. */
  void write(ByteBuf bytes);

  void flush();

  /**
   * Says what proves who this client is, now or later: null if it has nothing of that kind, or if
   * others could read it on its way. Nothing is said if it is over by then.
   */
  default void token(Consumer<byte[]> asker) {
    asker.accept(null);
  }

  /** Ends it; {@link Connection#onClosed} follows. */
  void close();
}
