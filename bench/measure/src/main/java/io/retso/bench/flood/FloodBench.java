package io.retso.bench.flood;

import io.retso.bench.load.LoadDriver;
import io.retso.bench.load.LoadPlan;
import io.retso.bench.load.LoadPlan.Work;
import io.retso.bench.load.LoadResult;
import io.retso.bench.load.Progress;
import io.retso.bench.server.ServerProcess;
import io.retso.bench.server.Servers;
import io.retso.bench.server.ServersPlan;
import io.retso.cluster.ClusterException;
import io.retso.cluster.SecuredFiles;
import io.retso.machine.ProcessTimes;
import io.retso.machine.ResidentMemory;
import io.retso.protocol.Handshake;
import io.retso.report.BenchException;
import io.retso.report.Result;
import io.retso.report.RunFigures.Target;
import io.retso.report.Table;
import io.retso.report.Texts;
import io.retso.report.Unit;
import io.retso.report.Verdict;
import io.retso.text.ErrorText;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * {@code retso bench attacks --secured}: a server that wants to know its clients, beside floods of
 * such as it does not know. What a good client notices that is connected, whether region servers,
 * members and operators get in meanwhile, and what the server needs.
 */
public final class FloodBench {
  private static final String ALONE = "alone";
  private static final int GOOD_CLIENTS = 2;
  private static final int GOOD_OUTSTANDING = 100_000;
  private static final double BESIDE_MILLIS = 5;
  private static final double MEMORY_MEGABYTES = 128;
  private static final Duration WARM_SERVER = Duration.ofSeconds(4);

  /**
   * Settings.
   *
   * @param names of floods; those without a match are left out
   * @param ratePerSecond transactions of the good client
   * @param tableRows rows of the table that it writes
   * @param warmUp beside each flood before the measurement
   * @param measured beside each flood
   */
  public record Settings(
      ServersPlan servers,
      Pattern names,
      double ratePerSecond,
      long tableRows,
      long seed,
      Duration warmUp,
      Duration measured) {}

  /**
   * Beside a flood.
   *
   * @param p50 of the good client's transactions, milliseconds
   * @param p99 the same
   * @param perSecond what the flood did, such as handshakes
   * @param letIn visitors that were
   * @param keptAway visitors that were not let in within five seconds
   * @param visitP99 how long they waited, milliseconds
   * @param cores processors that the server needed
   * @param megabytes resident memory of the server at the end
   */
  public record Run(
      String flood,
      double p50,
      double p99,
      double perSecond,
      long letIn,
      int keptAway,
      double visitP99,
      double cores,
      double megabytes) {}

  private final Settings settings;
  private final PrintWriter out;
  private final List<Run> runs = new ArrayList<>();
  private long seed;

  public FloodBench(Settings settings, PrintWriter out) {
    this.settings = settings;
    this.out = out;
    this.seed = settings.seed();
  }

  /** The names of all floods. */
  public static List<String> names() {
    return Stream.of(Flood.values()).map(Flood::toString).toList();
  }

  /** Measures everything; the first of what it returns is without a flood. */
  public List<Run> run() throws BenchException, InterruptedException {
    settings.servers().makeDirectory();
    try (SecuredFiles files = SecuredFiles.make(settings.servers().directory(), "required")) {
      ServersPlan plan =
          settings.servers().with(settings.servers().mapRows(), List.of(), files.flags());
      try (Servers servers = Servers.start(plan);
          LoadDriver driver = new LoadDriver(Optional.of(files.client()))) {
        servers.await(
            Target.LOG_OFF, driver.start(servers.address(Target.LOG_OFF), warming()).result());
        measure(servers, driver, files, null);
        for (Flood flood : Flood.values()) {
          if (settings.names().matcher(flood.toString()).find()) {
            measure(servers, driver, files, flood);
          }
        }
      }
    } catch (ClusterException e) {
      throw new BenchException(ErrorText.of(e), e);
    }
    return runs;
  }

