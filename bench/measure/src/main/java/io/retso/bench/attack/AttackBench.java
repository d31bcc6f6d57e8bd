package io.retso.bench.attack;

import io.retso.bench.load.LoadDriver;
import io.retso.bench.load.LoadPlan;
import io.retso.bench.load.LoadResult;
import io.retso.bench.load.Progress;
import io.retso.bench.server.ServerMetrics;
import io.retso.bench.server.Servers;
import io.retso.bench.server.ServersPlan;
import io.retso.bench.server.Usage;
import io.retso.machine.Machine;
import io.retso.protocol.Handshake;
import io.retso.report.BenchException;
import io.retso.report.Percentiles;
import io.retso.report.ProgressLine;
import io.retso.report.Result;
import io.retso.report.RunFigures.Target;
import io.retso.report.Texts;
import io.retso.report.Verdict;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * {@code retso bench attacks}: the latencies of a good client at a steady, low rate, alone and
 * beside each {@link Attack}.
 *
 * <p>All of it shares a machine, so an attack also takes the processors that the good client's own
 * process needs. What that costs is measured beside it by a control: the same client, answered at
 * once by the server that is not attacked.
 */
public final class AttackBench {
  /** What no client may do: stop the server's thread for longer, milliseconds. */
  private static final double TURN_MILLIS_MAX = 10;

  private static final String ALONE = "alone";
  private static final int GOOD_CLIENTS = 2;
  private static final int GOOD_OUTSTANDING = 100_000;
  private static final String TURNS_CPU = "retso_turn_cpu_seconds";
  private static final String APPENDS = "retso_log_append_seconds";
  private static final Duration WARM_SERVER = Duration.ofSeconds(4);

  /** Its load would use up the good client's share. */
  private static final String WARMING_HOST = "127.0.0.254";

  private final Settings settings;
  private final ProgressLine line;
  private ProgressLine.Steps steps;
  private final ServerMetrics metrics = new ServerMetrics();
  private final List<AttackFigures> runs = new ArrayList<>();
  private long nextSeed;

  /**
   * What to measure.
   *
   * @param servers to attack
   * @param names of attacks; those without a match are left out
   * @param work what a transaction of the good client does
   * @param ratePerSecond transactions of the good client
   * @param tableRows rows of the table that it writes
   * @param warmUp beside each attack before the measurement
   * @param measured beside each attack
   */
  public record Settings(
      ServersPlan servers,
      Pattern names,
      LoadPlan.Work work,
      double ratePerSecond,
      long tableRows,
      long seed,
      Duration warmUp,
      Duration measured) {}

  /** Prepares the benchmark. */
  public AttackBench(Settings settings, PrintWriter out, boolean terminal) {
    this.settings = settings;
    line = new ProgressLine(out, terminal);
    nextSeed = settings.seed();
  }

  /** The names of all attacks. */
  public static List<String> names() {
    return Stream.of(Attack.values()).map(Attack::toString).toList();
  }

  /** Measures everything. */
  public Result run(String version, List<String> flags)
      throws BenchException, InterruptedException {
    Result.Builder result = Result.begin("attacks", version, flags, Machine.facts());
    settings.servers().makeDirectory();
    try (Servers servers = Servers.start(settings.servers());
        LoadDriver warming = new LoadDriver(WARMING_HOST);
        LoadDriver driver = new LoadDriver()) {
      long attacks = names().stream().filter(settings.names().asPredicate()).count();
      steps = line.steps(servers.targets().size() * (1 + attacks));
      for (Target target : servers.targets()) {
        LoadPlan warm = plan(0, 4, 1000, Duration.ZERO, WARM_SERVER);
        servers.await(target, warming.start(servers.address(target), warm).result());
        measure(servers, driver, target, null);
        for (Attack attack : Attack.values()) {
          if (settings.names().matcher(attack.toString()).find()) {
            measure(servers, driver, target, attack);
          }
        }
      }
    }
    line.clear();
    AttackResult.describe(result, runs, settings.ratePerSecond());
    return result.verdicts(comparisons()).end();
  }

  private List<Verdict> comparisons() {
    List<Verdict> all = new ArrayList<>();
    runs.stream().map(AttackFigures::target).distinct().forEach(t -> compare(t, all));
    return all;
  }

