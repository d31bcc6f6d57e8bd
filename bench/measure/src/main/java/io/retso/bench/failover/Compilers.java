package io.retso.bench.failover;

import io.retso.cluster.nodes.Cluster;
import io.retso.machine.ProcessTimes;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How much of this machine's processors the compilers of a cluster's JVMs take. For one thread. */
final class Compilers {
  private final Cluster cluster;
  private Map<Long, ProcessTimes> before = new HashMap<>();
  private long beforeNanos = System.nanoTime();

  /** Begins to look. */
  Compilers(Cluster cluster) throws IOException {
    this.cluster = cluster;
    nextShare();
  }

  /** 0 to 1, of the time since the last call; 0 if it is not known. */
  double nextShare() throws IOException {
    Map<Long, ProcessTimes> now = new HashMap<>();
    List<Long> pids = cluster.pids();
    long compilers = 0;
    for (long pid : pids) {
      ProcessTimes times = ProcessTimes.of(pid);
      now.put(pid, times);
      compilers += before.containsKey(pid) ? times.compilerNanos(before.get(pid)) : 0;
    }
    long nanos = System.nanoTime() - beforeNanos;
    before = now;
    beforeNanos += nanos;
    return (double) compilers / Runtime.getRuntime().availableProcessors() / Math.max(1, nanos);
  }
}
