package io.retso.cluster.nodes;

import java.io.IOException;
import java.time.Duration;

/** Waits for what another process does. Stateless. */
final class Waiting {
  private static final long POLL_MILLIS = 20;

  private Waiting() {}

  /** Something that becomes true. */
  interface Condition {
    boolean holds() throws IOException, InterruptedException;
  }

  /** Returns whether it became true in time. */
  static boolean until(Duration atMost, Condition condition)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    while (!condition.holds()) {
      if (System.nanoTime() - start > atMost.toNanos()) {
        return false;
      }
      Thread.sleep(POLL_MILLIS);
    }
    return true;
  }
}
