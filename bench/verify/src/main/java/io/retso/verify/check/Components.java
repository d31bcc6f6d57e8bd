package io.retso.verify.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Strongly connected components with more than one node: Tarjan's algorithm (1972) with a stack of
 * its own instead of recursion. Linear in nodes and edges.
 */
final class Components {
  private static final int UNVISITED = 0;

  private final PointGraph graph;
  private final int relationSet;
  private final int[] number;
  private final int[] low;
  private final int[] nextEdge;
  private final int[] stack;
  private final boolean[] isOnStack;
  private final List<int[]> found = new ArrayList<>();
  private int visited;
  private int height;

  private Components(PointGraph graph, int relationSet) {
    this.graph = graph;
    this.relationSet = relationSet;
    this.number = new int[graph.nodes()];
    this.low = new int[graph.nodes()];
    this.nextEdge = new int[graph.nodes()];
    this.stack = new int[graph.nodes()];
    this.isOnStack = new boolean[graph.nodes()];
  }

  /** The components along edges of some relations, each with its nodes in ascending order. */
  static List<int[]> of(PointGraph graph, int relationSet) {
    Components components = new Components(graph, relationSet);
    int[] path = new int[graph.nodes()];
    for (int root = 0; root < graph.nodes(); root++) {
      if (components.number[root] == UNVISITED) {
        components.visitFrom(root, path);
      }
    }
    components.found.sort((a, b) -> Integer.compare(a[0], b[0]));
    return components.found;
  }

  private void visitFrom(int root, int[] path) {
    int depth = 0;
    path[0] = root;
    enter(root);
    while (depth >= 0) {
      int node = path[depth];
      if (nextEdge[node] < graph.endOfEdges(node)) {
        int edge = nextEdge[node]++;
        int target = graph.target(edge);
        if (!graph.isIn(edge, relationSet)) {
          continue;
        }
        if (number[target] == UNVISITED) {
          enter(target);
          path[++depth] = target;
        } else if (isOnStack[target]) {
          low[node] = Math.min(low[node], number[target]);
        }
      } else {
        leave(node);
        depth--;
        if (depth >= 0) {
          low[path[depth]] = Math.min(low[path[depth]], low[node]);
        }
      }
    }
  }

  private void enter(int node) {
    number[node] = ++visited;
    low[node] = visited;
    nextEdge[node] = graph.firstEdge(node);
    stack[height++] = node;
    isOnStack[node] = true;
  }

  private void leave(int node) {
    if (low[node] != number[node]) {
      return;
    }
    int top = height;
    int member;
    do {
      member = stack[--height];
      isOnStack[member] = false;
    } while (member != node);
    if (top - height > 1) {
      int[] component = Arrays.copyOfRange(stack, height, top);
      Arrays.sort(component);
      found.add(component);
    }
  }
}
