package io.retso.bench;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.retso.bench.hbase.BoundsBench;
import io.retso.bench.hbase.TablesBench;
import io.retso.bench.hbase.TablesReport;
import io.retso.bench.hbase.TablesSettings;
import io.retso.bench.hbase.TablesText;
import io.retso.bench.jmh.JmhCommand;
import io.retso.bench.kernel.KernelBench;
import io.retso.bench.load.LoadPlan;
import io.retso.bench.load.RowSource;
import io.retso.bench.report.Figure;
import io.retso.bench.report.Report;
import io.retso.bench.report.ReportJson;
import io.retso.bench.report.ReportText;
import io.retso.bench.suite.BenchException;
import io.retso.bench.suite.RestartBench;
import io.retso.bench.suite.Suite;
import io.retso.bench.suite.SuiteSettings;
import io.retso.cluster.Tethered;
import io.retso.hbase.table.TableRisks;
import io.retso.server.BuildVersion;
import io.retso.server.UsualExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code retso bench}: the paper's evaluation on this machine. */
@Command(
    name = "bench",
    description = {
      "Measures ReTSO as section 4 of the paper does, and draws its Figure 3.",
      "",
      "Starts a server without a log and a durable one as processes of their own, lets clients run"
          + " transactions of 0 to 20 random rows against both and against an echo of the same"
          + " frames, and prints a table. Figure, JSON and the servers' output go to --out; the"
          + " servers' data is deleted at the end.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = BuildVersion.class,
    sortOptions = false,
    usageHelpAutoWidth = true,
    abbreviateSynopsis = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Done, whether or not every target was met.",
      "1:A run failed; the last lines say why and what to do.",
      "64:A flag is wrong.",
      "70:An error in ReTSO itself. Please report it.",
      "130, 143:Ended by SIGINT or SIGTERM; servers and their data are gone, with --hbase and"
          + " --bounds the data when the next run begins."
    },
    modelTransformer = UsualExitCodes.class)
public final class BenchCommand implements Callable<Integer> {
  private static final int FAILED = 1;

  /** Which servers to start. */
  enum Log {
    MEMORY,
    BOOKKEEPER,
    BOTH
  }

  @Spec private CommandSpec spec;

