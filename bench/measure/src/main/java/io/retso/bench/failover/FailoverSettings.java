package io.retso.bench.failover;

import io.retso.chaos.load.Load;
import io.retso.cluster.nodes.Layout;
import java.nio.file.Path;
import java.util.List;

/**
 * What is measured.
 *
 * @param counts of nodes
 * @param namespaces whether nodes can be cut off
 * @param load on the cluster while servers fail
 * @param unsaturated whether its rate is looked for that leaves processors idle
 * @param faults their names
 * @param trials of each, those of an earlier run that goes on included
 * @param uncleaned commits that are not cleaned up, before the first trial
 * @param idleTrials begins after an idle time
 * @param idleMillis the idle time
 * @param warmUpMillis full load before the first trial, at most; until no more of it is served, and
 *     compilers have done
 * @param betweenMillis load between two trials, at least; until all standbys are ready
 * @param seed of the order of faults
 * @param directory for the cluster and what is written
 */
public record FailoverSettings(
    Layout.Counts counts,
    boolean namespaces,
    Load.Plan load,
    boolean unsaturated,
    List<String> faults,
    int trials,
    long uncleaned,
    int idleTrials,
    long idleMillis,
    long warmUpMillis,
    long betweenMillis,
    long seed,
    Path directory) {

  /** Whether there is a bank whose books are looked into after each fault. */
  public boolean isJudged() {
    return uncleaned == 0; // its sweeps would clean up
  }

  /** Faults with a target, and others that are to be no more than a blip. */
  public static final List<String> FAULTS =
      List.of(
          "kill-leader",
          "kill-leader-and-bookie",
          "pause-leader",
          "partition-leader",
          "hand-over",
          "end-leader",
          "kill-bookie",
          "kill-zookeeper");
}
