package io.retso.bench.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * The paper's Figure 3, latency versus throughput, as SVG: throughput on a linear axis, latency on
 * a logarithmic one. A point is a run, its number the clients; the thin line above it reaches to
 * the 99th percentile.
 */
public final class Figure {
  private static final int WIDTH = 880;
  private static final int HEIGHT = 540;
  private static final int LEFT = 74;
  private static final int RIGHT = 36;
  private static final int TOP = 84;
  private static final int BOTTOM = 62;
  private static final String INK = "#1f2933";
  private static final String SOFT = "#616e7c";
  private static final String GRID = "#e4e7eb";
  private static final String PAPER = "#9aa5b1";

  /** What the paper's section 4 states: transactions per second, mean latency, what it was. */
  private static final List<Point> PAPER_POINTS =
      List.of(
          new Point(1_027.56, 0.85, 0.85, "1 x 1"),
          new Point(3_063.08, 0.171, 0.171, "1 x 1, WAL off"),
          new Point(72_500, 14.4, 14.4, "16 x 100"));

  /**
   * A run.
   *
   * @param perSecond throughput
   * @param millis mean latency
   * @param millisP99 99th percentile
   */
  public record Point(double perSecond, double millis, double millisP99, String label) {}

  /** Runs that belong together, in the order of their load. */
  public record Series(String name, String colour, List<Point> points) {}

  private final StringBuilder svg = new StringBuilder();
  private final List<Series> series;

  /** What others measured, in grey. */
  private final List<Point> references;

  private final double xMax;
  private final double xStep;
  private final double yMin;
  private final double yMax;

  private Figure(List<Series> series, List<Point> references) {
    this.series = series;
    this.references = references;
    List<Point> all = new ArrayList<>(references);
    series.forEach(s -> all.addAll(s.points()));
    double most = all.stream().mapToDouble(Point::perSecond).max().orElse(1);
    xStep = niceStep(most / 6);
    xMax = Math.ceil(most * 1.06 / xStep) * xStep;
    double lowest = all.stream().mapToDouble(Point::millis).min().orElse(1);
    double highest = all.stream().mapToDouble(Point::millisP99).max().orElse(1);
    yMin = nice125(lowest, false);
    yMax = nice125(highest, true);
  }

  /** The figure of a report's scalability runs. */
  public static String of(Report report, String subtitle) {
    List<Series> series = new ArrayList<>();
    add(series, report, RunFigures.Target.LOG_OFF, "log off", "#2186eb");
    add(series, report, RunFigures.Target.LOG_ON, "log on (fsync)", "#de3a11");
    add(series, report, RunFigures.Target.REMOTE, "server", "#2186eb");
    return of(series, subtitle);
  }

  private static void add(
      List<Series> to, Report report, RunFigures.Target target, String name, String colour) {
    List<Point> points =
        ReportText.medians(report.runs()).stream()
            .filter(r -> r.kind() == RunFigures.Kind.SCALE && r.target() == target)
            .sorted(Comparator.comparingInt(RunFigures::clients))
            .map(
                r ->
                    new Point(
                        r.perSecond(),
                        r.transaction().mean(),
                        r.transaction().p99(),
                        Integer.toString(r.clients())))
            .toList();
    if (!points.isEmpty()) {
      to.add(new Series(name, colour, points));
    }
  }

  /** The figure of any series, beside the paper's points. */
  public static String of(List<Series> series, String subtitle) {
    return new Figure(series, PAPER_POINTS)
        .draw(subtitle, "points: mean, with the number of clients; thin lines: up to p99");
  }

  /** The figure of any series, without the paper's points, which are of something else. */
  public static String plain(List<Series> series, String subtitle, String key) {
    return new Figure(series, List.of()).draw(subtitle, key);
  }

  private String draw(String subtitle, String key) {
    put(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d'"
            + " font-family='Helvetica, Arial, sans-serif' font-size='13'>",
        WIDTH, HEIGHT, WIDTH, HEIGHT);
    put("<rect width='%d' height='%d' fill='#ffffff'/>", WIDTH, HEIGHT);
    text(LEFT, 32, "start", INK, "font-size='19' font-weight='bold'", "Latency vs. throughput");
    text(LEFT, 54, "start", SOFT, "", subtitle);
    text(WIDTH - RIGHT, 32, "end", SOFT, "font-size='12'", key);
    axes();
    paper();
    series.forEach(this::line);
    legend();
    put("</svg>");
    return svg.toString();
  }

