package io.retso.bench.workload;

import io.retso.bench.stores.OpenStore;
import io.retso.bench.stores.StoreKind;
import io.retso.bench.stores.StorePlan;
import io.retso.bench.stores.Work;
import io.retso.bench.workload.SmallBankRun.Case;
import io.retso.machine.Machine;
import io.retso.report.BenchException;
import io.retso.report.Kept;
import io.retso.report.ProgressLine;
import io.retso.report.Result;
import io.retso.report.Texts;
import io.retso.workload.ClosedLoop;
import io.retso.workload.LoadCounts;
import io.retso.workload.history.RecordedStore;
import io.retso.workload.history.SerialCheck;
import io.retso.workload.smallbank.Mix;
import io.retso.workload.smallbank.SmallBank;
import io.retso.workload.smallbank.Strategy;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** {@code retso bench smallbank}: what each way to be serializable costs. */
public final class SmallBankBench {
  /** Transactions of a run whose reads and writes are kept, some 1 KB each while it is checked. */
  private static final int RECORDED_MAX = 300_000;

  private static final int WARM_CLIENTS = 8;
  private static final Duration WARM_SLICE_MAX = Duration.ofSeconds(1);
  private static final int WARM_PASSES_MAX = 3;
  private static final double STILL_WARMING = 0.95;

  private final SmallBankSettings settings;
  private final ProgressLine line;
  private final List<SmallBankRun> runs = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();
  private final Map<String, Map<String, String>> facts = new LinkedHashMap<>();
  private final boolean goesOn;
  private ProgressLine.Steps steps;
  private Kept kept;

  /** Prepares a benchmark. */
  public SmallBankBench(SmallBankSettings settings, PrintWriter out, boolean terminal) {
    this(settings, out, terminal, false);
  }

  /**
   * Prepares a benchmark.
   *
   * @param goesOn whether what an earlier run has measured, in the directory of the stores, is not
   *     measured again
   */
  public SmallBankBench(
      SmallBankSettings settings, PrintWriter out, boolean terminal, boolean goesOn) {
    this.settings = settings;
    this.goesOn = goesOn;
    this.line = new ProgressLine(out, terminal);
  }

  /** Measures everything. */
  public Result run(String version, List<String> flags)
      throws BenchException, InterruptedException {
    Result.Builder result = Result.begin("smallbank", version, flags, Machine.facts());
    int each = settings.mixes().size() * settings.clients().size() * settings.rounds();
    long planned = 0;
    for (StoreKind kind : settings.stores().kinds()) {
      planned += each * strategies(kind).size();
    }
    steps = line.steps(planned);
    try (Kept file = keep(version)) {
      kept = file;
      OpenStore.each(
          settings.stores(),
          "SmallBank",
          line,
          (kind, open) -> {
            try (RecordedStore store = new RecordedStore(open.store(), RECORDED_MAX)) {
              measure(kind, open, store);
            }
          });
    }
    result.settings(settings.facts()).note(StorePlan.text(facts)).failures(failures);
    SmallBankResult.describe(result, runs);
    return result.end();
  }

  private Kept keep(String version) throws BenchException {
    Path file = settings.stores().directory().resolve("smallbank.measured");
    Kept.Origin origin = Kept.Origin.of(version, settings.lasting(), Machine.facts());
    return goesOn ? Kept.goOn(file, origin) : Kept.begin(file, origin);
  }

  private List<Strategy> strategies(StoreKind kind) {
    return settings.strategies().stream().filter(kind::has).toList();
  }

  private void measure(StoreKind kind, OpenStore open, RecordedStore store)
      throws IOException, InterruptedException {
    line.show("loading " + kind + " ...");
    facts.put(kind.toString(), store.facts());
    SmallBank first = new SmallBank(settings.mixes().get(0), strategies(kind).get(0));
    store.create(first.schema());
    first.load(store);
    warmUp(kind, open, store);
    for (Mix mix : settings.mixes()) {
      for (int clients : settings.clients()) {
        Level level = new Level(kind, mix, clients);
        List<Strategy> order = new ArrayList<>(strategies(kind));
        for (int round = 0; round < settings.rounds(); round++) {
          measure(open, store, level, order, round);
        }
        if (settings.isJudged(kind, mix, clients)) {
          judge(open, store, level, order);
        }
      }
    }
  }

  /** Further rounds of what is compared, until it is clear or the time is over. */
  private void judge(OpenStore open, RecordedStore store, Level level, List<Strategy> order)
      throws IOException, InterruptedException {
    long began = System.nanoTime();
    int round = settings.rounds();
    while (System.nanoTime() - began < settings.judge().toNanos()) {
      order.retainAll(
          SmallBankVerdicts.unclear(SmallBankRun.rounds(level.of(), runs), level.clients()));
      if (order.isEmpty()) {
        return;
      }
      steps.more(order.size());
      measure(open, store, level, order, round++);
    }
  }

