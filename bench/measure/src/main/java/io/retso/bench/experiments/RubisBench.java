package io.retso.bench.experiments;

import io.retso.bench.stores.StoreKind;
import io.retso.report.BenchException;
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
    return result.table(found.table()).verdicts(found.verdicts(RATIO_MIN)).end();
  }

  private void measure(Map<StoreKind, Store> stores) throws IOException, InterruptedException {
    Map<StoreKind, Rubis> workloads = new LinkedHashMap<>();
    List<List<LevelCase>> compared = new ArrayList<>();
    for (StoreKind kind : stores.keySet()) {
      Rubis workload = new Rubis(settings.scale, Isolation.SNAPSHOT);
      run.load(kind, stores.get(kind), workload);
      workloads.put(kind, workload);
      compared.add(
          LevelCase.both(kind).stream().map(level -> new LevelCase(kind, 0, "", level)).toList());
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
