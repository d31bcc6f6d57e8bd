package io.retso.bench.suite;

import io.retso.bench.load.LoadDriver;
import io.retso.bench.load.LoadPlan;
import io.retso.bench.load.Progress;
import io.retso.bench.server.ServerMetrics;
import io.retso.bench.server.Servers;
import io.retso.bench.server.ServersPlan;
import io.retso.protocol.Handshake;
import io.retso.report.BenchException;
import io.retso.report.ProgressLine;
import io.retso.report.RunFigures.Target;
import io.retso.report.Texts;
import io.retso.report.Verdict;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * {@code retso bench restart}: how long a durable server with a full window of transactions is away
 * when it is killed.
 */
public final class RestartBench {
  /** With two timestamps each they fill the default window of 2^23 and one of its segments more. */
  private static final long TRANSACTIONS = 5_500_000;

  private static final Duration LOAD = Duration.ofSeconds(2);
  private static final int CLIENTS = 4;
  private static final int OUTSTANDING = 1000;
  private static final double CPU_SECONDS_MAX = 10;

  private final ServersPlan plan;
  private final LoadPlan.Work work;
  private final long tableRows;
  private final int rounds;
  private final PrintWriter out;
  private final ServerMetrics metrics = new ServerMetrics();
  private long nextSeed;

  /**
   * Prepares the measurement.
   *
   * @param plan of one durable server
   * @param work what fills the log and the window
   * @param tableRows rows of the table that is written
   * @param rounds kills and starts
   */
  public RestartBench(
      ServersPlan plan,
      LoadPlan.Work work,
      long tableRows,
      long seed,
      int rounds,
      PrintWriter out) {
    this.plan = plan;
    this.work = work;
    this.tableRows = tableRows;
    this.rounds = rounds;
    this.out = out;
    this.nextSeed = seed;
  }

  /** Measures; the median beside its target. */
  public List<Verdict> run() throws BenchException, InterruptedException {
    say(
        "A durable server is killed, and started again with a full window; seconds until it"
            + " serves");
    double[] cpuSeconds = new double[rounds];
    plan.makeDirectory();
    try (Servers servers = Servers.start(plan);
        LoadDriver driver = new LoadDriver()) {
      ProgressLine line = new ProgressLine(out);
      ProgressLine.Steps steps = line.steps(rounds);
      for (int i = 0; i < rounds; i++) {
        steps.begin("  filling the window, round " + (i + 1));
        fill(servers, driver);
        double seconds = servers.killAndRestart(Target.LOG_ON) / 1e9;
        cpuSeconds[i] = servers.child(Target.LOG_ON).cpuTime().toMillis() / 1e3;
        Map<String, Double> figures = metrics.read(servers.child(Target.LOG_ON).httpPort());
        double replayed = figures.getOrDefault("retso_recovered_transactions", 0.0);
        double replaySeconds = figures.getOrDefault("retso_recovery_seconds", Double.NaN);
        line.clear();
        say(
            "  %.2f s, of which %.2f s replay %s transactions, %s/s; %.1f s of processor time",
            seconds,
            replaySeconds,
            Texts.rate(replayed),
            Texts.rate(replayed / replaySeconds),
            cpuSeconds[i]);
      }
    }
    Arrays.sort(cpuSeconds);
    return List.of(
        new Verdict(
            "processor time of a restart with a full window, s",
            cpuSeconds[cpuSeconds.length / 2],
            false,
            CPU_SECONDS_MAX,
            "median of " + cpuSeconds.length + " rounds"));
  }

  private void fill(Servers servers, LoadDriver driver)
      throws BenchException, InterruptedException {
    long completed = 0;
    while (completed < TRANSACTIONS) {
      LoadPlan plan =
          new LoadPlan(
              Handshake.Mode.ORACLE,
              work,
              CLIENTS,
              OUTSTANDING,
              tableRows,
              nextSeed++,
              true,
              0,
              Duration.ZERO,
              LOAD);
      Progress load = driver.start(servers.address(Target.LOG_ON), plan);
      completed += servers.await(Target.LOG_ON, load.result()).completed();
    }
  }

  private void say(String form, Object... values) {
    out.println(String.format(Locale.ROOT, form, values));
    out.flush();
  }
}
