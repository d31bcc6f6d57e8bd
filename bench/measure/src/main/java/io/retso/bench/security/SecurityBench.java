package io.retso.bench.security;

import io.retso.bench.load.LoadDriver;
import io.retso.bench.load.LoadPlan;
import io.retso.bench.load.LoadPlan.Work;
import io.retso.bench.load.LoadResult;
import io.retso.bench.load.Progress;
import io.retso.bench.server.ServerMetrics;
import io.retso.bench.server.Servers;
import io.retso.bench.server.ServersPlan;
import io.retso.bench.server.Usage;
import io.retso.cluster.ClusterException;
import io.retso.cluster.SecuredFiles;
import io.retso.protocol.Handshake;
import io.retso.report.BenchException;
import io.retso.report.ProgressLine;
import io.retso.report.RunFigures.Target;
import io.retso.report.Texts;
import io.retso.report.Verdict;
import io.retso.text.ErrorText;
import io.retso.tls.TlsContext;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * {@code retso bench security}: one load in clear and with TLS and certificates, in turns, at one
 * server process; and what a client notices while others do nothing but handshakes.
 */
public final class SecurityBench {
  private static final int PEAK_CLIENTS = 4;
  private static final int PEAK_OUTSTANDING = 1_000;
  private static final int GOOD_RATE = 1_000;
  private static final int HANDSHAKES_PER_SECOND = 200;
  private static final double THROUGHPUT_SHARE = 0.88;
  private static final double TRANSACTION_MICROS = 0.4;
  private static final double LATENCY_MICROS = 25;
  private static final double HANDSHAKE_MILLIS = 1.5;
  private static final double BESIDE_MILLIS = 5;

  /**
   * Settings.
   *
   * @param rows rows of the table that is written
   * @param rounds of each load, in clear and with TLS
   */
  public record Settings(
      ServersPlan servers, long rows, long seed, int rounds, Duration warmUp, Duration measured) {}

  /** One measurement. */
  private record Run(LoadResult result, double serverCores) {
    double perSecond() {
      return result.perSecond();
    }

    double serverMicros() {
      return serverCores * 1e6 / result.perSecond();
    }

    double p50Micros() {
      return result.transactionNanos().getValueAtPercentile(50) / 1e3;
    }

    double p99Millis() {
      return result.transactionNanos().getValueAtPercentile(99) / 1e6;
    }
  }

  private final Settings settings;
  private final PrintWriter out;
  private final ProgressLine line;
  private final ProgressLine.Steps steps;
  private final ServerMetrics metrics = new ServerMetrics();
  private final List<Verdict> found = new ArrayList<>();
  private long seed;

  public SecurityBench(Settings settings, PrintWriter out) {
    this.settings = settings;
    this.out = out;
    this.line = new ProgressLine(out);
    this.steps = line.steps(2 + 8L * settings.rounds()); // warm-up, peaks, latencies, handshakes
    this.seed = settings.seed();
  }

  /** Measures; returns the figures beside their targets. */
  public List<Verdict> run() throws BenchException, InterruptedException {
    settings.servers().makeDirectory();
    try (SecuredFiles files = SecuredFiles.make(settings.servers().directory(), "optional")) {
      ServersPlan plan =
          settings.servers().with(settings.servers().mapRows(), List.of(), files.flags());
      TlsContext tls = files.client();
      try (Servers servers = Servers.start(plan);
          LoadDriver clear = new LoadDriver();
          LoadDriver secured = new LoadDriver(Optional.of(tls))) {
        say("warming up ...");
        measure(servers, clear, peak(settings.warmUp().multipliedBy(5)));
        measure(servers, secured, peak(settings.warmUp().multipliedBy(5)));
        peaks(servers, clear, secured);
        latencies(servers, clear, secured);
        handshakes(servers, secured, tls);
      }
    } catch (ClusterException e) {
      throw new BenchException(ErrorText.of(e), e);
    }
    return found;
  }

  private void say(String form, Object... values) {
    line.clear();
    out.println(String.format(Locale.ROOT, form, values));
    out.flush();
  }

  private LoadPlan peak(Duration measured) {
    return plan(PEAK_CLIENTS, PEAK_OUTSTANDING, 0, measured);
  }

  private LoadPlan plan(int clients, int outstanding, double rate, Duration measured) {
    return new LoadPlan(
        Handshake.Mode.ORACLE,
        Work.TRANSACTIONS,
        clients,
        outstanding,
        settings.rows(),
        seed++,
        true,
        rate,
        settings.warmUp(),
        measured);
  }

