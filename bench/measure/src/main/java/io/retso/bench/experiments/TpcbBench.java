package io.retso.bench.experiments;

import io.retso.bench.stores.StoreKind;
import io.retso.report.BenchException;
import io.retso.report.Plot;
import io.retso.report.Plot.Axis;
import io.retso.report.Plot.Kind;
import io.retso.report.Plot.Series;
import io.retso.report.Result;
import io.retso.workload.Isolation;
import io.retso.workload.Store;
import io.retso.workload.tpcb.Tpcb;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
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

  private static final Duration CHECK = Duration.ofSeconds(2);

  private final Settings settings;
  private final ExperimentRun run;
  private final Levels found;

  /**
   * What to measure.
   *
   * @param scales numbers of branches
   * @param accounts of a branch
   */
  public record Settings(ExperimentPlan plan, List<Integer> scales, int accounts) {
    /** About how long it takes. */
    public Duration length() {
      long cases = 0;
      for (StoreKind kind : plan.stores().kinds()) {
        cases += (long) scales.size() * kind.levels().size();
      }
      return plan.length(cases * plan.rounds(), cases, CHECK);
    }
  }

  /** Prepares a benchmark. */
  public TpcbBench(Settings settings, PrintWriter out, boolean terminal) {
    this.settings = settings;
    this.run = new ExperimentRun("tpcb", settings.plan(), out, terminal);
    this.found = new Levels(run.rounds());
  }

  /** Measures everything. */
  public Result run(String version, List<String> flags)
      throws BenchException, InterruptedException {
    Map<String, Object> own =
        Map.of("accounts of a branch", settings.accounts, "branches", settings.scales);
    return run.run(version, flags, own, this::measure)
        .table(found.table())
        .verdicts(found.verdicts(RATIO_MIN))
        .plot(plot())
        .end();
  }

  private void measure(Map<StoreKind, Store> stores) throws IOException, InterruptedException {
    Map<LevelCase, Tpcb> workloads = new LinkedHashMap<>();
    List<List<LevelCase>> compared = new ArrayList<>();
    for (StoreKind kind : stores.keySet()) {
      for (int scale : settings.scales) {
        Tpcb workload = new Tpcb(scale, settings.accounts, Isolation.SNAPSHOT);
        run.load(kind, stores.get(kind), workload);
        List<LevelCase> cases =
            kind.levels().stream().map(level -> of(kind, scale, level)).toList();
        cases.forEach(of -> workloads.put(of, workload.at(of.level())));
        compared.add(cases);
      }
    }
    run.take(
        compared,
        -1,
        settings.plan.rounds(),
        (of, round) -> run.measure(of, round, stores.get(of.store()), workloads.get(of)));
  }

  private static LevelCase of(StoreKind kind, int scale, Isolation level) {
    return new LevelCase(kind, scale, "scale " + scale, level);
  }

  private Plot plot() {
    List<Series> series = new ArrayList<>();
    for (StoreKind kind : settings.plan.stores().kinds()) {
      for (Isolation level : kind.levels()) {
        series.add(
            Series.ofMeans(
                kind + ", " + level,
                "",
                settings.scales,
                scale -> run.rounds().mean(of(kind, scale, level), ProgramCounts::perSecond)));
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
