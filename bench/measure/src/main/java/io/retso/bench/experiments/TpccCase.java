package io.retso.bench.experiments;

import io.retso.bench.stores.StoreKind;
import io.retso.workload.Isolation;
import io.retso.workload.LoadCounts;
import io.retso.workload.Reason;
import java.util.Locale;
import java.util.Map;

/**
 * What takes turns in {@code bench tpcc}.
 *
 * @param share of programs that only read, percent
 */
public record TpccCase(StoreKind store, int share, Isolation level) {
  /**
   * What one measurement gave.
   *
   * @param perSecond committed programs
   * @param millis mean time of a program
   * @param attempts of programs, however they ended
   * @param refusedShare of all attempts, of 1
   * @param refused counts by program and reason
   */
  public record Counts(
      double perSecond,
      double millis,
      long attempts,
      double refusedShare,
      Map<String, Map<Reason, Long>> refused) {

    static Counts of(LoadCounts counts) {
      return new Counts(
          counts.perSecond(),
          counts.millis(),
          counts.attempts(),
          counts.refusedShare(),
          counts.refused());
    }

    /** How many were refused for what they had read. */
    long certified() {
      return refused.values().stream()
          .flatMap(reasons -> reasons.entrySet().stream())
          .filter(reason -> reason.getKey().isCertification())
          .mapToLong(Map.Entry::getValue)
          .sum();
    }

    double certifiedShare() {
      return attempts == 0 ? 0 : (double) certified() / attempts;
    }
  }

  TpccCase at(Isolation other) {
    return new TpccCase(store, share, other);
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%s, %d %% read-only, %s", store, share, level);
  }
}
