package io.retso.cluster;

/** Whose logs are forced to disk before an answer. */
public enum ForcedLogs {
  /** As installed: the oracle's, and not HBase's. */
  ORACLE,

  /** HBase's, too: nothing that was answered is lost with the power. */
  ALL,

  /** None: what is not on disk yet is lost with the power, commits included. */
  NONE;

  /** Sets this for a cluster that is to be started. */
  public LocalCluster.Builder in(LocalCluster.Builder cluster) {
    return switch (this) {
      case ORACLE -> cluster;
      case ALL -> cluster.set("hbase.wal.hsync", "true");
      case NONE -> cluster.oracleFlags("--log-sync=false");
    };
  }
}
