package io.retso.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What happened over time: throughput, the longest waits on a logarithmic axis, the leaders, and
 * faults as bands with their names.
 */
public final class TimelineFigure {
  private static final int WIDTH = 1400;
  private static final int LEFT = 80;
  private static final int RIGHT = 30;
  private static final int TOP = 190;
  private static final int PANEL = 200;
  private static final int GAP = 30;
  private static final int STRIP = 26;
  private static final int STEPS = 4;
  private static final int BOTTOM = 50;
  private static final int COLUMNS_MAX = WIDTH - LEFT - RIGHT;
  private static final double MILLIS_MIN = 1;
  private static final double MILLIS_MAX = 100_000;
  private static final String FAULT = "#de3a11";
  private static final List<String> COLOURS =
      List.of("#2186eb", "#e8833a", "#3ebd93", "#8719e0", "#f0b429");

  private final Svg svg;
  private final double seconds;

  /**
   * Something that lasted.
   *
   * @param from seconds since the begin, as all times here
   */
  public record Span(String name, double from, double to) {}

  /** The longest waits in each step; 0 where nothing was answered. */
  public record Waits(String name, float[] slowestMillis) {}

  private TimelineFigure(String title, String subtitle, double seconds) {
    int height = TOP + 2 * (PANEL + GAP) + STRIP + BOTTOM;
    this.svg = new Svg(WIDTH, height, LEFT, RIGHT, title, subtitle, "");
    this.seconds = Math.max(1e-3, seconds);
  }

  /**
   * Draws them.
   *
   * @param stepSeconds length of the steps of what was counted and measured
   * @param counts answers in each step
   */
  public static String of(
      String title,
      String subtitle,
      double stepSeconds,
      int[] counts,
      List<Waits> waits,
      List<Span> leaders,
      List<Span> faults) {
    TimelineFigure figure = new TimelineFigure(title, subtitle, counts.length * stepSeconds);
    figure.faults(faults);
    figure.throughput(counts, stepSeconds);
    figure.waits(waits);
    figure.leaders(leaders);
    figure.axis();
    return figure.svg.end();
  }

  private double x(double at) {
    return LEFT + (WIDTH - LEFT - RIGHT) * Math.min(1, Math.max(0, at / seconds));
  }

  private void faults(List<Span> faults) {
    int bottom = TOP + 2 * PANEL + GAP;
    for (Span fault : faults) {
      svg.put(
          "<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='%s' fill-opacity='0.1'/>",
          x(fault.from()), TOP, Math.max(1, x(fault.to()) - x(fault.from())), bottom - TOP, FAULT);
      svg.put(
          "<text transform='translate(%.1f %d) rotate(-50)' font-size='11' fill='%s'>%s</text>",
          x(fault.from()) + 4, TOP - 6, FAULT, fault.name());
    }
  }

  private void throughput(int[] counts, double stepSeconds) {
    double[] perSecond = new double[columns(counts.length)];
    double most = 0;
    for (int i = 0; i < perSecond.length; i++) {
      int from = from(i, counts.length);
      int to = from(i + 1, counts.length);
      long sum = 0;
      for (int j = from; j < to; j++) {
        sum += counts[j];
      }
      perSecond[i] = sum / (stepSeconds * Math.max(1, to - from));
      most = Math.max(most, perSecond[i]);
    }
    double end = Svg.nice125(Math.max(most, 1), true);
    int bottom = TOP + PANEL;
    for (int i = 0; i <= STEPS; i++) {
      double y = bottom - (double) PANEL * i / STEPS;
      svg.line(LEFT, y, WIDTH - RIGHT, y, Svg.GRID);
      svg.text(LEFT - 9, y + 4, "end", Svg.SOFT, "", Svg.count(end * i / STEPS));
    }
    name("commits a second", TOP + PANEL / 2);
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < perSecond.length; i++) {
      point(path, i, perSecond.length, bottom - PANEL * perSecond[i] / end);
    }
    path(path, COLOURS.get(0));
  }

  private void waits(List<Waits> waits) {
    int top = TOP + PANEL + GAP;
    for (double decade = MILLIS_MIN; decade <= MILLIS_MAX; decade *= 10) {
      svg.line(LEFT, y(decade, top), WIDTH - RIGHT, y(decade, top), Svg.GRID);
      svg.text(LEFT - 9, y(decade, top) + 4, "end", Svg.SOFT, "", Svg.count(decade));
    }
    name("longest wait, ms", top + PANEL / 2);
    for (int w = 0; w < waits.size(); w++) {
      float[] all = waits.get(w).slowestMillis();
      String colour = COLOURS.get(w % COLOURS.size());
      int columns = columns(all.length);
      StringBuilder path = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        float slowest = 0;
        for (int j = from(i, all.length); j < from(i + 1, all.length); j++) {
          slowest = Math.max(slowest, all[j]);
        }
        if (slowest > 0) {
          point(path, i, columns, y(slowest, top));
        }
      }
      path(path, colour);
      svg.text(LEFT + 10 + 120 * w, top + 14, "start", colour, "", waits.get(w).name());
    }
  }

  private static double y(double millis, int top) {
    double share = Math.log(millis / MILLIS_MIN) / Math.log(MILLIS_MAX / MILLIS_MIN);
    return top + PANEL - PANEL * Math.max(0, Math.min(1, share));
  }

  private void leaders(List<Span> leaders) {
    int top = TOP + 2 * (PANEL + GAP);
    name("leader", top + STRIP / 2);
    List<String> names = new ArrayList<>();
    for (Span leader : leaders) {
      if (!names.contains(leader.name())) {
        names.add(leader.name());
      }
      String colour = COLOURS.get(names.indexOf(leader.name()) % COLOURS.size());
      double width = Math.max(1, x(leader.to()) - x(leader.from()));
      svg.put(
          "<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='%s' stroke='#ffffff'/>",
          x(leader.from()), top, width, STRIP, colour);
      if (width > 8.0 * leader.name().length()) {
        double middle = x(leader.from()) + width / 2;
        svg.text(middle, top + 18, "middle", Svg.INK, "font-size='12'", leader.name());
      }
    }
  }

  private void axis() {
    int y = TOP + 2 * (PANEL + GAP) + STRIP + 20;
    double step = Svg.nice125(seconds / 10, true);
    for (double at = 0; at <= seconds; at += step) {
      svg.text(x(at), y, "middle", Svg.SOFT, "", Svg.trimmed(at) + " s");
    }
  }

  private void name(String text, int middle) {
    svg.put(
        "<text transform='translate(20 %d) rotate(-90)' text-anchor='middle' fill='%s'>%s</text>",
        middle, Svg.INK, text);
  }

  private static int columns(int steps) {
    return Math.min(COLUMNS_MAX, steps);
  }

  /** The first step of a column. */
  private static int from(int column, int steps) {
    return (int) ((long) column * steps / columns(steps));
  }

  private void point(StringBuilder path, int column, int columns, double y) {
    double x = x(seconds * (column + 0.5) / columns);
    path.append(String.format(Locale.ROOT, "%s%.1f %.1f ", path.isEmpty() ? "M" : "L", x, y));
  }

  private void path(StringBuilder path, String colour) {
    svg.put(
        "<path d='%s' fill='none' stroke='%s' stroke-width='1.4'/>",
        path.toString().trim(), colour);
  }
}
