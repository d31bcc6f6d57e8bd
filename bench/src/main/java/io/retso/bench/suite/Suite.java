package io.retso.bench.suite;

import io.retso.bench.load.LoadDriver;
import io.retso.bench.load.LoadException;
import io.retso.bench.load.LoadPlan;
import io.retso.bench.load.LoadResult;
import io.retso.bench.load.Progress;
import io.retso.bench.report.DiskFigures;
import io.retso.bench.report.Percentiles;
import io.retso.bench.report.Report;
import io.retso.bench.report.RunFigures;
import io.retso.bench.report.RunFigures.Kind;
import io.retso.bench.report.RunFigures.Target;
import io.retso.bench.report.Texts;
import io.retso.protocol.Handshake;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;

/** Runs the benchmark from beginning to end. */
public final class Suite {
  private static final long PROGRESS_MILLIS = 250;
  private static final int LATENCY_ROUNDS = 5;
  private static final int SMALL_WRITE_BYTES = 4 * 1024;
  private static final int LARGE_WRITE_BYTES = 512 * 1024;
  private static final int WRITES = 400;
  private static final double DISK_SECONDS = 0.7;

  private final SuiteSettings settings;
  private final ProgressLine line;
  private final ServerMetrics metrics = new ServerMetrics();
  private final Histogram addNanos = new Histogram(TimeUnit.HOURS.toNanos(1), 3);
  private final List<RunFigures> runs = new ArrayList<>();
  private final List<DiskFigures> disk = new ArrayList<>();
  private long nextSeed;

  /**
   * Prepares a benchmark.
   *
   * @param terminal whether {@code out} is one
   */
  public Suite(SuiteSettings settings, PrintWriter out, boolean terminal) {
    this.settings = settings;
    this.line = new ProgressLine(out, terminal);
    this.nextSeed = settings.seed();
  }

  /**
   * Measures everything.
   *
   * @param version of ReTSO, for the report
   * @param flags as given, for the report
   */
  public Report run(String version, List<String> flags)
      throws BenchException, InterruptedException {
    Map<String, Object> machine = Machine.facts();
    String startedAt = Instant.now().toString();
    prepareDirectory();
    if (settings.remote().isEmpty()) {
      probeDisk();
    }
    line.show("starting servers ...");
    try (Servers servers = Servers.start(settings);
        LoadDriver driver = new LoadDriver()) {
      measureAll(servers, driver);
    }
    line.clear();
    return new Report(
        version,
        startedAt,
        flags,
        settings.seed(),
        machine,
        disk,
        addNanos.getTotalCount() == 0 ? null : Percentiles.of(addNanos),
        runs,
        Comparisons.of(runs, addNanos));
  }

  private void prepareDirectory() throws BenchException {
    try {
      Files.createDirectories(settings.directory());
    } catch (IOException e) {
      throw new BenchException(
          "cannot create "
              + settings.directory()
              + " ("
              + e.getMessage()
              + "); choose a writable directory with --out",
          e);
    }
  }

  private void probeDisk() throws BenchException {
    try {
      for (int bytes : new int[] {SMALL_WRITE_BYTES, LARGE_WRITE_BYTES}) {
        line.show("measuring the disk: fdatasync of " + bytes / 1024 + " KB ...");
        disk.add(DiskProbe.measure(settings.directory(), bytes, WRITES, DISK_SECONDS));
        DiskFigures last = disk.get(disk.size() - 1);
        line.done(
            "disk      fdatasync "
                + bytes / 1024
                + " KB: p50 "
                + Texts.millis(last.p50())
                + " ms, p99 "
                + Texts.millis(last.p99())
                + " ms");
      }
    } catch (IOException e) {
      throw new BenchException(
          "cannot measure the disk in "
              + settings.directory()
              + ": "
              + e.getMessage()
              + "; free some space, or choose another directory with --out",
          e);
    }
  }

  private void measureAll(Servers servers, LoadDriver driver)
      throws BenchException, InterruptedException {
    List<Target> targets = servers.targets();
    for (Target target : targets) {
      warm(servers, driver, target);
    }
    if (settings.ratePerSecond() > 0) {
      List<List<Case>> groups =
          Case.rate(targets, settings.clients(), settings.outstanding(), settings.ratePerSecond());
      measureGroups(servers, driver, groups, 1);
      return;
    }
    warm(servers, driver, Target.ECHO);
    measureGroups(servers, driver, Case.micro(targets), settings.rounds());
    measureGroups(
        servers, driver, Case.scale(targets, settings.clients(), settings.outstanding()), 1);
  }

  private void measureGroups(
      Servers servers, LoadDriver driver, List<List<Case>> groups, int rounds)
      throws BenchException, InterruptedException {
    for (List<Case> group : groups) {
      // Latencies of single requests settle soon, but follow every whim of the machine: many short
      // rounds.
      boolean single = group.get(0).kind() == Kind.LATENCY;
      int turns = single ? LATENCY_ROUNDS * rounds : rounds;
      int divisor = single ? LATENCY_ROUNDS : 1;
      for (int round = 0; round < turns; round++) {
        for (Case one : group) {
          runs.add(measure(servers, driver, one, round, divisor));
        }
        if (single) {
          probeBookie(servers, divisor);
        }
      }
    }
  }

  /** One append without ReTSO, beside the latencies that it is compared with. */
  private void probeBookie(Servers servers, int divisor) throws InterruptedException {
    ServerProcess child = servers.child(Target.LOG_ON);
    if (child == null) {
      return;
    }
    String name = "latency   BookKeeper add";
    line.show(name);
    try (BookieProbe probe = BookieProbe.connect(child.directory())) {
      probe.measure(settings.warmUp().toNanos() / 1e9 / divisor, new Histogram(addNanos));
      probe.measure(settings.measured().toNanos() / 1e9 / divisor, addNanos);
      line.done(name + "  p50 " + Texts.millis(addNanos.getValueAtPercentile(50) / 1e6) + " ms");
    } catch (IOException e) {
      line.done(name + ": not measured, " + e.getMessage());
    }
  }

