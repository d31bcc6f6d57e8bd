package io.retso.advise.graph;

import io.retso.advise.model.Program;
import io.retso.advise.model.Programs;
import io.retso.advise.search.Dependencies;
import java.util.ArrayList;
import java.util.List;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * The static dependency graph of Fekete et al. (TODS 2005): an edge from one program to another if
 * transactions of them can depend on each other. An edge is vulnerable if the first one can read
 * what the second one, beside it, overwrites, and both can commit. Immutable.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class DependencyGraph {
  /**
   * A dependency.
   *
   * @param isVulnerable whether both can run at the same time, and commit
   */
  public record Edge(String from, String to, boolean isVulnerable) {}

  private final List<String> nodes;
  private final List<Edge> edges;

  private DependencyGraph(List<String> nodes, List<Edge> edges) {
    this.nodes = List.copyOf(nodes);
    this.edges = List.copyOf(edges);
  }

  /** That of some programs. */
  public static DependencyGraph of(Programs programs) {
    Dependencies dependencies = new Dependencies(programs);
    List<String> names = programs.all().stream().map(Program::name).toList();
    List<Edge> edges = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      for (int j = 0; j < names.size(); j++) {
        if (dependencies.depends(i, j)) {
          edges.add(new Edge(names.get(i), names.get(j), dependencies.isVulnerable(i, j)));
        }
      }
    }
    return new DependencyGraph(names, edges);
  }

  /** Names of programs. */
  public List<String> nodes() {
    return nodes;
  }

  /** From each to each, in the order of the programs. */
  public List<Edge> edges() {
    return edges;
  }

  /**
   * Programs that a vulnerable edge enters and another one leaves, on a cycle: without any of them
   * the programs are safe. The reverse does not hold: keys are not looked at.
   */
  public List<String> pivots() {
    return nodes.stream()
        .filter(
            node ->
                edges.stream()
                    .filter(in -> in.isVulnerable() && in.to().equals(node))
                    .anyMatch(
                        in ->
                            edges.stream()
                                .filter(out -> out.isVulnerable() && out.from().equals(node))
                                .anyMatch(out -> leads(out.to(), in.from()))))
        .toList();
  }

  /** Whether some way leads from one program to another; none is needed to itself. */
  private boolean leads(String from, String to) {
    List<String> reached = new ArrayList<>(List.of(from));
    for (int i = 0; i < reached.size(); i++) {
      String at = reached.get(i);
      edges.stream()
          .filter(edge -> edge.from().equals(at) && !reached.contains(edge.to()))
          .forEach(edge -> reached.add(edge.to()));
    }
    return reached.contains(to);
  }

  /** As Graphviz draws it: vulnerable edges are dashed, pivots have two lines around them. */
  public String toDot() {
    StringBuilder text = new StringBuilder("digraph programs {\n  node [shape=ellipse];\n");
    List<String> pivots = pivots();
    for (String node : nodes) {
      text.append("  \"").append(node).append('"');
      text.append(pivots.contains(node) ? " [peripheries=2]" : "").append(";\n");
    }
    for (Edge edge : edges) {
      text.append("  \"").append(edge.from()).append("\" -> \"").append(edge.to()).append('"');
      text.append(edge.isVulnerable() ? " [style=dashed]" : "").append(";\n");
    }
    return text.append("}\n").toString();
  }

  /** As a picture, with the programs on a circle. */
  public String toSvg() {
    return new SvgCircle(this).draw();
  }
}
