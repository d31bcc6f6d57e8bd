package io.retso.bench.experiments;

import io.retso.admin.RootCause;
import io.retso.bench.experiments.TpccCase.Counts;
import io.retso.bench.experiments.TpccResult.Deferred;
import io.retso.bench.stores.OpenStore;
import io.retso.bench.stores.StoreKind;
import io.retso.bench.stores.StorePlan;
import io.retso.machine.Machine;
import io.retso.report.BenchException;
import io.retso.report.Percentiles;
import io.retso.report.ProgressLine;
import io.retso.report.Result;
import io.retso.report.Rounds;
import io.retso.report.Texts;
import io.retso.workload.ClosedLoop;
import io.retso.workload.Isolation;
import io.retso.workload.LoadCounts;
import io.retso.workload.Store;
import io.retso.workload.store.PostgresStore;
import io.retso.workload.tpcc.Mix;
import io.retso.workload.tpcc.Scale;
import io.retso.workload.tpcc.Tpcc;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * {@code retso bench tpcc}: TPC-C with Credit Check at both levels, by the share of programs that
 * only read. All stores are there at the same time; stores, shares and levels take turns.
 */
public final class TpccBench {
  static final List<Isolation> LEVELS = List.of(Isolation.SNAPSHOT, Isolation.SERIALIZABLE);

  private static final Duration START = Duration.ofSeconds(20);
  private static final Duration CHECK = Duration.ofSeconds(1);

  private final Settings settings;
  private final ProgressLine line;
  private final Rounds<TpccCase, Counts> rounds = new Rounds<>();
  private final List<String> failures = new ArrayList<>();
  private final Map<String, Map<String, String>> facts = new LinkedHashMap<>();

  /** How long deferred readers took, in nanoseconds, in all runs of a store and a level. */
  private final Map<StoreKind, Map<Isolation, Histogram>> nanos = new LinkedHashMap<>();

  /**
   * What to measure.
   *
   * @param shares of programs that only read, percent
   * @param clients threads, without think time
   * @param rounds in which all that is compared takes turns
   * @param interval between deferred readers
   */
  public record Settings(
      StorePlan stores,
      Scale scale,
      List<Integer> shares,
      int clients,
      Duration warmUp,
      Duration measured,
      int rounds,
      Duration interval,
      long seed) {

    /** Runs each store at each level before anything counts: the first seconds are far slower. */
    private Duration warmUps() {
      return measured.multipliedBy(4);
    }

    /** About how long it takes. */
    public Duration length() {
      int runs = shares.size() * LEVELS.size() * rounds;
      return warmUp
          .plus(measured)
          .plus(CHECK)
          .multipliedBy(runs)
          .plus(warmUps().plus(CHECK).multipliedBy(LEVELS.size()))
          .plus(START)
          .multipliedBy(stores.kinds().size());
    }
  }

  /** A store that is open, and the workload on its tables. */
  private record Subject(Store store, Tpcc workload) {}

  /** Prepares a benchmark. */
  public TpccBench(Settings settings, PrintWriter out, boolean terminal) {
    this.settings = settings;
    this.line = new ProgressLine(out, terminal);
  }

  /** Measures everything. */
  public Result run(String version, List<String> flags)
      throws BenchException, InterruptedException {
    Result.Builder result = Result.begin("tpcc", version, flags, Machine.facts());
    List<OpenStore> open = new ArrayList<>();
    try {
      Map<StoreKind, Store> stores = new LinkedHashMap<>();
      for (StoreKind kind : settings.stores().kinds()) {
        line.show("starting " + kind + " ...");
        OpenStore started = OpenStore.of(kind, settings.stores());
        open.add(started);
        stores.put(kind, started.store());
      }
      measure(stores);
    } catch (IOException e) {
      throw new BenchException("TPC-C failed: " + RootCause.of(e), e);
    } finally {
      open.forEach(OpenStore::close);
      line.clear();
    }
    TpccResult found = new TpccResult(rounds);
    return result
        .settings(Map.of("scale", settings.scale(), "clients", settings.clients()))
        .table(found.table())
        .table(TpccResult.deferred(deferred()))
        .note("for reads: refused for what they had read, not for what they wrote")
        .note(StorePlan.text(facts))
        .verdicts(found.verdicts())
        .plot(found.plot())
        .failures(failures)
        .runs(rounds.runs())
        .end();
  }

