package io.retso.bench.experiments;

import io.retso.admin.RootCause;
import io.retso.bench.stores.OpenStore;
import io.retso.bench.stores.StoreKind;
import io.retso.bench.stores.StorePlan;
import io.retso.machine.Machine;
import io.retso.report.BenchException;
import io.retso.report.Mean;
import io.retso.report.Plot;
import io.retso.report.Plot.Axis;
import io.retso.report.Plot.Kind;
import io.retso.report.Plot.Series;
import io.retso.report.ProgressLine;
import io.retso.report.Result;
import io.retso.report.Rounds;
import io.retso.report.Table;
import io.retso.report.Unit;
import io.retso.report.Verdict;
import io.retso.workload.ClosedLoop;
import io.retso.workload.Isolation;
import io.retso.workload.LoadCounts;
import io.retso.workload.tpcb.Tpcb;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * {@code retso bench tpcb}: TPC-B at all levels of all stores, with one branch and with many. All
 * stores are there at the same time; stores, scales and levels take turns.
 */
public final class TpcbBench {
  /**
   * TPC-B is safe under snapshot isolation, so that to be certified should cost next to nothing.
   */
  private static final double RATIO_MIN = 0.9;

  private static final Duration START = Duration.ofSeconds(20);
  private static final Duration CHECK = Duration.ofSeconds(2);

  private final Settings settings;
  private final ProgressLine line;
  private final Rounds<Case, Counts> rounds = new Rounds<>();
  private final List<String> failures = new ArrayList<>();
  private final Map<String, Map<String, String>> facts = new LinkedHashMap<>();

  /**
   * What to measure.
   *
   * @param scales numbers of branches
   * @param accounts of a branch
   * @param clients threads, without think time
   * @param rounds in which all that is compared takes turns
   */
  public record Settings(
      StorePlan stores,
      List<Integer> scales,
      int accounts,
      int clients,
      Duration warmUp,
      Duration measured,
      int rounds,
      long seed) {
    /** About how long it takes. */
    public Duration length() {
      Duration all = Duration.ZERO;
      for (StoreKind kind : stores.kinds()) {
        long runs = (long) scales.size() * levels(kind).size() * (rounds + 1);
        all = all.plus(START).plus(warmUp.plus(measured).plus(CHECK).multipliedBy(runs));
      }
      return all;
    }
  }

  /** What takes turns. */
  private record Case(StoreKind store, int scale, Isolation level) {
    Case at(Isolation other) {
      return new Case(store, scale, other);
    }

    @Override
    public String toString() {
      return store + ", scale " + scale + ", " + level;
    }
  }

  /**
   * What one measurement gave.
   *
   * @param good committed programs a second
   * @param attempts a second, however they ended
   * @param millis mean time of a program
   * @param refusedShare of all attempts, of 1
   */
  private record Counts(double good, double attempts, double millis, double refusedShare) {
    static Counts of(LoadCounts counts) {
      double good = counts.perSecond();
      double kept = 1 - counts.refusedShare();
      return new Counts(good, kept > 0 ? good / kept : 0, counts.millis(), counts.refusedShare());
    }
  }

  /** Prepares a benchmark. */
  public TpcbBench(Settings settings, PrintWriter out, boolean terminal) {
    this.settings = settings;
    this.line = new ProgressLine(out, terminal);
  }

  private static List<Isolation> levels(StoreKind kind) {
    return kind == StoreKind.POSTGRESQL
        ? List.of(Isolation.READ_COMMITTED, Isolation.SNAPSHOT, Isolation.SERIALIZABLE)
        : List.of(Isolation.SNAPSHOT, Isolation.SERIALIZABLE);
  }

