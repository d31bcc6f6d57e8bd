package io.retso.bench.workload;

import io.retso.bench.stores.OpenStore;
import io.retso.bench.stores.StoreKind;
import io.retso.bench.stores.StorePlan;
import io.retso.bench.stores.Work;
import io.retso.bench.workload.SibenchRun.Subject;
import io.retso.machine.Machine;
import io.retso.report.BenchException;
import io.retso.report.ProgressLine;
import io.retso.report.Result;
import io.retso.report.Rounds;
import io.retso.report.Texts;
import io.retso.workload.ClosedLoop;
import io.retso.workload.Isolation;
import io.retso.workload.LoadCounts;
import io.retso.workload.Store;
import io.retso.workload.sibench.Sibench;
import io.retso.workload.smallbank.Strategy;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/** {@code retso bench sibench}: queries of whole tables beside updates, at both levels. */
public final class SibenchBench {
  private final Settings settings;
  private final ProgressLine line;
  private ProgressLine.Steps steps;
  private final Rounds<Subject, SibenchRun> runs = new Rounds<>();
  private final List<String> failures = new ArrayList<>();
  private final Map<String, Map<String, String>> facts = new LinkedHashMap<>();

  /**
   * What to measure.
   *
   * @param sizes rows of the table
   * @param clients threads
   * @param rounds in which the levels take turns
   * @param judge for so long at the most go further rounds of what is judged, on each store
   */
  public record Settings(
      StorePlan stores,
      List<Integer> sizes,
      int clients,
      Duration warmUp,
      Duration measured,
      int rounds,
      Duration judge,
      long seed) {}

  /** Prepares a benchmark. */
  public SibenchBench(Settings settings, PrintWriter out, boolean terminal) {
    this.settings = settings;
    this.line = new ProgressLine(out, terminal);
  }

  /** Measures everything. */
  public Result run(String version, List<String> flags)
      throws BenchException, InterruptedException {
    Result.Builder result = Result.begin("sibench", version, flags, Machine.facts());
    steps =
        line.steps(
            (settings.rounds() + 1L)
                * settings.sizes().size()
                * settings.stores().kinds().stream().mapToInt(kind -> levels(kind).size()).sum());
    OpenStore.each(settings.stores(), "SIBENCH", line, this::measure);
    SibenchResult.describe(result.note(StorePlan.text(facts)).failures(failures), runs);
    return result.end();
  }

  private static List<Isolation> levels(StoreKind kind) {
    return kind.has(Strategy.SERIALIZABLE)
        ? List.of(Isolation.SNAPSHOT, Isolation.SERIALIZABLE)
        : List.of(Isolation.SNAPSHOT);
  }

  private void measure(StoreKind kind, OpenStore open) throws IOException, InterruptedException {
    facts.put(kind.toString(), open.store().facts());
    for (int rows : settings.sizes()) {
      open.store().create(Sibench.TABLES);
      measure(kind, open, rows, -1); // a warm-up
      int round = 0;
      while (round < settings.rounds()) {
        measure(kind, open, rows, round++);
      }
      long most = settings.judge().dividedBy(settings.sizes().size()).toNanos();
      long began = System.nanoTime();
      while (System.nanoTime() - began < most && !SibenchResult.isClear(runs, kind, rows)) {
        steps.more(levels(kind).size());
        measure(kind, open, rows, round++);
      }
    }
  }

  private void measure(StoreKind kind, OpenStore open, int rows, int round)
      throws IOException, InterruptedException {
    List<Isolation> order = new ArrayList<>(levels(kind));
    Collections.rotate(order, round); // none is always first
    for (Isolation isolation : order) {
      measure(kind, open, rows, isolation, round);
    }
  }

  private void measure(StoreKind kind, OpenStore open, int rows, Isolation isolation, int round)
      throws IOException, InterruptedException {
    Store store = open.store();
    Subject of = new Subject(kind, rows, isolation);
    steps.begin(round < 0 ? "warm-up of " + of : of + ", round " + (round + 1));
    Sibench workload = new Sibench(rows, isolation);
    workload.load(store);
    store.awaitQuiet();
    AtomicReference<Work> before = new AtomicReference<>();
    LoadCounts counts =
        ClosedLoop.run(
            workload,
            store,
            settings.clients(),
            settings.seed() + runs.runs().size(),
            settings.warmUp(),
            settings.measured(),
            () -> before.set(open.work()));
    store.awaitQuiet();
    Work work = open.work().microsSince(before.get(), counts.attempts());
    String wrong = workload.check(store);
    if (!wrong.isEmpty() && kind != StoreKind.PLAIN) {
      failures.add(of + ": " + wrong);
    }
    if (round >= 0) {
      runs.add(
          of,
          round,
          new SibenchRun(
              of, round, counts.perSecond(), counts.millis(), work, counts.refusedShare()));
      line.done(
          String.format(
              Locale.ROOT,
              "%-50s  %7s/s  %s ms  %.0f us CPU  %s refused",
              of,
              Texts.rate(counts.perSecond()),
              Texts.millis(counts.millis()),
              work.sum(),
              Texts.percent(counts.refusedShare())));
    }
  }
}
