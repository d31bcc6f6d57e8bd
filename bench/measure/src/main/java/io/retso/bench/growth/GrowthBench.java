package io.retso.bench.growth;

import io.retso.bench.load.LoadDriver;
import io.retso.bench.load.LoadPlan;
import io.retso.bench.load.LoadResult;
import io.retso.bench.load.Progress;
import io.retso.bench.server.ServerMetrics;
import io.retso.bench.server.Servers;
import io.retso.bench.server.ServersPlan;
import io.retso.bench.server.Usage;
import io.retso.client.OracleClient;
import io.retso.machine.Machine;
import io.retso.protocol.Handshake;
import io.retso.report.BenchException;
import io.retso.report.Percentiles;
import io.retso.report.ProgressLine;
import io.retso.report.Result;
import io.retso.report.RunFigures.Target;
import io.retso.report.Texts;
import io.retso.report.Verdict;
import io.retso.text.ErrorText;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * {@code retso bench growth}: processor time per transaction, and the latency of a begin, at one
 * steady rate while one thing after the other grows. The rate is that of an open loop in which the
 * connections take turns: with more of them frames stay as large and as many as they were.
 */
public final class GrowthBench {
  private static final int CLIENTS = 4;
  private static final int OUTSTANDING = 200_000;
  private static final long TABLE_ROWS_MIN = 20_000_000;
  private static final Duration WARM_SERVER = Duration.ofSeconds(5);
  private static final int FILLERS = 4;
  private static final int FILLING = 250;
  private static final int BEGINS_AT_A_TIME = 10_000;

  /** Bytes of a row in the map, and what a server and its system need beside it. */
  private static final double ROW_BYTES = 12.8;

  private static final long REST_BYTES = 1L << 30;
  private static final long MEBIBYTE = 1L << 20;

  private final Settings settings;
  private final ProgressLine line;
  private ProgressLine.Steps steps;
  private final ServerMetrics metrics = new ServerMetrics();
  private final List<GrowthPoint> points = new ArrayList<>();
  private final List<String> leftOut = new ArrayList<>();
  private long nextSeed;

  /**
   * What to measure.
   *
   * @param servers one server without a log
   * @param axes what grows
   * @param work what the load repeats
   * @param ratePerSecond transactions begun per second
   * @param warmUp before each measurement
   * @param measured of each
   */
  public record Settings(
      ServersPlan servers,
      Set<Axis> axes,
      LoadPlan.Work work,
      double ratePerSecond,
      long seed,
      Duration warmUp,
      Duration measured) {}

  /** Prepares the benchmark. */
  public GrowthBench(Settings settings, PrintWriter out, boolean terminal) {
    this.settings = settings;
    line = new ProgressLine(out, terminal);
    nextSeed = settings.seed();
  }

  /** Measures everything. */
  public Result run(String version, List<String> flags)
      throws BenchException, InterruptedException {
    Result.Builder result = Result.begin("growth", version, flags, Machine.facts());
    settings.servers().makeDirectory();
    steps = line.steps(settings.axes().stream().mapToInt(axis -> axis.steps().length).sum());
    try (LoadDriver driver = new LoadDriver()) {
      for (Axis axis : settings.axes()) {
        if (axis == Axis.MAP) {
          growMap(driver);
        } else {
          growInOneServer(driver, axis);
        }
      }
    }
    line.clear();
    GrowthResult.describe(result, points, settings.ratePerSecond());
    leftOut.forEach(what -> result.note("not measured: " + what));
    return result.verdicts(comparisons()).end();
  }

  private List<Verdict> comparisons() {
    List<Verdict> all = new ArrayList<>();
    for (Axis axis : settings.axes()) {
      List<GrowthPoint> ofAxis = points.stream().filter(p -> p.axis() == axis).toList();
      GrowthPoint first = ofAxis.get(0);
      GrowthPoint last = ofAxis.get(ofAxis.size() - 1);
      if (axis.ratioMax() > 0 && first.oracleNanos() > 0) {
        String doubt = first.cpu().doubt();
        all.add(
            new Verdict(
                String.format(Locale.ROOT, "%s: %,d / %,d", axis, last.value(), first.value()),
                last.oracleNanos() / first.oracleNanos(),
                false,
                axis.ratioMax(),
                String.format(
                    Locale.ROOT,
                    "%,.0f / %,.0f ns of the oracle's thread a transaction",
                    last.oracleNanos(),
                    first.oracleNanos()),
                doubt.isEmpty() ? last.cpu().doubt() : doubt));
      }
    }
    return all;
  }

  private void growInOneServer(LoadDriver driver, Axis axis)
      throws BenchException, InterruptedException {
    List<String> flags =
        switch (axis) {
          case CONNECTIONS -> List.of("--connections-max=8192", "--connections-per-host=8192");
          case UNCLEANED -> List.of("--uncleaned-max=2M", "--window-timestamps=2^20");
          case OPEN, MAP -> List.of();
        };
    try (Servers servers =
        Servers.start(settings.servers().with(settings.servers().mapRows(), List.of(), flags))) {
      InetSocketAddress address = servers.address(Target.LOG_OFF);
      warm(driver, servers, TABLE_ROWS_MIN);
      long reached = 0;
      for (long value : axis.steps()) {
        steps.begin(axis + ": " + value);
        if (axis == Axis.OPEN) {
          begin(address, value - reached);
        } else if (axis == Axis.UNCLEANED) {
          leaveUncleaned(driver, servers, value - reached);
        }
        reached = value;
        int clients = axis == Axis.CONNECTIONS ? (int) value : CLIENTS;
        measure(driver, servers, axis, value, clients, TABLE_ROWS_MIN);
      }
    }
  }

