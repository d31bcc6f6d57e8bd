package io.retso.bench.workload;

import io.retso.admin.RootCause;
import io.retso.bench.machine.Machine;
import io.retso.bench.report.BenchException;
import io.retso.bench.report.ProgressLine;
import io.retso.bench.report.Texts;
import io.retso.bench.workload.SmallBankReport.Case;
import io.retso.bench.workload.SmallBankReport.Run;
import io.retso.workload.ClosedLoop;
import io.retso.workload.LoadCounts;
import io.retso.workload.history.RecordedStore;
import io.retso.workload.history.SerialCheck;
import io.retso.workload.smallbank.Mix;
import io.retso.workload.smallbank.SmallBank;
import io.retso.workload.smallbank.Strategy;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code retso bench smallbank}: what each way to be serializable costs. */
public final class SmallBankBench {
  /** Transactions of a run whose reads and writes are kept, some 1 KB each while it is checked. */
  private static final int RECORDED_MAX = 300_000;

  private static final int WARM_CLIENTS = 8;

  private final SmallBankSettings settings;
  private final ProgressLine line;
  private final List<Run> runs = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();
  private final Map<String, Map<String, String>> facts = new LinkedHashMap<>();
  private long started;
  private int planned;

  /** Prepares a benchmark. */
  public SmallBankBench(SmallBankSettings settings, PrintWriter out, boolean terminal) {
    this.settings = settings;
    this.line = new ProgressLine(out, terminal);
  }

  /** Measures everything. */
  public SmallBankReport run(String version, List<String> flags)
      throws BenchException, InterruptedException {
    String startedAt = Instant.now().toString();
    for (StoreKind kind : settings.stores().kinds()) {
      planned +=
          settings.mixes().size()
              * settings.clients().size()
              * settings.rounds()
              * strategies(kind).size();
    }
    started = System.nanoTime();
    for (StoreKind kind : settings.stores().kinds()) {
      line.show("starting " + kind + " ...");
      try (OpenStore open = OpenStore.of(kind, settings.stores());
          RecordedStore store = new RecordedStore(open.store(), RECORDED_MAX)) {
        measure(kind, store);
      } catch (IOException e) {
        throw new BenchException("SmallBank on " + kind + " failed: " + RootCause.of(e), e);
      }
    }
    line.clear();
    return new SmallBankReport(
        version,
        startedAt,
        flags,
        Machine.facts(),
        settings.facts(),
        facts,
        runs,
        failures,
        SmallBankComparisons.of(runs));
  }

  private List<Strategy> strategies(StoreKind kind) {
    return settings.strategies().stream().filter(kind::has).toList();
  }

  private void measure(StoreKind kind, RecordedStore store)
      throws IOException, InterruptedException {
    line.show("loading " + kind + " ...");
    facts.put(kind.toString(), store.facts());
    SmallBank first = new SmallBank(settings.mixes().get(0), strategies(kind).get(0));
    store.create(first.schema());
    first.load(store);
    Duration warm = settings.warmUp().plus(settings.measured()).dividedBy(2);
    for (Strategy strategy : strategies(kind)) {
      line.show("warm-up of " + kind + ", " + strategy.label() + " ...");
      SmallBank bank = new SmallBank(settings.mixes().get(0), strategy);
      ClosedLoop.run(bank, store, WARM_CLIENTS, settings.seed(), warm, Duration.ZERO);
    }
    for (Mix mix : settings.mixes()) {
      for (int clients : settings.clients()) {
        List<Strategy> order = new ArrayList<>(strategies(kind));
        for (int round = 0; round < settings.rounds(); round++) {
          Collections.rotate(order, order.size() / settings.rounds()); // nobody is always first
          for (Strategy strategy : order) {
            measure(kind, store, mix, strategy, clients, round);
          }
        }
      }
    }
  }

  private void measure(
      StoreKind kind, RecordedStore store, Mix mix, Strategy strategy, int clients, int round)
      throws IOException, InterruptedException {
    Case of = new Case(kind, mix.hot(), mix.balancePercent());
    String name = String.format("%s; %s at %d, round %d", of, strategy.label(), clients, round + 1);
    line.show(name + progress());
    SmallBank bank = new SmallBank(mix, strategy);
    bank.load(store);
    store.awaitQuiet();
    store.history(); // the load is no part of it
    long seed = settings.seed() + runs.size();
    LoadCounts counts =
        ClosedLoop.run(bank, store, clients, seed, settings.warmUp(), settings.measured());
    store.awaitQuiet();
    SerialCheck.Verdict verdict = SerialCheck.check(store.history());
    String wrong = bank.check(store);
    runs.add(
        new Run(
            of,
            strategy,
            clients,
            round,
            counts.perSecond(),
            counts.millis(),
            counts.refusedShare(),
            counts.attemptsByProgram(),
            counts.refused(),
            counts.rolledBack(),
            verdict,
            wrong));
    if (!wrong.isEmpty() && kind.keepsUpdates(strategy)) {
      failures.add(name + ": " + wrong);
    }
    if (!verdict.isSerializable() && kind.isSerializable(strategy)) {
      failures.add(name + ": no serial order explains " + verdict);
    }
    line.done(
        String.format(
            "%-76s  %7s/s  %s ms  %s refused  %d anomalies",
            name,
            Texts.rate(counts.perSecond()),
            Texts.millis(counts.millis()),
            Texts.percent(counts.refusedShare()),
            verdict.groups()));
  }

  private String progress() {
    int done = runs.size();
    if (done == 0) {
      return "  1 of " + planned;
    }
    long left = (System.nanoTime() - started) / done * (planned - done) / 60_000_000_000L;
    return String.format("  %d of %d, some %d minutes left", done + 1, planned, left + 1);
  }
}
