package io.retso.bench.experiments;

import io.retso.bench.experiments.TpccResult.Deferred;
import io.retso.bench.stores.StoreKind;
import io.retso.report.BenchException;
import io.retso.report.Percentiles;
import io.retso.report.Result;
import io.retso.report.Rounds;
import io.retso.workload.Isolation;
import io.retso.workload.Store;
import io.retso.workload.tpcc.Mix;
import io.retso.workload.tpcc.Scale;
import io.retso.workload.tpcc.Tpcc;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * {@code retso bench tpcc}: TPC-C with Credit Check at both levels, by the share of programs that
 * only read. All stores are there at the same time; stores, shares and levels take turns.
 */
public final class TpccBench {
  private static final Duration CHECK = Duration.ofSeconds(1);

  private final Settings settings;
  private final ExperimentRun run;

  /** How long deferred readers took, in nanoseconds, in all runs of a store and a level. */
  private final Map<StoreKind, Map<Isolation, Histogram>> nanos = new LinkedHashMap<>();

  /**
   * What to measure.
   *
   * @param shares of programs that only read, percent
   * @param interval between deferred readers
   */
  public record Settings(
      ExperimentPlan plan, Scale scale, List<Integer> shares, Duration interval) {
    /** About how long it takes. */
    public Duration length() {
      long levels = LevelCase.both(plan);
      return plan.length(levels * shares.size() * plan.rounds(), levels, CHECK);
    }
  }

  /** A store that is open, and the workload on its tables. */
  private record Subject(Store store, Tpcc workload) {}

  /** Times of deferred readers beside a run, as a histogram writes them. */
  private record Waits(byte[] histogram) {
    static Waits of(Histogram nanos) {
      ByteBuffer bytes = ByteBuffer.allocate(nanos.getNeededByteBufferCapacity());
      return new Waits(Arrays.copyOf(bytes.array(), nanos.encodeIntoCompressedByteBuffer(bytes)));
    }

    Histogram nanos() {
      try {
        return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(histogram), 0);
      } catch (DataFormatException e) {
        throw new IllegalStateException("times of deferred readers that were kept are broken", e);
      }
    }
  }

  /** Prepares a benchmark. */
  public TpccBench(Settings settings, PrintWriter out, boolean terminal) {
    this.settings = settings;
    this.run = new ExperimentRun("tpcc", settings.plan(), out, terminal);
  }

  /** Measures everything. */
  public Result run(String version, List<String> flags)
      throws BenchException, InterruptedException {
    Map<String, Object> own =
        Map.of(
            "scale",
            settings.scale(),
            "shares",
            settings.shares(),
            "probeMillis",
            settings.interval().toMillis());
    Result.Builder result = run.run(version, flags, own, this::measure);
    TpccResult found = new TpccResult(run.rounds());
    return result
        .table(found.table())
        .table(TpccResult.deferred(deferred()))
        .verdicts(found.verdicts())
        .plot(found.plot())
        .end();
  }

  /** Measures on stores that are open. */
  void measure(Map<StoreKind, Store> stores) throws IOException, InterruptedException {
    Map<StoreKind, Subject> subjects = new LinkedHashMap<>();
    for (Map.Entry<StoreKind, Store> store : stores.entrySet()) {
      Tpcc workload = new Tpcc(settings.scale(), Isolation.SNAPSHOT, Mix.STANDARD);
      run.load(store.getKey(), store.getValue(), workload);
      subjects.put(store.getKey(), new Subject(store.getValue(), workload));
    }
    Rounds.Measurement<LevelCase, ProgramCounts> measurement =
        (of, round) -> measure(subjects.get(of.store()), of, round);
    run.take(cases(List.of(Mix.STANDARD.readOnlyPercent())), -1, 0, measurement);
    List<List<LevelCase>> compared = cases(settings.shares());
    compared.forEach(cases -> cases.forEach(this::takeUpWaits));
    run.take(compared, 0, settings.plan().rounds(), measurement);
  }

  /** Both levels of a store are compared. */
  private List<List<LevelCase>> cases(List<Integer> shares) {
    List<List<LevelCase>> all = new ArrayList<>();
    for (int share : shares) {
      for (StoreKind kind : settings.plan().stores().kinds()) {
        all.add(
            LevelCase.both(kind).stream().map(level -> TpccResult.of(kind, share, level)).toList());
      }
    }
    return all;
  }

  /** Runs whose checks have failed so far. */
  List<String> failures() {
    return run.failures();
  }

  private List<Deferred> deferred() {
    List<Deferred> all = new ArrayList<>();
    nanos.forEach(
        (kind, levels) ->
            levels.forEach((level, of) -> all.add(new Deferred(kind, level, Percentiles.of(of)))));
    return all;
  }

  private ProgramCounts measure(Subject subject, LevelCase of, int round)
      throws IOException, InterruptedException {
    Store store = subject.store;
    Tpcc workload = subject.workload.with(of.level(), new Mix(of.value()));
    if (!of.store().levels().contains(Isolation.SERIALIZABLE)) {
      return run.measure(of, round, store, workload); // it has no deferred readers
    }
    try (DeferredProbe probe = new DeferredProbe(store, workload.district(), settings.interval())) {
      ProgramCounts counts = run.measure(of, round, store, workload, probe);
      if (round >= 0) {
        run.keep(waits(of), round, Waits.of(probe.nanos()));
        addWaits(of, probe.nanos());
      }
      return counts;
    }
  }

  private static String waits(LevelCase of) {
    return of + ", deferred readers";
  }

  /** Those of an earlier run that goes on. */
  private void takeUpWaits(LevelCase of) {
    for (int round = 0; round < settings.plan().rounds(); round++) {
      run.kept(waits(of), round, Waits.class).ifPresent(waits -> addWaits(of, waits.nanos()));
    }
  }

  private void addWaits(LevelCase of, Histogram more) {
    nanos
        .computeIfAbsent(of.store(), kind -> new LinkedHashMap<>())
        .computeIfAbsent(of.level(), key -> new Histogram(more))
        .add(more);
  }
}
