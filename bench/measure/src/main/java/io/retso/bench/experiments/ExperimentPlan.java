package io.retso.bench.experiments;

import io.retso.bench.stores.StorePlan;
import io.retso.machine.Machine;
import io.retso.report.BenchException;
import io.retso.report.Kept;
import io.retso.workload.ClosedLoop;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What the experiments have in common.
 *
 * @param clients threads, without think time unless there is a rate
 * @param perSecond programs to begin; 0 for as many as there can be
 * @param warmUp before each run
 * @param measured of each run
 * @param rounds in which all that is compared takes turns
 * @param goesOn whether what an earlier run has measured, in the same directory, is not measured
 *     again
 */
public record ExperimentPlan(
    StorePlan stores,
    int clients,
    double perSecond,
    Duration warmUp,
    Duration measured,
    int rounds,
    long seed,
    boolean goesOn) {
  private static final Duration START = Duration.ofSeconds(20);
  private static final double NANOS = 1e9;

  /** A plan without a rate, of a run that begins. */
  public ExperimentPlan(
      StorePlan stores, int clients, Duration warmUp, Duration measured, int rounds, long seed) {
    this(stores, clients, 0, warmUp, measured, rounds, seed, false);
  }

  /** This plan with a rate. */
  public ExperimentPlan at(double rate) {
    return new ExperimentPlan(stores, clients, rate, warmUp, measured, rounds, seed, goesOn);
  }

  /** This plan with another time that is measured. */
  public ExperimentPlan measuring(Duration time) {
    return new ExperimentPlan(stores, clients, perSecond, warmUp, time, rounds, seed, goesOn);
  }

  /** This plan, of a run that goes on or does not. */
  public ExperimentPlan continued(boolean yes) {
    return new ExperimentPlan(stores, clients, perSecond, warmUp, measured, rounds, seed, yes);
  }

  /** Runs this long before anything counts: the first seconds are far slower. */
  Duration first() {
    return measured.multipliedBy(4);
  }

  /** How a round of a case is run. */
  ClosedLoop.Plan load(int round) {
    return new ClosedLoop.Plan(
        clients, perSecond, seed + round, warmUp, round < 0 ? first() : measured);
  }

  /**
   * What is measured, for reports.
   *
   * @param own settings of the experiment
   */
  Map<String, Object> settings(Map<String, Object> own) {
    Map<String, Object> all = new LinkedHashMap<>(own);
    all.putAll(stores.settings());
    all.put("clients", clients);
    all.put("perSecond", perSecond);
    all.put("warmUpSeconds", warmUp.toNanos() / NANOS);
    all.put("measuredSeconds", measured.toNanos() / NANOS);
    all.put("seed", seed);
    return all;
  }

  /**
   * Keeps what is measured, beside the results.
   *
   * @param name of the experiment
   * @throws BenchException if it is to go on, and what is there was measured in another way
   */
  Kept keep(String name, String version, Map<String, Object> settings) throws BenchException {
    Path file = stores.directory().resolve(name + ".measured");
    Kept.Origin origin = Kept.Origin.of(version, settings, Machine.facts());
    return goesOn ? Kept.goOn(file, origin) : Kept.begin(file, origin);
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
