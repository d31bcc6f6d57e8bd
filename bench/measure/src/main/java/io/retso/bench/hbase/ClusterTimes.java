package io.retso.bench.hbase;

import io.retso.cluster.LocalCluster;
import io.retso.machine.ProcessTimes;

/** What the client (this process), HBase and the oracle had of the processors at one moment. */
final class ClusterTimes {
  /** Above it, what is measured is the JVMs' youth. */
  static final double COMPILERS_MAX = 0.1;

  private final ProcessTimes client;
  private final ProcessTimes hbase;
  private final ProcessTimes oracle;

  private ClusterTimes(LocalCluster cluster) {
    client = ProcessTimes.of(ProcessHandle.current().pid());
    hbase = ProcessTimes.of(cluster.hbaseProcesses().get(0).pid()); // master and region server
    oracle = ProcessTimes.of(cluster.oracleProcess().pid());
  }

  static ClusterTimes of(LocalCluster cluster) {
    return new ClusterTimes(cluster);
  }

  /**
   * Processor time between two moments, nanoseconds.
   *
   * @param compilers of that, what the compilers of the three JVMs took; 0 if it is not known
   */
  record Spent(long client, long hbase, long oracle, long compilers) {
    /** The compilers' share, 0 to 1. */
    double compilerShare() {
      return (double) compilers / Math.max(1, client + hbase + oracle);
    }
  }

  Spent since(ClusterTimes before) {
    return new Spent(
        client.cpuNanos(before.client),
        hbase.cpuNanos(before.hbase),
        oracle.cpuNanos(before.oracle),
        client.compilerNanos(before.client)
            + hbase.compilerNanos(before.hbase)
            + oracle.compilerNanos(before.oracle));
  }
}
