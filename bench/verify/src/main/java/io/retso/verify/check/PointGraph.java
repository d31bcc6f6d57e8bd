package io.retso.verify.check;

import java.util.Arrays;
import java.util.BitSet;

/**
 * A graph of instants: an edge says that one is before the other.
 *
 * <p>A transaction has two, start and commit, with an inner edge from the one to the other. Between
 * them lies its place in the serial order: a node of its own if it is serializable, the commit
 * otherwise. Further nodes stand for no transaction and let many share edges: a relation that leads
 * from a to such a node holds from a to every transaction that can be reached from there along
 * inner edges.
 */
final class PointGraph {
  private static final int INSTANTS = 3;

  private final int transactions;
  private final BitSet isSerializable;
  private int nodes;
  private int edges;
  private int[] sources = new int[1024];
  private int[] targets = new int[1024];
  private byte[] relations = new byte[1024];
  private long[] keys = new long[1024];

  /** For each node where its edges begin, after {@link #freeze}. */
  private int[] firstEdge;

  PointGraph(int transactions) {
    this.transactions = transactions;
    this.isSerializable = new BitSet(transactions);
    this.nodes = INSTANTS * transactions;
  }

  int start(int transaction) {
    return INSTANTS * transaction;
  }

  boolean isSerializable(int transaction) {
    return isSerializable.get(transaction);
  }

  /** Its place in the serial order. */
  int place(int transaction) {
    return isSerializable.get(transaction) ? INSTANTS * transaction + 1 : commit(transaction);
  }

  int commit(int transaction) {
    return INSTANTS * transaction + 2;
  }

  boolean isShared(int node) {
    return node >= INSTANTS * transactions;
  }

  /** Whose instant a node is that is not shared. */
  int transactionOf(int node) {
    return node / INSTANTS;
  }

  int addShared() {
    return nodes++;
  }

  /** Adds one, before any edge from or to it. */
  void addTransaction(int transaction, boolean serializable) {
    isSerializable.set(transaction, serializable);
    addInner(start(transaction), place(transaction));
    if (serializable) {
      addInner(place(transaction), commit(transaction));
    }
  }

  /** One read a version that the other one's append follows, and so missed it. */
  void addMiss(int reader, int writer, long key) {
    add(missing(reader), missed(reader, writer), Relation.RW, key);
  }

  /** The instant at which a reader's reads are right. */
  int missing(int reader) {
    return isSerializable.get(reader) ? place(reader) : start(reader);
  }

  private int missed(int reader, int writer) {
    return isSerializable.get(reader) ? place(writer) : commit(writer);
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
