package io.retso.bench;

import io.retso.bench.hbase.TablesBench;
import io.retso.bench.hbase.TablesSettings;
import io.retso.bench.load.LoadPlan;
import io.retso.bench.load.LoadPlan.Work;
import io.retso.bench.options.BenchOptions;
import io.retso.bench.options.CountConverter;
import io.retso.bench.options.RowsOption;
import io.retso.bench.suite.Suite;
import io.retso.bench.suite.SuiteSettings;
import io.retso.cluster.ForcedLogs;
import io.retso.report.BenchException;
import io.retso.server.BuildVersion;
import io.retso.server.commands.UsualExitCodes;
import io.retso.workload.IsolationOption;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code retso bench}: the paper's evaluation on this machine. */
@Command(
    name = "bench",
    description = {
      "Measures ReTSO as section 4 of the paper does, and draws its Figure 3.",
      "",
      "Starts a server without a log and a durable one as processes of their own, lets clients run"
          + " transactions of 0 to 20 random rows against both and against an echo of the same"
          + " frames, and prints a table. Figure, JSON and the servers' output go to --out; the"
          + " servers' data is deleted at the end. Other benchmarks are commands of their own.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = BuildVersion.class,
    synopsisSubcommandLabel = "[COMMAND]",
    commandListHeading = "%nOther benchmarks:%n",
    subcommands = {
      KernelCommand.class,
      AttacksCommand.class,
      SecurityCommand.class,
      GrowthCommand.class,
      RestartCommand.class,
      FailoverCommand.class,
      BoundsCommand.class,
      SmallBankCommand.class,
      ScaleCommand.class,
      SibenchCommand.class,
      ReadersCommand.class,
      TpcbCommand.class,
      TpccCommand.class,
      RubisCommand.class,
      YcsbCommand.class,
      PublishCommand.class,
      MicroCommand.class
    },
    sortOptions = false,
    usageHelpAutoWidth = true,
    abbreviateSynopsis = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Done, whether or not every target was met.",
      "1:A run failed; the last lines say why and what to do.",
      "64:A flag is wrong.",
      "70:An error in ReTSO itself. Please report it.",
      "130, 143:Ended by SIGINT or SIGTERM; servers and their data are gone, with --hbase the data"
          + " when the next run begins."
    },
    modelTransformer = UsualExitCodes.class)
public final class BenchCommand implements Callable<Integer> {
  /** Which servers to start. */
  enum Log {
    MEMORY,
    BOOKKEEPER,
    BOTH
  }

