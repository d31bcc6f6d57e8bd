package io.retso.bench.experiments;

import io.retso.workload.LoadCounts;
import io.retso.workload.Reason;
import java.util.Map;
import java.util.function.Predicate;

/**
 * What one run gave.
 *
 * @param perSecond committed programs
 * @param millis mean time of a program
 * @param p90 time of nine of ten committed programs is no longer, milliseconds
 * @param attempts of programs, however they ended
 * @param refusedShare of all attempts, of 1
 * @param rolledBackShare of all attempts, of 1: those that took themselves back
 * @param refused counts by program and reason
 */
public record ProgramCounts(
    double perSecond,
    double millis,
    double p90,
    long attempts,
    double refusedShare,
    double rolledBackShare,
    Map<String, Map<Reason, Long>> refused) {

  static ProgramCounts of(LoadCounts counts) {
    return new ProgramCounts(
        counts.perSecond(),
        counts.millis(),
        counts.latency().getValueAtPercentile(90) / 1e6,
        counts.attempts(),
        counts.refusedShare(),
        (double) counts.rolledBack() / Math.max(1, counts.attempts()),
        counts.refused());
  }

  /** Attempts a second; 0 if all were refused. */
  double attemptsPerSecond() {
    return refusedShare < 1 ? perSecond / (1 - refusedShare) : 0;
  }

  /** How many were refused for what they had read. */
  long certified() {
    return refused(Reason::isCertification);
  }

  /** How many were refused for some reasons. */
  long refused(Predicate<Reason> which) {
    return refused.values().stream()
        .flatMap(reasons -> reasons.entrySet().stream())
        .filter(reason -> which.test(reason.getKey()))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  double certifiedShare() {
    return attempts == 0 ? 0 : (double) certified() / attempts;
  }
}
