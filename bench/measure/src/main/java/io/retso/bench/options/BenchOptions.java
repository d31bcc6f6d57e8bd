package io.retso.bench.options;

import io.retso.bench.server.ServersPlan;
import io.retso.cluster.Tethered;
import io.retso.machine.Machine;
import io.retso.report.BenchException;
import io.retso.report.Publication;
import io.retso.report.Result;
import io.retso.report.Verdict;
import io.retso.server.BuildVersion;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What most benchmarks take. */
public final class BenchOptions {
  private static final int FAILED = 1;

  /** A benchmark. */
  public interface Body {
    void run() throws BenchException, InterruptedException;
  }

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(names = "--quick", description = "Shorter runs.")
  public boolean quick;

  @Option(
      names = "--capacity",
      paramLabel = "COUNT",
      converter = CountConverter.class,
      defaultValue = "32M",
      description = "Rows that the oracle remembers. Default: ${DEFAULT-VALUE}")
  public long capacity;

  @Option(
      names = "--seed",
      paramLabel = "S",
      defaultValue = "1",
      description = "Seed of the random rows. Default: ${DEFAULT-VALUE}")
  public long seed;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      defaultValue = "./retso-bench-data",
      description = "Where results go. Default: ${DEFAULT-VALUE}")
  public Path out;

  @Option(
      names = "--server-option",
      paramLabel = "OPTION",
      description = "A JVM option for the servers, such as -Xmx2g; may be repeated.")
  private List<String> serverOptions = List.of();

  /** Runs a benchmark and returns the exit code; says why it failed. */
  public int run(Body body) throws InterruptedException {
    try {
      body.run();
      return 0;
    } catch (BenchException e) {
      text().println();
      text().flush();
      spec.commandLine().getErr().println("retso bench: " + e.getMessage());
      return FAILED;
    }
  }

  /** Prints a result, and writes it and its figures below {@code --out}. */
  public void publish(Result result) throws BenchException {
    Publication.publish(result, text(), out);
  }

  /** A measurement whose figures are beside their targets. */
  public interface Judged {
    List<Verdict> run() throws BenchException, InterruptedException;
  }

  /** Measures, prints and writes verdicts, and returns the exit code. */
  public int judge(String name, Judged measurement) throws InterruptedException {
    Result.Builder result = begin(name);
    return run(() -> publish(result.verdicts(measurement.run()).end()));
  }

  /** Begins a result of this command, now. */
  public Result.Builder begin(String name) {
    return Result.begin(name, BuildVersion.text(), arguments(), Machine.facts());
  }

  /** Where results are printed. */
  public PrintWriter text() {
    return spec.commandLine().getOut();
  }

  /** The arguments as given. */
  public List<String> arguments() {
    return spec.commandLine().getParseResult().originalArgs();
  }

  /** Servers as children of this process. */
  public ServersPlan servers(boolean logOff, boolean logOn) {
    return servers(logOff, logOn, Optional.empty());
  }

  /** Servers as children of this process, or one that runs already. */
  public ServersPlan servers(boolean logOff, boolean logOn, Optional<InetSocketAddress> remote) {
    return new ServersPlan(
        logOff, logOn, remote, capacity, out, Tethered.class.getName(), serverOptions, List.of());
  }

  /** Refuses a flag. */
  public void check(boolean holds, String message) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }

  /** Refuses a number of repetitions, or a time, that is out of range. */
  public void checkRepetitions(double seconds, int repetitions) {
    check(seconds > 0 && seconds <= 3600, "--seconds must be above 0 and at most 3600");
    check(repetitions >= 1 && repetitions <= 100, "--rounds must be 1 to 100");
  }

  /**
   * Compiles a choice among names.
   *
   * @param flag begins the message of a refusal
   * @param what is chosen, in the singular
   */
  public Pattern pattern(String flag, String regexp, String what, List<String> names) {
    try {
      Pattern pattern = Pattern.compile(regexp);
      check(
          names.stream().anyMatch(name -> pattern.matcher(name).find()),
          flag
              + "no "
              + what
              + " has a match of '"
              + regexp
              + "'; they are: "
              + String.join("; ", names));
      return pattern;
    } catch (PatternSyntaxException e) {
      check(false, flag + "'" + regexp + "' is not a regular expression");
      throw e;
    }
  }
}