  private void warm(Servers servers, LoadDriver driver, Target target)
      throws BenchException, InterruptedException {
    LoadPlan plan =
        plan(new Case(Kind.PEAK, target, true, 4, 1000, 0), settings.warmServer(), Duration.ZERO);
    follow(servers, target, driver.start(servers.address(target), plan), "warm-up   " + target);
  }

  private LoadPlan plan(Case one, Duration warmUp, Duration measured) {
    return new LoadPlan(
        one.target() == Target.ECHO ? Handshake.Mode.ECHO : Handshake.Mode.ORACLE,
        one.transactions() ? LoadPlan.Work.TRANSACTIONS : LoadPlan.Work.BEGINS,
        one.clients(),
        one.outstanding(),
        settings.tableRows(),
        nextSeed++,
        settings.cleanup(),
        one.rate(),
        warmUp,
        measured);
  }

  private RunFigures measure(Servers servers, LoadDriver driver, Case one, int round, int divisor)
      throws BenchException, InterruptedException {
    Target target = one.target();
    Progress progress =
        driver.start(
            servers.address(target),
            plan(
                one, settings.warmUp().dividedBy(divisor), settings.measured().dividedBy(divisor)));
    await(servers, target, progress, progress.measuring(), one + "  warming up");
    Usage before = usage(servers.child(target));
    await(servers, target, progress, progress.measured(), one.toString());
    Usage after = usage(servers.child(target));
    LoadResult result = await(servers, target, progress, progress.result(), one.toString());
    RunFigures figures = figures(one, round, result, before, after);
    line.done(
        one
            + "  "
            + Texts.rate(figures.perSecond())
            + "/s  p50 "
            + Texts.millis(figures.latency().p50())
            + "  p99 "
            + Texts.millis(figures.latency().p99())
            + " ms");
    return figures;
  }

  private void follow(Servers servers, Target target, Progress progress, String name)
      throws BenchException, InterruptedException {
    await(servers, target, progress, progress.result(), name);
  }

  /** Waits for a part of a run and shows how it goes. */
  private <T> T await(
      Servers servers, Target target, Progress progress, CompletableFuture<T> part, String name)
      throws BenchException, InterruptedException {
    long completed = progress.completed();
    long latency = progress.latencyNanosTotal();
    long time = System.nanoTime();
    while (true) {
      try {
        return part.get(PROGRESS_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        long now = System.nanoTime();
        long done = progress.completed() - completed;
        double millis = (progress.latencyNanosTotal() - latency) / 1e6 / Math.max(done, 1);
        line.show(name, "", done * 1e9 / (now - time), millis);
        completed += done;
        latency = progress.latencyNanosTotal();
        time = now;
      } catch (ExecutionException e) {
        throw servers.isStopping()
            ? new BenchException("interrupted; the servers and their data are gone")
            : failure(servers.child(target), name, e.getCause());
      }
    }
  }

  private static BenchException failure(ServerProcess child, String run, Throwable cause) {
    String what = cause instanceof LoadException ? cause.getMessage() : cause.toString();
    String server = child == null ? "" : ". The server said:" + child.lastLines();
    return new BenchException(run.trim() + ": " + what + server, cause);
  }

  /** What processes and log have used so far. */
  private record Usage(
      long nanos, long ownCpuNanos, long serverCpuNanos, Map<String, Double> metrics) {}

  private Usage usage(ServerProcess child) throws InterruptedException {
    return new Usage(
        System.nanoTime(),
        Machine.ownCpuNanos(),
        child == null ? -1 : child.cpuTime().toNanos(),
        child == null ? Map.of() : metrics.read(child.httpPort()));
  }

  private static RunFigures figures(
      Case one, int round, LoadResult result, Usage before, Usage after) {
    double nanos = after.nanos() - before.nanos();
    boolean hasServer = after.serverCpuNanos() >= 0;
    return new RunFigures(
        one.target(),
        one.kind(),
        one.transactions(),
        one.clients(),
        one.outstanding(),
        one.rate(),
        round,
        result.seconds(),
        result.perSecond(),
        result.committed(),
        result.conflicts(),
        result.tooOld(),
        result.refused(),
        result.abortShare(),
        Percentiles.of(result.transactionNanos()),
        Percentiles.of(result.beginNanos()),
        Percentiles.of(result.commitNanos()),
        hasServer ? (after.serverCpuNanos() - before.serverCpuNanos()) / nanos : -1,
        (after.ownCpuNanos() - before.ownCpuNanos()) / nanos,
        one.target() == Target.LOG_ON ? log(result, before.metrics(), after.metrics()) : null);
  }

  private static RunFigures.LogFigures log(
      LoadResult result, Map<String, Double> before, Map<String, Double> after) {
    double entries = grown(before, after, "retso_log_entry_bytes_count");
    if (!(entries > 0)) {
      return null;
    }
    double appends = grown(before, after, "retso_log_append_seconds_count");
    return new RunFigures.LogFigures(
        (long) entries,
        grown(before, after, "retso_log_entry_bytes_sum") / entries,
        result.completed() / entries,
        grown(before, after, "retso_log_append_seconds_sum") / Math.max(appends, 1) * 1e3);
  }

  private static double grown(Map<String, Double> before, Map<String, Double> after, String name) {
    return after.getOrDefault(name, 0.0) - before.getOrDefault(name, 0.0);
  }
}
