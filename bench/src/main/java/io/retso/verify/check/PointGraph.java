package io.retso.verify.check;

import java.util.Arrays;

/**
 * A graph of instants: an edge says that one is before the other.
 *
 * <p>Under snapshot isolation a transaction t has two, start and commit, with an inner edge from
 * the one to the other; under serializability both are one node. Further nodes stand for no
 * transaction and let many share edges: a relation that leads from a to such a node holds from a to
 * every transaction that can be reached from there along inner edges.
 */
final class PointGraph {
  private final int transactions;
  private final boolean isSplit;
  private int nodes;
  private int edges;
  private int[] sources = new int[1024];
  private int[] targets = new int[1024];
  private byte[] relations = new byte[1024];
  private long[] keys = new long[1024];

  /** For each node where its edges begin, after {@link #freeze}. */
  private int[] firstEdge;

  PointGraph(int transactions, Model model) {
    this.transactions = transactions;
    this.isSplit = model == Model.STRONG_SNAPSHOT_ISOLATION;
    this.nodes = 2 * transactions;
  }

  int start(int transaction) {
    return 2 * transaction;
  }

  int commit(int transaction) {
    return isSplit ? 2 * transaction + 1 : 2 * transaction;
  }

  boolean isShared(int node) {
    return node >= 2 * transactions;
  }

  /** Whose instant a node is that is not shared. */
  int transactionOf(int node) {
    return node >> 1;
  }

  int addShared() {
    return nodes++;
  }

  void addTransaction(int transaction) {
    if (isSplit) {
      addInner(start(transaction), commit(transaction));
    }
  }

  void addInner(int source, int target) {
    add(source, target, Relation.INNER, 0);
  }

  void add(int source, int target, Relation relation, long key) {
    if (edges == sources.length) {
      int larger = Math.multiplyExact(edges, 2);
      sources = Arrays.copyOf(sources, larger);
      targets = Arrays.copyOf(targets, larger);
      relations = Arrays.copyOf(relations, larger);
      keys = Arrays.copyOf(keys, larger);
    }
    sources[edges] = source;
    targets[edges] = target;
    relations[edges] = (byte) relation.bit();
    keys[edges] = key;
    edges++;
  }

  /** Sorts the edges by their sources; nothing may be added afterwards. */
  void freeze() {
    int[] first = new int[nodes + 1];
    for (int e = 0; e < edges; e++) {
      first[sources[e] + 1]++;
    }
    for (int n = 0; n < nodes; n++) {
      first[n + 1] += first[n];
    }
    int[] next = Arrays.copyOf(first, nodes);
    int[] sortedSources = new int[edges];
    int[] sortedTargets = new int[edges];
    byte[] sortedRelations = new byte[edges];
    long[] sortedKeys = new long[edges];
    for (int e = 0; e < edges; e++) {
      int place = next[sources[e]]++;
      sortedSources[place] = sources[e];
      sortedTargets[place] = targets[e];
      sortedRelations[place] = relations[e];
      sortedKeys[place] = keys[e];
    }
    sources = sortedSources;
    targets = sortedTargets;
    relations = sortedRelations;
    keys = sortedKeys;
    firstEdge = first;
  }

  int nodes() {
    return nodes;
  }

  int edges() {
    return edges;
  }

  /** The first edge that leaves a node. */
  int firstEdge(int node) {
    return firstEdge[node];
  }

  /** The edge after the last one that leaves a node. */
  int endOfEdges(int node) {
    return firstEdge[node + 1];
  }

  int source(int edge) {
    return sources[edge];
  }

  int target(int edge) {
    return targets[edge];
  }

  /** Whether an edge's relation is in a set; inner edges are in every set. */
  boolean isIn(int edge, int relationSet) {
    return (relations[edge] & (relationSet | Relation.INNER.bit())) != 0;
  }

  Relation relation(int edge) {
    return Relation.values()[Integer.numberOfTrailingZeros(relations[edge])];
  }

  boolean isInner(int edge) {
    return relations[edge] == Relation.INNER.bit();
  }

  long key(int edge) {
    return keys[edge];
  }
}
