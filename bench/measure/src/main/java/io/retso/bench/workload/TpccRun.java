package io.retso.bench.workload;

import io.retso.workload.Isolation;
import io.retso.workload.Reason;
import java.util.Map;

/**
 * One run of TPC-C.
 *
 * @param share of programs that only read, percent
 * @param perSecond committed programs
 * @param millis mean time of a program
 * @param refusedShare of all attempts, of 1
 * @param newOrders attempts of NewOrder
 * @param refused counts by program and reason
 */
public record TpccRun(
    StoreKind store,
    int share,
    Isolation isolation,
    int round,
    double perSecond,
    double millis,
    long attempts,
    double refusedShare,
    long newOrders,
    Map<String, Map<Reason, Long>> refused) {

  /** Share of all attempts that were refused for what they read, of 1. */
  double certifiedShare() {
    long count =
        refused.values().stream()
            .flatMap(reasons -> reasons.entrySet().stream())
            .filter(reason -> reason.getKey().isCertification())
            .mapToLong(Map.Entry::getValue)
            .sum();
    return attempts == 0 ? 0 : (double) count / attempts;
  }
}
