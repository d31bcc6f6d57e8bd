package io.retso.bench.experiments;

import io.retso.bench.stores.StorePlan;
import java.time.Duration;

/**
 * What the experiments have in common.
 *
 * @param clients threads, without think time
 * @param warmUp before each run
 * @param measured of each run
 * @param rounds in which all that is compared takes turns
 */
public record ExperimentPlan(
    StorePlan stores, int clients, Duration warmUp, Duration measured, int rounds, long seed) {
  private static final Duration START = Duration.ofSeconds(20);

  /** Runs this long before anything counts: the first seconds are far slower. */
  Duration first() {
    return measured.multipliedBy(4);
  }

  /**
   * About how long it takes.
   *
   * @param runs that count, of all stores and rounds
   * @param firstRuns of all stores, before them
   * @param check of the data after each of them
   */
  Duration length(long runs, long firstRuns, Duration check) {
    return START
        .multipliedBy(stores.kinds().size())
        .plus(warmUp.plus(measured).plus(check).multipliedBy(runs))
        .plus(warmUp.plus(first()).plus(check).multipliedBy(firstRuns));
  }
}
