package io.retso.bench;

import io.retso.bench.failover.FailoverPage;
import io.retso.bench.workload.SerializablePage;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code retso bench publish}. */
@Command(
    name = "publish",
    description = {
      "Puts results, such as those of smallbank, sibench, readers and tpcc, or of failover, into a"
          + " page of the documentation, as tables between its marks, and their figures beside it.",
      ""
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class PublishCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "DIR",
      description =
          "Where results are, as given by --out; of several, those of SmallBank count as one.")
  private List<Path> directories;

  @Option(
      names = "--page",
      paramLabel = "FILE",
      description =
          "The page. Default: docs/benchmarks/2026-11-23-serializable.md, of failover"
              + " docs/benchmarks-failover.md")
  private Path page;

  @Override
  public Integer call() {
    try {
      List<Path> ofFailover =
          directories.stream().filter(d -> Files.exists(d.resolve(FailoverPage.REPORT))).toList();
      List<Path> others = directories.stream().filter(d -> !ofFailover.contains(d)).toList();
      if (!ofFailover.isEmpty()) {
        said(FailoverPage.publish(ofFailover, pageOr("docs/benchmarks-failover.md")));
      }
      if (!others.isEmpty()) {
        said(
            SerializablePage.publish(others, pageOr("docs/benchmarks/2026-11-23-serializable.md")));
      }
      spec.commandLine().getOut().flush();
      return 0;
    } catch (IOException e) {
      spec.commandLine().getErr().println("retso bench: cannot publish: " + ErrorText.of(e));
      return 1;
    }
  }

  private Path pageOr(String standard) {
    return (page == null ? Path.of(standard) : page).toAbsolutePath();
  }

  private void said(List<Path> written) {
    written.forEach(file -> spec.commandLine().getOut().println("  written: " + file));
  }
}