  private LoadPlan warming() {
    return plan(4, 1_000, 0, WARM_SERVER);
  }

  private LoadPlan good() {
    return plan(GOOD_CLIENTS, GOOD_OUTSTANDING, settings.ratePerSecond(), settings.measured());
  }

  private LoadPlan plan(int clients, int outstanding, double rate, Duration measured) {
    return new LoadPlan(
        Handshake.Mode.ORACLE,
        Work.TRANSACTIONS,
        clients,
        outstanding,
        settings.tableRows(),
        seed++,
        true,
        rate,
        settings.warmUp(),
        measured);
  }

  private void measure(Servers servers, LoadDriver driver, SecuredFiles files, Flood flood)
      throws BenchException, ClusterException, InterruptedException {
    ServerProcess child = servers.child(Target.LOG_OFF);
    String name = flood == null ? ALONE : flood.toString();
    FloodRun beside = flood == null ? null : new FloodRun(flood, child.address(), files);
    Visitors visitors = new Visitors(child.address(), files);
    try {
      Progress progress = driver.start(child.address(), good());
      servers.await(Target.LOG_OFF, progress.measuring());
      ProcessTimes before = ProcessTimes.of(child.pid());
      long since = System.nanoTime();
      long count = beside == null ? 0 : beside.count();
      servers.await(Target.LOG_OFF, progress.measured());
      ProcessTimes after = ProcessTimes.of(child.pid());
      double seconds = (System.nanoTime() - since) / 1e9;
      double perSecond = beside == null ? 0 : (beside.count() - count) / seconds;
      double megabytes = ResidentMemory.megabytes(child.pid());
      visitors.stop();
      LoadResult result = servers.await(Target.LOG_OFF, progress.result());
      Run run =
          new Run(
              name,
              result.transactionNanos().getValueAtPercentile(50) / 1e6,
              result.transactionNanos().getValueAtPercentile(99) / 1e6,
              perSecond,
              visitors.letIn(),
              visitors.keptAway(),
              visitors.p99Millis(),
              after.cores(before),
              megabytes);
      runs.add(run);
      out.println(
          String.format(Locale.ROOT, "%-36s p99 %s ms", run.flood(), Texts.millis(run.p99())));
      out.flush();
    } finally {
      if (beside != null) {
        beside.close();
      }
      visitors.stop();
    }
  }

  /** Describes runs, of which the first is without a flood. */
  public static void describe(Result.Builder to, List<Run> runs) {
    to.table(
        Table.of("", runs)
            .words("beside", Run::flood)
            .column(Unit.MILLIS, "p50 ms", Run::p50)
            .column(Unit.MILLIS, "p99", Run::p99)
            .column(Unit.RATE, "flood /s", Run::perSecond)
            .column(Unit.COUNT, "let in", Run::letIn)
            .column(Unit.COUNT, "kept away", Run::keptAway)
            .column(Unit.MILLIS, "visit p99 ms", Run::visitP99)
            .column(Unit.RATIO, "cores", Run::cores)
            .column(Unit.RATIO, "MB", Run::megabytes)
            .end());
    to.note("let in, kept away: region servers, members and operators that connected meanwhile.");
    to.verdicts(verdicts(runs)).runs(runs);
  }

  private static List<Verdict> verdicts(List<Run> runs) {
    Run alone = runs.get(0);
    List<Verdict> found = new ArrayList<>();
    for (Run run : runs.subList(1, runs.size())) {
      String made = "beside: " + run.flood();
      found.add(
          new Verdict(
              "ms more of the good client's p99",
              run.p99() - alone.p99(),
              false,
              BESIDE_MILLIS,
              made,
              ""));
      found.add(new Verdict("visitors kept away", run.keptAway(), false, 0, made, ""));
      found.add(
          new Verdict(
              "MB more of the server",
              run.megabytes() - alone.megabytes(),
              false,
              MEMORY_MEGABYTES,
              made,
              ""));
    }
    return found;
  }
}