  /** Measures on stores that are open. */
  void measure(Map<StoreKind, Store> stores) throws IOException, InterruptedException {
    Map<StoreKind, Subject> subjects = new LinkedHashMap<>();
    for (Map.Entry<StoreKind, Store> store : stores.entrySet()) {
      subjects.put(store.getKey(), loaded(store.getKey(), store.getValue()));
    }
    for (TpccCase of : cases(List.of(Mix.STANDARD.readOnlyPercent()), 0)) {
      line.show("warm-up of " + of);
      measure(subjects.get(of.store()), of, -1);
    }
    int all = cases(settings.shares(), 0).size() * settings.rounds();
    ProgressLine.Steps steps = line.steps(all);
    for (int round = 0; round < settings.rounds(); round++) {
      for (TpccCase of : cases(settings.shares(), round)) {
        steps.begin(of + ", round " + (round + 1) + " of " + settings.rounds());
        rounds.add(of, round, measure(subjects.get(of.store()), of, round));
      }
    }
  }

  /** Both levels of a store, one after the other: in every second round the other one first. */
  private List<TpccCase> cases(List<Integer> shares, int round) {
    List<Isolation> levels = new ArrayList<>(LEVELS);
    Collections.rotate(levels, round);
    List<TpccCase> all = new ArrayList<>();
    for (int share : shares) {
      for (StoreKind kind : settings.stores().kinds()) {
        levels.forEach(level -> all.add(new TpccCase(kind, share, level)));
      }
    }
    return all;
  }

  /** Runs whose checks have failed so far. */
  List<String> failures() {
    return failures;
  }

  private List<Deferred> deferred() {
    List<Deferred> all = new ArrayList<>();
    nanos.forEach(
        (kind, levels) ->
            levels.forEach((level, of) -> all.add(new Deferred(kind, level, Percentiles.of(of)))));
    return all;
  }

  private Subject loaded(StoreKind kind, Store store) throws IOException {
    line.show("loading " + kind + " ...");
    if (store instanceof PostgresStore postgres) {
      byKey(postgres);
    }
    facts.put(kind.toString(), store.facts());
    Tpcc workload = new Tpcc(settings.scale(), Isolation.SNAPSHOT, Mix.STANDARD);
    store.create(workload.schema());
    workload.load(store);
    store.awaitQuiet();
    return new Subject(store, workload);
  }

  /**
   * The planner would read small tables, such as the districts, as a whole. A serializable reader
   * of one row conflicts with all writers of the table then, and a quarter of all is refused.
   */
  private static void byKey(PostgresStore store) {
    store.set("enable_seqscan", "off");
    store.set("enable_bitmapscan", "off");
  }

  private Counts measure(Subject subject, TpccCase of, int round)
      throws IOException, InterruptedException {
    Store store = subject.store;
    Tpcc workload = subject.workload.with(of.level(), new Mix(of.share()));
    LoadCounts counts;
    Histogram waits;
    try (DeferredProbe probe = new DeferredProbe(store, workload.district(), settings.interval())) {
      counts =
          ClosedLoop.run(
              workload,
              store,
              settings.clients(),
              settings.seed() + round,
              settings.warmUp(),
              round < 0 ? settings.warmUps() : settings.measured(),
              probe::begin);
      waits = probe.end();
    }
    store.awaitQuiet();
    String wrong = workload.check(store);
    if (!wrong.isEmpty()) {
      failures.add(of + ", round " + (round + 1) + ": " + wrong);
    }
    Counts measured = Counts.of(counts);
    if (round >= 0) {
      nanos
          .computeIfAbsent(of.store(), kind -> new LinkedHashMap<>())
          .computeIfAbsent(of.level(), key -> new Histogram(waits))
          .add(waits);
      line.done(
          String.format(
              Locale.ROOT,
              "%-50s  %7s/s  %s ms  %s refused",
              of,
              Texts.rate(measured.perSecond()),
              Texts.millis(measured.millis()),
              Texts.percent(measured.refusedShare())));
    }
    return measured;
  }
}
