package io.retso.bench;

import io.retso.bench.growth.Axis;
import io.retso.bench.growth.GrowthBench;
import io.retso.bench.load.LoadPlan.Work;
import io.retso.bench.options.BenchOptions;
import io.retso.bench.options.CountConverter;
import io.retso.report.BenchException;
import io.retso.server.BuildVersion;
import io.retso.workload.IsolationOption;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code retso bench growth}. */
@Command(
    name = "growth",
    description = {
      "Measures how the cost of a transaction grows with connections, with the size of the map (as"
          + " far as free memory goes), with open transactions and with commits that are not"
          + " cleaned up: processor time per transaction and the latency of a begin at a steady"
          + " rate, without a log. Minutes.",
      ""
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class GrowthCommand implements Callable<Integer> {
  @Mixin private BenchOptions options;

  @Parameters(
      arity = "0..*",
      paramLabel = "WHAT",
      description = "What grows: ${COMPLETION-CANDIDATES}. Default: all of them, one by one")
  private List<Axis> axes = List.of(Axis.values());

  @Option(
      names = "--rate",
      paramLabel = "TPS",
      converter = CountConverter.class,
      defaultValue = "100k",
      description = "Transactions begun per second. Default: ${DEFAULT-VALUE}")
  private long rate;

  @Mixin private IsolationOption isolation;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Measured time of each step. Default: 5, with --quick 2")
  private Double seconds;

  @Override
  public Integer call() throws InterruptedException {
    double measured = seconds == null ? options.quick ? 2 : 5 : seconds;
    options.checkRepetitions(measured, 1);
    options.check(rate >= 1, "--rate must be at least 1");
    GrowthBench.Settings settings =
        new GrowthBench.Settings(
            options.servers(true, false),
            EnumSet.copyOf(axes),
            Work.of(isolation.isSerializable()),
            rate,
            options.seed,
            Duration.ofSeconds(2),
            Duration.ofNanos((long) (measured * 1e9)));
    return options.run(() -> publish(settings));
  }

  private void publish(GrowthBench.Settings settings) throws BenchException, InterruptedException {
    options.publish(
        new GrowthBench(settings, options.text(), System.console() != null)
            .run(BuildVersion.text(), options.arguments()));
  }
}
