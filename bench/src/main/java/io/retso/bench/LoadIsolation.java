package io.retso.bench;

import io.retso.bench.load.LoadPlan.Work;
import io.retso.hbase.options.Isolation;
import picocli.CommandLine.Option;

/** What benchmarks take that load the oracle without tables. */
final class LoadIsolation {
  @Option(
      names = "--isolation",
      paramLabel = "snapshot|serializable",
      defaultValue = "snapshot",
      description =
          "Of all transactions. Serializable ones write one row and read nine, others write 0 to"
              + " 20. Default: ${DEFAULT-VALUE}")
  private Isolation level;

  /** What the load repeats. */
  Work work() {
    return level == Isolation.SERIALIZABLE ? Work.CERTIFIED_READS : Work.TRANSACTIONS;
  }
}
