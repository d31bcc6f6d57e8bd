package io.retso.bench;

import io.retso.bench.kernel.KernelBench;
import io.retso.bench.options.BenchOptions;
import io.retso.bench.options.RowsOption;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code retso bench kernel}. */
@Command(
    name = "kernel",
    description = {
      "Measures the oracle alone, on one thread, in turns with the memory that it waits for:"
          + " transactions a second, bytes a row, false aborts, replay.",
      ""
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class KernelCommand implements Callable<Integer> {
  @Mixin private BenchOptions options;
  @Mixin private RowsOption rows;

  @Override
  public Integer call() throws InterruptedException {
    return options.judge(
        "kernel",
        () ->
            new KernelBench(
                    options.capacity,
                    rows.count(options),
                    options.seed,
                    options.quick,
                    options.text())
                .run());
  }
}
