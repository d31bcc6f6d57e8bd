package io.retso.bench.experiments;

import io.retso.admin.RootCause;
import io.retso.bench.stores.OpenStore;
import io.retso.bench.stores.StoreKind;
import io.retso.bench.stores.StorePlan;
import io.retso.machine.Machine;
import io.retso.report.BenchException;
import io.retso.report.Kept;
import io.retso.report.ProgressLine;
import io.retso.report.Result;
import io.retso.report.Rounds;
import io.retso.report.Texts;
import io.retso.workload.ClosedLoop;
import io.retso.workload.LoadCounts;
import io.retso.workload.Store;
import io.retso.workload.Workload;
import io.retso.workload.store.PostgresStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Runs of an experiment: all stores are there at the same time, what is compared takes turns, and
 * the data is checked after each run.
 */
final class ExperimentRun {
  private final String name;
  private final ExperimentPlan plan;
  private final ProgressLine line;
  private final Rounds<LevelCase, ProgramCounts> rounds = new Rounds<>();
  private final List<String> failures = new ArrayList<>();
  private final Map<String, Map<String, String>> facts = new LinkedHashMap<>();
  private Kept kept = Kept.nowhere();

  /** Loads all stores, and measures on them. */
  interface Measurement {
    void measure(Map<StoreKind, Store> stores) throws IOException, InterruptedException;
  }

  /** What goes on beside a run. */
  interface Beside {
    /** When that begins which is counted. */
    default void begin() {}

    /** When that has ended. */
    default void end() throws IOException, InterruptedException {}
  }

  /**
   * An experiment that has not begun.
   *
   * @param name of the command
   */
  ExperimentRun(String name, ExperimentPlan plan, PrintWriter out, boolean terminal) {
    this.name = name;
    this.plan = plan;
    this.line = new ProgressLine(out, terminal);
  }

  /** What was measured so far. */
  Rounds<LevelCase, ProgramCounts> rounds() {
    return rounds;
  }

  /** Runs whose checks have failed so far. */
  List<String> failures() {
    return failures;
  }

  /**
   * Starts all stores, measures, and ends them; begins to describe what was found.
   *
   * @param own settings of the experiment
   */
  Result.Builder run(
      String version, List<String> flags, Map<String, Object> own, Measurement measurement)
      throws BenchException, InterruptedException {
    Result.Builder result = Result.begin(name, version, flags, Machine.facts());
    List<OpenStore> open = new ArrayList<>();
    Map<String, Object> settings = plan.settings(own);
    try (Kept file = plan.keep(name, version, settings)) {
      kept = file;
      Map<StoreKind, Store> stores = new LinkedHashMap<>();
      for (StoreKind kind : plan.stores().kinds()) {
        line.show("starting " + kind + " ...");
        OpenStore started = OpenStore.of(kind, plan.stores());
        open.add(started);
        stores.put(kind, started.store());
      }
      measurement.measure(stores);
    } catch (IOException e) {
      throw new BenchException(name + " failed: " + RootCause.of(e), e);
    } finally {
      open.forEach(OpenStore::close);
      line.clear();
    }
    return result
        .settings(settings)
        .note("per s: committed programs; attempts: those that were refused, too")
        .note("for reads: refused for what they had read, not for what they wrote")
        .note(StorePlan.text(facts))
        .failures(failures)
        .runs(rounds.runs());
  }

  /** Makes the tables of a workload, and fills them. */
  void load(StoreKind kind, Store store, Workload workload) throws IOException {
    line.show("loading " + kind + " ...");
    if (store instanceof PostgresStore postgres && !facts.containsKey(kind.toString())) {
      byKey(postgres);
    }
    facts.put(kind.toString(), store.facts());
    store.create(workload.schema());
    workload.load(store);
    store.awaitQuiet();
  }

  /**
   * The planner would read small tables, such as the districts, as a whole. A serializable reader
   * of one row conflicts with all writers of the table then, and a quarter of all is refused.
   */
  private static void byKey(PostgresStore store) {
    store.set("enable_seqscan", "off");
    store.set("enable_bitmapscan", "off");
  }

  /**
   * Measures cases in turns.
   *
   * @param compared those that are compared with each other, together
   * @param first number of the first round; -1 for one that does not count
   * @param end number behind the last one
   */
  void take(
      List<List<LevelCase>> compared,
      int first,
      int end,
      Rounds.Measurement<LevelCase, ProgramCounts> measurement)
      throws IOException, InterruptedException {
    for (int round = Math.max(0, first); round < end; round++) {
      for (List<LevelCase> cases : compared) {
        for (LevelCase of : cases) {
          takeUp(of, round);
        }
      }
    }
    rounds.take(compared, first, end, line, measurement);
  }

  /** What an earlier run has measured. */
  private void takeUp(LevelCase of, int round) {
    kept.find(of, round, ProgramCounts.class)
        .ifPresent(
            counts -> {
              rounds.add(of, round, counts);
              fail(of, round, kept.wrong(of, round));
            });
  }

  /** Keeps what was measured beside a run that counts. */
  void keep(String what, int round, Object result) throws IOException {
    kept.add(what, round, "", result);
  }

  /** What {@link #keep} kept in an earlier run. */
  <R> Optional<R> kept(String what, int round, Class<R> type) {
    return kept.find(what, round, type);
  }

  private void fail(LevelCase of, int round, String wrong) {
    if (!wrong.isEmpty()) {
      failures.add(of + ", round " + (round + 1) + ": " + wrong);
    }
  }

  /** Runs a workload once, and checks what it leaves. */
  ProgramCounts measure(LevelCase of, int round, Store store, Workload workload, Beside beside)
      throws IOException, InterruptedException {
    LoadCounts counts = ClosedLoop.run(workload, store, plan.load(round), beside::begin);
    beside.end();
    store.awaitQuiet();
    String wrong = workload.check(store);
    fail(of, round, wrong);
    ProgramCounts measured = ProgramCounts.of(counts);
    if (round >= 0) {
      kept.add(of, round, wrong, measured);
      line.done(
          String.format(
              Locale.ROOT,
              "%-50s  %7s/s  %s ms  %s refused",
              of,
              Texts.rate(counts.perSecond()),
              Texts.millis(counts.millis()),
              Texts.percent(counts.refusedShare())));
    }
    return measured;
  }

  /** Runs a workload with nothing beside it. */
  ProgramCounts measure(LevelCase of, int round, Store store, Workload workload)
      throws IOException, InterruptedException {
    return measure(of, round, store, workload, new Beside() {});
  }
}
