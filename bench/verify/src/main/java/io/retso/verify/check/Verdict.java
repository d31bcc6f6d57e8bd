package io.retso.verify.check;

import java.util.List;
import java.util.Map;

/**
 * What the checker found.
 *
 * @param model what the history was measured against
 * @param ok transactions whose clients know that they committed
 * @param failed transactions that certainly did not commit
 * @param unknown transactions of which it is not known
 * @param unknownSeen how many of those committed, since others saw them
 * @param keys keys that were read or appended to
 * @param writeWrite dependencies between writers of neighbouring versions
 * @param writeRead dependencies of readers on writers
 * @param readWrite anti-dependencies
 * @param anomalies the first of each kind, with explanations
 * @param anomalyCounts how many there are of each kind
 * @param withoutLastRead keys that were not read after their last acknowledged append, so that it
 *     could be lost unnoticed
 * @param writeSkews pairs of transactions of which each missed an append of the other one; snapshot
 *     isolation allows them
 * @param unserializable groups of transactions that no serial order explains, real time aside;
 *     snapshot isolation allows them where they are no anomaly
 */
public record Verdict(
    Model model,
    int ok,
    int failed,
    int unknown,
    int unknownSeen,
    int keys,
    long writeWrite,
    long writeRead,
    long readWrite,
    List<Anomaly> anomalies,
    Map<AnomalyKind, Integer> anomalyCounts,
    List<Long> withoutLastRead,
    long writeSkews,
    int unserializable) {

  /** Whether the model explains the history. */
  public boolean isConsistent() {
    return anomalyCounts.isEmpty();
  }

  /** How many anomalies there are, with those that are not kept. */
  public int anomalyTotal() {
    return anomalyCounts.values().stream().mapToInt(Integer::intValue).sum();
  }
}
