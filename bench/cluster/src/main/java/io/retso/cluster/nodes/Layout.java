package io.retso.cluster.nodes;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.retso.cluster.ClusterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What a cluster consists of. It is decided once and kept in the cluster's directory.
 *
 * @param namespaces whether each node has a network namespace of its own; otherwise all are on
 *     loopback addresses
 * @param nodes in the order in which they start
 * @param settings of the oracles, beyond those that follow from the layout
 * @param bookieDiskMebibytes size of a disk in memory that each bookie has; 0 if its data is in the
 *     cluster's directory
 */
public record Layout(
    boolean namespaces, List<Node> nodes, Map<String, String> settings, int bookieDiskMebibytes) {
  private static final String FILE = "cluster.json";
  private static final int FIRST_HOST = 11;

  /** Oracles of a cluster, at most, and bookies. */
  static final int NODES_MAX = 20;

  /** How many of each. */
  public record Counts(int zooKeepers, int bookies, int oracles) {
    /** What is wrong with them; empty if nothing. */
    public Optional<String> problem() {
      boolean fits = oracles >= 1 && oracles <= NODES_MAX && bookies >= 1 && bookies <= NODES_MAX;
      return fits && (zooKeepers == 1 || zooKeepers == 3)
          ? Optional.empty()
          : Optional.of(
              "there can be 1 to "
                  + NODES_MAX
                  + " oracles and bookies each, and 1 or 3 ZooKeeper servers");
    }

    /** For people. */
    public String text(boolean inNamespaces) {
      return String.format(
          Locale.ROOT,
          "%d oracles, %d bookies, %d ZooKeeper servers, %s",
          oracles,
          bookies,
          zooKeepers,
          inNamespaces ? "in network namespaces" : "on loopback addresses");
    }
  }

  /**
   * Names nodes and gives them addresses.
   *
   * @param network the first three numbers of the addresses
   */
  static Layout create(
      Counts counts,
      boolean namespaces,
      String network,
      Cluster.Settings settings,
      int bookieDiskMebibytes)
      throws IOException {
    List<Node> nodes = new ArrayList<>();
    add(nodes, Role.ZOOKEEPER, counts.zooKeepers, network);
    add(nodes, Role.BOOKIE, counts.bookies, network);
    add(nodes, Role.ORACLE, counts.oracles, network);
    if (namespaces) {
      add(nodes, Role.CLIENT, 1, network);
    }
    List<String> hosts =
        nodes.stream().filter(node -> node.role() == Role.ORACLE).map(Node::address).toList();
    return new Layout(
        namespaces, List.copyOf(nodes), Map.copyOf(settings.of(hosts)), bookieDiskMebibytes);
  }

  private static void add(List<Node> nodes, Role role, int count, String network) {
    for (int i = 1; i <= count; i++) {
      nodes.add(new Node(role, i, network + "." + (FIRST_HOST + nodes.size())));
    }
  }

  /** Whether there is one. */
  static boolean exists(Path directory) {
    return Files.exists(directory.resolve(FILE));
  }

  /** Reads the layout of the cluster in a directory. */
  static Layout load(Path directory) throws IOException {
    if (!exists(directory)) {
      throw new ClusterException(
          "no cluster is in " + directory + ": begin one with up, or name its directory with --dir",
          null);
    }
    return new ObjectMapper()
        .readValue(directory.resolve(FILE).toFile(), new TypeReference<Layout>() {});
  }

  /** Keeps it. */
  void save(Path directory) throws IOException {
    new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .writeValue(directory.resolve(FILE).toFile(), this);
  }

  /** How many there are of each. */
  Counts counts() {
    return new Counts(of(Role.ZOOKEEPER).size(), of(Role.BOOKIE).size(), of(Role.ORACLE).size());
  }

  /** The nodes of a role. */
  public List<Node> of(Role role) {
    return nodes.stream().filter(node -> node.role() == role).toList();
  }

  /**
   * The node with a name.
   *
   * @throws ClusterException if there is none; the message lists those that there are
   */
  public Node node(String name) throws ClusterException {
    for (Node node : nodes) {
      if (node.name().equals(name)) {
        return node;
      }
    }
    String names = nodes.stream().map(Node::name).collect(Collectors.joining(", "));
    throw new ClusterException(name + " is no node of this cluster, which has " + names, null);
  }

  /** Whether a node has a disk of its own. */
  boolean hasDisk(Node node) {
    return node.role() == Role.BOOKIE && bookieDiskMebibytes > 0;
  }

  /** Where clients find the oracles, each {@code host:port}. */
  public List<String> oracles() {
    return of(Role.ORACLE).stream().map(Node::endpoint).toList();
  }

  /** Where ZooKeeper is, {@code host:port,...}. */
  public String zooKeeper() {
    return of(Role.ZOOKEEPER).stream().map(Node::endpoint).collect(Collectors.joining(","));
  }
}
