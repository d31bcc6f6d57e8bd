package io.retso.verify.faults;

import java.util.Random;

/**
 * Something bad that is done to the store or its clients.
 *
 * @param name as on the command line
 * @param strike does it
 */
public record Fault(String name, Strike strike) {
  /** Does something bad, and repairs what does not repair itself. */
  public interface Strike {
    /**
     * Does it.
     *
     * @return what it did
     * @throws Exception if it could not; the store may refuse what cannot be done at the moment
     */
    String now(Random random) throws Exception;
  }
}
