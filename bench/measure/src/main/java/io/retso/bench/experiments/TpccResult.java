package io.retso.bench.experiments;

import io.retso.bench.stores.StoreKind;
import io.retso.report.Mean;
import io.retso.report.Percentiles;
import io.retso.report.Plot;
import io.retso.report.Plot.Axis;
import io.retso.report.Plot.Kind;
import io.retso.report.Plot.Series;
import io.retso.report.Rounds;
import io.retso.report.Table;
import io.retso.report.Unit;
import io.retso.report.Verdict;
import io.retso.workload.Isolation;
import io.retso.workload.tpcc.Mix;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** What rounds of TPC-C show. */
final class TpccResult {
  /** What the paper has for the standard mix, in memory. */
  private static final double RATIO_MIN = 0.95;

  /** The paper's bound of refusals. */
  private static final double REFUSED_MAX = 0.0025;

  private static final int PERCENT = 100;

  private final Rounds<LevelCase, ProgramCounts> rounds;
  private final Levels levels;

  /** How long deferred readers took beside all runs of a store at a level. */
  record Deferred(StoreKind store, Isolation level, Percentiles waits) {}

  TpccResult(Rounds<LevelCase, ProgramCounts> rounds) {
    this.rounds = rounds;
    this.levels = new Levels(rounds);
  }

  /** A case of a share of programs that only read, percent. */
  static LevelCase of(StoreKind kind, int share, Isolation level) {
    return new LevelCase(kind, share, share + " % read-only", level);
  }

  Table table() {
    return levels.table();
  }

  static Table deferred(List<Deferred> readers) {
    return Table.of("", readers)
        .words("deferred readers beside", Deferred::store)
        .words("at", Deferred::level)
        .column(Unit.COUNT, "count", of -> of.waits().count())
        .column(Unit.MILLIS, "median ms", of -> of.waits().p50())
        .column(Unit.MILLIS, "p90", of -> of.waits().p90())
        .column(Unit.MILLIS, "max", of -> of.waits().max())
        .end();
  }

  /** Those of the standard mix, if it was measured. */
  List<Verdict> verdicts() {
    List<Verdict> all = new ArrayList<>();
    for (StoreKind kind : stores()) {
      LevelCase of = of(kind, Mix.STANDARD.readOnlyPercent(), Isolation.SERIALIZABLE);
      if (!rounds.results(of).isEmpty()) {
        all.add(levels.verdict(of, RATIO_MIN));
        all.add(refusals(of));
      }
    }
    return all;
  }

  private Verdict refusals(LevelCase of) {
    long attempts = (long) rounds.sum(of, ProgramCounts::attempts);
    long refused = (long) rounds.sum(of, ProgramCounts::certified);
    return new Verdict(
        of.place() + ", refused for what was read, percent",
        attempts == 0 ? 0 : (double) PERCENT * refused / attempts,
        false,
        PERCENT * REFUSED_MAX,
        String.format(Locale.ROOT, "%,d of %,d attempts", refused, attempts),
        Mean.doubt(refused, attempts, REFUSED_MAX));
  }

  private List<StoreKind> stores() {
    return rounds.cases().stream().map(LevelCase::store).distinct().sorted().toList();
  }

  /** Throughput as a ratio, and refusals, over the share of programs that only read. */
  Plot plot() {
    List<Integer> shares =
        rounds.cases().stream().map(LevelCase::value).distinct().sorted().toList();
    return Plot.of(
            "tpcc",
            "TPC-C with Credit Check: SERIALIZABLE beside SNAPSHOT",
            "by the share of programs that only read; bars: 95 % confidence",
            Axis.of("read-only, %", shares))
        .panel(Kind.LINES, Axis.linear("throughput / SNAPSHOT"), series(shares, levels::ratio))
        .panel(
            Kind.LINES,
            Axis.linear("refused, % of attempts"),
            series(shares, of -> rounds.mean(of, counts -> PERCENT * counts.refusedShare())));
  }

  private List<Series> series(List<Integer> shares, Function<LevelCase, Mean> figure) {
    return stores().stream()
        .map(
            kind ->
                Series.ofMeans(
                    kind.toString(),
                    "",
                    shares,
                    share -> figure.apply(of(kind, share, Isolation.SERIALIZABLE))))
        .toList();
  }
}
