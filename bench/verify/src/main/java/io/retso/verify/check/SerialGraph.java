package io.retso.verify.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which transactions precede which, and where no serial order explains that. The transactions have
 * the numbers from 0 on. For one thread; linear in transactions and edges, some 60 bytes each.
 */
public final class SerialGraph {
  private static final int ALL = Relation.WW.bit() | Relation.WR.bit() | Relation.RW.bit();

  private final PointGraph graph;

  /**
   * One precedes another.
   *
   * @param key where they meet
   */
  public record Edge(int from, Relation relation, long key, int to) {}

  /** A graph without edges. */
  public SerialGraph(int transactions) {
    graph = new PointGraph(transactions);
  }

  /** Adds an edge; one from a transaction to itself says nothing and is left out. */
  public void add(int from, Relation relation, long key, int to) {
    if (from != to) {
      graph.add(graph.start(from), graph.start(to), relation, key);
    }
  }

  /**
   * Finds all groups of transactions that precede each other: every cycle lies within one of them.
   * No edge may be added afterwards.
   *
   * @return the members of each; empty if the transactions are serializable
   */
  public List<int[]> groups() {
    graph.freeze();
    return Components.of(graph, ALL).stream()
        .map(nodes -> Arrays.stream(nodes).map(graph::transactionOf).toArray())
        .toList();
  }

  /** A short cycle within a group. */
  public List<Edge> cycle(int[] group) {
    int[] nodes = Arrays.stream(group).map(graph::start).toArray();
    List<Edge> edges = new ArrayList<>();
    for (int edge : new ShortCycle(graph).in(nodes, ALL)) {
      edges.add(
          new Edge(
              graph.transactionOf(graph.source(edge)),
              graph.relation(edge),
              graph.key(edge),
              graph.transactionOf(graph.target(edge))));
    }
    return edges;
  }
}
