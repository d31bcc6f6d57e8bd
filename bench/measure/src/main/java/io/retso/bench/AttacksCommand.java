package io.retso.bench;

import io.retso.bench.attack.AttackBench;
import io.retso.bench.flood.FloodBench;
import io.retso.bench.load.LoadPlan.Work;
import io.retso.bench.options.BenchOptions;
import io.retso.bench.options.CountConverter;
import io.retso.bench.options.RowsOption;
import io.retso.report.BenchException;
import io.retso.report.Result;
import io.retso.server.BuildVersion;
import io.retso.workload.IsolationOption;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code retso bench attacks}. */
@Command(
    name = "attacks",
    description = {
      "Measures what a good client notices of others that take all they can get: its latencies at a"
          + " steady rate, alone and beside each attack, without a log and with one. Attackers come"
          + " from 127.0.0.2 and the addresses after it. Four minutes.",
      "",
      "With --secured: a server without a log that wants to know its clients, beside floods of such"
          + " as it does not know, from 127.0.1.2 to 127.0.4.2. One minute.",
      ""
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class AttacksCommand implements Callable<Integer> {
  @Mixin private BenchOptions options;
  @Mixin private RowsOption rows;

  @Parameters(
      arity = "0..1",
      paramLabel = "REGEXP",
      defaultValue = "",
      description = "Only attacks whose names have a match.")
  private String names;

  @Option(
      names = "--log",
      paramLabel = "memory|bookkeeper|both",
      description = "Servers to attack. Default: both")
  private BenchCommand.Log log = BenchCommand.Log.BOTH;

  @Option(
      names = "--rate",
      paramLabel = "TPS",
      converter = CountConverter.class,
      defaultValue = "1k",
      description = "Transactions of the good client. Default: ${DEFAULT-VALUE}")
  private long rate;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Measured time beside each attack. Default: 5, with --quick 2")
  private Double seconds;

  @Option(
      names = "--secured",
      description = "Floods before a client identifies itself, instead of the attacks of clients.")
  private boolean secured;

  @Mixin private IsolationOption isolation;

  @Override
  public Integer call() throws InterruptedException {
    double measured = seconds == null ? options.quick ? 2 : 5 : seconds;
    options.checkRepetitions(measured, 1);
    options.check(rate >= 1, "--rate must be at least 1");
    if (secured) {
      return floods(measured);
    }
    AttackBench.Settings settings =
        new AttackBench.Settings(
            options.servers(log != BenchCommand.Log.BOOKKEEPER, log != BenchCommand.Log.MEMORY),
            options.pattern("", names, "attack", AttackBench.names()),
            Work.of(isolation.isSerializable()),
            rate,
            rows.count(options),
            options.seed,
            Duration.ofMillis(1500),
            Duration.ofNanos((long) (measured * 1e9)));
    return options.run(() -> publish(settings));
  }

  private int floods(double measured) throws InterruptedException {
    FloodBench.Settings settings =
        new FloodBench.Settings(
            options.servers(true, false),
            options.pattern("", names, "flood", FloodBench.names()),
            rate,
            rows.count(options),
            options.seed,
            Duration.ofMillis(1500),
            Duration.ofNanos((long) (measured * 1e9)));
    return options.run(
        () -> {
          Result.Builder result = options.begin("floods");
          FloodBench.describe(result, new FloodBench(settings, options.text()).run());
          options.publish(result.end());
        });
  }

  private void publish(AttackBench.Settings settings) throws BenchException, InterruptedException {
    options.publish(
        new AttackBench(settings, options.text(), System.console() != null)
            .run(BuildVersion.text(), options.arguments()));
  }
}
