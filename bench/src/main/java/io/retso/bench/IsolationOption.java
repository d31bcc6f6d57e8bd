package io.retso.bench;

import io.retso.hbase.options.Isolation;
import picocli.CommandLine.Option;

/** What benchmarks of transactional tables take. */
final class IsolationOption {
  @Option(
      names = "--isolation",
      paramLabel = "snapshot|serializable",
      defaultValue = "snapshot",
      description = "Of all transactions in HBase's tables. Default: ${DEFAULT-VALUE}")
  Isolation level;
}
