package io.retso.verify.check;

import io.retso.verify.history.History;
import io.retso.verify.history.Step;
import io.retso.verify.history.Step.Append;
import io.retso.verify.history.Transaction;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Finds forbidden cycles, names and explains them: one of each component of the graph, of the most
 * basic kind that it has; other cycles may hide behind it.
 */
final class Cycles {
  private static final int WRITES = Relation.WW.bit();
  private static final int DATA = WRITES | Relation.WR.bit();
  private static final int ALL_DATA = DATA | Relation.RW.bit();

  /** What is tried one after the other: a cycle without real time says more than one with it. */
  private static final int[] LEVELS = {
    WRITES, DATA, ALL_DATA, DATA | Relation.RT.bit(), ALL_DATA | Relation.RT.bit()
  };

  private final History history;
  private final PointGraph graph;
  private final Anomalies anomalies;

  Cycles(History history, PointGraph graph, Anomalies anomalies) {
    this.history = history;
    this.graph = graph;
    this.anomalies = anomalies;
  }

  /** An edge of a cycle, between transactions. */
  private record Edge(Relation relation, long key, Transaction from, Transaction to) {
    String arrow() {
      String name = relation.name().toLowerCase(Locale.ROOT);
      return relation == Relation.RT ? " -rt-> " : " -" + name + "(k" + key + ")-> ";
    }

    String reason() {
      String names = from.name() + arrow() + to.name() + ": ";
      return names
          + switch (relation) {
            case WW -> to.name() + "'s append " + values(to) + " follows " + values(from);
            case WR -> to.name() + " read " + from.name() + "'s append " + values(from);
            case RW -> from.name() + " read k" + key + " without the append " + values(to);
            case RT ->
                String.format(
                    Locale.ROOT,
                    "%s completed (index %d) before %s was invoked (index %d)",
                    from.name(),
                    from.completed(),
                    to.name(),
                    to.invoked());
            case INNER -> throw new IllegalStateException("inner edges are not drawn");
          };
    }

    private String values(Transaction writer) {
      long[] values =
          writer.steps().stream()
              .filter(step -> step instanceof Append && step.key() == key)
              .mapToLong(step -> ((Append) step).value())
              .toArray();
      return Step.Read.show(values, values.length);
    }
  }

  /** Reports a cycle for each component that has one. */
  void find() {
    if (Components.of(graph, LEVELS[LEVELS.length - 1]).isEmpty()) {
      return;
    }
    BitSet reported = new BitSet();
    ShortCycle search = new ShortCycle(graph);
    for (int level : LEVELS) {
      for (int[] component : Components.of(graph, level)) {
        boolean isKnown = false;
        for (int node : component) {
          isKnown |= reported.get(node);
          reported.set(node);
        }
        if (!isKnown) {
          report(edges(search.in(component, level)), component);
        }
      }
    }
  }

  private List<Edge> edges(List<Integer> cycle) {
    List<Edge> edges = new ArrayList<>();
    for (int i = 0; i < cycle.size(); i++) {
      int edge = cycle.get(i);
      // From its target inner edges lead to where the next one begins.
      int next = cycle.get((i + 1) % cycle.size());
      edges.add(
          new Edge(
              graph.relation(edge),
              graph.key(edge),
              transactionAt(graph.source(edge)),
              transactionAt(graph.source(next))));
    }
    return edges;
  }

  private Transaction transactionAt(int node) {
    return history.transaction(graph.transactionOf(node));
  }

  private void report(List<Edge> cycle, int[] component) {
    Set<Transaction> members = new LinkedHashSet<>();
    cycle.forEach(edge -> members.add(edge.from));
    Set<Integer> involved = new LinkedHashSet<>();
    for (int node : component) {
      if (!graph.isShared(node)) {
        involved.add(graph.transactionOf(node));
      }
    }
    AnomalyKind kind = classify(cycle);
    anomalies.add(
        kind,
        () ->
            draw(cycle)
                + nickname(cycle)
                + others(involved.size() - members.size())
                + reasons(cycle),
        members.toArray(new Transaction[0]));
  }

  private static String draw(List<Edge> cycle) {
    StringBuilder text = new StringBuilder(cycle.get(0).from.name());
    cycle.forEach(edge -> text.append(edge.arrow()).append(edge.to.name()));
    return text.toString();
  }

  private static String others(int count) {
    return count <= 0
        ? ""
        : String.format(Locale.ROOT, "%n  (%d more transactions are entangled)", count);
  }

  private static String reasons(List<Edge> cycle) {
    StringBuilder text = new StringBuilder();
    cycle.forEach(edge -> text.append("\n  ").append(edge.reason()));
    return text.toString();
  }

  private static long count(List<Edge> cycle, Relation relation) {
    return cycle.stream().filter(edge -> edge.relation == relation).count();
  }

  private static AnomalyKind classify(List<Edge> cycle) {
    boolean isRealTime = count(cycle, Relation.RT) > 0;
    long missed = count(cycle, Relation.RW);
    if (missed > 1) {
      if (hasAdjacentMisses(cycle)) {
        return isRealTime ? AnomalyKind.G2_ITEM_REALTIME : AnomalyKind.G2_ITEM;
      }
      return isRealTime ? AnomalyKind.G_NONADJACENT_REALTIME : AnomalyKind.G_NONADJACENT;
    }
    if (missed == 1) {
      return isRealTime ? AnomalyKind.G_SINGLE_REALTIME : AnomalyKind.G_SINGLE;
    }
    if (count(cycle, Relation.WR) > 0) {
      return isRealTime ? AnomalyKind.G1C_REALTIME : AnomalyKind.G1C;
    }
    return isRealTime ? AnomalyKind.G0_REALTIME : AnomalyKind.G0;
  }

  private static boolean hasAdjacentMisses(List<Edge> cycle) {
    Relation before = cycle.get(cycle.size() - 1).relation;
    for (Edge edge : cycle) {
      if (before == Relation.RW && edge.relation == Relation.RW) {
        return true;
      }
      before = edge.relation;
    }
    return false;
  }

  /** The name that a small cycle has in the literature. */
  private static String nickname(List<Edge> cycle) {
    if (cycle.size() == 2 && count(cycle, Relation.RW) == 1) {
      Edge missed = cycle.get(0).relation == Relation.RW ? cycle.get(0) : cycle.get(1);
      Edge other = cycle.get(0) == missed ? cycle.get(1) : cycle.get(0);
      return switch (other.relation) {
        case WW -> missed.key == other.key ? "  (lost update)" : "";
        case WR -> "  (fractured read, or read skew)";
        case RT -> "  (stale read)";
        default -> "";
      };
    }
    boolean isFork =
        cycle.size() == 4 && count(cycle, Relation.RW) == 2 && count(cycle, Relation.WR) == 2;
    return isFork ? "  (long fork)" : "";
  }
}
