package io.retso.simulator;

import static io.retso.simulator.Violation.unless;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * Judges serializable transactions by the graph of dependencies among all that are committed in the
 * log: it must have no cycle, and no transaction may depend on one that began after its commit.
 *
 * <p>Edges come from rows alone, whatever ids a client named: to a reader from the newest version
 * below its start, from a reader to the next version, and from each version to the next. What is
 * not serializable has no reads here. Whatever order transactions come in, the edges that are drawn
 * at that time imply those that an order by commit timestamps would have drawn.
 *
 * <p>Each transaction is searched for as it comes, and only if something depends on an earlier one:
 * from it forward to the lowest commit that can be reached, and then backward, no further than that
 * commit.
 */
final class SerialOrder {
  private static final Footprint NOTHING = new Footprint(false, false);

  /** One that is committed, or a reader on a safe snapshot, whose commit is that snapshot. */
  private static final class Node {
    final long start;
    final long commit;
    final List<Node> before = new ArrayList<>();
    final List<Node> after = new ArrayList<>();

    Node(long start, long commit) {
      this.start = start;
      this.commit = commit;
    }

    /** It may lack what was committed before it began. */
    boolean isOnSafeSnapshot() {
      return start == commit;
    }

    @Override
    public String toString() {
      return start + "=" + commit;
    }
  }

  private static final class Row {
    final TreeMap<Long, Node> versions = new TreeMap<>(); // by commit
    final TreeMap<Long, List<Node>> readers = new TreeMap<>(); // by start
    final TreeMap<Long, Node> validators = new TreeMap<>(); // by commit
  }

  private final Map<Long, Row> rows = new HashMap<>();
  private final List<Node> nodes = new ArrayList<>();

  /** Footprints of those that asked to commit, by start. */
  private final TreeMap<Long, Footprint> asked = new TreeMap<>();

  private long newest;
  private long searches;

  /** How many were committed though others had changed what they read, or came late. */
  long searches() {
    return searches;
  }

  /** A transaction asks to commit. */
  void asks(long start, Footprint footprint) {
    asked.put(start, footprint);
  }

  /** The rows that the transaction has locked and not written, when it asked to commit. */
  Set<Long> lockedBy(long start) {
    return asked.getOrDefault(start, NOTHING).lockedRows();
  }

  /** A reader on a safe snapshot has read these rows. */
  void safeReader(long snapshot, Set<Long> read) {
    Node node = add(snapshot, snapshot);
    read.forEach(row -> reads(node, row(row)));
    search(node);
  }

  /** A transaction is committed for good. */
  void committed(long start, long commit, Collection<Long> written) {
    Footprint footprint = asked.getOrDefault(start, NOTHING);
    Node node = add(start, commit);
    footprint.readRows().forEach(row -> reads(node, row(row)));
    written.forEach(row -> writes(node, row, row(row)));
    footprint.validatedRows().forEach(row -> validates(node, row, row(row)));
    if (!node.after.isEmpty() || commit < newest) {
      search(node);
    }
    newest = Math.max(newest, commit);
  }

  private Node add(long start, long commit) {
    Node node = new Node(start, commit);
    nodes.add(node);
    return node;
  }

  private Row row(long row) {
    return rows.computeIfAbsent(row, r -> new Row());
  }

  private static void edge(Node from, Node to) {
    if (from != to) {
      from.after.add(to);
      to.before.add(from);
    }
  }

  private static void reads(Node node, Row row) {
    Map.Entry<Long, Node> version = row.versions.lowerEntry(node.start);
    Map.Entry<Long, Node> next = row.versions.higherEntry(node.start);
    if (version != null) {
      edge(version.getValue(), node);
    }
    if (next != null) {
      edge(node, next.getValue());
    }
    row.readers.computeIfAbsent(node.start, s -> new ArrayList<>(1)).add(node);
  }

  private static void writes(Node node, long id, Row row) {
    Map.Entry<Long, Node> before = row.versions.lowerEntry(node.commit);
    Map.Entry<Long, Node> after = row.versions.higherEntry(node.commit);
    NavigableMap<Long, List<Node>> readers = row.readers;
    if (before != null) {
      edge(before.getValue(), node);
      readers = readers.tailMap(before.getKey(), false);
    }
    if (after != null) {
      edge(node, after.getValue());
      readers = readers.headMap(after.getKey(), false);
    }
    readers
        .headMap(node.commit, false)
        .values()
        .forEach(those -> those.forEach(reader -> edge(reader, node)));
    readers
        .tailMap(node.commit, false)
        .values()
        .forEach(those -> those.forEach(reader -> edge(node, reader)));
    row.validators.tailMap(node.commit, false).values().forEach(v -> mustNotMeet(v, node, id));
    row.versions.put(node.commit, node);
  }

  private static void validates(Node node, long id, Row row) {
    row.versions
        .subMap(node.start, false, node.commit, false)
        .values()
        .forEach(version -> mustNotMeet(node, version, id));
    row.validators.put(node.commit, node);
  }

  private static void mustNotMeet(Node validator, Node writer, long id) {
    unless(
        writer.commit < validator.start || writer.commit > validator.commit,
        () -> validator + " validated row " + id + ", which " + writer + " had changed");
  }

  /** Whether everything is in order still, now that this one is there. */
  private void search(Node node) {
    searches++;
    Map<Node, Node> forward = new IdentityHashMap<>(); // to where each was reached from
    Map<Node, Node> backward = new IdentityHashMap<>();
    Node lowest = node;
    ArrayDeque<Node> rest = new ArrayDeque<>();
    for (Node at = node; at != null; at = rest.poll()) {
      for (Node next : at.after) {
        if (forward.putIfAbsent(next, at) == null) {
          lowest = next.commit < lowest.commit ? next : lowest;
          rest.add(next);
        }
      }
    }
    for (Node at = node; at != null; at = rest.poll()) {
      if (forward.containsKey(at)) {
        throw new Violation("a cycle of dependencies: " + path(at, node, at, forward, backward));
      }
      if (!at.isOnSafeSnapshot() && at.start > lowest.commit) {
        List<Node> path = path(at, node, lowest, forward, backward);
        throw new Violation("the first began after the commit of the last: " + path);
      }
      for (Node before : at.before) {
        // What is before a lower one, and began above it, was found when those two came.
        if (before.commit >= lowest.commit && backward.putIfAbsent(before, at) == null) {
          rest.add(before);
        }
      }
    }
  }

  /** From the first to the last, through the one from which they were searched. */
  private static List<Node> path(
      Node first, Node through, Node last, Map<Node, Node> forward, Map<Node, Node> backward) {
    List<Node> path = new ArrayList<>();
    for (Node at = first; at != through; at = backward.get(at)) {
      path.add(at);
    }
    path.add(through);
    int middle = path.size();
    Node at = last;
    while (forward.containsKey(at) && (at != through || path.size() == middle)) {
      path.add(middle, at);
      at = forward.get(at);
    }
    return path;
  }

  /** Forgets those that committed before a timestamp. */
  void forget(long horizon) {
    asked.headMap(horizon).clear();
    nodes.removeIf(
        node -> {
          if (node.commit < horizon) { // of younger ones that lead here, this is the end
            node.before.clear();
            node.after.clear();
          }
          return node.commit < horizon;
        });
    for (Row row : rows.values()) {
      row.versions.headMap(horizon).clear();
      row.readers.headMap(horizon).clear();
      row.validators.headMap(horizon).clear();
    }
  }
}
