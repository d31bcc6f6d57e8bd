package io.retso.bench.options;

import java.time.Duration;
import picocli.CommandLine.Option;

/** How long benchmarks that judge ratios repeat what is not clear yet. */
public final class JudgeOption {
  private static final double MINUTES = 5;
  private static final double MINUTES_MAX = 600;
  private static final int SECONDS = 60;

  @Option(
      names = "--judge-minutes",
      paramLabel = "N",
      description =
          "After --rounds, further ones of what is compared with a target, for so long at the most"
              + " on each store, until no target is within the 95 percent interval of its ratio."
              + " Default: 5, with --quick 0")
  private Double minutes;

  /** As asked for; otherwise what is usual. */
  public Duration most(BenchOptions options) {
    double most = minutes == null ? options.quick ? 0 : MINUTES : minutes;
    options.check(most >= 0 && most <= MINUTES_MAX, "--judge-minutes must be 0 to 600");
    return Duration.ofMillis((long) (1000 * SECONDS * most));
  }
}
