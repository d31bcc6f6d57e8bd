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

/** What rounds of an experiment show of its levels, in the words that all experiments have. */
final class Levels {
  private final Rounds<LevelCase, ProgramCounts> rounds;

  Levels(Rounds<LevelCase, ProgramCounts> rounds) {
    this.rounds = rounds;
  }

  /** Committed programs beside those under snapshot isolation, in the same rounds. */
  Mean ratio(LevelCase of) {
    return rounds.ratio(of, of.at(Isolation.SNAPSHOT), ProgramCounts::perSecond);
  }

  /** All cases. */
  Table table() {
    List<LevelCase> cases = rounds.cases();
    cases.sort(
        Comparator.comparing(LevelCase::store)
            .thenComparing(LevelCase::value)
            .thenComparing(LevelCase::level));
    return Table.of("", cases)
        .words("store", LevelCase::place)
        .words("isolation", LevelCase::level)
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

  /** Judges the throughput of all serializable cases that are not the peer's. */
  List<Verdict> verdicts(double least) {
    return rounds.cases().stream()
        .filter(of -> of.level() == Isolation.SERIALIZABLE && of.store() != StoreKind.POSTGRESQL)
        .map(of -> verdict(of, least))
        .toList();
  }

  /** Judges the throughput of a serializable case. */
  Verdict verdict(LevelCase of, double least) {
    Mean ratio = ratio(of);
    return Verdict.ofRatio(
        of.place() + ", SERIALIZABLE / SNAPSHOT, throughput",
        ratio,
        true,
        least,
        "median of " + ratio.count() + " rounds' ratios");
  }
}
