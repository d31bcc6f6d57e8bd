package io.retso.bench;

import io.retso.bench.options.BenchOptions;
import io.retso.bench.workload.ReadersBench;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code retso bench readers}. */
@Command(
    name = "readers",
    description = {
      "Measures what serializable readers on safe snapshots cost the writers beside them, however"
          + " many managers they have, and how long deferred ones wait: 500 reads a second, beside"
          + " SmallBank with a hot spot of 10 and transactions of up to a second. Two minutes.",
      ""
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class ReadersCommand implements Callable<Integer> {
  private static final int MANAGERS_MAX = 1000;
  private static final int CLIENTS = 20;

  @Mixin private BenchOptions options;
  @Mixin private StoreOptions stores;

  @Option(
      names = "--managers",
      split = ",",
      paramLabel = "N",
      defaultValue = "0,1,100",
      description =
          "Numbers of managers of this process that share the reads; with --store hbase only."
              + " Default: ${DEFAULT-VALUE}")
  private List<Integer> managers;

  @Override
  public Integer call() throws InterruptedException {
    StoreOptions.Lengths lengths =
        stores.lengths(options, options.quick ? 0.5 : 2, options.quick ? 1.5 : 5, 3);
    for (int number : managers) {
      options.check(
          number >= 0 && number <= MANAGERS_MAX, "--managers must be 0 to " + MANAGERS_MAX);
    }
    ReadersBench.Settings settings =
        new ReadersBench.Settings(
            stores.plan(options),
            SmallBankCommand.customers(options.quick),
            managers.stream().distinct().toList(),
            CLIENTS,
            lengths.warmUp(),
            lengths.measured(),
            lengths.rounds(),
            options.seed);
    return stores.run(options, (out, terminal) -> new ReadersBench(settings, out, terminal)::run);
  }
}
