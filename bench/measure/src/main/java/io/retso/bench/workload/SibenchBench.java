package io.retso.bench.workload;

import io.retso.bench.workload.SibenchReport.Run;
import io.retso.machine.Machine;
import io.retso.report.BenchException;
import io.retso.report.Mean;
import io.retso.report.ProgressLine;
import io.retso.report.Texts;
import io.retso.report.Verdict;
import io.retso.workload.ClosedLoop;
import io.retso.workload.Isolation;
import io.retso.workload.LoadCounts;
import io.retso.workload.Store;
import io.retso.workload.sibench.Sibench;
import io.retso.workload.smallbank.Strategy;
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
import java.util.concurrent.atomic.AtomicReference;

/** {@code retso bench sibench}: queries of whole tables beside updates, at both levels. */
public final class SibenchBench {
  private static final double RATIO_MIN = 0.95;
  private static final double WORK_MAX = 1.05;

  private final Settings settings;
  private final ProgressLine line;
  private final List<Run> runs = new ArrayList<>();
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
  public SibenchReport run(String version, List<String> flags)
      throws BenchException, InterruptedException {
    String startedAt = Instant.now().toString();
    OpenStore.each(settings.stores(), "SIBENCH", line, this::measure);
    return new SibenchReport(
        version, startedAt, flags, Machine.facts(), facts, runs, failures, comparisons());
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
      while (System.nanoTime() - began < most && !isClear(kind, rows)) {
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

  private boolean isClear(StoreKind kind, int rows) {
    return !isJudged(kind)
        || throughput(kind, rows).isClear(RATIO_MIN) && work(kind, rows).isClear(WORK_MAX);
  }

  private void measure(StoreKind kind, OpenStore open, int rows, Isolation isolation, int round)
      throws IOException, InterruptedException {
    Store store = open.store();
    String name = String.format(Locale.ROOT, "%s, %,d rows, %s", kind, rows, isolation);
    line.show(round < 0 ? "warm-up of " + name : name + ", round " + (round + 1));
    Sibench workload = new Sibench(rows, isolation);
    workload.load(store);
    store.awaitQuiet();
    AtomicReference<Work> before = new AtomicReference<>();
    LoadCounts counts =
        ClosedLoop.run(
            workload,
            store,
            settings.clients(),
            settings.seed() + runs.size(),
            settings.warmUp(),
            settings.measured(),
            () -> before.set(open.work()));
    store.awaitQuiet();
    Work work = open.work().microsSince(before.get(), counts.attempts());
    String wrong = workload.check(store);
    if (!wrong.isEmpty() && kind != StoreKind.PLAIN) {
      failures.add(name + ": " + wrong);
    }
    if (round >= 0) {
      runs.add(
          new Run(
              kind,
              rows,
              isolation,
              round,
              counts.perSecond(),
              counts.millis(),
              work,
              counts.refusedShare()));
      line.done(
          String.format(
              Locale.ROOT,
              "%-50s  %7s/s  %s ms  %.0f us CPU  %s refused",
              name,
              Texts.rate(counts.perSecond()),
              Texts.millis(counts.millis()),
              work.sum(),
              Texts.percent(counts.refusedShare())));
    }
  }

  private List<Verdict> comparisons() {
    List<Verdict> all = new ArrayList<>();
    for (StoreKind kind : settings.stores().kinds()) {
      for (int rows : settings.sizes()) {
        if (isJudged(kind)) {
          String what =
              String.format(Locale.ROOT, "%s, %,d rows, SERIALIZABLE / SNAPSHOT", kind, rows);
          all.add(judged(what + ", throughput", throughput(kind, rows), true, RATIO_MIN));
          all.add(
              judged(what + ", processor time of an attempt", work(kind, rows), false, WORK_MAX));
        }
      }
    }
    return all;
  }

  private static boolean isJudged(StoreKind kind) {
    return kind == StoreKind.HBASE || kind == StoreKind.ORACLE;
  }

  private Mean throughput(StoreKind kind, int rows) {
    return SibenchText.ratio(runs, kind, rows, Run::perSecond);
  }

  private Mean work(StoreKind kind, int rows) {
    return SibenchText.ratio(runs, kind, rows, run -> run.work().sum());
  }

  private static Verdict judged(String what, Mean ratio, boolean atLeast, double target) {
    String how =
        String.format(
            Locale.ROOT, "median of %d rounds' ratios, +- %.2f", ratio.count(), ratio.error());
    return new Verdict(what, ratio.value(), atLeast, target, how, ratio.doubt(target));
  }
}