  private void peaks(Servers servers, LoadDriver clear, LoadDriver secured)
      throws BenchException, InterruptedException {
    List<Run> plain = new ArrayList<>();
    List<Run> encrypted = new ArrayList<>();
    for (int round = 0; round < settings.rounds(); round++) {
      plain.add(measure(servers, clear, peak(settings.measured())));
      encrypted.add(measure(servers, secured, peak(settings.measured())));
    }
    double before = median(plain, Run::perSecond);
    double after = median(encrypted, Run::perSecond);
    double micros = median(plain, Run::serverMicros);
    double encryptedMicros = median(encrypted, Run::serverMicros);
    say(
        "%d x %,d transactions of 0 to 20 rows: in clear %s/s, %.2f us of the server each; with TLS"
            + " %s/s, %.2f us",
        PEAK_CLIENTS,
        PEAK_OUTSTANDING,
        Texts.rate(before),
        micros,
        Texts.rate(after),
        encryptedMicros);
    found.add(
        new Verdict(
            "TLS / clear, transactions a second",
            after / before,
            true,
            THROUGHPUT_SHARE,
            Texts.rate(after) + " / " + Texts.rate(before)));
    found.add(
        new Verdict(
            "TLS, us of the server's processors a transaction more",
            encryptedMicros - micros,
            false,
            TRANSACTION_MICROS,
            Texts.decimal(encryptedMicros) + " - " + Texts.decimal(micros)));
  }

  private void latencies(Servers servers, LoadDriver clear, LoadDriver secured)
      throws BenchException, InterruptedException {
    List<Run> plain = new ArrayList<>();
    List<Run> encrypted = new ArrayList<>();
    for (int round = 0; round < 2 * settings.rounds(); round++) {
      plain.add(measure(servers, clear, plan(1, 1, 0, settings.measured().dividedBy(2))));
      encrypted.add(measure(servers, secured, plan(1, 1, 0, settings.measured().dividedBy(2))));
    }
    double before = median(plain, Run::p50Micros);
    double after = median(encrypted, Run::p50Micros);
    say(
        "one client, one transaction at a time: p50 in clear %.0f us, with TLS %.0f us",
        before, after);
    found.add(
        new Verdict(
            "TLS, us more of begin and commit, p50",
            after - before,
            false,
            LATENCY_MICROS,
            Texts.decimal(after) + " - " + Texts.decimal(before)));
  }

  private void handshakes(Servers servers, LoadDriver secured, TlsContext tls)
      throws BenchException, InterruptedException {
    List<Run> alone = new ArrayList<>();
    List<Run> beside = new ArrayList<>();
    double done = 0;
    double seconds = 0;
    InetSocketAddress server = servers.address(Target.LOG_OFF);
    for (int round = 0; round < settings.rounds(); round++) {
      LoadPlan good = plan(1, 1_000, GOOD_RATE, settings.measured());
      alone.add(measure(servers, secured, good));
      try (Handshakes flood = Handshakes.start(server, tls, HANDSHAKES_PER_SECOND)) {
        long before = flood.done();
        long since = System.nanoTime();
        beside.add(measure(servers, secured, good));
        done += flood.done() - before;
        seconds += (System.nanoTime() - since) / 1e9;
      }
    }
    double before = median(alone, Run::p99Millis);
    double after = median(beside, Run::p99Millis);
    double cores = median(beside, Run::serverCores) - median(alone, Run::serverCores);
    double millis = cores * 1e3 / (done / seconds);
    say(
        "%,d transactions/s alone: p99 %.2f ms; beside %.0f handshakes/s %.2f ms; a handshake takes"
            + " %.2f ms of the server's processors",
        GOOD_RATE, before, done / seconds, after, millis);
    found.add(
        new Verdict(
            "ms of the server's processors a handshake",
            millis,
            false,
            HANDSHAKE_MILLIS,
            Texts.decimal(cores) + " of a core for " + Texts.rate(done / seconds) + "/s"));
    found.add(
        new Verdict(
            "ms more of a good client's p99 beside handshakes",
            after - before,
            false,
            BESIDE_MILLIS,
            Texts.decimal(after) + " - " + Texts.decimal(before)));
  }

  private Run measure(Servers servers, LoadDriver driver, LoadPlan plan)
      throws BenchException, InterruptedException {
    steps.begin("measuring");
    Progress progress = driver.start(servers.address(Target.LOG_OFF), plan);
    servers.await(Target.LOG_OFF, progress.measuring());
    Usage before = Usage.read(servers.child(Target.LOG_OFF), metrics);
    servers.await(Target.LOG_OFF, progress.measured());
    Usage after = Usage.read(servers.child(Target.LOG_OFF), metrics);
    return new Run(
        servers.await(Target.LOG_OFF, progress.result()), after.server().cores(before.server()));
  }

  private static double median(List<Run> runs, ToDoubleFunction<Run> figure) {
    double[] sorted = runs.stream().mapToDouble(figure).sorted().toArray();
    return sorted[sorted.length / 2];
  }
}