  @Option(
      names = "--quick",
      description = "Shorter runs: a minute and a half; with --hbase four minutes.")
  private boolean quick;

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
      names = "--rows",
      paramLabel = "COUNT",
      converter = CountConverter.class,
      description = "Rows of the table that is written. Default: 20M, with --hbase 100k")
  private Long rows;

  @Option(
      names = "--capacity",
      paramLabel = "COUNT",
      converter = CountConverter.class,
      defaultValue = "32M",
      description = "Rows that the servers remember. Default: ${DEFAULT-VALUE}")
  private long capacity;

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
      names = "--seed",
      paramLabel = "S",
      defaultValue = "1",
      description = "Seed of the random rows. Default: ${DEFAULT-VALUE}")
  private long seed;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      defaultValue = "./retso-bench-data",
      description = "Where results go. Default: ${DEFAULT-VALUE}")
  private Path out;

  @Option(
      names = "--server-option",
      paramLabel = "OPTION",
      description = "A JVM option for the servers, such as -Xmx2g; may be repeated.")
  private List<String> serverOptions = List.of();

  @Option(
      names = "--kernel",
      description =
          "Measure the oracle alone, on one thread: transactions a second, bytes a row, false"
              + " aborts, replay.")
  private boolean kernel;

  @Option(
      names = "--restart",
      description =
          "Measure how long a durable server with a full window of transactions is away when it is"
              + " killed: minutes.")
  private boolean restart;

  @Option(
      names = "--hbase",
      arity = "0..1",
      fallbackValue = ".*",
      paramLabel = "REGEXP",
      description =
          "Measure transactional tables beside the plain HBase client, on a cluster that it starts:"
              + " latencies, throughput, work of the region server, requests; of the measurements"
              + " only those whose names contain a match. Minutes.")
  private String hbase;

  @Option(
      names = "--client-reads",
      description = "With --hbase: clients decide what a snapshot sees, no coprocessor.")
  private boolean clientReads;

  @Option(
      names = "--bounds",
      description =
          "Update one row of a transactional table 100,000 times while 1,000 clients die, and see"
              + " whether anything grows. With --quick a tenth. Minutes.")
  private boolean bounds;

  @Option(
      names = "--jmh",
      arity = "0..1",
      fallbackValue = ".*",
      paramLabel = "REGEXP",
      description = "Run the microbenchmarks (JMH) whose names match.")
  private String jmh;

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter text = spec.commandLine().getOut();
    try {
      if (jmh != null) {
        return JmhCommand.run(jmh, quick);
      }
      if (kernel) {
        new KernelBench(capacity, checkedRows(), seed, quick, text).run();
        return 0;
      }
      if (restart) {
        log = Log.BOOKKEEPER;
        new RestartBench(settings(), text).run();
        return 0;
      }
      if (hbase != null || bounds) {
        // What the clients in this process say of their connections would disturb the view.
        ((Logger) LoggerFactory.getLogger("io.retso")).setLevel(Level.WARN);
        // Its HBase is gone after the run: no power failure is meant to be survived.
        ((Logger) LoggerFactory.getLogger(TableRisks.class)).setLevel(Level.ERROR);
      }
      if (hbase != null) {
        publish(
            new TablesBench(tablesSettings(), text, System.console() != null)
                .run(BuildVersion.text(), spec.commandLine().getParseResult().originalArgs()),
            text);
        return 0;
      }
      if (bounds) {
        new BoundsBench(quick ? 10_000 : 100_000, quick ? 100 : 1_000, out, text).run();
        return 0;
      }
      Report report =
          new Suite(settings(), text, System.console() != null)
              .run(BuildVersion.text(), spec.commandLine().getParseResult().originalArgs());
      publish(report, text);
      return 0;
    } catch (BenchException e) {
      text.println();
      text.flush();
      spec.commandLine().getErr().println("retso bench: " + e.getMessage());
      return FAILED;
    }
  }

  private void publish(TablesReport report, PrintWriter text) throws BenchException {
    Path json = out.resolve("hbase.json");
    Path figure = out.resolve("hbase.svg");
    try {
      ReportJson.write(report, json);
      Files.writeString(figure, TablesText.figure(report));
    } catch (IOException e) {
      throw new BenchException(
          "cannot write results to " + out + ": " + e.getMessage() + "; choose another --out", e);
    }
    text.println(TablesText.of(report));
    text.println("  figure: " + figure);
    text.println("  raw figures: " + json);
    text.flush();
  }

  private void publish(Report report, PrintWriter text) throws BenchException {
    Path json = out.resolve("bench.json");
    Path figure = out.resolve("figure3.svg");
    try {
      ReportJson.write(report, json);
      text.print(ReportText.of(report));
      text.println();
      if (rate == null) {
        Files.writeString(figure, Figure.of(report, subtitle(report)));
        text.println("  figure: " + figure);
      }
      text.println("  raw figures: " + json);
      text.flush();
    } catch (IOException e) {
      throw new BenchException(
          "cannot write results to " + out + ": " + e.getMessage() + "; choose another --out", e);
    }
  }

  private String subtitle(Report report) {
    return String.format(
        Locale.ROOT,
        "0 to 20 of %,dM rows a transaction, %d outstanding per client; %s, %s cores for all"
            + " processes",
        checkedRows() / 1_000_000,
        settingsOutstanding(),
        report.machine().get("cpu"),
        report.machine().get("cores"));
  }

  private SuiteSettings settings() {
    boolean open = rate != null;
    double measured = seconds == null ? quick ? 1.5 : 5 : seconds;
    int repetitions = rounds == null ? quick ? 1 : 3 : rounds;
    List<Integer> steps = clients == null ? open ? List.of(4) : List.of(1, 2, 4, 8, 16) : clients;
    checkRepetitions(measured, repetitions);
    for (int step : steps) {
      check(
          step >= 1 && step <= LoadPlan.CLIENTS_MAX,
          "--clients must be 1 to " + LoadPlan.CLIENTS_MAX + " each");
    }
    check(
        settingsOutstanding() >= 1 && settingsOutstanding() <= LoadPlan.OUTSTANDING_MAX,
        "--outstanding must be 1 to " + LoadPlan.OUTSTANDING_MAX);
    check(!open || rate >= 1, "--rate must be at least 1");
    return new SuiteSettings(
        log != Log.BOOKKEEPER,
        log != Log.MEMORY,
        steps,
        settingsOutstanding(),
        checkedRows(),
        capacity,
        seed,
        !noCleanup,
        open ? rate : 0,
        address(),
        Duration.ofSeconds(quick ? 3 : 8),
        Duration.ofMillis(quick ? 500 : 1000),
        Duration.ofNanos((long) (measured * 1e9)),
        repetitions,
        out,
        Tethered.class.getName(),
        serverOptions);
  }

  private TablesSettings tablesSettings() {
    long count = rows == null ? 100_000 : rows;
    check(
        count >= 1000 && count <= TablesSettings.ROWS_MAX,
        "--rows must be 1000 to " + TablesSettings.ROWS_MAX + " with --hbase");
    TablesSettings standard = TablesSettings.standard(quick, (int) count, seed, out);
    double measured = seconds == null ? standard.measured().toNanos() / 1e9 : seconds;
    int repetitions = rounds == null ? standard.rounds() : rounds;
    checkRepetitions(measured, repetitions);
    return standard.with(
        names(), Duration.ofNanos((long) (measured * 1e9)), repetitions, clientReads);
  }

  private Pattern names() {
    try {
      Pattern names = Pattern.compile(hbase);
      check(
          TablesBench.names().stream().anyMatch(name -> names.matcher(name).find()),
          "--hbase: no measurement has a match of '"
              + hbase
              + "'; they are: "
              + String.join("; ", TablesBench.names()));
      return names;
    } catch (PatternSyntaxException e) {
      throw new ParameterException(
          spec.commandLine(), "--hbase: '" + hbase + "' is not a regular expression");
    }
  }

  private void checkRepetitions(double measured, int repetitions) {
    check(measured > 0 && measured <= 3600, "--seconds must be above 0 and at most 3600");
    check(repetitions >= 1 && repetitions <= 100, "--rounds must be 1 to 100");
  }

  private int settingsOutstanding() {
    long standard = rate == null ? 100 : 100_000;
    return (int) Math.min(Integer.MAX_VALUE, outstanding == null ? standard : outstanding);
  }

  private long checkedRows() {
    long count = rows == null ? 20_000_000 : rows;
    check(count >= 1 && count <= RowSource.ROWS_MAX, "--rows must be 1 to " + RowSource.ROWS_MAX);
    return count;
  }

  private Optional<InetSocketAddress> address() {
    if (server == null) {
      return Optional.empty();
    }
    int colon = server.lastIndexOf(':');
    check(
        colon > 0 && server.substring(colon + 1).matches("\\d{1,5}"),
        "--server " + server + " is not HOST:PORT, such as 127.0.0.1:7521");
    int port = Integer.parseInt(server.substring(colon + 1));
    check(port >= 1 && port <= 65_535, "--server: port " + port + " is not within 1 and 65535");
    return Optional.of(new InetSocketAddress(server.substring(0, colon), port));
  }

  private void check(boolean holds, String message) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }
}
