package io.retso.bench.suite;

import io.retso.bench.kernel.KernelTurns;
import io.retso.bench.load.LoadDriver;
import io.retso.bench.load.LoadPlan;
import io.retso.bench.load.LoadResult;
import io.retso.bench.load.Progress;
import io.retso.bench.server.BookieProbe;
import io.retso.bench.server.ServerMetrics;
import io.retso.bench.server.ServerProcess;
import io.retso.bench.server.Servers;
import io.retso.bench.server.Usage;
import io.retso.machine.DiskProbe;
import io.retso.machine.Machine;
import io.retso.machine.ProcessTimes;
import io.retso.protocol.Handshake;
import io.retso.report.BenchException;
import io.retso.report.DiskFigures;
import io.retso.report.Percentiles;
import io.retso.report.ProgressLine;
import io.retso.report.Result;
import io.retso.report.RunFigures;
import io.retso.report.RunFigures.Kind;
import io.retso.report.RunFigures.Target;
import io.retso.report.Texts;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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
  private static final Duration COMPILING = Duration.ofSeconds(1);
  private static final double COMPILERS_BUSY = 0.05;
  private static final long KERNEL_FILLING = 2_000_000;
  private static final int PEAK_CLIENTS = 4;

  /** A few per cent are to be seen, so one turn would not do. */
  private static final int READS_ROUNDS_MIN = 3;

  private final SuiteSettings settings;
  private final ProgressLine line;
  private ProgressLine.Steps steps;
  private final ServerMetrics metrics = new ServerMetrics();
  private final Histogram addNanos = new Histogram(TimeUnit.HOURS.toNanos(1), 3);
  private final List<RunFigures> runs = new ArrayList<>();
  private final List<DiskFigures> disk = new ArrayList<>();
  private final List<KernelTurns.Turn> kernelTurns = new ArrayList<>();

  /** Null if servers elsewhere are measured, of which the processor time is not known. */
  private KernelTurns kernel;

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
   * @param subtitle of the paper's Figure 3; empty if there is to be none
   */
  public Result run(String version, List<String> flags, String subtitle)
      throws BenchException, InterruptedException {
    Map<String, Object> machine = Machine.facts();
    Result.Builder result = Result.begin("bench", version, flags, machine);
    settings.servers().makeDirectory();
    if (settings.servers().remote().isEmpty()) {
      probeDisk();
    }
    line.show("starting servers ...");
    try (Servers servers = Servers.start(settings.servers());
        LoadDriver driver = new LoadDriver()) {
      measureAll(servers, driver);
    }
    line.clear();
    OracleFigures.Kernel alone = alone();
    Percentiles add = addNanos.getTotalCount() == 0 ? null : Percentiles.of(addNanos);
    OracleFigures figures = new OracleFigures(disk, add, runs, alone);
    SuiteResult.describe(
        result.settings(settings(figures)),
        figures,
        subtitle.isEmpty()
            ? ""
            : subtitle + "; " + machine.get("cpu") + ", " + machine.get("cores") + " cores");
    return result.verdicts(Comparisons.of(runs, alone, addNanos)).end();
  }

  /** What else says how fast it could be. */
  private Map<String, Object> settings(OracleFigures figures) {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("seed", settings.seed());
    facts.put("disk", figures.disk());
    facts.put("bookKeeperAdd", figures.bookKeeperAdd());
    facts.put("kernel", figures.kernel());
    return facts;
  }

  private OracleFigures.Kernel alone() {
    return kernelTurns.isEmpty()
        ? null
        : new OracleFigures.Kernel(
            KernelTurns.median(kernelTurns.stream(), KernelTurns.Turn::linesPerSecond),
            KernelTurns.median(kernelTurns.stream(), KernelTurns.Turn::perSecond),
            KernelTurns.median(kernelTurns.stream(), KernelTurns.Turn::shareOfLines));
  }

  private void probeDisk() throws BenchException {
    try {
      for (int bytes : new int[] {SMALL_WRITE_BYTES, LARGE_WRITE_BYTES}) {
        line.show("measuring the disk: fdatasync of " + bytes / 1024 + " KB ...");
        disk.add(DiskProbe.measure(settings.servers().directory(), bytes, WRITES, DISK_SECONDS));
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
              + settings.servers().directory()
              + ": "
              + ErrorText.of(e)
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
      steps = line.steps(runs(groups, 1));
      measureGroups(servers, driver, groups, 1);
      return;
    }
    warm(servers, driver, Target.ECHO);
    if (settings.servers().remote().isEmpty()) {
      line.show("warming up the oracle alone ...");
      kernel =
          new KernelTurns(
              settings.servers().mapRows(), settings.tableRows(), nextSeed++, KERNEL_FILLING);
    }
    List<List<Case>> scale = Case.scale(targets, settings.clients(), settings.outstanding());
    List<List<Case>> reads = targets.contains(Target.LOG_ON) ? Case.reads() : List.of();
    int readsRounds = Math.max(READS_ROUNDS_MIN, settings.rounds());
    steps =
        line.steps(
            runs(Case.micro(targets), settings.rounds())
                + runs(reads, readsRounds)
                + runs(scale, 1));
    measureGroups(servers, driver, Case.micro(targets), settings.rounds());
    measureGroups(servers, driver, reads, readsRounds);
    measureGroups(servers, driver, scale, 1);
  }

  /** How many runs groups have; those of latencies are short. */
  private static long runs(List<List<Case>> groups, int rounds) {
    return groups.stream().mapToLong(group -> (long) group.size() * turns(group, rounds)).sum();
  }

  /**
   * Latencies of single requests are steady soon, but follow every whim of the machine: many short
   * rounds.
   */
  private static int turns(List<Case> group, int rounds) {
    return group.get(0).kind() == Kind.LATENCY ? LATENCY_ROUNDS * rounds : rounds;
  }

  private void measureGroups(
      Servers servers, LoadDriver driver, List<List<Case>> groups, int rounds)
      throws BenchException, InterruptedException {
    for (List<Case> group : groups) {
      boolean single = group.get(0).kind() == Kind.LATENCY;
      int turns = turns(group, rounds);
      int divisor = single ? LATENCY_ROUNDS : 1;
      for (int round = 0; round < turns; round++) {
        for (Case one : group) {
          runs.add(measure(servers, driver, one, round, divisor));
        }
        if (single) {
          probeBookie(servers, divisor);
        } else if (group.get(0).kind() == Kind.PEAK) {
          measureAlone(group.get(0));
        }
      }
    }
  }

  /** The oracle alone, beside the runs that it is compared with. */
  private void measureAlone(Case beside) {
    if (kernel != null && beside.clients() == PEAK_CLIENTS) {
      KernelTurns.Turn turn = kernel.measure();
      kernelTurns.add(turn);
      line.done(
          "peak      oracle alone       " + Texts.rate(turn.perSecond()) + " per core-second");
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
      line.done(name + ": not measured, " + ErrorText.of(e));
    }
  }

  private void warm(Servers servers, LoadDriver driver, Target target)
      throws BenchException, InterruptedException {
    load(servers, driver, target, settings.warmServer());
    ServerProcess child = servers.child(target);
    long deadline = System.nanoTime() + settings.compilersMax().toNanos();
    double compilers = child == null ? 0 : 1;
    while (compilers > COMPILERS_BUSY && System.nanoTime() < deadline) {
      ProcessTimes before = ProcessTimes.of(child.pid());
      load(servers, driver, target, COMPILING);
      compilers = ProcessTimes.of(child.pid()).compilerCores(before);
    }
    if (compilers > COMPILERS_BUSY) {
      line.done(
          "warm-up   "
              + target
              + ": the server's compilers still use "
              + Texts.decimal(compilers)
              + " of a core");
    }
  }

  private void load(Servers servers, LoadDriver driver, Target target, Duration time)
      throws BenchException, InterruptedException {
    LoadPlan plan =
        plan(new Case(Kind.PEAK, target, true, PEAK_CLIENTS, 1000, 0), time, Duration.ZERO);
    String name = "warm-up   " + target;
    Progress progress = driver.start(servers.address(target), plan);
    await(servers, target, progress, progress.result(), name);
  }

  private LoadPlan plan(Case one, Duration warmUp, Duration measured) {
    return new LoadPlan(
        one.target() == Target.ECHO ? Handshake.Mode.ECHO : Handshake.Mode.ORACLE,
        one.work(settings.work()),
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
    String name = one + steps.next();
    await(servers, target, progress, progress.measuring(), name + "  warming up");
    Usage before = Usage.read(servers.child(target), metrics);
    await(servers, target, progress, progress.measured(), name);
    Usage after = Usage.read(servers.child(target), metrics);
    LoadResult result = await(servers, target, progress, progress.result(), name);
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
        throw servers.failure(target, name.trim(), e.getCause());
      }
    }
  }

  private static RunFigures figures(
      Case one, int round, LoadResult result, Usage before, Usage after) {
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
        after.cpuSince(before),
        one.target() == Target.LOG_ON ? log(result, before, after) : null);
  }

  private static RunFigures.LogFigures log(LoadResult result, Usage before, Usage after) {
    double entries = after.grown(before, "retso_log_entry_bytes_count");
    if (!(entries > 0)) {
      return null;
    }
    double appends = after.grown(before, "retso_log_append_seconds_count");
    return new RunFigures.LogFigures(
        (long) entries,
        after.grown(before, "retso_log_entry_bytes_sum") / entries,
        result.completed() / entries,
        after.grown(before, "retso_log_append_seconds_sum") / Math.max(appends, 1) * 1e3);
  }
}
