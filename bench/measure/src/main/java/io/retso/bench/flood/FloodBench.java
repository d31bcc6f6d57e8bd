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
import io.retso.report.RunFigures.Target;
import io.retso.report.TextTable;
import io.retso.report.Texts;
import io.retso.report.Verdict;
import io.retso.text.ErrorText;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
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

  /** Measures and prints everything; the first of what it returns is without a flood. */
  public List<Run> run() throws BenchException, InterruptedException {
    settings.servers().makeDirectory();
    try (SecuredFiles files = SecuredFiles.make(settings.servers().directory(), "required")) {
      ServersPlan plan =
          settings.servers().with(settings.servers().mapRows(), List.of(), files.flags());
      try (Servers servers = Servers.start(plan);
          LoadDriver driver = new LoadDriver(Optional.of(files.client()))) {
        result(driver.start(servers.address(Target.LOG_OFF), warming()), servers, "warming up");
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
    print();
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

  private static LoadResult result(Progress progress, Servers servers, String name)
      throws BenchException, InterruptedException {
    try {
      return progress.result().get();
    } catch (ExecutionException e) {
      throw new BenchException(
          "the good client failed, "
              + name
              + ": "
              + ErrorText.of(e.getCause())
              + ". The server said:"
              + servers.child(Target.LOG_OFF).lastLines(),
          e);
    }
  }

  private void measure(Servers servers, LoadDriver driver, SecuredFiles files, Flood flood)
      throws BenchException, ClusterException, InterruptedException {
    ServerProcess child = servers.child(Target.LOG_OFF);
    String name = flood == null ? ALONE : flood.toString();
    FloodRun beside = flood == null ? null : new FloodRun(flood, child.address(), files);
    Visitors visitors = new Visitors(child.address(), files);
    try {
      Progress progress = driver.start(child.address(), good());
      progress.measuring().handle((done, failure) -> done).join();
      ProcessTimes before = ProcessTimes.of(child.pid());
      long since = System.nanoTime();
      long count = beside == null ? 0 : beside.count();
      progress.measured().handle((done, failure) -> done).join();
      ProcessTimes after = ProcessTimes.of(child.pid());
      double seconds = (System.nanoTime() - since) / 1e9;
      double perSecond = beside == null ? 0 : (beside.count() - count) / seconds;
      double megabytes = ResidentMemory.megabytes(child.pid());
      visitors.stop();
      LoadResult result = result(progress, servers, name);
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

  private void print() {
    TextTable table =
        new TextTable(
            "lrrrrrrrr",
            "beside",
            "p50 ms",
            "p99",
            "flood /s",
            "let in",
            "kept away",
            "visit p99 ms",
            "cores",
            "MB");
    for (Run run : runs) {
      table.row(
          run.flood(),
          Texts.millis(run.p50()),
          Texts.millis(run.p99()),
          Texts.rate(run.perSecond()),
          Long.toString(run.letIn()),
          Integer.toString(run.keptAway()),
          Texts.millis(run.visitP99()),
          Texts.decimal(run.cores()),
          Texts.decimal(run.megabytes()));
    }
    out.println();
    out.print(table);
    out.println(
        "  let in, kept away: region servers, members and operators that connected meanwhile.");
    out.println();
    out.print(Verdict.table(comparisons()));
    out.flush();
  }

  private List<Verdict> comparisons() {
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