  /** Measures everything. */
  public Result run(String version, List<String> flags)
      throws BenchException, InterruptedException {
    Result.Builder result = Result.begin("tpcb", version, flags, Machine.facts());
    Map<StoreKind, OpenStore> open = new LinkedHashMap<>();
    Map<Case, Tpcb> workloads = new LinkedHashMap<>();
    try {
      for (StoreKind kind : settings.stores.kinds()) {
        line.show("starting and loading " + kind + " ...");
        open.put(kind, OpenStore.of(kind, settings.stores));
        facts.put(kind.toString(), open.get(kind).store().facts());
        load(kind, open.get(kind), workloads);
      }
      rounds.take(
          workloads.keySet(),
          -1,
          settings.rounds,
          line,
          (of, round) -> measure(of, open.get(of.store), workloads.get(of), round));
    } catch (IOException e) {
      throw new BenchException("TPC-B failed: " + RootCause.of(e), e);
    } finally {
      open.values().forEach(OpenStore::close);
      line.clear();
    }
    return result
        .settings(Map.of("accounts of a branch", settings.accounts, "clients", settings.clients))
        .table(table())
        .note("good: committed programs; attempts: those that were refused, too")
        .note(StorePlan.text(facts))
        .verdicts(verdicts())
        .plot(plot())
        .failures(failures)
        .runs(rounds.runs())
        .end();
  }

  private void load(StoreKind kind, OpenStore open, Map<Case, Tpcb> workloads) throws IOException {
    for (int scale : settings.scales) {
      Tpcb workload = new Tpcb(scale, settings.accounts, Isolation.SNAPSHOT);
      open.store().create(workload.schema());
      workload.load(open.store());
      open.store().awaitQuiet();
      levels(kind)
          .forEach(level -> workloads.put(new Case(kind, scale, level), workload.at(level)));
    }
  }

  private Counts measure(Case of, OpenStore open, Tpcb workload, int round)
      throws IOException, InterruptedException {
    LoadCounts counts =
        ClosedLoop.run(
            workload,
            open.store(),
            settings.clients,
            settings.seed + round,
            settings.warmUp,
            settings.measured);
    open.store().awaitQuiet();
    String wrong = workload.check(open.store());
    if (!wrong.isEmpty()) {
      failures.add(of + ", round " + (round + 1) + ": " + wrong);
    }
    return Counts.of(counts);
  }

  private Mean ratio(Case of) {
    return rounds.ratio(of, of.at(Isolation.SNAPSHOT), Counts::good);
  }

  private Table table() {
    List<Case> cases = rounds.cases();
    cases.sort(
        Comparator.comparing(Case::store).thenComparing(Case::scale).thenComparing(Case::level));
    return Table.of("", cases)
        .words("store", Case::store)
        .words("scale", of -> String.valueOf(of.scale))
        .words("isolation", Case::level)
        .column(Unit.RATE, "good per s", of -> rounds.mean(of, Counts::good))
        .column(Unit.RATE, "attempts", of -> rounds.mean(of, Counts::attempts))
        .column(Unit.RATIO, "of SNAPSHOT", of -> of.level == Isolation.SNAPSHOT ? null : ratio(of))
        .column(Unit.MILLIS, "ms", of -> rounds.mean(of, Counts::millis).value())
        .column(Unit.SHARE, "refused", of -> rounds.mean(of, Counts::refusedShare).value())
        .end();
  }

  private List<Verdict> verdicts() {
    return rounds.cases().stream()
        .filter(of -> of.level == Isolation.SERIALIZABLE && of.store != StoreKind.POSTGRESQL)
        .map(
            of ->
                Verdict.ofRatio(
                    of.store + ", scale " + of.scale + ", SERIALIZABLE / SNAPSHOT, good programs",
                    ratio(of),
                    true,
                    RATIO_MIN,
                    String.format(Locale.ROOT, "median of %d rounds' ratios", settings.rounds)))
        .toList();
  }

  private Plot plot() {
    List<Series> series = new ArrayList<>();
    for (StoreKind kind : settings.stores.kinds()) {
      for (Isolation level : levels(kind)) {
        series.add(
            Series.ofMeans(
                kind + ", " + level,
                "",
                settings.scales,
                scale -> rounds.mean(new Case(kind, scale, level), Counts::good)));
      }
    }
    return Plot.of(
            "tpcb",
            "TPC-B: good programs",
            "by scale; bars: 95 % confidence",
            Axis.of("branches", settings.scales))
        .panel(Kind.LINES, Axis.linear("good programs / s"), series);
  }
}