  private void axes() {
    for (double x = 0; x <= xMax * 1.0001; x += xStep) {
      put(
          "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='%s'/>",
          x(x), TOP, x(x), HEIGHT - BOTTOM, GRID);
      text(x(x), HEIGHT - BOTTOM + 20, "middle", SOFT, "", x == 0 ? "0" : axisRate(x));
    }
    for (double decade = 1e-3; decade <= 1e5; decade *= 10) {
      for (int digit : new int[] {1, 2, 5}) {
        double y = decade * digit;
        if (y >= yMin * 0.999 && y <= yMax * 1.001) {
          put(
              "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='%s'/>",
              LEFT, y(y), WIDTH - RIGHT, y(y), GRID);
          text(LEFT - 9, y(y) + 4, "end", SOFT, "", axisMillis(y));
        }
      }
    }
    put(
        "<path d='M%d %d V%d H%d' fill='none' stroke='%s' stroke-width='1.2'/>",
        LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT, SOFT);
    text(
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 16,
        "middle",
        INK,
        "",
        "throughput (transactions per second)");
    put(
        "<text transform='translate(20 %d) rotate(-90)' text-anchor='middle' fill='%s'>"
            + "latency (ms, logarithmic)</text>",
        (TOP + HEIGHT - BOTTOM) / 2, INK);
  }

  /** The paper's own figures, in grey. */
  private void paper() {
    for (Point p : references) {
      put(
          "<circle cx='%.1f' cy='%.1f' r='4.5' fill='#ffffff' stroke='%s' stroke-width='2'/>",
          x(p.perSecond()), y(p.millis()), PAPER);
      text(x(p.perSecond()) + 10, y(p.millis()) + 4, "start", SOFT, "font-size='12'", p.label());
    }
  }

  private void line(Series s) {
    StringBuilder path = new StringBuilder();
    for (Point p : s.points()) {
      path.append(path.isEmpty() ? 'M' : 'L');
      path.append(String.format(Locale.ROOT, "%.1f %.1f ", x(p.perSecond()), y(p.millis())));
      put(
          "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s' stroke-opacity='0.35'"
              + " stroke-width='2'/>",
          x(p.perSecond()), y(p.millis()), x(p.perSecond()), y(p.millisP99()), s.colour());
    }
    put(
        "<path d='%s' fill='none' stroke='%s' stroke-width='2.2' stroke-linejoin='round'/>",
        path.toString().trim(), s.colour());
    for (Point p : s.points()) {
      put(
          "<circle cx='%.1f' cy='%.1f' r='4.5' fill='%s' stroke='#ffffff' stroke-width='1.2'/>",
          x(p.perSecond()), y(p.millis()), s.colour());
      text(
          x(p.perSecond()) + 8,
          y(p.millis()) + 15,
          "start",
          s.colour(),
          "font-size='12' font-weight='bold'",
          p.label());
    }
  }

  private void legend() {
    int x = LEFT + 14;
    int y = TOP - 13;
    for (Series s : series) {
      put(
          "<path d='M%d %d h22' stroke='%s' stroke-width='2.2'/><circle cx='%d' cy='%d' r='4.5'"
              + " fill='%s'/>",
          x, y, s.colour(), x + 11, y, s.colour());
      text(x + 30, y + 4, "start", INK, "", s.name());
      x += 48 + 8 * s.name().length();
    }
    if (references.isEmpty()) {
      return;
    }
    put(
        "<circle cx='%d' cy='%d' r='4.5' fill='#ffffff' stroke='%s' stroke-width='2'/>",
        x + 6, y, PAPER);
    text(x + 18, y + 4, "start", SOFT, "", "the paper, 2011: 10 machines of 2 cores");
  }

  private void text(
      double x, double y, String anchor, String colour, String attributes, String text) {
    put(
        "<text x='%.1f' y='%.1f' text-anchor='%s' fill='%s' stroke='#ffffff' stroke-width='3'"
            + " stroke-linejoin='round' paint-order='stroke' %s>%s</text>",
        x, y, anchor, colour, attributes, escaped(text));
  }

  private void put(String form, Object... values) {
    svg.append(String.format(Locale.ROOT, form, values)).append('\n');
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private double x(double perSecond) {
    return LEFT + perSecond / xMax * (WIDTH - LEFT - RIGHT);
  }

  private double y(double millis) {
    double share = Math.log(millis / yMin) / Math.log(yMax / yMin);
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
  }

  private static String axisRate(double perSecond) {
    return perSecond >= 1e6
        ? trimmed(perSecond / 1e6) + "M"
        : perSecond >= 1e3 ? trimmed(perSecond / 1e3) + "k" : trimmed(perSecond);
  }

  private static String axisMillis(double millis) {
    return trimmed(millis);
  }

  private static String trimmed(double value) {
    String text = String.format(Locale.ROOT, "%.3f", value);
    return text.replaceAll("0+$", "").replaceAll("\\.$", "");
  }

  /** The next step of 1, 2 or 5 times a power of ten. */
  private static double niceStep(double least) {
    return nice125(least, true);
  }

  /** The next number of 1, 2 or 5 times a power of ten, above or below. */
  private static double nice125(double value, boolean above) {
    double decade = Math.pow(10, Math.floor(Math.log10(value)));
    double[] steps = {1, 2, 5, 10};
    for (int i = 0; i < steps.length; i++) {
      if (steps[i] * decade >= value * 0.9999) {
        return above || steps[i] * decade <= value * 1.0001
            ? steps[i] * decade
            : steps[i - 1] * decade;
      }
    }
    return 10 * decade;
  }
}
