package io.retso.bench;

import io.retso.bench.options.BenchOptions;
import io.retso.bench.options.RowsOption;
import io.retso.bench.security.SecurityBench;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code retso bench security}. */
@Command(
    name = "security",
    description = {
      "Measures what TLS and certificates cost: one load in clear and encrypted, in turns, at one"
          + " server without a log; and a client beside others that do nothing but handshakes. Two"
          + " minutes.",
      ""
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class SecurityCommand implements Callable<Integer> {
  @Mixin private BenchOptions options;
  @Mixin private RowsOption rows;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Measured time of each run. Default: 4, with --quick 1")
  private Double seconds;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Runs of each kind. Default: 5, with --quick 1")
  private Integer rounds;

  @Override
  public Integer call() throws InterruptedException {
    double measured = seconds == null ? options.quick ? 1 : 4 : seconds;
    int turns = rounds == null ? options.quick ? 1 : 5 : rounds;
    options.checkRepetitions(measured, turns);
    SecurityBench.Settings settings =
        new SecurityBench.Settings(
            options.servers(true, false),
            rows.count(options),
            options.seed,
            turns,
            Duration.ofMillis(1_000),
            Duration.ofNanos((long) (measured * 1e9)));
    return options.judge("security", () -> new SecurityBench(settings, options.text()).run());
  }
}
