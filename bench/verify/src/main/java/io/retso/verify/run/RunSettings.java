package io.retso.verify.run;

import io.retso.verify.clients.ClusterAccess;
import io.retso.verify.clients.RunIsolation;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a run does.
 *
 * @param seed of all random numbers; threads and faults meet as they like, so it does not repeat a
 *     run to the letter
 * @param seconds how long clients work, in total
 * @param secondsMax how long they may go on if some faults have not had their turn by then
 * @param roundSeconds the most for a round, after which its history is judged
 * @param processes clients as processes of their own, which can be killed
 * @param threads transactions at a time, in each of them and in this process
 * @param listMax length from which a list is full
 * @param isolation of the transactions
 * @param faults names of what happens; see {@link #FAULTS}
 * @param given the cluster to run against; empty for one of this machine's own, made for the run
 * @param directory for everything that is written; it exists
 * @param keep whether histories of good rounds are kept
 * @param secured whether the oracle of the run's own cluster wants to know all of its clients
 */
public record RunSettings(
    long seed,
    double seconds,
    double secondsMax,
    double roundSeconds,
    int processes,
    int threads,
    int listMax,
    RunIsolation isolation,
    Set<String> faults,
    Optional<ClusterAccess> given,
    Path directory,
    boolean keep,
    boolean secured) {

  /** All faults. The last four need a cluster of the run's own. */
  public static final List<String> FAULTS =
      List.of(
          "client-kill",
          "manager-kill",
          "sweep",
          "flush",
          "compact",
          "major-compact",
          "move",
          "split",
          "merge",
          "server-kill",
          "master-kill",
          "oracle-kill",
          "oracle-pause");
}
