package io.retso.bench.suite;

import io.retso.bench.load.LoadDriver;
import io.retso.bench.load.LoadPlan;
import io.retso.bench.report.Comparison;
import io.retso.bench.report.RunFigures.Target;
import io.retso.bench.report.Texts;
import io.retso.protocol.Handshake;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;

/**
 * {@code retso bench --restart}: how long a durable server with a full window of transactions is
 * away when it is killed.
 */
public final class RestartBench {
  /** With two stamps each they fill the default window of 2^23 and one of its segments more. */
  private static final long TRANSACTIONS = 5_500_000;

  private static final Duration LOAD = Duration.ofSeconds(2);
  private static final int CLIENTS = 4;
  private static final int OUTSTANDING = 1000;
  private static final double SECONDS_MAX = 5;
  private static final double REPLAYED_PER_SECOND = 2_000_000;

  private final SuiteSettings settings;
  private final PrintWriter out;
  private final ServerMetrics metrics = new ServerMetrics();
  private long nextSeed;

  /** Prepares the measurement; of the servers it measures the durable one. */
  public RestartBench(SuiteSettings settings, PrintWriter out) {
    this.settings = settings;
    this.out = out;
    this.nextSeed = settings.seed();
  }

  /** Measures and prints; returns the medians beside their targets. */
  public List<Comparison> run() throws BenchException, InterruptedException {
    say(
        "A durable server is killed, and started again with a full window; seconds until it"
            + " serves");
    double[] seconds = new double[settings.rounds()];
    double[] rates = new double[settings.rounds()];
    try {
      Files.createDirectories(settings.directory());
    } catch (IOException e) {
      throw new BenchException("cannot create " + settings.directory() + ": " + e.getMessage(), e);
    }
    try (Servers servers = Servers.start(settings);
        LoadDriver driver = new LoadDriver()) {
      for (int i = 0; i < settings.rounds(); i++) {
        fill(servers, driver);
        seconds[i] = servers.killAndRestart(Target.LOG_ON) / 1e9;
        Map<String, Double> told = metrics.read(servers.child(Target.LOG_ON).httpPort());
        double replayed = told.getOrDefault("retso_recovered_transactions", 0.0);
        double replaySeconds = told.getOrDefault("retso_recovery_seconds", Double.NaN);
        rates[i] = replayed / replaySeconds;
        say(
            "  %.2f s, of which %.2f s replay %s transactions, %s/s; %.1f s of processor time",
            seconds[i],
            replaySeconds,
            Texts.rate(replayed),
            Texts.rate(rates[i]),
            servers.child(Target.LOG_ON).cpuTime().toMillis() / 1e3);
      }
    }
    return List.of(
        found("restart with a full window, s", seconds, false, SECONDS_MAX),
        found("replay from the bookie, transactions/s", rates, true, REPLAYED_PER_SECOND));
  }

  private Comparison found(String what, double[] values, boolean atLeast, double target) {
    Arrays.sort(values);
    Comparison found =
        new Comparison(
            what,
            values[values.length / 2],
            atLeast,
            target,
            "median of " + values.length + " rounds");
    say(
        "  %s: %s (target %s), %s",
        what,
        values[values.length / 2] < 100 ? Texts.decimal(found.value()) : Texts.rate(found.value()),
        target < 100 ? Texts.decimal(target) : Texts.rate(target),
        found.met() ? "met" : "missed");
    return found;
  }

  private void fill(Servers servers, LoadDriver driver)
      throws BenchException, InterruptedException {
    long completed = 0;
    while (completed < TRANSACTIONS) {
      LoadPlan plan =
          new LoadPlan(
              Handshake.Mode.ORACLE,
              LoadPlan.Work.TRANSACTIONS,
              CLIENTS,
              OUTSTANDING,
              settings.tableRows(),
              nextSeed++,
              settings.cleanup(),
              0,
              Duration.ZERO,
              LOAD);
      try {
        completed += driver.start(servers.address(Target.LOG_ON), plan).result().get().completed();
      } catch (ExecutionException e) {
        String said = servers.child(Target.LOG_ON).lastLines();
        throw new BenchException(
            "the load failed: " + e.getCause().getMessage() + ". The server said:" + said, e);
      }
    }
  }

  private void say(String form, Object... values) {
    out.println(String.format(Locale.ROOT, form, values));
    out.flush();
  }
}
