package io.retso.chaos.run;

import io.retso.chaos.load.Load;
import io.retso.cluster.nodes.Layout;
import io.retso.verify.clients.RunIsolation;
import java.nio.file.Path;
import java.util.List;

/**
 * A run under faults.
 *
 * @param counts of nodes
 * @param namespaces whether the network and the disks have faults, too
 * @param seconds how long clients work
 * @param seed of all random numbers
 * @param isolation of the transactions that are judged
 * @param load transactions at a constant rate whose answers are timed
 * @param faults names of those that may happen; empty for all that can
 * @param otherBuild the class path of another build, for upgrades; null for none
 * @param secured whether oracles want to know each other and all of their clients
 * @param directory for the cluster and all that is written
 */
public record ChaosSettings(
    Layout.Counts counts,
    boolean namespaces,
    double seconds,
    long seed,
    RunIsolation isolation,
    Load.Plan load,
    List<String> faults,
    String otherBuild,
    boolean secured,
    Path directory) {}
