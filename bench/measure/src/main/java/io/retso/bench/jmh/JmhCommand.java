package io.retso.bench.jmh;

import io.retso.report.BenchException;
import io.retso.text.ErrorText;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Runs the benchmarks of this package. */
public final class JmhCommand {
  private JmhCommand() {}

  /**
   * Runs those whose name matches, each in a JVM of its own with the options of this one.
   *
   * @param quick for short iterations
   * @return the exit code
   */
  public static int run(String regexp, boolean quick) throws BenchException {
    try {
      Pattern.compile(regexp);
    } catch (PatternSyntaxException e) {
      throw new BenchException(
          "jmh " + regexp + " is not a regular expression: " + e.getDescription(), e);
    }
    ChainedOptionsBuilder options =
        new OptionsBuilder().include("io\\.retso\\.bench\\.jmh\\..*(?:" + regexp + ")");
    if (quick) {
      options
          .warmupIterations(2)
          .warmupTime(TimeValue.milliseconds(500))
          .measurementIterations(3)
          .measurementTime(TimeValue.milliseconds(500));
    }
    try {
      for (RunResult result : new Runner(options.build()).run()) {
        if (result.getPrimaryResult() == null) {
          return 1;
        }
      }
      return 0;
    } catch (RunnerException e) {
      throw new BenchException(
          "the microbenchmarks cannot run: " + ErrorText.of(e) + "; jmh alone runs all of them", e);
    }
  }
}
