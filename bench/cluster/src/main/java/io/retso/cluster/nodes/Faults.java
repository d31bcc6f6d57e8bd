package io.retso.cluster.nodes;

import io.retso.cluster.ClusterException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What can go wrong around the nodes of a cluster: with the network between them, and with the
 * disks of bookies. All of it takes namespaces, and ends with {@link #heal}. For one thread.
 */
public final class Faults {
  private final Layout layout;
  private final Namespaces namespaces;
  private final Links links;
  private final Disks disks;

  Faults(Path directory, Layout layout, Namespaces namespaces) {
    this.layout = layout;
    this.namespaces = namespaces;
    this.links = new Links(namespaces, layout);
    this.disks = new Disks(directory, namespaces, layout);
  }

  /** Which packets of a node are dropped. */
  public enum Direction {
    BOTH,
    /** It hears no other, but is heard. */
    IN,
    /** No other hears it, but it hears them. */
    OUT
  }

  private void requireNamespaces() throws ClusterException {
    if (!layout.namespaces()) {
      throw new ClusterException(
          "nodes on loopback addresses have no links of their own: begin the cluster with"
              + " --network namespaces",
          null);
    }
  }

  private void requireDisk(Node node) throws ClusterException {
    if (!layout.hasDisk(node)) {
      throw new ClusterException(
          node.name()
              + " has no disk of its own: begin the cluster with --network namespaces and"
              + " --bookie-disk, and name a bookie",
          null);
    }
  }

  /** Makes the disks of a cluster whose namespaces are new. */
  void mountDisks() throws IOException, InterruptedException {
    for (Node node : layout.nodes()) {
      if (layout.hasDisk(node)) {
        disks.mount(node);
      }
    }
  }

  /**
   * Cuts a node off, until it is healed.
   *
   * @param other from which it is cut off; null for all
   */
  public void partition(Node node, Node other, Direction direction)
      throws IOException, InterruptedException {
    requireNamespaces();
    List<Namespaces.Cut> cuts = new ArrayList<>();
    if (direction != Direction.IN) {
      cuts.add(new Namespaces.Cut(node, other));
    }
    if (direction != Direction.OUT) {
      cuts.add(new Namespaces.Cut(other, node));
    }
    namespaces.cut(cuts);
  }

  /**
   * Loses packets of a node, both ways.
   *
   * @param percent 1 to 99
   */
  public void lose(Node node, int percent) throws IOException, InterruptedException {
    requireNamespaces();
    links.lose(node, percent);
  }

  /**
   * Makes the link of a node slow, both ways: what waits for its turn is delayed.
   *
   * @param kilobits that pass in a second, 1 or more
   */
  public void slow(Node node, int kilobits) throws IOException, InterruptedException {
    requireNamespaces();
    links.slow(node, kilobits);
  }

  /** Fills the disk of a bookie. */
  public void fill(Node node) throws IOException, InterruptedException {
    requireDisk(node);
    disks.fill(node);
  }

  /** Ends partitions of one node; null for all nodes, and all else that was done here, too. */
  public void heal(Node node) throws IOException, InterruptedException {
    if (!layout.namespaces()) {
      return;
    }
    namespaces.heal(
        namespaces.cuts().stream()
            .filter(cut -> node == null || node.equals(cut.from()) || node.equals(cut.to()))
            .toList());
    if (node == null && namespaces.isUp()) {
      links.heal();
      for (Node bookie : layout.of(Role.BOOKIE)) {
        if (layout.hasDisk(bookie)) {
          disks.empty(bookie);
        }
      }
    }
  }

  /** What is wrong with the network at present, in words. */
  public List<String> present() throws IOException, InterruptedException {
    List<String> present = new ArrayList<>();
    if (layout.namespaces() && namespaces.isUp()) {
      namespaces.cuts().forEach(cut -> present.add("cut off: packets " + cut));
      present.addAll(links.faults());
    }
    return present;
  }
}
