package io.retso.bench.experiments;

import io.retso.bench.stores.StoreKind;
import io.retso.report.BenchException;
import io.retso.report.Mean;
import io.retso.report.Plot;
import io.retso.report.Plot.Axis;
import io.retso.report.Plot.Kind;
import io.retso.report.Plot.Series;
import io.retso.report.Result;
import io.retso.workload.Isolation;
import io.retso.workload.Store;
import io.retso.workload.rubis.Rubis;
import io.retso.workload.rubis.Scale;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/** {@code retso bench rubis}: an auction site with RUBiS's bidding mix, at both levels. */
public final class RubisBench {
  /** What the paper has: 422 of 435 requests a second. */
  private static final double RATIO_MIN = 0.97;

  private static final Duration CHECK = Duration.ofSeconds(2);

  private final Settings settings;
  private final ExperimentRun run;

  /** What to measure. */
  public record Settings(ExperimentPlan plan, Scale scale) {
    /** About how long it takes. */
    public Duration length() {
      long cases = LevelCase.both(plan);
      return plan.length(cases * plan.rounds(), cases, CHECK);
    }
  }

  /** Prepares a benchmark. */
  public RubisBench(Settings settings, PrintWriter out, boolean terminal) {
    this.settings = settings;
    this.run = new ExperimentRun("rubis", settings.plan, out, terminal);
  }

  /** Measures everything. */
  public Result run(String version, List<String> flags)
      throws BenchException, InterruptedException {
    Result.Builder result = run.run(version, flags, Map.of("scale", settings.scale), this::measure);
    Levels found = new Levels(run.rounds());
    return result.table(found.table()).verdicts(found.verdicts(RATIO_MIN)).plot(plot(found)).end();
  }

  /** Throughput as a ratio, and refusals, of each store. */
  private Plot plot(Levels found) {
    return Plot.of(
            "rubis",
            "RUBiS's bidding mix: SERIALIZABLE beside SNAPSHOT",
            "bars: 95 % confidence",
            Axis.of("", settings.plan.stores().kinds()))
        .panel(
            Kind.BARS,
            Axis.linear("throughput / SNAPSHOT"),
            List.of(series(Isolation.SERIALIZABLE, found::ratio)))
        .panel(
            Kind.BARS,
            Axis.linear("refused, % of attempts"),
            Stream.of(Isolation.SNAPSHOT, Isolation.SERIALIZABLE)
                .map(level -> series(level, this::refused))
                .toList());
  }

  private Series series(Isolation level, Function<LevelCase, Mean> figure) {
    return Series.ofMeans(
        level.toString(),
        "",
        settings.plan.stores().kinds(),
        kind -> figure.apply(of(kind, level)));
  }

  private Mean refused(LevelCase of) {
    return run.rounds().mean(of, counts -> 100 * counts.refusedShare());
  }

  private static LevelCase of(StoreKind kind, Isolation level) {
    return new LevelCase(kind, 0, "", level);
  }

  private void measure(Map<StoreKind, Store> stores) throws IOException, InterruptedException {
    Map<StoreKind, Rubis> workloads = new LinkedHashMap<>();
    List<List<LevelCase>> compared = new ArrayList<>();
    for (StoreKind kind : stores.keySet()) {
      Rubis workload = new Rubis(settings.scale, Isolation.SNAPSHOT);
      run.load(kind, stores.get(kind), workload);
      workloads.put(kind, workload);
      compared.add(LevelCase.both(kind).stream().map(level -> of(kind, level)).toList());
    }
    run.take(
        compared,
        -1,
        settings.plan.rounds(),
        (of, round) ->
            run.measure(
                of, round, stores.get(of.store()), workloads.get(of.store()).at(of.level())));
  }
}
