package io.retso.admin;

import io.retso.hbase.HoldOptions;
import io.retso.server.commands.ExitCode;
import io.retso.server.config.ValueType;
import io.retso.text.ErrorText;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code retso hbase hold}: takes a snapshot, which lasts for a time. */
@Command(
    name = "hold",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Takes a snapshot of all tables that many processes can read, and prints its token. It is not"
          + " renewed: it lasts for its time, or until 'retso hbase release'. Regions keep all"
          + " versions that it needs until then.",
      ""
    })
final class HoldCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "NAME",
      description = "For people: 1 to 64 printable characters of ASCII without blanks.")
  private String name;

  @Option(
      names = "--ttl",
      paramLabel = "TIME",
      defaultValue = "1h",
      description = "How long it lasts, 1s to 30d. Default: ${DEFAULT-VALUE}.")
  private String ttl;

  @Mixin private ClusterOptions cluster;

  @Override
  public Integer call() {
    HoldOptions options = options();
    return ClusterWork.withOracle(
        spec,
        cluster,
        manager -> {
          try {
            // Not closed: it is to outlive this process.
            ClusterWork.println(spec, manager.hold(options).token().toString());
            return ExitCode.CLEAN.number();
          } catch (IllegalArgumentException e) {
            return ClusterWork.failed(spec, ErrorText.of(e));
          }
        });
  }

  /**
   * The time that an option names.
   *
   * @throws IllegalArgumentException if it names none
   */
  static Duration time(String option, String text) {
    return ValueType.span(text)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    option + "=" + text + " is no time: write 30m, 6h or 2d"));
  }

  private HoldOptions options() {
    try {
      return HoldOptions.named(name).ttl(time("--ttl", ttl));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), ErrorText.of(e), e);
    }
  }
}
