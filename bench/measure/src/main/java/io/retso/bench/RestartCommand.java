package io.retso.bench;

import io.retso.bench.load.LoadPlan.Work;
import io.retso.bench.options.BenchOptions;
import io.retso.bench.options.RowsOption;
import io.retso.bench.suite.RestartBench;
import io.retso.workload.IsolationOption;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code retso bench restart}. */
@Command(
    name = "restart",
    description = {
      "Measures what it takes to start a durable server again that was killed with a full window of"
          + " transactions. Minutes.",
      ""
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class RestartCommand implements Callable<Integer> {
  @Mixin private BenchOptions options;
  @Mixin private RowsOption rows;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Kills and starts; the median counts. Default: 3, with --quick 1")
  private Integer rounds;

  @Mixin private IsolationOption isolation;

  @Override
  public Integer call() throws InterruptedException {
    int repetitions = rounds == null ? options.quick ? 1 : 3 : rounds;
    options.checkRepetitions(1, repetitions);
    return options.judge(
        "restart",
        () ->
            new RestartBench(
                    options.servers(false, true),
                    Work.of(isolation.isSerializable()),
                    rows.count(options),
                    options.seed,
                    repetitions,
                    options.text())
                .run());
  }
}
