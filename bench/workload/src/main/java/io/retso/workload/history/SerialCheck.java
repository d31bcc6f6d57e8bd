package io.retso.workload.history;

import io.retso.verify.check.SerialGraph;
import io.retso.verify.check.SerialGraph.Edge;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;

/**
 * Decides from what was read and written whether a serial order explains it.
 *
 * <p><strong>The edges.</strong> A value says which transaction wrote it. So A precedes B if B read
 * what A wrote (wr), and if B replaced what A read (rw): B did if it read the same version of the
 * row before it wrote the row. Two that replace the same version precede each other, which is a
 * lost update. Edges between writers need no lines of their own: a writer that replaces a version
 * has read it.
 *
 * <p><strong>What it means.</strong> What is found is there: every edge holds in any serial order.
 * Nothing is missed if all transactions were recorded, and each read a row before it wrote it; of
 * rows that were written and not read it is not known what they replaced.
 */
public final class SerialCheck {
  private static final int EXAMPLE_MAX = 12;

  private final History history;
  private final List<Recorded> committed;
  private final Versions versions;

  /**
   * What was found.
   *
   * @param transactions how many were judged
   * @param unrecorded how many more were committed
   * @param groups groups of transactions that precede each other: each has a cycle at least
   * @param members how many transactions those are
   * @param unknownWriters reads of values whose writer was neither recorded nor there before
   * @param needless transactions that were refused for what they read, although with those of whose
   *     commits had been learned there was no cycle through them
   * @param example a short cycle; empty if there is none
   */
  public record Verdict(
      int transactions,
      long unrecorded,
      int groups,
      int members,
      int unknownWriters,
      int needless,
      String example) {
    /** Whether a serial order explains all that was recorded. */
    public boolean isSerializable() {
      return groups == 0 && unknownWriters == 0;
    }
  }

  private SerialCheck(History history) {
    this.history = history;
    committed = history.ended().stream().filter(Recorded::committed).toList();
    versions = new Versions(committed);
  }

  /** Checks a history: linear in its size, but for the refused transactions. */
  public static Verdict check(History history) {
    return new SerialCheck(history).check();
  }

  private Verdict check() {
    SerialGraph graph = new SerialGraph(committed.size());
    for (int i = 0; i < committed.size(); i++) {
      int from = i;
      versions.after(committed.get(i), (relation, row, to) -> graph.add(from, relation, row, to));
    }
    List<int[]> groups = graph.groups();
    return new Verdict(
        committed.size(),
        history.unrecorded(),
        groups.size(),
        groups.stream().mapToInt(group -> group.length).sum(),
        unknownWriters(),
        needless(),
        groups.isEmpty() ? "" : shown(shortest(graph, groups)));
  }

  /** Writers that are not known were refused, if all were recorded. */
  private int unknownWriters() {
    if (history.unrecorded() > 0 || committed.isEmpty()) {
      return 0;
    }
    long first = committed.stream().mapToLong(Recorded::number).min().orElse(0);
    int unknown = 0;
    for (Recorded reader : committed) {
      for (long writer : reader.reads().values()) {
        unknown += writer >= first && versions.placeOf(writer) == Versions.NOBODY ? 1 : 0;
      }
    }
    return unknown;
  }

  /** At most so many: of two that were decided together the earlier may be learned of later. */
  private int needless() {
    int needless = 0;
    int before = 0;
    for (Recorded transaction : history.ended()) {
      if (transaction.committed()) {
        before++;
      } else if (!closesCycle(transaction, before)) {
        needless++;
      }
    }
    return needless;
  }

  /** Whether a way leads from those after it to those before it, along the first ones. */
  private boolean closesCycle(Recorded refused, int among) {
    BitSet ends = new BitSet();
    versions.before(refused, (relation, row, place) -> ends.set(place));
    BitSet seen = new BitSet();
    ArrayDeque<Integer> queue = new ArrayDeque<>();
    Versions.Edges follow =
        (relation, row, place) -> {
          if (place < among && !seen.get(place)) {
            seen.set(place);
            queue.add(place);
          }
        };
    versions.after(refused, follow);
    while (!queue.isEmpty()) {
      versions.after(versions.at(queue.remove()), follow);
    }
    return seen.intersects(ends);
  }

  private static List<Edge> shortest(SerialGraph graph, List<int[]> groups) {
    int[] smallest = groups.get(0);
    for (int[] group : groups) {
      smallest = group.length < smallest.length ? group : smallest;
    }
    return graph.cycle(smallest);
  }

  private String shown(List<Edge> cycle) {
    StringBuilder text = new StringBuilder(name(cycle.get(0).from()));
    for (Edge edge : cycle.subList(0, Math.min(cycle.size(), EXAMPLE_MAX))) {
      text.append(" -")
          .append(edge.relation().name().toLowerCase(Locale.ROOT))
          .append("-> ")
          .append(name(edge.to()));
    }
    return text.append(cycle.size() > EXAMPLE_MAX ? " ..." : "").toString();
  }

  private String name(int place) {
    return committed.get(place).name() + " " + committed.get(place).number();
  }
}
