package io.retso.chaos.rollout;

import io.retso.cluster.SecuredFiles;
import io.retso.cluster.nodes.Cluster;
import io.retso.cluster.nodes.Layout;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A {@link Rollout} on a cluster of processes, which is made for it. */
public final class RolloutRun {
  /** Small, as one machine has all of them. */
  private static final Map<String, String> SMALL =
      Map.of("rows", "1M", "window.timestamps", "2^20", "uncleaned.max", "400k");

  private RolloutRun() {}

  /**
   * Makes a cluster on loopback addresses, takes all steps, and ends the cluster.
   *
   * @param counts of its nodes; at least two oracles
   * @param secondsPerStep for how long applications go on after each step, at least
   * @param directory for the cluster, which leaves nothing there
   * @param out takes what is done, and a table
   * @return what was wrong
   * @throws IOException if the cluster cannot be started, or a step cannot be taken
   */
  public static List<String> run(
      Layout.Counts counts, long secondsPerStep, Path directory, PrintWriter out)
      throws IOException, InterruptedException {
    SecuredFiles[] files = new SecuredFiles[1];
    Path root = directory.resolve("cluster");
    return Cluster.during(
        root,
        counts,
        false,
        hosts -> {
          files[0] = SecuredFiles.make(root, "required", hosts);
          Map<String, String> settings = new HashMap<>(SMALL);
          settings.putAll(Rollout.settingsBefore());
          return settings;
        },
        0,
        line -> {
          out.println(line);
          out.flush();
        },
        cluster -> Rollout.run(new ClusterOracles(cluster), files[0], secondsPerStep, out));
  }
}
