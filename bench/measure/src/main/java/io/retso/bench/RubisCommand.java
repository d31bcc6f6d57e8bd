package io.retso.bench;

import io.retso.bench.experiments.RubisBench;
import io.retso.bench.options.BenchOptions;
import io.retso.bench.options.ContinueOption;
import io.retso.workload.rubis.Scale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code retso bench rubis}. */
@Command(
    name = "rubis",
    description = {
      "Measures serializable transactions beside snapshot isolation with an auction site and the"
          + " bidding mix of RUBiS (Ports and Grittner, 2012): 85 %% of all programs only read,"
          + " most of them lists of items with their current bids. Stores and levels take turns;"
          + " after each run items, bids, purchases, lists and users must agree. It says beforehand"
          + " how long it takes.",
      ""
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class RubisCommand implements Callable<Integer> {
  private static final int DIVISOR_MAX = 10_000;

  @Mixin private BenchOptions options;
  @Mixin private StoreOptions stores;
  @Mixin private ContinueOption goOn;

  @Option(
      names = "--divisor",
      paramLabel = "N",
      description =
          "The paper's 225,000 active and 1,000,000 closed auctions and 1,350,000 users are divided"
              + " by this. Default: 100, with --quick 500")
  private Integer divisor;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "8",
      description = "Threads, without think time. Default: ${DEFAULT-VALUE}")
  private int clients;

  @Override
  public Integer call() throws InterruptedException {
    RubisBench.Settings settings = settings();
    return stores.run(
        options,
        settings.length(),
        (out, terminal) -> new RubisBench(settings, out, terminal)::run);
  }

  private RubisBench.Settings settings() {
    StoreOptions.Lengths lengths =
        stores.lengths(
            options, options.quick ? 0.3 : 1, options.quick ? 1.5 : 5, options.quick ? 4 : 12);
    int by = divisor == null ? options.quick ? 500 : 100 : divisor;
    options.check(by >= 1 && by <= DIVISOR_MAX, "--divisor must be 1 to " + DIVISOR_MAX);
    return new RubisBench.Settings(
        stores.experiment(options, clients, lengths).continued(goOn.isGiven), Scale.of(by));
  }
}
