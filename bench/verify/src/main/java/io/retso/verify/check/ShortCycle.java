package io.retso.verify.check;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;

/**
 * Finds a short cycle in a component: breadth first from some of its nodes, where inner edges cost
 * nothing, since people do not see them.
 */
final class ShortCycle {
  /** From how many nodes of a component the search begins: the first ones. */
  private static final int ORIGINS_MAX = 32;

  private static final int FAR = Integer.MAX_VALUE;

  private final PointGraph graph;
  private final int[] distance;
  private final int[] edgeTo;

  ShortCycle(PointGraph graph) {
    this.graph = graph;
    this.distance = new int[graph.nodes()];
    this.edgeTo = new int[graph.nodes()];
  }

  /** The edges of a cycle, without inner ones, of the shortest one through the first nodes. */
  List<Integer> in(int[] component, int relationSet) {
    BitSet members = new BitSet();
    for (int node : component) {
      members.set(node);
    }
    List<Integer> best = List.of();
    int origins = 0;
    for (int node : component) {
      if (origins < ORIGINS_MAX && !graph.isShared(node) && best.size() != 2) {
        List<Integer> cycle = through(node, component, members, relationSet);
        best = best.isEmpty() || cycle.size() < best.size() ? cycle : best;
        origins++;
      }
    }
    return best;
  }

  private List<Integer> through(int origin, int[] component, BitSet members, int relationSet) {
    for (int node : component) {
      distance[node] = FAR;
    }
    ArrayDeque<Integer> queue = new ArrayDeque<>();
    BitSet done = new BitSet();
    distance[origin] = 0;
    queue.add(origin);
    int closing = -1;
    int shortest = FAR;
    while (!queue.isEmpty() && distance[queue.peek()] < shortest) {
      int node = queue.remove();
      if (done.get(node)) {
        continue;
      }
      done.set(node);
      for (int e = graph.firstEdge(node); e < graph.endOfEdges(node); e++) {
        int target = graph.target(e);
        if (!graph.isIn(e, relationSet) || !members.get(target)) {
          continue;
        }
        int length = distance[node] + (graph.isInner(e) ? 0 : 1);
        if (target == origin) {
          if (length < shortest) {
            shortest = length;
            closing = e;
          }
        } else if (length < distance[target]) {
          distance[target] = length;
          edgeTo[target] = e;
          if (graph.isInner(e)) {
            queue.addFirst(target);
          } else {
            queue.addLast(target);
          }
        }
      }
    }
    return visible(origin, closing);
  }

  private List<Integer> visible(int origin, int closing) {
    List<Integer> cycle = new ArrayList<>();
    int edge = closing;
    while (true) {
      if (!graph.isInner(edge)) {
        cycle.add(edge);
      }
      if (graph.source(edge) == origin) {
        Collections.reverse(cycle);
        return cycle;
      }
      edge = edgeTo[graph.source(edge)];
    }
  }
}
