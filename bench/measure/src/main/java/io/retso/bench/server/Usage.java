package io.retso.bench.server;

import io.retso.machine.Machine;
import io.retso.machine.ProcessTimes;
import io.retso.report.CpuFigures;
import java.util.Map;

/**
 * What this process, a server and its metrics have counted up to one moment.
 *
 * @param server null if it is not a child of this process
 */
public record Usage(
    long nanos,
    long ownCpuNanos,
    long stolenNanos,
    ProcessTimes server,
    Map<String, Double> metrics) {

  private static final double INFINITE = Double.POSITIVE_INFINITY;

  /** Reads everything; {@code child} is null if the server runs elsewhere. */
  public static Usage read(ServerProcess child, ServerMetrics metrics) throws InterruptedException {
    return new Usage(
        System.nanoTime(),
        Machine.ownCpuNanos(),
        Machine.stolenNanos(),
        child == null ? null : ProcessTimes.of(child.pid()),
        child == null ? Map.of() : metrics.read(child.httpPort()));
  }

  /** Processor time since an earlier moment. */
  public CpuFigures cpuSince(Usage before) {
    double span = nanos - before.nanos;
    double client = (ownCpuNanos - before.ownCpuNanos) / span;
    double stolen = (stolenNanos - before.stolenNanos) / span;
    if (server == null) {
      return new CpuFigures(-1, -1, -1, -1, client, stolen);
    }
    return new CpuFigures(
        server.cores(before.server),
        server.oracleCores(before.server),
        server.oracleWaits(before.server),
        server.compilerCores(before.server),
        client,
        stolen);
  }

  /**
   * A bound of the largest value that a histogram has recorded since an earlier moment, in its own
   * unit; negative if it has not recorded anything, infinite if it has no such bound.
   */
  public double longest(Usage before, String histogram) {
    double recorded = grown(before, histogram + "_count");
    String buckets = histogram + "_bucket/";
    return metrics.keySet().stream()
        .filter(name -> recorded > 0 && name.startsWith(buckets))
        .filter(name -> grown(before, name) >= recorded)
        .map(name -> name.substring(buckets.length()))
        .mapToDouble(bound -> bound.equals("+Inf") ? INFINITE : Double.parseDouble(bound))
        .min()
        .orElse(-1);
  }

  /** By how much a metric has grown since an earlier moment. */
  public double grown(Usage before, String name) {
    return metrics.getOrDefault(name, 0.0) - before.metrics.getOrDefault(name, 0.0);
  }
}