  private void compare(Target target, List<Verdict> all) {
    AttackFigures alone = null;
    AttackFigures turn = null;
    AttackFigures p99 = null;
    for (AttackFigures run : runs) {
      if (run.target() == target && run.attack().equals(ALONE)) {
        alone = run;
      } else if (run.target() == target) {
        turn = turn == null || run.turnCpuMillis() > turn.turnCpuMillis() ? run : turn;
        p99 = p99 == null || above(run, alone) > above(p99, alone) ? run : p99;
      }
    }
    if (turn != null && turn.turnCpuMillis() >= 0) {
      all.add(
          new Verdict(
              "longest turn, ms of CPU, " + target,
              turn.turnCpuMillis(),
              false,
              TURN_MILLIS_MAX,
              "beside: " + turn.attack(),
              ""));
    }
    if (p99 != null && alone != null) {
      all.add(
          new Verdict(
              "p99 of the good client above alone and control, ms, " + target,
              above(p99, alone),
              false,
              TURN_MILLIS_MAX,
              "beside: " + p99.attack(),
              p99.cpu().doubt()));
    }
  }

  /** What an attack adds to the good client's p99, that on the machine left out; milliseconds. */
  private static double above(AttackFigures run, AttackFigures alone) {
    double control = run.control() == null ? 0 : run.control().p99();
    return run.good().p99() - Math.max(alone.good().p99(), control);
  }

  private LoadPlan controlPlan() {
    return new LoadPlan(
        Handshake.Mode.ECHO,
        LoadPlan.Work.BEGINS,
        GOOD_CLIENTS,
        GOOD_OUTSTANDING,
        settings.tableRows(),
        0,
        true,
        settings.ratePerSecond(),
        settings.warmUp(),
        settings.measured());
  }

  private LoadPlan plan(
      double rate, int clients, int outstanding, Duration warmUp, Duration measured) {
    return new LoadPlan(
        Handshake.Mode.ORACLE,
        settings.work(),
        clients,
        outstanding,
        settings.tableRows(),
        nextSeed++,
        true,
        rate,
        warmUp,
        measured);
  }

  /** They slow down attackers, so only one attack has them beside it; otherwise null. */
  private static LongTransactions longTransactions(Servers servers, Target target, Attack attack) {
    return attack == Attack.BULK_WRITER ? new LongTransactions(servers.address(target)) : null;
  }

  private void measure(Servers servers, LoadDriver driver, Target target, Attack attack)
      throws BenchException, InterruptedException {
    String name = attack == null ? ALONE : attack.toString();
    steps.begin(target + ", " + name);
    LoadPlan plan =
        plan(
            settings.ratePerSecond(),
            GOOD_CLIENTS,
            GOOD_OUTSTANDING,
            settings.warmUp(),
            settings.measured());
    // An address of its own for each, so that none pays for what another has used up.
    String host = attack == null ? "" : "127.0.0." + (2 + attack.ordinal());
    AttackRun attacker =
        attack == null ? null : new AttackRun(attack, servers.address(target), host);
    try {
      Optional<Target> idle = servers.targets().stream().filter(t -> t != target).findFirst();
      Optional<Progress> control =
          idle.map(other -> driver.start(servers.address(other), controlPlan()));
      Progress progress = driver.start(servers.address(target), plan);
      servers.await(target, progress.measuring());
      try (LongTransactions open = longTransactions(servers, target, attack)) {
        Usage before = Usage.read(servers.child(target), metrics);
        long answered = attacker == null ? 0 : attacker.answered();
        servers.await(target, progress.measured());
        Usage after = Usage.read(servers.child(target), metrics);
        answered = attacker == null ? 0 : attacker.answered() - answered;
        double longAborted = open == null ? -1 : open.commit(nextSeed++);
        LoadResult result = servers.await(target, progress.result());
        AttackFigures run =
            new AttackFigures(
                target,
                name,
                Percentiles.of(result.transactionNanos()),
                Percentiles.of(result.beginNanos()),
                control.isEmpty()
                    ? null
                    : Percentiles.of(
                        servers.await(idle.get(), control.get().result()).beginNanos()),
                result.abortShare(),
                longAborted,
                answered * 1e9 / (after.nanos() - before.nanos()),
                attacker == null ? 0 : attacker.answered(),
                attacker == null ? 0 : attacker.refused(),
                after.longest(before, TURNS_CPU) * 1e3,
                after.longest(before, APPENDS) * 1e3,
                after.cpuSince(before));
        runs.add(run);
        line.done(
            String.format(
                Locale.ROOT,
                "%-8s %-36s p50 %s  p99 %s ms",
                target,
                name,
                Texts.millis(run.good().p50()),
                Texts.millis(run.good().p99())));
      }
    } finally {
      if (attacker != null) {
        attacker.close();
      }
    }
  }
}
