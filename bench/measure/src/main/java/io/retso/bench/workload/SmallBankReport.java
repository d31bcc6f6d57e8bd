package io.retso.bench.workload;

import io.retso.report.Verdict;
import io.retso.workload.Reason;
import io.retso.workload.history.SerialCheck;
import io.retso.workload.smallbank.Strategy;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Everything that {@code bench smallbank} found.
 *
 * @param version of ReTSO
 * @param startedAt ISO-8601
 * @param flags as given
 * @param machine where it ran
 * @param settings of all runs
 * @param stores what else decides how fast each one is
 * @param runs in their order
 * @param failures what must not be: anomalies and wrong sums where none can be
 * @param comparisons with what is hoped for
 */
public record SmallBankReport(
    String version,
    String startedAt,
    List<String> flags,
    Map<String, Object> machine,
    Map<String, Object> settings,
    Map<String, Map<String, String>> stores,
    List<Run> runs,
    List<String> failures,
    List<Verdict> comparisons) {

  /** What is measured together. */
  public record Case(StoreKind store, int hot, int balancePercent) {
    @Override
    public String toString() {
      return String.format(
          Locale.ROOT, "%s, hot spot of %,d, %d %% Bal", store, hot, balancePercent);
    }
  }

  /**
   * One run.
   *
   * @param clients the multiprogramming level
   * @param perSecond committed programs
   * @param millis mean time of a program
   * @param work processor time of an attempt, microseconds
   * @param refusedShare of all attempts
   * @param attempts of each program
   * @param refused of each program, by reason
   * @param rolledBack programs that took themselves back
   * @param check cycles of all that ran, warm-up included
   * @param wrong what is wrong with the sum of all money; empty if nothing is
   */
  public record Run(
      Case of,
      Strategy strategy,
      int clients,
      int round,
      double perSecond,
      double millis,
      Work work,
      double refusedShare,
      Map<String, Long> attempts,
      Map<String, Map<Reason, Long>> refused,
      long rolledBack,
      SerialCheck.Verdict check,
      String wrong) {

    Run inRound(int other) {
      return new Run(
          of,
          strategy,
          clients,
          other,
          perSecond,
          millis,
          work,
          refusedShare,
          attempts,
          refused,
          rolledBack,
          check,
          wrong);
    }
  }
}
