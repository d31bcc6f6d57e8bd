package io.retso.client.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.List;
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
   * Begins to prove this client's identity, now or later: null if it has nothing for that, or if
   * others could read it on its way. Nothing is said if it is over by then.
   *
   * @param mechanisms which the server takes
   */
  default void proof(List<String> mechanisms, Consumer<Proof> asker) {
    asker.accept(null);
  }

  /** Ends it; {@link Connection#onClosed} follows. */
  void close();
}
