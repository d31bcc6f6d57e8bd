package io.retso.bench;

import io.retso.bench.failover.FailoverBench;
import io.retso.bench.failover.FailoverPage;
import io.retso.bench.failover.FailoverReport;
import io.retso.bench.failover.FailoverResult;
import io.retso.bench.failover.FailoverSettings;
import io.retso.bench.options.CountConverter;
import io.retso.chaos.load.Load;
import io.retso.cluster.nodes.Cluster;
import io.retso.cluster.nodes.Layout;
import io.retso.report.BenchException;
import io.retso.report.Drawing;
import io.retso.report.ReportJson;
import io.retso.report.Result;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code retso bench failover}. */
@Command(
    name = "failover",
    description = {
      "Measures for how long clients get no answer when servers fail: a cluster of processes on"
          + " this machine, in network namespaces if these can be made, under a constant load.",
      ""
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class FailoverCommand implements Callable<Integer> {
  private static final int FAILED = 1;
  private static final int CONNECTIONS_MAX = 10_000;

  /** A client takes so many to the leader. */
  private static final int CONNECTIONS_OF_CLIENT_MAX = 64;

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "0..1",
      defaultValue = ".*",
      paramLabel = "REGEXP",
      description =
          "Only faults whose names contain a match: kill-leader, kill-leader-and-bookie,"
              + " pause-leader, partition-leader, hand-over, end-leader, kill-bookie,"
              + " kill-zookeeper.")
  private Pattern faults;

  @Option(names = "--quick", description = "Three trials of each fault, 5k transactions a second.")
  private boolean quick;

  @Option(names = "--trials", paramLabel = "N", description = "Of each fault. Default: 20")
  private Integer trials;

  @Option(names = "--oracles", paramLabel = "N", defaultValue = "3", description = "Default: 3")
  private int oracles;

  @Option(names = "--bookies", paramLabel = "N", defaultValue = "4", description = "Default: 4")
  private int bookies;

  @Option(
      names = "--zookeepers",
      paramLabel = "N",
      defaultValue = "3",
      description = "1 or 3. Default: 3")
  private int zooKeepers;

  @Option(
      names = "--rate",
      paramLabel = "TPS",
      converter = CountConverter.class,
      description = "Transactions a second. Default: 50k")
  private Long rate;

  @Option(
      names = "--unsaturated",
      description =
          "At most that many: as many as this machine serves with a third of its processors idle,"
              + " which is found out at the start.")
  private boolean unsaturated;

  @Option(
      names = "--continue",
      description =
          "Goes on with the run whose results are in --out, which was ended, or is to have more"
              + " trials or other faults; give it the same flags. If there is none, it begins.")
  private boolean goOn;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "100",
      description = "Each with an event loop of its own. Default: ${DEFAULT-VALUE}")
  private int clients;

  @Option(
      names = "--connections",
      paramLabel = "N",
      description = "Of all clients to the leader. Default: one each")
  private Integer connections;

  @Option(
      names = "--uncleaned",
      paramLabel = "COUNT",
      converter = CountConverter.class,
      defaultValue = "0",
      description = "Commits that are not cleaned up, made before the first trial. Default: 0")
  private long uncleaned;

  @Option(
      names = "--idle-trials",
      paramLabel = "N",
      defaultValue = "0",
      description = "Begins after an idle time, beside an echo, before any load. Default: 0")
  private int idleTrials;

  @Option(
      names = "--idle",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "That time. Default: ${DEFAULT-VALUE}")
  private double idleSeconds;

  @Option(names = "--seed", paramLabel = "S", defaultValue = "1", description = "Default: 1")
  private long seed;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      defaultValue = "./retso-bench-data",
      description = "Where results go. Default: ${DEFAULT-VALUE}")
  private Path out;

  @Override
  public Integer call() throws InterruptedException {
    BoundsCommand.quietClients();
    try {
      FailoverSettings settings = settings();
      FailoverReport report =
          new FailoverBench(
                  settings,
                  goOn ? before(settings) : null,
                  spec.commandLine().getParseResult().originalArgs(),
                  spec.commandLine().getOut(),
                  this::save)
              .run();
      spec.commandLine().getOut().println(FailoverResult.of(report).text());
      spec.commandLine().getOut().println("  figure: " + out.resolve("failover.svg"));
      spec.commandLine().getOut().println("  raw figures: " + out.resolve(FailoverPage.REPORT));
      spec.commandLine().getOut().flush();
      return FailoverResult.isGood(report) ? 0 : FAILED;
    } catch (BenchException | IOException e) {
      spec.commandLine().getErr().println("retso bench: " + ErrorText.of(e));
      return FAILED;
    }
  }

  /** A user that ends the run keeps what was saved after the trial before. */
  private void save(FailoverReport report) throws IOException {
    Path next = out.resolve(FailoverPage.REPORT + ".next");
    Result result = FailoverResult.of(report);
    ReportJson.write(result, next);
    Files.move(next, out.resolve(FailoverPage.REPORT), StandardCopyOption.ATOMIC_MOVE);
    Files.writeString(out.resolve("failover.svg"), Drawing.of(result.plots().get(0)));
    Files.writeString(out.resolve("failover.txt"), result.text());
  }

  /** The report to go on with; null if there is none. */
  private FailoverReport before(FailoverSettings settings) throws IOException, BenchException {
    Path file = out.resolve(FailoverPage.REPORT);
    if (!Files.exists(file)) {
      return null;
    }
    FailoverReport before = Result.read(file).runs(FailoverReport.class).get(0);
    boolean isSame =
        before.nodes().equals(settings.counts().text(settings.namespaces()))
            && before.clients() == settings.load().clients()
            && before.connections() == settings.load().clients() * settings.load().connections()
            && before.uncleaned() == settings.uncleaned()
            && (settings.unsaturated() || before.asked() == settings.load().perSecond());
    if (!isSame) {
      throw new BenchException(
          file + " is of other flags: " + String.join(" ", before.flags()), null);
    }
    return before;
  }

  private FailoverSettings settings() throws IOException, InterruptedException {
    Layout.Counts counts = new Layout.Counts(zooKeepers, bookies, oracles);
    Optional<String> problem = counts.problem();
    check(problem.isEmpty(), problem.orElse(""));
    check(clients >= 1 && clients <= 1000, "--clients must be 1 to 1000");
    int all = connections == null ? clients : connections;
    check(
        all >= clients
            && all <= Math.min(CONNECTIONS_MAX, clients * CONNECTIONS_OF_CLIENT_MAX)
            && all % clients == 0,
        "--connections must be a multiple of --clients, at most 64 for each, 10,000 in all");
    int count = trials == null ? quick ? 3 : 20 : trials;
    check(count >= 1 && count <= 10_000, "--trials must be 1 to 10,000");
    double perSecond = rate == null ? quick ? 5_000 : 50_000 : rate;
    check(perSecond >= 100 && perSecond <= 1e6, "--rate must be 100 to 1M");
    check(idleTrials >= 0 && idleSeconds > 0, "--idle must be above 0, --idle-trials 0 or more");
    List<String> chosen =
        FailoverSettings.FAULTS.stream().filter(name -> faults.matcher(name).find()).toList();
    check(!chosen.isEmpty(), "no fault has a match of '" + faults + "'");
    boolean namespaces = Cluster.obstacleToNamespaces().isEmpty();
    return new FailoverSettings(
        counts,
        namespaces,
        new Load.Plan(clients, all / clients, perSecond),
        unsaturated,
        chosen,
        count,
        uncleaned,
        idleTrials,
        (long) (idleSeconds * 1000),
        quick ? 6_000 : 120_000,
        300,
        seed,
        Files.createDirectories(out.toAbsolutePath().normalize()));
  }

  private void check(boolean holds, String message) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }
}
