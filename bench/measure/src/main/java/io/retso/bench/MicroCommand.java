package io.retso.bench;

import io.retso.bench.jmh.JmhCommand;
import io.retso.report.BenchException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code retso bench jmh}. */
@Command(
    name = "jmh",
    description = {"Runs the microbenchmarks (JMH).", ""},
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class MicroCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--quick", description = "Shorter runs.")
  private boolean quick;

  @Parameters(
      arity = "0..1",
      paramLabel = "REGEXP",
      defaultValue = ".*",
      description = "Only those whose names match.")
  private String regexp;

  @Override
  public Integer call() {
    try {
      return JmhCommand.run(regexp, quick);
    } catch (BenchException e) {
      spec.commandLine().getErr().println("retso bench: " + e.getMessage());
      return 1;
    }
  }
}
