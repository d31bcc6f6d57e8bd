package io.retso.client.connection;

import java.util.function.BiConsumer;

/** How a client proves its identity, in one step or in several. Event loop only. */
public interface Proof {
  /** Its mechanism, of {@link io.retso.protocol.Authentication}. */
  String mechanism();

  /**
   * Says what the client sends next, now or later; or why it cannot. Nothing is said if the
   * connection is over by then.
   *
   * @param challenge what the server answered; empty at first
   */
  void next(byte[] challenge, BiConsumer<byte[], ProofException> asker);
}
