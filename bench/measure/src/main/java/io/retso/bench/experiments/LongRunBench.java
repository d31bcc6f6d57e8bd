package io.retso.bench.experiments;

import io.retso.admin.RootCause;
import io.retso.bench.stores.Memory;
import io.retso.bench.stores.OpenStore;
import io.retso.bench.stores.StoreKind;
import io.retso.bench.stores.StorePlan;
import io.retso.machine.Machine;
import io.retso.report.BenchException;
import io.retso.report.Kept;
import io.retso.report.ProgressLine;
import io.retso.report.Result;
import io.retso.report.Texts;
import io.retso.workload.ClosedLoop;
import io.retso.workload.Isolation;
import io.retso.workload.LoadCounts;
import io.retso.workload.smallbank.ScaledBank;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * {@code retso bench smallbank-scale --minutes}: serializable programs for long, on one store after
 * the other. Memory of all processes must not grow. A store whose run was stopped begins anew, for
 * processes that were started anew say nothing of those before them.
 */
public final class LongRunBench {
  private static final String NAME = "smallbank-long";
  private static final double SECONDS = 60;

  private final Settings settings;
  private final ProgressLine line;
  private final Map<String, Map<String, String>> facts = new LinkedHashMap<>();

  /**
   * What to measure.
   *
   * @param plan of which the measured time is that of a point
   * @param points of a run
   */
  public record Settings(ExperimentPlan plan, int customers, int points) {
    /** Points of a run, unless there is a reason for others. */
    public static final int POINTS = 60;

    private static final Duration START = Duration.ofSeconds(30);

    /** About how long it takes. */
    public Duration length() {
      return plan.measured()
          .multipliedBy(points)
          .plus(START)
          .multipliedBy(plan.stores().kinds().size());
    }
  }

  /**
   * A part of a run.
   *
   * @param minutes from the beginning to its end
   * @param perSecond committed programs
   * @param p90 time of nine of ten of them is no longer, milliseconds
   * @param refusedShare of all attempts, of 1
   * @param memory at its end
   */
  record Point(double minutes, double perSecond, double p90, double refusedShare, Memory memory) {}

  /** A whole run. */
  record Course(StoreKind store, List<Point> points) {}

  /** Prepares a benchmark. */
  public LongRunBench(Settings settings, PrintWriter out, boolean terminal) {
    this.settings = settings;
    this.line = new ProgressLine(out, terminal);
  }

  /** Measures everything. */
  public Result run(String version, List<String> flags)
      throws BenchException, InterruptedException {
    Result.Builder result = Result.begin(NAME, version, flags, Machine.facts());
    ExperimentPlan plan = settings.plan;
    Map<String, Object> known =
        plan.settings(Map.of("customers", settings.customers, "points", settings.points));
    List<Course> courses = new ArrayList<>();
    List<String> failures = new ArrayList<>();
    try (Kept kept = plan.keep(NAME, version, known)) {
      for (StoreKind kind : plan.stores().kinds()) {
        Optional<Course> before = kept.find(kind, 0, Course.class);
        if (before.isEmpty()) {
          measure(kind, kept);
        }
        courses.add(kept.find(kind, 0, Course.class).orElseThrow());
        if (!kept.wrong(kind, 0).isEmpty()) {
          failures.add(kind + ": " + kept.wrong(kind, 0));
        }
      }
    } catch (IOException e) {
      throw new BenchException("the long run failed: " + RootCause.of(e), e);
    } finally {
      line.clear();
    }
    result.settings(known).note(StorePlan.text(facts)).failures(failures);
    LongRunResult.describe(result, courses);
    return result.end();
  }

  private void measure(StoreKind kind, Kept kept)
      throws BenchException, IOException, InterruptedException {
    line.show("starting and loading " + kind + " ...");
    try (OpenStore open = OpenStore.of(kind, settings.plan.stores())) {
      ScaledBank bank = new ScaledBank(settings.customers, Isolation.SERIALIZABLE);
      open.store().create(bank.schema());
      bank.load(open.store());
      open.store().awaitQuiet();
      facts.put(kind.toString(), open.store().facts());
      List<Point> points = new ArrayList<>();
      ProgressLine.Steps steps = line.steps(settings.points);
      double last = 0;
      long begun = System.nanoTime();
      for (int i = 0; i < settings.points; i++) {
        steps.begin(
            String.format(
                Locale.ROOT,
                "%s, point %d of %d, %s/s",
                kind,
                i + 1,
                settings.points,
                Texts.rate(last)));
        LoadCounts counts = ClosedLoop.run(bank, open.store(), load(i), () -> {});
        points.add(point(counts, System.nanoTime() - begun, open));
        last = counts.perSecond();
      }
      open.store().awaitQuiet();
      kept.add(kind, 0, bank.check(open.store()), new Course(kind, points));
      line.done(kind + ": " + settings.points + " points, " + Texts.rate(last) + "/s at the end");
    }
  }

  /** Without a warm-up: the first points of a run are one. */
  private ClosedLoop.Plan load(int point) {
    ExperimentPlan plan = settings.plan;
    return new ClosedLoop.Plan(
        plan.clients(), plan.perSecond(), plan.seed() + point, Duration.ZERO, plan.measured());
  }

  private static Point point(LoadCounts counts, long nanos, OpenStore open) {
    return new Point(
        nanos / (1e9 * SECONDS),
        counts.perSecond(),
        counts.latency().getValueAtPercentile(90) / 1e6,
        counts.refusedShare(),
        open.memory());
  }
}
