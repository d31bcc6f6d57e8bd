package io.retso.bench.workload;

import io.retso.bench.stores.OpenStore;
import io.retso.bench.stores.StoreKind;
import io.retso.bench.stores.StorePlan;
import io.retso.bench.stores.Work;
import io.retso.bench.workload.ReadersRun.Subject;
import io.retso.machine.Machine;
import io.retso.report.BenchException;
import io.retso.report.Percentiles;
import io.retso.report.ProgressLine;
import io.retso.report.Result;
import io.retso.report.Rounds;
import io.retso.report.Texts;
import io.retso.workload.ClosedLoop;
import io.retso.workload.LoadCounts;
import io.retso.workload.Row;
import io.retso.workload.Store;
import io.retso.workload.history.RecordedStore;
import io.retso.workload.history.SerialCheck;
import io.retso.workload.smallbank.Mix;
import io.retso.workload.smallbank.SmallBank;
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

/**
 * {@code retso bench readers}: what readers on safe snapshots cost the writers beside them, and how
 * long deferred ones wait.
 */
public final class ReadersBench {
  private static final int RECORDED_MAX = 300_000;

  private static final int HOT = 10;

  /** Rows that readers read and slow transactions write. */
  private static final int READ = 50;

  private static final int BALANCE_PERCENT = 60;

  private final Settings settings;
  private final ProgressLine line;
  private final Rounds<Subject, ReadersRun> runs = new Rounds<>();
  private final List<String> failures = new ArrayList<>();
  private final Map<String, Map<String, String>> facts = new LinkedHashMap<>();

  /**
   * What to measure.
   *
   * @param customers of the bank
   * @param managers numbers of them, which take turns; where a store has none, only 0
   * @param clients that run programs
   */
  public record Settings(
      StorePlan stores,
      int customers,
      List<Integer> managers,
      int clients,
      Duration warmUp,
      Duration measured,
      int rounds,
      long seed) {}

  /** What was counted up to when counting begins or ends. */
  private record Moment(Work work, double safe, double frames, long reads, long nanos) {}

  /** Prepares a benchmark. */
  public ReadersBench(Settings settings, PrintWriter out, boolean terminal) {
    this.settings = settings;
    this.line = new ProgressLine(out, terminal);
  }

  /** Measures everything. */
  public Result run(String version, List<String> flags)
      throws BenchException, InterruptedException {
    Result.Builder result = Result.begin("readers", version, flags, Machine.facts());
    OpenStore.each(
        settings.stores(),
        "readers",
        line,
        (kind, open) -> {
          try (RecordedStore store = new RecordedStore(open.store(), RECORDED_MAX)) {
            facts.put(kind.toString(), store.facts());
            measure(kind, open, store);
          }
        });
    ReadersResult.describe(result.note(StorePlan.text(facts)).failures(failures), runs);
    return result.end();
  }

  private void measure(StoreKind kind, OpenStore open, RecordedStore store)
      throws IOException, InterruptedException {
    Mix mix = new Mix(settings.customers(), HOT, BALANCE_PERCENT);
    SmallBank bank = new SmallBank(mix, Strategy.SERIALIZABLE);
    line.show("loading " + kind + " ...");
    store.create(bank.schema());
    bank.load(store);
    List<Integer> order =
        new ArrayList<>(kind == StoreKind.HBASE ? settings.managers() : List.of(0));
    Map<Integer, List<Store>> managers = new LinkedHashMap<>();
    for (int count : order) {
      managers.put(count, open.managers(count));
    }
    ProgressLine.Steps steps = line.steps(order.size() * (settings.rounds() + 1L));
    for (int round = -1; round < settings.rounds(); round++) { // the first one is a warm-up
      Collections.rotate(order, 1); // none is always first
      for (int count : order) {
        Subject of = new Subject(kind, count);
        steps.begin(of + ", round " + (round + 1) + " of " + settings.rounds());
        measure(of, open, store, managers.get(count), bank, round);
      }
    }
  }

  private void measure(
      Subject of,
      OpenStore open,
      RecordedStore store,
      List<Store> managers,
      SmallBank bank,
      int round)
      throws IOException, InterruptedException {
    bank.load(store);
    store.awaitQuiet();
    store.history(); // the load is no part of it
    long seed = settings.seed() + round;
    List<Row> rows = bank.checkingAccounts(READ);
    try (ReadersLoad beside = new ReadersLoad(store, managers, rows, seed)) {
      AtomicReference<Moment> begin = new AtomicReference<>();
      LoadCounts counts =
          ClosedLoop.run(
              bank,
              store,
              settings.clients(),
              seed,
              settings.warmUp(),
              settings.measured(),
              () -> begin.set(moment(open, beside)));
      Moment end = moment(open, beside);
      beside.end();
      store.awaitQuiet();
      SerialCheck.Verdict verdict = SerialCheck.check(store.history());
      if (!verdict.isSerializable()) {
        failures.add(of + ": no serial order explains " + verdict);
      }
      if (round >= 0) {
        add(of, round, counts, verdict, begin.get(), end, beside);
      }
    }
  }

  private static Moment moment(OpenStore open, ReadersLoad beside) {
    Map<String, Double> oracle = open.oracleMetrics();
    return new Moment(
        open.work(),
        oracle.getOrDefault("retso_safe_snapshots_total", 0.0),
        oracle.getOrDefault("retso_request_frames_total", 0.0),
        beside.reads.sum(),
        System.nanoTime());
  }

  private void add(
      Subject of,
      int round,
      LoadCounts counts,
      SerialCheck.Verdict verdict,
      Moment begin,
      Moment end,
      ReadersLoad beside) {
    double seconds = (end.nanos() - begin.nanos()) / 1e9;
    ReadersRun run =
        new ReadersRun(
            of,
            round,
            (end.reads() - begin.reads()) / seconds,
            counts.perSecond(),
            counts.refusedShare(),
            verdict.transactions() + verdict.needless(),
            verdict.needless(),
            end.work().microsSince(begin.work(), counts.attempts()),
            (end.safe() - begin.safe()) / seconds,
            (end.frames() - begin.frames()) / seconds,
            Percentiles.of(beside.deferred),
            Percentiles.of(beside.recent));
    runs.add(of, round, run);
    line.done(
        String.format(
            Locale.ROOT,
            "%-40s %7s/s, %.0f us of the oracle each; deferred readers wait %s ms (median)",
            of,
            Texts.rate(run.perSecond()),
            run.work().oracle(),
            Texts.millis(run.deferred().p50())));
  }
}
