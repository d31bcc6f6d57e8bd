package io.retso.bench.experiments;

import io.retso.bench.stores.StoreKind;
import io.retso.report.Mean;
import io.retso.report.Rounds;
import io.retso.report.Table;
import io.retso.report.Unit;
import io.retso.report.Verdict;
import io.retso.workload.Isolation;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * What rounds of an experiment show of its levels, in the words that all experiments have.
 *
 * @param <C> the cases
 */
final class Levels<C extends LevelCase<C>> {
  private final Rounds<C, ProgramCounts> rounds;

  Levels(Rounds<C, ProgramCounts> rounds) {
    this.rounds = rounds;
  }

  /** Committed programs beside those under snapshot isolation, in the same rounds. */
  Mean ratio(C of) {
    return rounds.ratio(of, of.at(Isolation.SNAPSHOT), ProgramCounts::perSecond);
  }

  /** All cases of an experiment that varies nothing beside store and level. */
  Table table() {
    return table("", of -> 0, "");
  }

  /**
   * All cases.
   *
   * @param varied what the experiment varies beside store and level
   * @param value of a case
   */
  Table table(String varied, Function<C, Integer> value, String unit) {
    List<C> cases = rounds.cases();
    cases.sort(
        Comparator.<C, StoreKind>comparing(LevelCase::store)
            .thenComparing(value)
            .thenComparing(LevelCase::level));
    Table.Rows<C> rows = Table.of("", cases).words("store", LevelCase::store);
    if (!varied.isEmpty()) {
      rows.words(varied, of -> value.apply(of) + unit);
    }
    return rows.words("isolation", LevelCase::level)
        .column(Unit.RATE, "per s", of -> rounds.mean(of, ProgramCounts::perSecond))
        .column(Unit.RATE, "attempts", of -> rounds.mean(of, ProgramCounts::attemptsPerSecond))
        .column(
            Unit.RATIO, "of SNAPSHOT", of -> of.level() == Isolation.SNAPSHOT ? null : ratio(of))
        .column(Unit.MILLIS, "ms", of -> rounds.mean(of, ProgramCounts::millis).value())
        .column(Unit.SHARE, "refused", of -> rounds.mean(of, ProgramCounts::refusedShare).value())
        .column(
            Unit.SHARE, "for reads", of -> rounds.mean(of, ProgramCounts::certifiedShare).value())
        .end();
  }

  /** Judges the throughput of a serializable case. */
  Verdict verdict(C of, String what, double least) {
    Mean ratio = ratio(of);
    return Verdict.ofRatio(
        what + ", SERIALIZABLE / SNAPSHOT, throughput",
        ratio,
        true,
        least,
        "median of " + ratio.count() + " rounds' ratios");
  }
}
