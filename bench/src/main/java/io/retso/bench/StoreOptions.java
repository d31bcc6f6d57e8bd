package io.retso.bench;

import io.retso.bench.workload.StoreKind;
import io.retso.bench.workload.StorePlan;
import io.retso.cluster.LocalPostgres;
import java.util.List;
import picocli.CommandLine.Option;

/** What benchmarks of workloads take. */
final class StoreOptions {
  @Option(
      names = "--store",
      split = ",",
      paramLabel = "hbase|oracle|plain|postgresql",
      defaultValue = "hbase",
      description =
          "Where rows are: in ReTSO's tables, in memory with an oracle that decides, in HBase"
              + " without transactions, in PostgreSQL. Several take turns. Default:"
              + " ${DEFAULT-VALUE}")
  private List<StoreKind> stores;

  @Option(
      names = "--postgresql",
      paramLabel = "URL",
      defaultValue = "",
      description =
          "JDBC URL of a PostgreSQL, such as jdbc:postgresql://localhost/bench?user=me. Tables"
              + " account, savings, checking, conflict, sitest of it are dropped. Default: a server"
              + " of its own, if initdb and postgres are installed")
  private String postgresUrl;

  @Option(
      names = "--log",
      paramLabel = "memory|bookkeeper",
      description = "Log of the oracle alone. Default: bookkeeper")
  private BenchCommand.Log log = BenchCommand.Log.BOOKKEEPER;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Measured time of each run. Default: 5, with --quick less than 1")
  Double seconds;

  @Option(
      names = "--ramp-up",
      paramLabel = "N",
      description = "Seconds before each of them. Default: 2, with --quick less than 1")
  Double rampUp;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description =
          "Repetitions in which what is compared takes turns. Default: 3, of sibench 5; with"
              + " --quick 1, 4")
  Integer rounds;

  /** Which stores, as asked for. */
  StorePlan plan(BenchOptions options) {
    options.check(
        !stores.contains(StoreKind.POSTGRESQL)
            || !postgresUrl.isEmpty()
            || LocalPostgres.programs().isPresent(),
        "--store postgresql: " + LocalPostgres.NOT_INSTALLED + ", or name one by --postgresql URL");
    options.check(log != BenchCommand.Log.BOTH, "--log must be memory or bookkeeper");
    return new StorePlan(
        stores,
        options.servers(log == BenchCommand.Log.MEMORY, log == BenchCommand.Log.BOOKKEEPER),
        postgresUrl,
        options.out);
  }
}
