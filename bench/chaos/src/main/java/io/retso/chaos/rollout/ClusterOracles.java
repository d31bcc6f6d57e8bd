package io.retso.chaos.rollout;

import io.retso.cluster.nodes.Cluster;
import io.retso.cluster.nodes.Node;
import io.retso.cluster.nodes.Role;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Those of a cluster of processes. For one thread. */
final class ClusterOracles implements Oracles {
  private final Cluster cluster;
  private final List<Node> nodes;

  ClusterOracles(Cluster cluster) {
    this.cluster = cluster;
    this.nodes = cluster.layout().of(Role.ORACLE);
  }

  @Override
  public List<String> addresses() {
    return cluster.layout().oracles();
  }

  @Override
  public List<String> http() {
    return nodes.stream().map(node -> node.address() + ":" + Cluster.HTTP_PORT).toList();
  }

  @Override
  public void restart(int oracle, Map<String, String> settings)
      throws IOException, InterruptedException {
    cluster.configure(nodes.get(oracle), settings);
    cluster.restart(nodes.get(oracle));
  }

  @Override
  public void kill(int oracle) throws IOException, InterruptedException {
    cluster.kill(nodes.get(oracle));
  }
}