  private void measure(
      OpenStore open, RecordedStore store, Level level, List<Strategy> order, int round)
      throws IOException, InterruptedException {
    for (Strategy strategy : order) {
      measure(open, store, new Attempt(level, strategy, round));
    }
    Collections.rotate(order, Math.max(1, order.size() / 3)); // none is always first
  }

  /**
   * Until the compilers of the JVMs have done: an attempt takes no less processor time than in the
   * pass before.
   */
  private void warmUp(StoreKind kind, OpenStore open, RecordedStore store)
      throws IOException, InterruptedException {
    Duration slice = settings.warmUp().plus(settings.measured()).dividedBy(2);
    slice = slice.compareTo(WARM_SLICE_MAX) < 0 ? slice : WARM_SLICE_MAX;
    double before;
    double now = Double.MAX_VALUE;
    int passes = 0;
    do {
      before = now;
      passes++;
      Work from = open.work();
      long attempts = 0;
      for (Strategy strategy : strategies(kind)) {
        line.show("warm-up of " + kind + ", " + strategy.label() + ", pass " + passes + " ...");
        SmallBank bank = new SmallBank(settings.mixes().get(0), strategy);
        attempts +=
            ClosedLoop.run(bank, store, WARM_CLIENTS, settings.seed(), Duration.ZERO, slice)
                .attempts();
        store.history(); // it is not asked for
      }
      now = open.work().microsSince(from, attempts).sum();
    } while (now < STILL_WARMING * before && passes < WARM_PASSES_MAX);
  }

  /** Where strategies are compared. */
  private record Level(StoreKind kind, Mix mix, int clients) {
    Case of() {
      return new Case(kind, mix.hot(), mix.balancePercent());
    }
  }

  /** What one run is of. */
  private record Attempt(Level at, Strategy strategy, int round) {
    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%s; %s at %d, round %d",
          at.of(),
          strategy.label(),
          at.clients(),
          round + 1);
    }
  }

  private void measure(OpenStore open, RecordedStore store, Attempt attempt)
      throws IOException, InterruptedException {
    steps.begin(attempt.toString());
    Optional<SmallBankRun> before = kept.find(attempt, attempt.round(), SmallBankRun.class);
    SmallBankRun run = before.isPresent() ? before.get() : measured(open, store, attempt);
    runs.add(run);
    if (!run.wrong().isEmpty() && attempt.at().kind().keepsUpdates(attempt.strategy())) {
      failures.add(attempt + ": " + run.wrong());
    }
    if (!run.check().isSerializable() && attempt.at().kind().isSerializable(attempt.strategy())) {
      failures.add(attempt + ": no serial order explains " + run.check());
    }
    if (before.isEmpty()) {
      kept.add(attempt, attempt.round(), run.wrong(), run);
    }
  }

  private SmallBankRun measured(OpenStore open, RecordedStore store, Attempt attempt)
      throws IOException, InterruptedException {
    SmallBank bank = new SmallBank(attempt.at().mix(), attempt.strategy());
    bank.load(store);
    store.awaitQuiet();
    store.history(); // the load is no part of it
    long seed = settings.seed() + runs.size();
    AtomicReference<Work> before = new AtomicReference<>();
    LoadCounts counts =
        ClosedLoop.run(
            bank,
            store,
            attempt.at().clients(),
            seed,
            settings.warmUp(),
            settings.measured(),
            () -> before.set(open.work()));
    store.awaitQuiet();
    Work work = open.work().microsSince(before.get(), counts.attempts());
    SerialCheck.Verdict verdict = SerialCheck.check(store.history());
    String wrong = bank.check(store);
    line.done(
        String.format(
            Locale.ROOT,
            "%-76s  %7s/s  %s ms  %.0f us CPU  %s refused  %d anomalies",
            attempt,
            Texts.rate(counts.perSecond()),
            Texts.millis(counts.millis()),
            work.sum(),
            Texts.percent(counts.refusedShare()),
            verdict.groups()));
    return new SmallBankRun(
        attempt.at().of(),
        attempt.strategy(),
        attempt.at().clients(),
        attempt.round(),
        counts.perSecond(),
        counts.millis(),
        work,
        counts.refusedShare(),
        counts.attemptsByProgram(),
        counts.refused(),
        counts.rolledBack(),
        verdict,
        wrong);
  }
}
