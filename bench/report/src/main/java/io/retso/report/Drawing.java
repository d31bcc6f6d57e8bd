package io.retso.report;

import io.retso.report.Plot.Axis;
import io.retso.report.Plot.Kind;
import io.retso.report.Plot.Panel;
import io.retso.report.Plot.Point;
import io.retso.report.Plot.Series;
import io.retso.report.Plot.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** A {@link Plot} as SVG. The same plot is always drawn the same way. */
public final class Drawing {
  private static final int LEFT = 90;
  private static final int TOP = 84;
  private static final int BOTTOM = 62;
  private static final int GAP = 50;
  private static final int STRIP = 26;
  private static final int ROW = 30;
  private static final int LEFT_OF_RANGES = 330;
  private static final int BANDS_TOP = 190;

  /** Sizes of a figure, and of one with what lasts over time. */
  private static final int WIDTH = 880;

  private static final int WIDTH_OVER_TIME = 1400;
  private static final int ONE_PANEL = 360;
  private static final int PANEL = 190;

  private static final int RIGHT_OF_NAMES = 190;
  private static final int RIGHT = 36;
  private static final int NAME = 16;
  private static final double GROUP_SHARE = 0.8;
  private static final int INSET = 40;

  /** Bars of lines stand beside each other, so that each can be seen. */
  private static final int BESIDE = 4;

  private static final String FAULT = "#de3a11";
  private static final List<String> COLOURS =
      List.of("#2186eb", "#e8833a", "#3ebd93", "#8719e0", "#f0b429", "#1f2933", "#d64580");

  private final Plot plot;
  private final Svg svg;
  private final int left;
  private final int width;
  private final int top;
  private final int panelHeight;
  private final Scale x;

  private Drawing(Plot plot) {
    this.plot = plot;
    boolean isOverTime = !plot.bands().isEmpty() || !plot.strip().isEmpty();
    boolean isRanges = plot.panels().stream().anyMatch(panel -> panel.kind() == Kind.RANGES);
    boolean isCurves = plot.panels().stream().allMatch(panel -> panel.kind() == Kind.CURVES);
    int rows = isRanges ? points(plot.panels()).size() : 0;
    int whole = isOverTime ? WIDTH_OVER_TIME : WIDTH;
    int right = isRanges || isCurves ? RIGHT : RIGHT_OF_NAMES;
    left = isRanges ? LEFT_OF_RANGES : LEFT;
    width = whole - left - right;
    top = plot.bands().isEmpty() ? TOP : BANDS_TOP;
    panelHeight = isRanges ? ROW * rows : plot.panels().size() == 1 ? ONE_PANEL : PANEL;
    int height =
        top
            + plot.panels().size() * (panelHeight + GAP)
            + (plot.strip().isEmpty() ? 0 : STRIP + GAP / 2)
            + BOTTOM
            - GAP;
    svg =
        new Svg(
            whole, height, isRanges ? 24 : left, RIGHT, plot.title(), plot.subtitle(), plot.key());
    x = xScale(isRanges, isCurves);
  }

  /** Draws a plot. */
  public static String of(Plot plot) {
    Drawing drawing = new Drawing(plot);
    drawing.bands();
    int at = drawing.top;
    for (Panel panel : plot.panels()) {
      if (panel.kind() == Kind.RANGES) {
        drawing.ranges(panel, at);
      } else {
        drawing.panel(panel, at);
      }
      at += drawing.panelHeight + GAP;
    }
    at -= GAP;
    if (!plot.strip().isEmpty()) {
      drawing.strip(at + GAP / 2);
      at += STRIP + GAP / 2;
    }
    drawing.xAxis(at);
    return drawing.svg.end();
  }

  private static List<Point> points(List<Panel> panels) {
    return panels.stream()
        .flatMap(p -> p.series().stream())
        .flatMap(s -> s.points().stream())
        .toList();
  }

  private Scale xScale(boolean isRanges, boolean isCurves) {
    List<Point> all = points(plot.panels());
    if (isRanges) {
      return Scale.of(
          plot.x().isLog(), all.stream().flatMap(Drawing::values).toList(), left, width);
    }
    int categories = plot.x().categories().size();
    if (categories > 0) {
      return new Scale(false, 0, Math.max(1, categories - 1), 1, left + INSET, width - 2 * INSET);
    }
    List<Double> values = new ArrayList<>(all.stream().map(Point::x).toList());
    plot.strip().forEach(span -> values.add(span.to()));
    Scale nice = Scale.of(plot.x().isLog(), values, left, width);
    double most = values.stream().mapToDouble(Double::doubleValue).max().orElse(1);
    return isCurves && !plot.x().isLog()
        ? new Scale(false, 0, Math.max(most, 1e-3), nice.step, left, width)
        : nice;
  }

  private static Stream<Double> values(Point point) {
    return Stream.of(point.low(), point.y(), point.high());
  }

