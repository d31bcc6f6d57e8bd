package io.retso.report;

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

  private final Svg svg;
  private final List<Series> series;

  /** What others measured, in grey. */
  private final List<Point> references;

  private final double xMax;
  private final double xStep;
  private final double yMin;
  private final double yMax;

  private Figure(List<Series> series, List<Point> references, String subtitle, String key) {
    svg = new Svg(WIDTH, HEIGHT, LEFT, RIGHT, "Latency vs. throughput", subtitle, key);
    this.series = series;
    this.references = references;
    List<Point> all = new ArrayList<>(references);
    series.forEach(s -> all.addAll(s.points()));
    double most = all.stream().mapToDouble(Point::perSecond).max().orElse(1);
    xStep = Svg.nice125(most / 6, true);
    xMax = Math.ceil(most * 1.06 / xStep) * xStep;
    double lowest = all.stream().mapToDouble(Point::millis).min().orElse(1);
    double highest = all.stream().mapToDouble(Point::millisP99).max().orElse(1);
    yMin = Svg.nice125(lowest, false);
    yMax = Svg.nice125(highest, true);
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
    String key = "points: mean, with the number of clients; thin lines: up to p99";
    return new Figure(series, PAPER_POINTS, subtitle, key).draw();
  }

  /** The figure of any series, without the paper's points, which are of something else. */
  public static String plain(List<Series> series, String subtitle, String key) {
    return new Figure(series, List.of(), subtitle, key).draw();
  }

  private String draw() {
    axes();
    paper();
    series.forEach(this::line);
    legend();
    return svg.end();
  }

  private void axes() {
    for (double x = 0; x <= xMax * 1.0001; x += xStep) {
      svg.put(
          "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='%s'/>",
          x(x), TOP, x(x), HEIGHT - BOTTOM, Svg.GRID);
      svg.text(x(x), HEIGHT - BOTTOM + 20, "middle", Svg.SOFT, "", x == 0 ? "0" : Svg.count(x));
    }
    for (double decade = 1e-3; decade <= 1e5; decade *= 10) {
      for (int digit : new int[] {1, 2, 5}) {
        double y = decade * digit;
        if (y >= yMin * 0.999 && y <= yMax * 1.001) {
          svg.put(
              "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='%s'/>",
              LEFT, y(y), WIDTH - RIGHT, y(y), Svg.GRID);
          svg.text(LEFT - 9, y(y) + 4, "end", Svg.SOFT, "", Svg.trimmed(y));
        }
      }
    }
    svg.put(
        "<path d='M%d %d V%d H%d' fill='none' stroke='%s' stroke-width='1.2'/>",
        LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT, Svg.SOFT);
    svg.text(
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 16,
        "middle",
        Svg.INK,
        "",
        "throughput (transactions per second)");
    svg.put(
        "<text transform='translate(20 %d) rotate(-90)' text-anchor='middle' fill='%s'>"
            + "latency (ms, logarithmic)</text>",
        (TOP + HEIGHT - BOTTOM) / 2, Svg.INK);
  }

  /** The paper's own figures, in grey. */
  private void paper() {
    for (Point p : references) {
      svg.put(
          "<circle cx='%.1f' cy='%.1f' r='4.5' fill='#ffffff' stroke='%s' stroke-width='2'/>",
          x(p.perSecond()), y(p.millis()), PAPER);
      svg.text(
          x(p.perSecond()) + 10, y(p.millis()) + 4, "start", Svg.SOFT, "font-size='12'", p.label());
    }
  }

  private void line(Series s) {
    StringBuilder path = new StringBuilder();
    for (Point p : s.points()) {
      path.append(path.isEmpty() ? 'M' : 'L');
      path.append(String.format(Locale.ROOT, "%.1f %.1f ", x(p.perSecond()), y(p.millis())));
      svg.put(
          "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s' stroke-opacity='0.35'"
              + " stroke-width='2'/>",
          x(p.perSecond()), y(p.millis()), x(p.perSecond()), y(p.millisP99()), s.colour());
    }
    svg.put(
        "<path d='%s' fill='none' stroke='%s' stroke-width='2.2' stroke-linejoin='round'/>",
        path.toString().trim(), s.colour());
    for (Point p : s.points()) {
      svg.put(
          "<circle cx='%.1f' cy='%.1f' r='4.5' fill='%s' stroke='#ffffff' stroke-width='1.2'/>",
          x(p.perSecond()), y(p.millis()), s.colour());
      svg.text(
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
      svg.put(
          "<path d='M%d %d h22' stroke='%s' stroke-width='2.2'/><circle cx='%d' cy='%d' r='4.5'"
              + " fill='%s'/>",
          x, y, s.colour(), x + 11, y, s.colour());
      svg.text(x + 30, y + 4, "start", Svg.INK, "", s.name());
      x += 48 + 8 * s.name().length();
    }
    if (references.isEmpty()) {
      return;
    }
    svg.put(
        "<circle cx='%d' cy='%d' r='4.5' fill='#ffffff' stroke='%s' stroke-width='2'/>",
        x + 6, y, PAPER);
    svg.text(x + 18, y + 4, "start", Svg.SOFT, "", "the paper, 2011: 10 machines of 2 cores");
  }

  private double x(double perSecond) {
    return LEFT + perSecond / xMax * (WIDTH - LEFT - RIGHT);
  }

  private double y(double millis) {
    double share = Math.log(millis / yMin) / Math.log(yMax / yMin);
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
  }
}