  @Mixin private BenchOptions options;
  @Mixin private RowsOption rows;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Measured time of each run. Default: 5, with --quick 1.5")
  private Double seconds;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description =
          "Repetitions of the runs that are compared; the median counts. Default: 3, with --quick"
              + " 1")
  private Integer rounds;

  @Option(
      names = "--log",
      paramLabel = "memory|bookkeeper|both",
      description = "Servers to measure. Default: both")
  private Log log = Log.BOTH;

  @Option(
      names = "--clients",
      split = ",",
      paramLabel = "N",
      description = "Steps of the scalability runs. Default: 1,2,4,8,16; with --rate 4")
  private List<Integer> clients;

  @Option(
      names = "--outstanding",
      paramLabel = "NT",
      converter = CountConverter.class,
      description =
          "Transactions under way per client in those. Default: 100; with --rate 100k, which is"
              + " then the most")
  private Long outstanding;

  @Option(
      names = "--rate",
      paramLabel = "TPS",
      converter = CountConverter.class,
      description =
          "Begin so many transactions a second, whatever the server does, and measure latencies"
              + " from the instants at which they were due.")
  private Long rate;

  @Option(
      names = "--server",
      paramLabel = "HOST:PORT",
      description = "Measure a server that runs already, instead of starting some.")
  private String server;

  @Option(
      names = "--no-cleanup",
      description =
          "Do not report commits as cleaned up. After a million the server refuses more: for short"
              + " runs.")
  private boolean noCleanup;

  @Option(
      names = "--hbase",
      arity = "0..1",
      fallbackValue = ".*",
      paramLabel = "REGEXP",
      description =
          "Measure transactional tables beside the plain HBase client, on a cluster that it starts:"
              + " latencies, throughput, work of the region server, requests, bytes and cells that"
              + " are written; of the measurements only those whose names contain a match. --rows"
              + " is 100k then. Minutes.")
  private String hbase;

  @Option(
      names = "--client-reads",
      description = "With --hbase: clients decide what a snapshot sees, no coprocessor.")
  private boolean clientReads;

  @Option(
      names = "--forced-logs",
      paramLabel = "ALL|ORACLE|NONE",
      defaultValue = "ORACLE",
      description =
          "With --hbase: whose logs are forced to disk before an answer; as installed, the"
              + " oracle's, and not HBase's.")
  private ForcedLogs forcedLogs;

  @Mixin private IsolationOption isolation;

  @Override
  public Integer call() throws InterruptedException {
    return options.run(hbase == null ? this::oracle : this::tables);
  }

  private void oracle() throws BenchException, InterruptedException {
    Suite suite = new Suite(settings(), options.text(), System.console() != null);
    options.publish(
        suite.run(BuildVersion.text(), options.arguments(), rate == null ? subtitle() : ""));
  }

  private void tables() throws BenchException, InterruptedException {
    BoundsCommand.quietClients();
    TablesBench bench = new TablesBench(tablesSettings(), options.text(), System.console() != null);
    options.publish(bench.run(BuildVersion.text(), options.arguments()));
  }

  private String subtitle() {
    return String.format(
        Locale.ROOT,
        "%s of %,dM rows a transaction, %d outstanding per client",
        isolation.isSerializable() ? "9 read and 1 written" : "0 to 20",
        rows.count(options) / 1_000_000,
        settingsOutstanding());
  }

  private SuiteSettings settings() {
    boolean open = rate != null;
    double measured = seconds == null ? options.quick ? 1.5 : 5 : seconds;
    int repetitions = rounds == null ? options.quick ? 1 : 3 : rounds;
    List<Integer> steps = clients == null ? open ? List.of(4) : List.of(1, 2, 4, 8, 16) : clients;
    options.checkRepetitions(measured, repetitions);
    for (int step : steps) {
      options.check(
          step >= 1 && step <= LoadPlan.CLIENTS_MAX,
          "--clients must be 1 to " + LoadPlan.CLIENTS_MAX + " each");
    }
    options.check(
        settingsOutstanding() >= 1 && settingsOutstanding() <= LoadPlan.OUTSTANDING_MAX,
        "--outstanding must be 1 to " + LoadPlan.OUTSTANDING_MAX);
    options.check(!open || rate >= 1, "--rate must be at least 1");
    return new SuiteSettings(
        options.servers(log != Log.BOOKKEEPER, log != Log.MEMORY, address()),
        steps,
        settingsOutstanding(),
        Work.of(isolation.isSerializable()),
        rows.count(options),
        options.seed,
        !noCleanup,
        open ? rate : 0,
        Duration.ofSeconds(options.quick ? 3 : 8),
        Duration.ofSeconds(options.quick ? 5 : 20),
        Duration.ofMillis(options.quick ? 500 : 1000),
        Duration.ofNanos((long) (measured * 1e9)),
        repetitions);
  }

  private TablesSettings tablesSettings() {
    TablesSettings standard =
        TablesSettings.standard(
            options.quick, rows.countOfTables(options), options.seed, options.out);
    double measured = seconds == null ? standard.measured().toNanos() / 1e9 : seconds;
    int repetitions = rounds == null ? standard.rounds() : rounds;
    options.checkRepetitions(measured, repetitions);
    return standard.with(
        options.pattern("--hbase: ", hbase, "measurement", TablesBench.names()),
        Duration.ofNanos((long) (measured * 1e9)),
        repetitions,
        clientReads,
        isolation.level(),
        forcedLogs);
  }

  private int settingsOutstanding() {
    long standard = rate == null ? 100 : 100_000;
    return (int) Math.min(Integer.MAX_VALUE, outstanding == null ? standard : outstanding);
  }

  private Optional<InetSocketAddress> address() {
    if (server == null) {
      return Optional.empty();
    }
    int colon = server.lastIndexOf(':');
    options.check(
        colon > 0 && server.substring(colon + 1).matches("\\d{1,5}"),
        "--server " + server + " is not HOST:PORT, such as 127.0.0.1:7521");
    int port = Integer.parseInt(server.substring(colon + 1));
    options.check(
        port >= 1 && port <= 65_535, "--server: port " + port + " is not within 1 and 65535");
    return Optional.of(new InetSocketAddress(server.substring(0, colon), port));
  }
}
