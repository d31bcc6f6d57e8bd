package io.retso.bench;

import io.retso.bench.options.BenchOptions;
import io.retso.bench.stores.StoreKind;
import io.retso.bench.stores.StorePlan;
import io.retso.bench.ycsb.YcsbBench;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code retso bench ycsb}. */
@Command(
    name = "ycsb",
    description = {
      "Measures YCSB's workloads on plain HBase, and beside it in turns on ReTSO: transactions of"
          + " one and of five operations, at both levels. Then money moves in a closed economy, and"
          + " what plain HBase loses of it is counted. It says beforehand how long it takes.",
      ""
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class YcsbCommand implements Callable<Integer> {
  private static final int RECORDS_MAX = 10_000_000;

  @Mixin private BenchOptions options;
  @Mixin private StoreOptions stores;

  @Option(
      names = "--workloads",
      split = ",",
      paramLabel = "a|b|c|d|e|f",
      defaultValue = "a,b,c,d,e,f",
      description = "Those of YCSB. The economy is always among them. Default: ${DEFAULT-VALUE}")
  private List<String> workloads;

  @Option(
      names = "--records",
      paramLabel = "N",
      description = "Records of 1 KB. Default: 10000, with --quick 500")
  private Integer records;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "8",
      description = "Threads, without think time. Default: ${DEFAULT-VALUE}")
  private int clients;

  @Override
  public Integer call() throws InterruptedException {
    YcsbBench.Settings settings = settings();
    return stores.run(
        options, settings.length(), (out, terminal) -> new YcsbBench(settings, out, terminal)::run);
  }

  private YcsbBench.Settings settings() {
    StoreOptions.Lengths lengths =
        stores.lengths(
            options, options.quick ? 0.1 : 2, options.quick ? 0.4 : 5, options.quick ? 2 : 6);
    options.check(
        YcsbBench.WORKLOADS.containsAll(workloads),
        "--workloads must be of " + String.join(",", YcsbBench.WORKLOADS));
    int loaded = records == null ? options.quick ? 500 : 10_000 : records;
    options.check(loaded >= 1 && loaded <= RECORDS_MAX, "--records must be 1 to " + RECORDS_MAX);
    stores.checkClients(options, clients);
    StorePlan plan = stores.plan(options);
    options.check(
        plan.kinds().equals(List.of(StoreKind.HBASE)),
        "--store: plain HBase and ReTSO on it are compared, and nothing else: leave it out");
    return new YcsbBench.Settings(
        plan.hbase(),
        options.out,
        new TreeSet<>(workloads),
        loaded,
        clients,
        lengths.warmUp(),
        lengths.measured(),
        options.quick ? 0 : -1,
        lengths.rounds(),
        options.seed);
  }
}
