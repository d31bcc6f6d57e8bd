package io.retso.bench.workload;

import io.retso.report.Verdict;
import io.retso.workload.Isolation;
import java.util.List;
import java.util.Map;

/**
 * Everything that {@code bench sibench} found.
 *
 * @param version of ReTSO
 * @param startedAt ISO-8601
 * @param flags as given
 * @param machine where it ran
 * @param stores what else decides how fast each one is
 * @param runs in their order
 * @param failures what must not be: lost updates
 * @param comparisons with what is hoped for
 */
public record SibenchReport(
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
   * @param rows of the table
   * @param perSecond committed programs
   * @param millis mean time of a program
   * @param work processor time of an attempt, microseconds
   * @param refusedShare of all attempts
   */
  public record Run(
      StoreKind store,
      int rows,
      Isolation isolation,
      int round,
      double perSecond,
      double millis,
      Work work,
      double refusedShare) {}
}
