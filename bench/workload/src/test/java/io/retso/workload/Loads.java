package io.retso.workload;

import java.io.IOException;
import java.time.Duration;

/** Loads of a workload that go on until there is enough to be judged, however slow the machine. */
public final class Loads {
  private static final Duration AT_A_TIME = Duration.ofMillis(300);

  private Loads() {}

  /**
   * Runs it, again and again with the next seed, until so many programs committed. It is up to the
   * test's time limit to end one that never does.
   */
  public static LoadCounts untilCommitted(
      long enough, Workload workload, Store store, int clients, long seed)
      throws IOException, InterruptedException {
    LoadCounts counts = new LoadCounts();
    for (long next = seed; counts.committed() < enough; next++) {
      counts.add(ClosedLoop.run(workload, store, clients, next, Duration.ZERO, AT_A_TIME));
    }
    return counts;
  }
}
