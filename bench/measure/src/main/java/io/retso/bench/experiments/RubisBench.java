package io.retso.bench.experiments;

import io.retso.bench.stores.StoreKind;
import io.retso.report.BenchException;
import io.retso.report.Result;
import io.retso.report.Verdict;
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
  private final ExperimentRun<Case> run;

  /** What to measure. */
  public record Settings(ExperimentPlan plan, Scale scale) {
    /** About how long it takes. */
    public Duration length() {
      long cases = (long) LevelCase.BOTH.size() * plan.stores().kinds().size();
      return plan.length(cases * plan.rounds(), cases, CHECK);
    }
  }

  /** What takes turns. */
  private record Case(StoreKind store, Isolation level) implements LevelCase<Case> {
    @Override
    public Case at(Isolation other) {
      return new Case(store, other);
    }

    @Override
    public String toString() {
      return store + ", " + level;
    }
  }

  /** Prepares a benchmark. */
  public RubisBench(Settings settings, PrintWriter out, boolean terminal) {
    this.settings = settings;
    this.run = new ExperimentRun<>("rubis", settings.plan, out, terminal);
  }

  /** Measures everything. */
  public Result run(String version, List<String> flags)
      throws BenchException, InterruptedException {
    Result.Builder result = run.run(version, flags, Map.of("scale", settings.scale), this::measure);
    Levels<Case> found = new Levels<>(run.rounds());
    List<Verdict> verdicts =
        run.rounds().cases().stream()
            .filter(of -> of.level == Isolation.SERIALIZABLE && of.store != StoreKind.POSTGRESQL)
            .map(of -> found.verdict(of, of.store.toString(), RATIO_MIN))
            .toList();
    return result.table(found.table()).verdicts(verdicts).end();
  }

  private void measure(Map<StoreKind, Store> stores) throws IOException, InterruptedException {
    Map<StoreKind, Rubis> workloads = new LinkedHashMap<>();
    List<List<Case>> compared = new ArrayList<>();
    for (StoreKind kind : stores.keySet()) {
      Rubis workload = new Rubis(settings.scale, Isolation.SNAPSHOT);
      run.load(kind, stores.get(kind), workload);
      workloads.put(kind, workload);
      compared.add(LevelCase.BOTH.stream().map(level -> new Case(kind, level)).toList());
    }
    run.take(
        compared,
        -1,
        settings.plan.rounds(),
        (of, round) ->
            run.measure(of, round, stores.get(of.store), workloads.get(of.store).at(of.level)));
  }
}
