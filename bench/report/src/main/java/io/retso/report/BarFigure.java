package io.retso.report;

import java.util.List;

/**
 * Latencies of several cases as bars on a logarithmic axis: p50, up to p99, thin up to the most.
 */
public final class BarFigure {
  private static final int WIDTH = 880;
  private static final int LEFT = 330;
  private static final int RIGHT = 36;
  private static final int TOP = 84;
  private static final int ROW = 30;
  private static final int BOTTOM = 62;
  private static final double MILLIS_MIN = 0.01;

  /** A case, and the colour of its bar. */
  public record Bar(String name, String colour, Percentiles millis) {}

  private BarFigure() {}

  /** Draws the bars from top to bottom. */
  public static String of(List<Bar> bars, String title, String subtitle) {
    int height = TOP + ROW * bars.size() + BOTTOM;
    Svg svg =
        new Svg(WIDTH, height, 24, RIGHT, title, subtitle, "bar: p50 to p99; line: to the longest");
    double most = bars.stream().mapToDouble(b -> b.millis().max()).max().orElse(1);
    double end = Svg.nice125(Math.max(most, 10 * MILLIS_MIN), true);
    for (double decade = MILLIS_MIN; decade <= end * 1.001; decade *= 10) {
      double x = x(decade, end);
      svg.line(x, TOP, x, height - BOTTOM, Svg.GRID);
      svg.text(x, height - BOTTOM + 20, "middle", Svg.SOFT, "", Svg.trimmed(decade));
    }
    int y = TOP;
    for (Bar bar : bars) {
      svg.text(LEFT - 12, y + 19, "end", Svg.INK, "", bar.name());
      double p50 = x(bar.millis().p50(), end);
      double p99 = x(bar.millis().p99(), end);
      svg.put(
          "<rect x='%.1f' y='%d' width='%.1f' height='12' fill='%s'/>",
          p50, y + 9, Math.max(p99 - p50, 2), bar.colour());
      svg.put(
          "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='%s' stroke-width='2'/>",
          p99, y + 15, x(bar.millis().max(), end), y + 15, bar.colour());
      y += ROW;
    }
    svg.text((LEFT + WIDTH - RIGHT) / 2.0, height - 16, "middle", Svg.INK, "", "ms (logarithmic)");
    return svg.end();
  }

  private static double x(double millis, double end) {
    double share = Math.log(Math.max(millis, MILLIS_MIN) / MILLIS_MIN) / Math.log(end / MILLIS_MIN);
    return LEFT + share * (WIDTH - LEFT - RIGHT);
  }
}
