package io.retso.bench.report;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Lines over a few values of something that grows, in panels above each other. */
public final class LineFigure {
  private static final int WIDTH = 880;
  private static final int LEFT = 90;
  private static final int RIGHT = 190;
  private static final int TOP = 84;
  private static final int PANEL = 190;
  private static final int GAP = 50;
  private static final int STEPS = 4;

  /** A line through one value for each category. */
  public record Line(String name, String colour, double[] values) {}

  /** Lines with a common axis, which begins at 0. */
  public record Panel(String name, List<Line> lines) {}

  private LineFigure() {}

  /**
   * Draws panels.
   *
   * @param categories what the values belong to, from left to right
   */
  public static String of(
      String title, String subtitle, List<String> categories, List<Panel> panels) {
    int height = TOP + panels.size() * (PANEL + GAP);
    Svg svg = new Svg(WIDTH, height, LEFT, RIGHT, title, subtitle, "");
    int top = TOP;
    for (Panel panel : panels) {
      panel(svg, panel, categories, top);
      top += PANEL + GAP;
    }
    return svg.end();
  }

  private static void panel(Svg svg, Panel panel, List<String> categories, int top) {
    double most =
        panel.lines().stream()
            .flatMapToDouble(line -> Arrays.stream(line.values()))
            .max()
            .orElse(1);
    double end = Svg.nice125(Math.max(most, 1e-6), true);
    int bottom = top + PANEL;
    for (int i = 0; i <= STEPS; i++) {
      double y = bottom - (double) PANEL * i / STEPS;
      svg.line(LEFT, y, WIDTH - RIGHT, y, Svg.GRID);
      svg.text(LEFT - 9, y + 4, "end", Svg.SOFT, "", Svg.trimmed(end * i / STEPS));
    }
    for (int i = 0; i < categories.size(); i++) {
      svg.text(x(i, categories.size()), bottom + 20, "middle", Svg.SOFT, "", categories.get(i));
    }
    svg.put(
        "<text transform='translate(20 %d) rotate(-90)' text-anchor='middle' fill='%s'>%s</text>",
        (top + bottom) / 2, Svg.INK, panel.name());
    for (Line line : panel.lines()) {
      line(svg, line, bottom, end);
    }
  }

  private static void line(Svg svg, Line line, int bottom, double end) {
    StringBuilder path = new StringBuilder();
    double y = bottom;
    for (int i = 0; i < line.values().length; i++) {
      double x = x(i, line.values().length);
      y = bottom - PANEL * Math.max(0, line.values()[i]) / end;
      path.append(String.format(Locale.ROOT, "%s%.1f %.1f ", i == 0 ? "M" : "L", x, y));
      svg.put("<circle cx='%.1f' cy='%.1f' r='4.5' fill='%s'/>", x, y, line.colour());
    }
    svg.put(
        "<path d='%s' fill='none' stroke='%s' stroke-width='2.2'/>",
        path.toString().trim(), line.colour());
    svg.text(WIDTH - RIGHT - 30, y + 4, "start", line.colour(), "font-size='12'", line.name());
  }

  private static double x(int i, int categories) {
    double width = WIDTH - RIGHT - LEFT - 80;
    return LEFT + 40 + (categories == 1 ? 0 : width * i / (categories - 1));
  }
}
