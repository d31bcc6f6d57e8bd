package io.retso.bench;

import io.retso.bench.experiments.TpccBench;
import io.retso.bench.options.BenchOptions;
import io.retso.bench.options.ContinueOption;
import io.retso.workload.tpcc.Scale;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code retso bench tpcc}. */
@Command(
    name = "tpcc",
    description = {
      "Measures serializable transactions beside snapshot isolation with DBT-2++, which is TPC-C"
          + " with a credit check (Ports and Grittner, 2012), by the share of programs that only"
          + " read. Stores and levels take turns; after each run TPC-C's consistency conditions are"
          + " checked. It says beforehand how long it takes: a quarter of an hour for each store.",
      ""
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class TpccCommand implements Callable<Integer> {
  private static final int WAREHOUSES_MAX = 99;
  private static final int DIVISOR_MAX = 1000;
  private static final int PERCENT = 100;

  @Mixin private BenchOptions options;
  @Mixin private StoreOptions stores;
  @Mixin private ContinueOption goOn;

  @Option(
      names = "--warehouses",
      paramLabel = "N",
      description = "Warehouses, of ten districts each. Default: 4, with --quick 1")
  private Integer warehouses;

  @Option(
      names = "--divisor",
      paramLabel = "N",
      description =
          "TPC-C's 3,000 customers of a district and 100,000 items of a warehouse are divided by"
              + " this. Default: 10, with --quick 30")
  private Integer divisor;

  @Option(
      names = "--shares",
      split = ",",
      paramLabel = "PERCENT",
      description =
          "Of programs that only read. Default: 0,8,20,40,60,80,100, with --quick 8,50; TPC-C's is"
              + " 8")
  private List<Integer> shares;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "4",
      description = "Threads, without think time. Default: ${DEFAULT-VALUE}")
  private int clients;

  @Option(
      names = "--probe",
      paramLabel = "SECONDS",
      description =
          "Pause between deferred readers, which run beside the programs. Default: 1, with --quick"
              + " 0.2")
  private Double probe;

  @Override
  public Integer call() throws InterruptedException {
    TpccBench.Settings settings = settings();
    return stores.run(
        options, settings.length(), (out, terminal) -> new TpccBench(settings, out, terminal)::run);
  }

  private TpccBench.Settings settings() {
    StoreOptions.Lengths lengths =
        stores.lengths(
            options, options.quick ? 0.3 : 1, options.quick ? 1.5 : 5, options.quick ? 2 : 8);
    int houses = warehouses == null ? options.quick ? 1 : 4 : warehouses;
    options.check(
        houses >= 1 && houses <= WAREHOUSES_MAX, "--warehouses must be 1 to " + WAREHOUSES_MAX);
    int by = divisor == null ? options.quick ? 30 : 10 : divisor;
    options.check(by >= 1 && by <= DIVISOR_MAX, "--divisor must be 1 to " + DIVISOR_MAX);
    List<Integer> all =
        shares == null
            ? options.quick ? List.of(8, 50) : List.of(0, 8, 20, 40, 60, 80, 100)
            : shares;
    for (int share : all) {
      options.check(share >= 0 && share <= PERCENT, "--shares must be 0 to 100 each");
    }
    double pause = probe == null ? options.quick ? 0.2 : 1 : probe;
    options.check(pause > 0 && pause <= 3600, "--probe must be above 0 and at most 3600");
    return new TpccBench.Settings(
        stores.experiment(options, clients, lengths).continued(goOn.isGiven),
        Scale.of(houses, by),
        all,
        Duration.ofMillis((long) (1000 * pause)));
  }
}