  private void xAxis(int bottom) {
    int y = bottom + 20;
    List<String> categories = plot.x().categories();
    boolean isBars = plot.panels().stream().anyMatch(panel -> panel.kind() == Kind.BARS);
    for (int i = 0; i < categories.size(); i++) {
      double middle = isBars ? left + (double) width * (i + 0.5) / categories.size() : x.at(i);
      svg.text(middle, y, "middle", Svg.SOFT, "", categories.get(i));
    }
    if (categories.isEmpty()) {
      for (double tick : x.ticks()) {
        svg.text(x.at(tick), y, "middle", Svg.SOFT, "", Svg.count(tick));
      }
    }
    svg.text(left + width / 2.0, y + 22, "middle", Svg.INK, "", name(plot.x()));
  }

  private static String name(Axis axis) {
    return axis.name() + (axis.isLog() ? " (logarithmic)" : "");
  }

  private String colour(Panel panel, int series) {
    String own = panel.series().get(series).colour();
    return own.isEmpty() ? COLOURS.get(series % COLOURS.size()) : own;
  }

  private void bands() {
    int bottom = top + plot.panels().size() * (panelHeight + GAP) - GAP;
    for (Span band : plot.bands()) {
      double from = x.at(band.from());
      svg.put(
          "<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='%s' fill-opacity='0.1'/>",
          from, top, Math.max(1, x.at(band.to()) - from), bottom - top, FAULT);
      svg.put(
          "<text transform='translate(%.1f %d) rotate(-50)' font-size='11' fill='%s'>%s</text>",
          from + 4, top - 6, FAULT, Svg.escaped(band.name()));
    }
  }

  private void strip(int at) {
    yName(plot.panels().isEmpty() ? "" : "leader", at + STRIP / 2);
    List<String> names = plot.strip().stream().map(Span::name).distinct().toList();
    for (Span span : plot.strip()) {
      double wide = Math.max(1, x.at(span.to()) - x.at(span.from()));
      svg.put(
          "<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='%s' stroke='#ffffff'/>",
          x.at(span.from()),
          at,
          wide,
          STRIP,
          COLOURS.get(names.indexOf(span.name()) % COLOURS.size()));
      if (wide > 8.0 * span.name().length()) {
        double middle = x.at(span.from()) + wide / 2;
        svg.text(middle, at + 18, "middle", Svg.INK, "font-size='12'", span.name());
      }
    }
  }

  private void panel(Panel panel, int at) {
    List<Double> values = points(List.of(panel)).stream().flatMap(Drawing::values).toList();
    if (!panel.y().isLog()) { // an interval far above all values is cut off
      double most = points(List.of(panel)).stream().mapToDouble(Point::y).max().orElse(1);
      values = values.stream().map(value -> Math.min(value, 1.5 * most)).toList();
    }
    Scale y = Scale.of(panel.y().isLog(), values, at + panelHeight, -panelHeight);
    for (double tick : y.ticks()) {
      svg.line(left, y.at(tick), left + width, y.at(tick), Svg.GRID);
      svg.text(left - 9, y.at(tick) + 4, "end", Svg.SOFT, "", Svg.count(tick));
    }
    yName(name(panel.y()), at + panelHeight / 2);
    for (int i = 0; i < panel.series().size(); i++) {
      switch (panel.kind()) {
        case BARS -> bars(panel, i, y);
        case CURVES -> curve(panel.series().get(i), colour(panel, i), y);
        default -> line(panel, i, y);
      }
    }
    names(panel, at, y);
  }

  private void yName(String text, int middle) {
    svg.put(
        "<text transform='translate(%d %d) rotate(-90)' text-anchor='middle' fill='%s'>%s</text>",
        left - 60, middle, Svg.INK, Svg.escaped(text));
  }

  private void line(Panel panel, int series, Scale y) {
    Series of = panel.series().get(series);
    String colour = colour(panel, series);
    double beside = BESIDE * (series - (panel.series().size() - 1) / 2.0);
    boolean isCategory = !plot.x().categories().isEmpty();
    curve(of, colour, y);
    for (Point point : of.points()) {
      double middle = x.at(point.x());
      if (point.low() < point.high()) {
        double bar = isCategory ? middle + beside : middle;
        svg.line(bar, y.at(point.low()), bar, y.at(point.high()), colour);
      }
      svg.put("<circle cx='%.1f' cy='%.1f' r='4.5' fill='%s'/>", middle, y.at(point.y()), colour);
      if (!point.label().isEmpty()) {
        String bold = "font-size='12' font-weight='bold'";
        svg.text(middle + 8, y.at(point.y()) + 15, "start", colour, bold, point.label());
      }
    }
  }

