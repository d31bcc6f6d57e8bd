package io.retso.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
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
  private static final int NAME = 14;

  /**
   * A line through one value for each category.
   *
   * @param errors how far each value may be off, drawn as a bar; empty if that is not known
   */
  public record Line(String name, String colour, double[] values, double[] errors) {
    /** A line without bars. */
    public Line(String name, String colour, double[] values) {
      this(name, colour, values, new double[0]);
    }
  }

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
    names(svg, panel.lines(), bottom, end);
  }

  /** Beside the ends of the lines, in the same order, and not above each other. */
  private static void names(Svg svg, List<Line> lines, int bottom, double end) {
    List<Line> sorted = new ArrayList<>(lines);
    sorted.removeIf(line -> line.values().length == 0);
    sorted.sort(Comparator.comparingDouble(LineFigure::last));
    double free = Double.MAX_VALUE;
    for (Line line : sorted) {
      double y = Math.min(free, y(last(line), bottom, end) + 4);
      svg.text(WIDTH - RIGHT - 30, y, "start", line.colour(), "font-size='12'", line.name());
      free = y - NAME;
    }
  }

  private static double last(Line line) {
    return line.values()[line.values().length - 1];
  }

  private static double y(double value, int bottom, double end) {
    return bottom - PANEL * Math.max(0, value) / end;
  }

  private static void line(Svg svg, Line line, int bottom, double end) {
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < line.values().length; i++) {
      double x = x(i, line.values().length);
      double y = y(line.values()[i], bottom, end);
      if (i < line.errors().length) {
        double error = Math.min(line.values()[i], line.errors()[i]);
        svg.line(
            x,
            y(line.values()[i] + error, bottom, end),
            x,
            y(line.values()[i] - error, bottom, end),
            line.colour());
      }
      path.append(String.format(Locale.ROOT, "%s%.1f %.1f ", i == 0 ? "M" : "L", x, y));
      svg.put("<circle cx='%.1f' cy='%.1f' r='4.5' fill='%s'/>", x, y, line.colour());
    }
    svg.put(
        "<path d='%s' fill='none' stroke='%s' stroke-width='2.2'/>",
        path.toString().trim(), line.colour());
  }

  private static double x(int i, int categories) {
    double width = WIDTH - RIGHT - LEFT - 80;
    return LEFT + 40 + (categories == 1 ? 0 : width * i / (categories - 1));
  }
}
