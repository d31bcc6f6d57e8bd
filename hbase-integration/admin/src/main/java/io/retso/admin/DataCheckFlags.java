package io.retso.admin;

import io.retso.hbase.check.DataCheckOptions;
import io.retso.text.ErrorText;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Whether the data of a table is checked, and how. */
final class DataCheckFlags {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--data",
      description =
          "Looks for versions that have lost their marks, commits that will be lost, false"
              + " outcomes, versions of the future, and what dead clients have left. Reads the"
              + " whole table, and flushes it. Takes the rights of a sweep.")
  private boolean data;

  @Option(
      names = "--transactions-only",
      description =
          "With --data: no program without transactions has ever written to the table. Only then"
              + " can each lost mark be told from a plain version.")
  private boolean transactionsOnly;

  @Option(
      names = "--mend",
      description =
          "With --data: removes marks of transactions that are over, with what is left of them, as"
              + " a sweep does. All else is left as it is.")
  private boolean mend;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "With --data: regions that are read at a time, 1 to 64. Default: 4.")
  private Integer threads;

  /** Empty if the data is not checked. */
  Optional<DataCheckOptions> options() {
    if (!data && (transactionsOnly || mend || threads != null)) {
      throw wrong("--transactions-only, --mend and --threads go with --data: add it");
    }
    DataCheckOptions usual = DataCheckOptions.DEFAULT;
    int number = threads == null ? usual.threads() : threads;
    try {
      return data
          ? Optional.of(new DataCheckOptions(transactionsOnly, mend, number, usual.patience()))
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      throw wrong("--threads: " + ErrorText.of(e));
    }
  }

  private ParameterException wrong(String reason) {
    return new ParameterException(spec.commandLine(), reason);
  }
}
