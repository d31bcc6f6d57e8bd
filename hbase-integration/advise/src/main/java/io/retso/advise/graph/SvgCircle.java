package io.retso.advise.graph;

import io.retso.advise.graph.DependencyGraph.Edge;
import java.util.List;
import java.util.Locale;

/** Draws a graph with its nodes on a circle, the same way each time. */
final class SvgCircle {
  private static final int NODE_HEIGHT = 34;
  private static final int LETTER_WIDTH = 8;
  private static final int MARGIN = 60;

  private final DependencyGraph graph;
  private final List<String> pivots;
  private final double radius;
  private final double center;
  private final StringBuilder out = new StringBuilder();

  SvgCircle(DependencyGraph graph) {
    this.graph = graph;
    pivots = graph.pivots();
    int widest = graph.nodes().stream().mapToInt(SvgCircle::width).max().orElse(0);
    radius = Math.max(110, graph.nodes().size() * (widest + 20) / (2 * Math.PI));
    center = radius + widest / 2.0 + MARGIN;
  }

  private static int width(String node) {
    return node.length() * LETTER_WIDTH + 28;
  }

  private double angle(String node) {
    return 2 * Math.PI * graph.nodes().indexOf(node) / graph.nodes().size() - Math.PI / 2;
  }

  private double x(String node) {
    return center + radius * Math.cos(angle(node));
  }

  private double y(String node) {
    return center + radius * Math.sin(angle(node));
  }

  String draw() {
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\""
            + " font-family=\"sans-serif\" font-size=\"14\">%n",
        2 * center, 2 * center);
    add(
        "<style>:root{color-scheme:light dark}path,ellipse{fill:none;stroke:#555}"
            + "text,.head{fill:#555}.vulnerable{stroke-dasharray:6 4;stroke:#c2410c}"
            + ".pivot{stroke:#c2410c;stroke-width:2}</style>%n");
    add(
        "<marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\""
            + " markerHeight=\"7\" orient=\"auto\"><path class=\"head\" d=\"M0 0L8 4L0 8z\"/>"
            + "</marker>%n");
    graph.edges().forEach(this::draw);
    graph.nodes().forEach(this::draw);
    return out.append("</svg>\n").toString();
  }

  private void draw(Edge edge) {
    String style = edge.isVulnerable() ? " class=\"vulnerable\"" : "";
    if (edge.from().equals(edge.to())) {
      double a = angle(edge.from());
      double x = x(edge.from()) + NODE_HEIGHT / 2.0 * Math.cos(a);
      double y = y(edge.from()) + NODE_HEIGHT / 2.0 * Math.sin(a);
      add(
          "<path%s marker-end=\"url(#a)\" d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\"/>%n",
          style,
          x - 9 * Math.sin(a),
          y + 9 * Math.cos(a),
          x + 42 * Math.cos(a) - 24 * Math.sin(a),
          y + 42 * Math.sin(a) + 24 * Math.cos(a),
          x + 42 * Math.cos(a) + 24 * Math.sin(a),
          y + 42 * Math.sin(a) - 24 * Math.cos(a),
          x + 9 * Math.sin(a),
          y - 9 * Math.cos(a));
      return;
    }
    double dx = x(edge.to()) - x(edge.from());
    double dy = y(edge.to()) - y(edge.from());
    double length = Math.hypot(dx, dy);
    // Bent to one side, so that the edge back has its own line.
    double bendX = (x(edge.from()) + x(edge.to())) / 2 - dy / length * 22;
    double bendY = (y(edge.from()) + y(edge.to())) / 2 + dx / length * 22;
    double[] from = border(edge.from(), bendX, bendY);
    double[] to = border(edge.to(), bendX, bendY);
    add(
        "<path%s marker-end=\"url(#a)\" d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\"/>%n",
        style, from[0], from[1], bendX, bendY, to[0], to[1]);
  }

  /** Where the line to a point leaves the ellipse of a node. */
  private double[] border(String node, double toX, double toY) {
    double dx = toX - x(node);
    double dy = toY - y(node);
    double scale = 1 / Math.hypot(dx / (width(node) / 2.0), dy / (NODE_HEIGHT / 2.0));
    return new double[] {x(node) + dx * scale, y(node) + dy * scale};
  }

  private void draw(String node) {
    add(
        "<ellipse%s cx=\"%.1f\" cy=\"%.1f\" rx=\"%.1f\" ry=\"%.1f\"/>%n",
        pivots.contains(node) ? " class=\"pivot\"" : "",
        x(node),
        y(node),
        width(node) / 2.0,
        NODE_HEIGHT / 2.0);
    add(
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>%n",
        x(node), y(node) + 5, node);
  }

  private void add(String format, Object... arguments) {
    out.append(String.format(Locale.ROOT, format.replace("%n", "\n"), arguments));
  }
}
