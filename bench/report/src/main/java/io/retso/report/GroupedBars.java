package io.retso.report;

import java.util.Arrays;
import java.util.List;

/** Bars beside each other, one for each series, in groups. */
public final class GroupedBars {
  private static final int WIDTH = 880;
  private static final int HEIGHT = 440;
  private static final int LEFT = 74;
  private static final int RIGHT = 170;
  private static final int TOP = 84;
  private static final int BOTTOM = 50;
  private static final int STEPS = 4;
  private static final int NAME = 18;
  private static final double GROUP_SHARE = 0.8;

  /** A series with a value for each group. */
  public record Series(String name, String colour, double[] values) {}

  private GroupedBars() {}

  /**
   * Draws them.
   *
   * @param axis what the values are
   * @param groups from left to right
   */
  public static String of(
      String title, String subtitle, String axis, List<String> groups, List<Series> all) {
    Svg svg = new Svg(WIDTH, HEIGHT, LEFT, RIGHT, title, subtitle, "");
    double most = all.stream().flatMapToDouble(s -> Arrays.stream(s.values())).max().orElse(1);
    double end = Svg.nice125(Math.max(most, 1e-6), true);
    int bottom = HEIGHT - BOTTOM;
    for (int i = 0; i <= STEPS; i++) {
      double y = bottom - (double) (bottom - TOP) * i / STEPS;
      svg.line(LEFT, y, WIDTH - RIGHT, y, Svg.GRID);
      svg.text(LEFT - 9, y + 4, "end", Svg.SOFT, "", Svg.trimmed(end * i / STEPS));
    }
    svg.put(
        "<text transform='translate(20 %d) rotate(-90)' text-anchor='middle' fill='%s'>%s</text>",
        (TOP + bottom) / 2, Svg.INK, axis);
    double group = (double) (WIDTH - RIGHT - LEFT) / groups.size();
    double bar = group * GROUP_SHARE / Math.max(1, all.size());
    for (int g = 0; g < groups.size(); g++) {
      double left = LEFT + group * (g + (1 - GROUP_SHARE) / 2);
      svg.text(LEFT + group * (g + 0.5), bottom + 20, "middle", Svg.INK, "", groups.get(g));
      for (int s = 0; s < all.size(); s++) {
        double height = (bottom - TOP) * all.get(s).values()[g] / end;
        svg.put(
            "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' fill='%s'/>",
            left + s * bar, bottom - height, bar * 0.9, height, all.get(s).colour());
      }
    }
    for (int s = 0; s < all.size(); s++) {
      int y = TOP + NAME * s;
      svg.put(
          "<rect x='%d' y='%d' width='10' height='10' fill='%s'/>",
          WIDTH - RIGHT + 14, y, all.get(s).colour());
      svg.text(WIDTH - RIGHT + 30, y + 10, "start", Svg.INK, "font-size='12'", all.get(s).name());
    }
    return svg.end();
  }
}
