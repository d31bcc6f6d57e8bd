package io.retso.bench.workload;

import io.retso.bench.stores.StoreKind;
import io.retso.bench.stores.Work;
import io.retso.report.Rounds;
import io.retso.workload.Reason;
import io.retso.workload.history.SerialCheck;
import io.retso.workload.smallbank.Strategy;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One run of SmallBank.
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
public record SmallBankRun(
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

  /** What is measured together. */
  public record Case(StoreKind store, int hot, int balancePercent) {
    @Override
    public String toString() {
      return String.format(
          Locale.ROOT, "%s, hot spot of %,d, %d %% Bal", store, hot, balancePercent);
    }
  }

  /** What is compared within a case, by level and strategy. */
  record Subject(int clients, Strategy strategy) {
    static final Comparator<Subject> ORDER =
        Comparator.comparingInt(Subject::clients).thenComparing(Subject::strategy);

    Subject with(Strategy other) {
      return new Subject(clients, other);
    }
  }

  /** The cases of some runs, in their order. */
  static List<Case> cases(List<SmallBankRun> runs) {
    return runs.stream().map(SmallBankRun::of).distinct().toList();
  }

  /** Runs of one case, to be compared with each other. */
  static Rounds<Subject, SmallBankRun> rounds(Case of, List<SmallBankRun> runs) {
    return Rounds.of(
        runs.stream().filter(run -> run.of.equals(of)).toList(),
        run -> new Subject(run.clients, run.strategy),
        SmallBankRun::round);
  }

  long allAttempts() {
    return attempts.values().stream().mapToLong(Long::longValue).sum();
  }

  double rolledBackShare() {
    return (double) rolledBack / Math.max(1, allAttempts());
  }

  SmallBankRun inRound(int other) {
    return new SmallBankRun(
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
