package io.retso.bench.experiments;

import io.retso.bench.stores.StoreKind;
import io.retso.report.BenchException;
import io.retso.report.Mean;
import io.retso.report.Plot;
import io.retso.report.Plot.Axis;
import io.retso.report.Plot.Kind;
import io.retso.report.Plot.Series;
import io.retso.report.Result;
import io.retso.report.Rounds;
import io.retso.report.Table;
import io.retso.report.Unit;
import io.retso.report.Verdict;
import io.retso.workload.Isolation;
import io.retso.workload.Reason;
import io.retso.workload.Store;
import io.retso.workload.smallbank.ScaledBank;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * {@code retso bench smallbank-scale}: SmallBank with few customers and with many, at both levels.
 * All stores are there at the same time; stores, scales and levels take turns.
 */
public final class ScaleBench {
  private static final double RATIO_MIN = 0.9;
  private static final double PERCENT = 100;
  private static final Duration CHECK = Duration.ofSeconds(2);

  private final Settings settings;
  private final ExperimentRun run;

  /**
   * What to measure.
   *
   * @param customers numbers of them, ascending
   */
  public record Settings(ExperimentPlan plan, List<Integer> customers) {
    /** About how long it takes. */
    public Duration length() {
      long cases = LevelCase.both(plan) * customers.size();
      return plan.length(cases * plan.rounds(), cases, CHECK);
    }
  }

  static LevelCase of(StoreKind store, int customers, Isolation level) {
    String varied = String.format(Locale.ROOT, "%,d customers", customers);
    return new LevelCase(store, customers, varied, level);
  }

  /** Prepares a benchmark. */
  public ScaleBench(Settings settings, PrintWriter out, boolean terminal) {
    this.settings = settings;
    this.run = new ExperimentRun("smallbank-scale", settings.plan, out, terminal);
  }

  /** Measures everything. */
  public Result run(String version, List<String> flags)
      throws BenchException, InterruptedException {
    Result.Builder result =
        run.run(version, flags, Map.of("customers", settings.customers), this::measure);
    Levels found = new Levels(run.rounds());
    return result
        .table(found.table())
        .table(refusals(run.rounds()))
        .note("p90 ms: of committed programs; with --rate from the instants at which they were due")
        .verdicts(verdicts(run.rounds()))
        .plot(plot())
        .end();
  }

  /** Measures on stores that are open. */
  void measure(Map<StoreKind, Store> stores) throws IOException, InterruptedException {
    Map<LevelCase, ScaledBank> banks = new LinkedHashMap<>();
    List<List<LevelCase>> compared = new ArrayList<>();
    for (StoreKind kind : stores.keySet()) {
      for (int customers : settings.customers) {
        ScaledBank bank = new ScaledBank(customers, Isolation.SNAPSHOT);
        run.load(kind, stores.get(kind), bank);
        List<LevelCase> cases =
            LevelCase.both(kind).stream().map(level -> of(kind, customers, level)).toList();
        cases.forEach(of -> banks.put(of, bank.at(of.level())));
        compared.add(cases);
      }
    }
    run.take(
        compared,
        -1,
        settings.plan.rounds(),
        (of, round) -> run.measure(of, round, stores.get(of.store()), banks.get(of)));
  }

  /** Runs whose checks have failed so far. */
  List<String> failures() {
    return run.failures();
  }

  /** Shares of all attempts that were refused, by reason; reasons that nothing had are left out. */
  static Table refusals(Rounds<LevelCase, ProgramCounts> rounds) {
    Table.Rows<LevelCase> rows =
        Table.of("", rounds.cases())
            .words("store", LevelCase::place)
            .words("isolation", LevelCase::level)
            .column(Unit.MILLIS, "p90 ms", of -> rounds.mean(of, ProgramCounts::p90).value())
            .column(
                Unit.SHARE,
                "rolled back",
                of -> rounds.mean(of, ProgramCounts::rolledBackShare).value());
    for (Reason reason : Reason.values()) {
      if (rounds.runs().stream().anyMatch(run -> run.result().refused(reason::equals) > 0)) {
        String head = reason.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        rows.column(
            Unit.SHARE,
            head,
            of ->
                rounds.sum(of, counts -> counts.refused(reason::equals))
                    / Math.max(1, rounds.sum(of, ProgramCounts::attempts)));
      }
    }
    return rows.end();
  }

  /** What ReTSO keeps of the throughput, and that more customers meet less. */
  static List<Verdict> verdicts(Rounds<LevelCase, ProgramCounts> rounds) {
    List<Verdict> all = new ArrayList<>(new Levels(rounds).verdicts(RATIO_MIN));
    List<Integer> customers = rounds.cases().stream().map(LevelCase::value).sorted().toList();
    for (LevelCase of : rounds.cases()) {
      int few = customers.get(0);
      if (of.level() == Isolation.SERIALIZABLE
          && of.store() != StoreKind.POSTGRESQL
          && of.value() == customers.get(customers.size() - 1)
          && of.value() > few) {
        Mean ratio = rounds.ratio(of, of(of.store(), few, of.level()), ProgramCounts::refusedShare);
        String how = String.format(Locale.ROOT, " beside %,d, refused", few);
        all.add(
            Verdict.ofRatio(of.place() + how, ratio, false, 1, "share of SERIALIZABLE attempts"));
      }
    }
    return all;
  }

  private Plot plot() {
    Rounds<LevelCase, ProgramCounts> rounds = run.rounds();
    return Plot.of(
            "smallbank-scale",
            "SmallBank by scale",
            settings.plan.clients() + " clients; bars: 95 % confidence",
            Axis.of("customers", settings.customers))
        .panel(
            Kind.LINES,
            Axis.linear("committed / s"),
            series(of -> rounds.mean(of, ProgramCounts::perSecond)))
        .panel(
            Kind.LINES, Axis.linear("p90, ms"), series(of -> rounds.mean(of, ProgramCounts::p90)))
        .panel(
            Kind.LINES,
            Axis.linear("refused, % of attempts"),
            series(of -> rounds.mean(of, counts -> PERCENT * counts.refusedShare())));
  }

  private List<Series> series(Function<LevelCase, Mean> figure) {
    List<Series> all = new ArrayList<>();
    for (StoreKind kind : settings.plan.stores().kinds()) {
      for (Isolation level : LevelCase.both(kind)) {
        all.add(
            Series.ofMeans(
                kind + ", " + level,
                "",
                settings.customers,
                customers -> figure.apply(of(kind, customers, level))));
      }
    }
    return all;
  }
}
