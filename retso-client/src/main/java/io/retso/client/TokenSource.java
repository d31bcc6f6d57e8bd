package io.retso.client;

import java.io.IOException;
import org.apache.yetus.audience.InterfaceAudience;

/** Gets a token of the oracle for a client, by which it identifies itself. */
@InterfaceAudience.Public
public interface TokenSource {
  /**
   * A token that counts for a while yet; may wait. Called by one thread of a client at a time.
   *
   * @return its text, in ASCII
   * @throws IOException if there is none at present
   * @throws SecurityException if there will be none without a person who sees to it
   */
  byte[] token() throws IOException, InterruptedException;
}