  private void curve(Series series, String colour, Scale y) {
    if (series.points().size() < 2) {
      return;
    }
    StringBuilder path = new StringBuilder();
    for (Point point : series.points()) {
      path.append(
          String.format(
              Locale.ROOT,
              "%s%.1f %.1f ",
              path.isEmpty() ? "M" : "L",
              x.at(point.x()),
              y.at(point.y())));
    }
    svg.put(
        "<path d='%s' fill='none' stroke='%s' stroke-width='%s' stroke-linejoin='round'/>",
        path.toString().trim(), colour, series.points().size() > 100 ? "1.4" : "2.2");
  }

  private void bars(Panel panel, int series, Scale y) {
    double group = (double) width / Math.max(1, plot.x().categories().size());
    double bar = group * GROUP_SHARE / panel.series().size();
    for (Point point : panel.series().get(series).points()) {
      double from = left + group * (point.x() + (1 - GROUP_SHARE) / 2) + series * bar;
      double height = y.at(y.from) - y.at(point.y());
      svg.put(
          "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' fill='%s'/>",
          from, y.at(point.y()), bar * 0.9, height, colour(panel, series));
      if (point.low() < point.high()) {
        double middle = from + bar * 0.45;
        svg.line(middle, y.at(point.low()), middle, y.at(point.high()), Svg.INK);
      }
    }
  }

  /** Names: within curves, at the ends of lines over categories, otherwise on the right. */
  private void names(Panel panel, int at, Scale y) {
    List<Series> all = panel.series();
    if (panel.kind() == Kind.CURVES) {
      for (int i = 0; i < all.size(); i++) {
        svg.text(left + 10 + 120 * i, at + 14, "start", colour(panel, i), "", all.get(i).name());
      }
      return;
    }
    boolean isBeside = panel.kind() == Kind.LINES && !plot.x().categories().isEmpty();
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      if (!all.get(i).points().isEmpty()) {
        order.add(i);
      }
    }
    if (isBeside) { // from below, in the order of the ends, and not above each other
      order.sort(Comparator.comparingDouble(i -> last(all.get(i))));
    }
    double free = Double.MAX_VALUE;
    for (int i = 0; i < order.size(); i++) {
      Series series = all.get(order.get(i));
      double line = isBeside ? Math.min(free, y.at(last(series)) + 4) : at + 14 + NAME * i;
      int from = left + width + (isBeside ? -INSET + 12 : 14);
      svg.text(from, line, "start", colour(panel, order.get(i)), "font-size='12'", series.name());
      free = line - NAME;
    }
  }

  private static double last(Series series) {
    return series.points().get(series.points().size() - 1).y();
  }

  private void ranges(Panel panel, int at) {
    for (double tick : x.ticks()) {
      svg.line(x.at(tick), at, x.at(tick), at + panelHeight, Svg.GRID);
    }
    int y = at;
    for (int i = 0; i < panel.series().size(); i++) {
      for (Point point : panel.series().get(i).points()) {
        svg.text(left - 12, y + 19, "end", Svg.INK, "", point.label());
        double from = x.at(point.low());
        svg.put(
            "<rect x='%.1f' y='%d' width='%.1f' height='12' fill='%s'/>",
            from, y + 9, Math.max(x.at(point.y()) - from, 2), colour(panel, i));
        svg.put(
            "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='%s' stroke-width='2'/>",
            x.at(point.y()), y + 15, x.at(point.high()), y + 15, colour(panel, i));
        y += ROW;
      }
    }
  }

  /** Where values are on an axis; those beyond its ends are at them. */
  private record Scale(
      boolean isLog, double from, double to, double step, double at, double length) {
    static Scale of(boolean isLog, List<Double> values, double at, double length) {
      double most = values.stream().mapToDouble(Double::doubleValue).max().orElse(1);
      if (!isLog) {
        double step = Svg.nice125(Math.max(most, 1e-6) / 5, true);
        return new Scale(false, 0, Math.ceil(most / step - 1e-9) * step, step, at, length);
      }
      double least = values.stream().filter(v -> v > 0).mapToDouble(v -> v).min().orElse(1);
      double from = Svg.nice125(least, false);
      return new Scale(true, from, Math.max(Svg.nice125(most, true), 10 * from), 0, at, length);
    }

    double at(double value) {
      double inside = Math.min(Math.max(value, from), to);
      double share =
          to <= from
              ? 0
              : isLog
                  ? Math.log(inside / from) / Math.log(to / from)
                  : (inside - from) / (to - from);
      return at + share * length;
    }

    List<Double> ticks() {
      List<Double> all = new ArrayList<>();
      if (!isLog) {
        for (int i = 0; i * step <= to * 1.0001; i++) {
          all.add(i * step);
        }
        return all;
      }
      int[] digits = to / from > 1000 ? new int[] {1} : new int[] {1, 2, 5};
      for (double decade = 1e-6; decade <= 1e9; decade *= 10) {
        for (int digit : digits) {
          if (decade * digit >= from * 0.999 && decade * digit <= to * 1.001) {
            all.add(decade * digit);
          }
        }
      }
      return all;
    }
  }
}
