package io.retso.bench;

import io.retso.bench.experiments.TpcbBench;
import io.retso.bench.options.BenchOptions;
import io.retso.bench.options.ContinueOption;
import io.retso.workload.tpcb.Tpcb;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code retso bench tpcb}. */
@Command(
    name = "tpcb",
    description = {
      "Measures TPC-B with one branch, which all transactions write, and with many: good"
          + " transactions apart from attempts, at both levels and those of PostgreSQL. After each"
          + " run all balances and the history must add up. It says beforehand how long it takes.",
      ""
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class TpcbCommand implements Callable<Integer> {
  private static final int SCALE_MAX = 1000;

  @Mixin private BenchOptions options;
  @Mixin private StoreOptions stores;
  @Mixin private ContinueOption goOn;

  @Option(
      names = "--scales",
      split = ",",
      paramLabel = "N",
      description = "Branches, of ten tellers each. Default: 1,50, with --quick 1,10")
  private List<Integer> scales;

  @Option(
      names = "--accounts",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Accounts of a branch; 100,000 in TPC-B. Default: ${DEFAULT-VALUE}")
  private int accounts;

  @Option(
      names = "--clients",
      paramLabel = "N",
      description = "Threads, without think time. Default: 16, with --quick 8")
  private Integer clients;

  @Override
  public Integer call() throws InterruptedException {
    TpcbBench.Settings settings = settings();
    return stores.run(
        options, settings.length(), (out, terminal) -> new TpcbBench(settings, out, terminal)::run);
  }

  private TpcbBench.Settings settings() {
    StoreOptions.Lengths lengths =
        stores.lengths(
            options, options.quick ? 0.3 : 2, options.quick ? 1.5 : 5, options.quick ? 2 : 6);
    List<Integer> all = scales == null ? List.of(1, options.quick ? 10 : 50) : scales;
    for (int scale : all) {
      options.check(scale >= 1 && scale <= SCALE_MAX, "--scales must be 1 to " + SCALE_MAX);
    }
    options.check(
        accounts >= 1 && accounts <= Tpcb.ACCOUNTS, "--accounts must be 1 to " + Tpcb.ACCOUNTS);
    int threads = clients == null ? options.quick ? 8 : 16 : clients;
    return new TpcbBench.Settings(
        stores.experiment(options, threads, lengths).continued(goOn.isGiven), all, accounts);
  }
}
