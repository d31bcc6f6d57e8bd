package io.retso.bench.workload;

import io.retso.report.Percentiles;
import io.retso.report.Verdict;
import java.util.List;
import java.util.Map;

/**
 * Everything that {@code bench readers} found.
 *
 * @param version of ReTSO
 * @param startedAt ISO-8601
 * @param flags as given
 * @param machine where it ran
 * @param stores what else decides how fast each one is
 * @param runs in their order
 * @param failures what must not be: anomalies
 * @param comparisons with what is hoped for
 */
public record ReadersReport(
    String version,
    String startedAt,
    List<String> flags,
    Map<String, Object> machine,
    Map<String, Map<String, String>> stores,
    List<Run> runs,
    List<String> failures,
    List<Verdict> comparisons) {

  /**
   * One run.
   *
   * @param managers that read on safe snapshots, besides the one of the programs
   * @param readsPerSecond of all of them
   * @param perSecond committed programs
   * @param refusedShare of all attempts of programs, for whatever reason
   * @param transactions that were committed, or refused needlessly
   * @param needless of these, refused for what they read though no cycle was known
   * @param work processor time of an attempt, microseconds
   * @param safePerSecond safe snapshots that the oracle issued; 0 if it does not say
   * @param framesPerSecond of requests to the oracle, of programs and readers; 0 if it does not say
   * @param deferred the first read of deferred readers, milliseconds
   * @param recent the first read of others beside them
   */
  public record Run(
      StoreKind store,
      int managers,
      int round,
      double readsPerSecond,
      double perSecond,
      double refusedShare,
      long transactions,
      long needless,
      Work work,
      double safePerSecond,
      double framesPerSecond,
      Percentiles deferred,
      Percentiles recent) {}
}
