package io.retso.bench;

import io.retso.bench.options.BenchOptions;
import io.retso.bench.options.JudgeOption;
import io.retso.bench.workload.SibenchBench;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code retso bench sibench}. */
@Command(
    name = "sibench",
    description = {
      "Measures serializable transactions beside snapshot isolation where queries read whole tables"
          + " that others change all the time (Cahill, 2009): half of the transactions update one"
          + " row, half look for the lowest value. Ten minutes.",
      ""
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class SibenchCommand implements Callable<Integer> {
  private static final int SIZE_MAX = 1_000_000;

  @Mixin private BenchOptions options;
  @Mixin private StoreOptions stores;
  @Mixin private JudgeOption judge;

  @Option(
      names = "--sizes",
      split = ",",
      paramLabel = "ROWS",
      defaultValue = "10,100,1000,10000",
      description = "Sizes of the table. Default: ${DEFAULT-VALUE}")
  private List<Integer> sizes;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "8",
      description = "Threads. Default: ${DEFAULT-VALUE}")
  private int clients;

  @Override
  public Integer call() throws InterruptedException {
    StoreOptions.Lengths lengths =
        stores.lengths(
            options, options.quick ? 0.1 : 2, options.quick ? 0.5 : 5, options.quick ? 4 : 5);
    stores.checkClients(options, clients);
    for (int size : sizes) {
      options.check(size >= 1 && size <= SIZE_MAX, "--sizes must be 1 to " + SIZE_MAX + " each");
    }
    SibenchBench.Settings settings =
        new SibenchBench.Settings(
            stores.plan(options),
            sizes,
            clients,
            lengths.warmUp(),
            lengths.measured(),
            lengths.rounds(),
            judge.most(options),
            options.seed);
    return stores.run(options, (out, terminal) -> new SibenchBench(settings, out, terminal)::run);
  }
}
