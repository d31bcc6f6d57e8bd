package io.retso.bench.workload;

import io.retso.admin.RootCause;
import io.retso.bench.workload.TpccFindings.Deferred;
import io.retso.machine.Machine;
import io.retso.report.BenchException;
import io.retso.report.Percentiles;
import io.retso.report.ProgressLine;
import io.retso.report.Texts;
import io.retso.workload.ClosedLoop;
import io.retso.workload.Isolation;
import io.retso.workload.LoadCounts;
import io.retso.workload.Store;
import io.retso.workload.store.PostgresStore;
import io.retso.workload.tpcc.Kind;
import io.retso.workload.tpcc.Mix;
import io.retso.workload.tpcc.Scale;
import io.retso.workload.tpcc.Tpcc;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
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
  private final List<TpccRun> runs = new ArrayList<>();
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
  private record Subject(StoreKind kind, Store store, Tpcc workload) {}

  /** Prepares a benchmark. */
  public TpccBench(Settings settings, PrintWriter out, boolean terminal) {
    this.settings = settings;
    this.line = new ProgressLine(out, terminal);
  }

  /** Measures everything. */
  public TpccFindings run(String version, List<String> flags)
      throws BenchException, InterruptedException {
    String startedAt = Instant.now().toString();
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
    return new TpccFindings(
        version, startedAt, flags, Machine.facts(), facts, runs, failures, deferred());
  }

  /** Measures on stores that are open. */
  void measure(Map<StoreKind, Store> stores) throws IOException, InterruptedException {
    List<Subject> subjects = new ArrayList<>();
    for (Map.Entry<StoreKind, Store> store : stores.entrySet()) {
      subjects.add(loaded(store.getKey(), store.getValue()));
    }
    for (Subject subject : subjects) {
      for (Isolation level : LEVELS) {
        measure(subject, Mix.STANDARD.readOnlyPercent(), level, -1); // a warm-up
      }
    }
    for (int round = 0; round < settings.rounds(); round++) {
      for (int share : settings.shares()) {
        turn(subjects, share, round);
      }
    }
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
    return new Subject(kind, store, workload);
  }

  /**
   * The planner would read small tables, such as the districts, as a whole. A serializable reader
   * of one row conflicts with all writers of the table then, and a quarter of all is refused.
   */
  private static void byKey(PostgresStore store) {
    store.set("enable_seqscan", "off");
    store.set("enable_bitmapscan", "off");
  }

  private void turn(List<Subject> subjects, int share, int round)
      throws IOException, InterruptedException {
    for (Subject subject : subjects) {
      List<Isolation> order = new ArrayList<>(LEVELS);
      Collections.rotate(order, round); // none is always first
      for (Isolation level : order) {
        measure(subject, share, level, round);
      }
    }
  }

  private void measure(Subject subject, int share, Isolation level, int round)
      throws IOException, InterruptedException {
    String name = String.format(Locale.ROOT, "%s, %d %% read-only, %s", subject.kind, share, level);
    line.show(round < 0 ? "warm-up of " + name : name + ", round " + (round + 1));
    Store store = subject.store;
    Tpcc workload = subject.workload.with(level, new Mix(share));
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
      failures.add(name + ", round " + (round + 1) + ": " + wrong);
    }
    if (round >= 0) {
      nanos
          .computeIfAbsent(subject.kind, kind -> new LinkedHashMap<>())
          .computeIfAbsent(level, key -> new Histogram(waits))
          .add(waits);
      add(name, subject.kind, share, level, round, counts);
    }
  }

  private void add(
      String name, StoreKind kind, int share, Isolation level, int round, LoadCounts counts) {
    TpccRun run =
        new TpccRun(
            kind,
            share,
            level,
            round,
            counts.perSecond(),
            counts.millis(),
            counts.attempts(),
            counts.refusedShare(),
            counts.attemptsByProgram().getOrDefault(Kind.NEW_ORDER.label(), 0L),
            counts.refused());
    runs.add(run);
    line.done(
        String.format(
            Locale.ROOT,
            "%-50s  %7s/s  %s ms  %s refused",
            name,
            Texts.rate(run.perSecond()),
            Texts.millis(run.millis()),
            Texts.percent(run.refusedShare())));
  }
}
