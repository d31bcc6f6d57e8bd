package io.retso.bench;

import io.retso.bench.experiments.ExperimentPlan;
import io.retso.bench.options.BenchOptions;
import io.retso.bench.stores.OpenStore;
import io.retso.bench.stores.StoreKind;
import io.retso.bench.stores.StorePlan;
import io.retso.cluster.LocalPostgres;
import io.retso.report.BenchException;
import io.retso.report.Result;
import io.retso.server.BuildVersion;
import io.retso.text.ErrorText;
import io.retso.verify.clients.ClusterAccess;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import picocli.CommandLine.Option;

/** What benchmarks of workloads take. */
final class StoreOptions {
  static final int CLIENTS_MAX = 1000;

  @Option(
      names = "--store",
      split = ",",
      paramLabel = "hbase|oracle|plain|postgresql|omid",
      defaultValue = "hbase",
      description =
          "Where rows are: in ReTSO's tables, in memory with an oracle that decides, in HBase"
              + " without transactions, in PostgreSQL, in Apache Omid's tables (a build with"
              + " -Pomid). Several take turns. Default: ${DEFAULT-VALUE}")
  private List<StoreKind> stores;

  @Option(
      names = "--postgresql",
      paramLabel = "URL",
      defaultValue = "",
      description =
          "JDBC URL of a PostgreSQL, such as jdbc:postgresql://localhost/bench?user=me. Tables"
              + " account, savings, checking, conflict, sitest, bank*, tpcb*, tpcc_*, rubis_* of it"
              + " are dropped. Default: a server of its own, if initdb and postgres are installed")
  private String postgresUrl;

  @Option(
      names = "--cluster",
      paramLabel = "KEY",
      description =
          "An HBase that runs, quorum:port:znode or quorum:port, whose region servers have ReTSO on"
              + " their class path. Makes tables in the namespace retso_bench, and drops all that"
              + " is there at the end. Default: one of its own")
  private String cluster;

  @Option(names = "--oracle", paramLabel = "HOST:PORT", description = "The oracle for --cluster.")
  private String oracle;

  @Option(
      names = "--log",
      paramLabel = "memory|bookkeeper",
      description = "Log of the oracle alone. Default: bookkeeper")
  private BenchCommand.Log log = BenchCommand.Log.BOOKKEEPER;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description =
          "Measured time of each run. Default: 5, with --quick less than 1, of tpcb, tpcc and rubis"
              + " 1.5")
  private Double seconds;

  @Option(
      names = "--ramp-up",
      paramLabel = "N",
      description =
          "Seconds before each of them. Default: 2, of tpcc and rubis 1, with --quick less than 1")
  private Double rampUp;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description =
          "Repetitions in which what is compared takes turns. Default: 3, of sibench 5, of tpcb and"
              + " ycsb 6, of tpcc 8, of rubis 12; with --quick 1, of sibench and rubis 4, of tpcb,"
              + " tpcc and ycsb 2")
  private Integer rounds;

  /**
   * How long and how often runs are.
   *
   * @param warmUp before each of them
   * @param rounds in which what is compared takes turns
   */
  record Lengths(Duration warmUp, Duration measured, int rounds) {}

  /** As asked for; otherwise these, in seconds. */
  Lengths lengths(BenchOptions options, double usualWarmUp, double usualMeasured, int usualRounds) {
    double warmUp = rampUp == null ? usualWarmUp : rampUp;
    double measured = seconds == null ? usualMeasured : seconds;
    int repetitions = rounds == null ? usualRounds : rounds;
    options.checkRepetitions(measured, repetitions);
    options.check(warmUp >= 0 && warmUp <= 3600, "--ramp-up must be 0 to 3600");
    return new Lengths(ofSeconds(warmUp), ofSeconds(measured), repetitions);
  }

  private static Duration ofSeconds(double seconds) {
    return Duration.ofNanos((long) (seconds * 1e9));
  }

  /** Which stores, as asked for. */
  StorePlan plan(BenchOptions options) {
    options.check(
        !stores.contains(StoreKind.POSTGRESQL)
            || !postgresUrl.isEmpty()
            || LocalPostgres.programs().isPresent(),
        "--store postgresql: " + LocalPostgres.NOT_INSTALLED + ", or name one by --postgresql URL");
    options.check(
        !stores.contains(StoreKind.OMID) || OpenStore.hasOmid(),
        "--store omid: this build has no Omid; ./mvnw -Pomid -DskipTests install makes one that"
            + " has");
    options.check(log != BenchCommand.Log.BOTH, "--log must be memory or bookkeeper");
    return new StorePlan(
        stores,
        options.servers(log == BenchCommand.Log.MEMORY, log == BenchCommand.Log.BOOKKEEPER),
        hbase(options),
        postgresUrl,
        options.out);
  }

  /**
   * An experiment that compares the levels of stores.
   *
   * @param clients threads
   */
  ExperimentPlan experiment(BenchOptions options, int clients, Lengths lengths) {
    checkClients(options, clients);
    StorePlan plan = plan(options);
    options.check(
        !plan.kinds().contains(StoreKind.PLAIN),
        "--store plain: HBase without transactions has neither level; take hbase or oracle");
    return new ExperimentPlan(
        plan, clients, lengths.warmUp(), lengths.measured(), lengths.rounds(), options.seed);
  }

  /** Refuses a number of threads that is out of range. */
  void checkClients(BenchOptions options, int clients) {
    options.check(clients >= 1 && clients <= CLIENTS_MAX, "--clients must be 1 to " + CLIENTS_MAX);
  }

  /** A benchmark that was told where to show its progress. */
  interface Benchmark {
    Result run(String version, List<String> flags) throws BenchException, InterruptedException;
  }

  /** Runs a benchmark, publishes what it finds, and returns the exit code. */
  int run(BenchOptions options, BiFunction<PrintWriter, Boolean, Benchmark> benchmark)
      throws InterruptedException {
    BoundsCommand.quietClients();
    return options.run(
        () ->
            options.publish(
                benchmark
                    .apply(options.text(), System.console() != null)
                    .run(BuildVersion.text(), options.arguments())));
  }

  /** Runs a benchmark, and says beforehand how long it takes. */
  int run(
      BenchOptions options, Duration length, BiFunction<PrintWriter, Boolean, Benchmark> benchmark)
      throws InterruptedException {
    long seconds = length.toSeconds();
    String time = seconds < 120 ? seconds + " seconds." : (seconds + 59) / 60 + " minutes.";
    options.text().println("  It takes about " + time);
    options.text().flush();
    return run(options, benchmark);
  }

  private Optional<ClusterAccess> hbase(BenchOptions options) {
    options.check(
        (cluster == null) == (oracle == null),
        "--cluster and --oracle go together: give both or none");
    if (cluster == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(ClusterAccess.of(cluster, oracle));
    } catch (IllegalArgumentException e) {
      options.check(false, ErrorText.of(e));
      throw e;
    }
  }
}
