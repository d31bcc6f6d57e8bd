package io.retso.bench.load;

import java.util.concurrent.CompletableFuture;

/** A run as others see it while it is under way. Thread-safe. */
public interface Progress {
  /** Completes when the warm-up is over. */
  CompletableFuture<Void> measuring();

  /** Completes when the measured time is over. */
  CompletableFuture<Void> measured();

  /**
   * Completes when everything that was begun has ended, or with a {@link LoadException} if that did
   * not come to pass.
   */
  CompletableFuture<LoadResult> result();

  /** Transactions decided (or start timestamps received) since the run began. */
  long completed();

  /** The sum of their latencies. */
  long latencyNanosTotal();
}