  private void growMap(LoadDriver driver) throws BenchException, InterruptedException {
    for (long rows : Axis.MAP.steps()) {
      long heap = (long) (rows * ROW_BYTES) + REST_BYTES;
      long available = Machine.availableBytes();
      if (heap + REST_BYTES > available) {
        leftOut.add(
            String.format(
                Locale.ROOT,
                "a map of %,d rows needs %s, and %s are free",
                rows,
                Texts.bytes(heap + REST_BYTES),
                Texts.bytes(available)));
        continue;
      }
      steps.begin(Axis.MAP + ": " + rows);
      ServersPlan plan =
          settings.servers().with(rows, List.of("-Xmx" + heap / MEBIBYTE + "m"), List.of());
      try {
        measureMap(driver, plan);
      } catch (BenchException e) { // a machine may have the memory, and not the time to fill it
        leftOut.add(
            String.format(Locale.ROOT, "a map of %,d rows: %s", rows, firstLine(e.getMessage())));
      }
    }
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }

  private void measureMap(LoadDriver driver, ServersPlan plan)
      throws BenchException, InterruptedException {
    try (Servers servers = Servers.start(plan)) {
      long tableRows = Math.max(TABLE_ROWS_MIN, plan.mapRows());
      warm(driver, servers, tableRows);
      measure(driver, servers, Axis.MAP, plan.mapRows(), CLIENTS, tableRows);
    }
  }

  private void warm(LoadDriver driver, Servers servers, long tableRows)
      throws BenchException, InterruptedException {
    load(driver, servers, plan(0, CLIENTS, 1000, tableRows, true, Duration.ZERO, WARM_SERVER));
  }

  /** Begins transactions that are not ended. */
  private static void begin(InetSocketAddress address, long transactions) throws BenchException {
    try (OracleClient client =
        OracleClient.builder().address(address.getHostString() + ":" + address.getPort()).build()) {
      for (long left = transactions; left > 0; left -= BEGINS_AT_A_TIME) {
        int count = (int) Math.min(left, BEGINS_AT_A_TIME);
        CompletableFuture<?>[] begins = new CompletableFuture<?>[count];
        for (int i = 0; i < count; i++) {
          begins[i] = client.beginAsync().toCompletableFuture();
        }
        CompletableFuture.allOf(begins).join();
      }
    } catch (RuntimeException e) {
      throw new BenchException("transactions could not be begun: " + ErrorText.of(e), e);
    }
  }

  /** Commits transactions, does not clean them up, and lets them leave the window. */
  private void leaveUncleaned(LoadDriver driver, Servers servers, long transactions)
      throws BenchException, InterruptedException {
    long left = transactions;
    while (left > 0) {
      Duration time = Duration.ofMillis(left > 10_000 ? 200 : 20);
      LoadPlan plan = plan(0, FILLERS, FILLING, TABLE_ROWS_MIN, false, Duration.ZERO, time);
      left -= Math.max(1, load(driver, servers, plan).committed());
    }
    Duration window = Duration.ofSeconds(2);
    load(driver, servers, plan(0, CLIENTS, 1000, TABLE_ROWS_MIN, true, Duration.ZERO, window));
  }

  private LoadPlan plan(
      double rate,
      int clients,
      int outstanding,
      long tableRows,
      boolean cleanup,
      Duration warmUp,
      Duration measured) {
    return new LoadPlan(
        Handshake.Mode.ORACLE,
        settings.work(),
        clients,
        outstanding,
        tableRows,
        nextSeed++,
        cleanup,
        rate,
        warmUp,
        measured);
  }

  private static LoadResult load(LoadDriver driver, Servers servers, LoadPlan plan)
      throws BenchException, InterruptedException {
    return servers.await(
        Target.LOG_OFF, driver.start(servers.address(Target.LOG_OFF), plan).result());
  }

  private void measure(
      LoadDriver driver, Servers servers, Axis axis, long value, int clients, long tableRows)
      throws BenchException, InterruptedException {
    LoadPlan plan =
        plan(
            settings.ratePerSecond(),
            clients,
            OUTSTANDING,
            tableRows,
            true,
            settings.warmUp(),
            settings.measured());
    Progress progress = driver.start(servers.address(Target.LOG_OFF), plan);
    servers.await(Target.LOG_OFF, progress.measuring());
    Usage before = Usage.read(servers.child(Target.LOG_OFF), metrics);
    servers.await(Target.LOG_OFF, progress.measured());
    Usage after = Usage.read(servers.child(Target.LOG_OFF), metrics);
    LoadResult result = servers.await(Target.LOG_OFF, progress.result());
    GrowthPoint point =
        new GrowthPoint(
            axis,
            value,
            result.perSecond(),
            Percentiles.of(result.beginNanos()),
            after.cpuSince(before));
    points.add(point);
    line.done(
        String.format(
            Locale.ROOT,
            "%s: %,d  %,.0f ns a transaction, begin p99 %s ms",
            axis,
            value,
            point.oracleNanos(),
            Texts.millis(point.begin().p99())));
  }
}
