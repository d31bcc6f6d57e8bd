package io.retso.workload;

import picocli.CommandLine.Option;

/** How commands take the isolation of their transactions. */
public final class IsolationOption {
  @Option(
      names = "--isolation",
      paramLabel = "snapshot|serializable",
      description =
          "What transactions are promised: snapshot isolation or serializability. Default:"
              + " snapshot")
  private io.retso.hbase.options.Isolation level = io.retso.hbase.options.Isolation.SNAPSHOT;

  /** What they are promised. */
  public io.retso.hbase.options.Isolation level() {
    return level;
  }

  /** Whether they are serializable. */
  public boolean isSerializable() {
    return level == io.retso.hbase.options.Isolation.SERIALIZABLE;
  }
}
