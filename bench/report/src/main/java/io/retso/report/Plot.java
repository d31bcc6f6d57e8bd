package io.retso.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/**
 * A figure as data: panels above each other over one axis.
 *
 * @param file name of the file, without its end
 * @param key to its signs; may be empty
 * @param x the axis of all panels, or of the values of ranges
 * @param bands what lasted, behind all panels
 * @param strip leaders that followed on each other, below them
 */
public record Plot(
    String file,
    String title,
    String subtitle,
    String key,
    Axis x,
    List<Panel> panels,
    List<Span> bands,
    List<Span> strip) {

  /** How a panel shows its series. */
  public enum Kind {
    /** Lines through marks, with a bar from low to high at each. */
    LINES,
    /** Many points as a line without marks. */
    CURVES,
    /** Bars beside each other, one of each series, in groups; thin bars from low to high. */
    BARS,
    /** A row for each point: a bar from low to the value, and a thin line to high. */
    RANGES
  }

  /**
   * An axis.
   *
   * @param categories from left to right, of which a point's x is the index; none if x are numbers
   */
  public record Axis(String name, boolean isLog, List<String> categories) {
    /** An axis of numbers, which begins at 0. */
    public static Axis linear(String name) {
      return new Axis(name, false, List.of());
    }

    /** A logarithmic axis of numbers. */
    public static Axis log(String name) {
      return new Axis(name, true, List.of());
    }

    /** An axis of some things. */
    public static Axis of(String name, Collection<?> categories) {
      return new Axis(name, false, categories.stream().map(String::valueOf).toList());
    }
  }

  /** Series with a common axis. */
  public record Panel(Kind kind, Axis y, List<Series> series) {}

  /**
   * Points that belong together.
   *
   * @param colour such as {@code #2186eb}; empty for the next of the usual ones
   */
  public record Series(String name, String colour, List<Point> points) {
    private static final int COLUMNS_MAX = 1200;

    /** Points of some things, in their order. */
    public static <T> Series of(
        String name, String colour, Collection<T> things, Function<T, Point> point) {
      return new Series(name, colour, things.stream().map(point).toList());
    }

    /** A mean for each category; those without measurements are left out. */
    public static <T> Series ofMeans(
        String name, String colour, List<T> categories, Function<T, Mean> mean) {
      List<Point> points = new ArrayList<>();
      for (int i = 0; i < categories.size(); i++) {
        Mean y = mean.apply(categories.get(i));
        if (y.count() > 0) {
          points.add(Point.of(i, y));
        }
      }
      return new Series(name, colour, points);
    }

    /**
     * Values at steps of an axis, of which a long run has too many to draw: each point stands for
     * one or several, by their mean or, of the longest waits, their maximum. Where all are 0 of
     * those there is no point.
     */
    public static Series ofSteps(String name, double step, double[] values, boolean isMost) {
      int columns = Math.min(COLUMNS_MAX, values.length);
      List<Point> points = new ArrayList<>();
      for (int i = 0; i < columns; i++) {
        int from = (int) ((long) i * values.length / columns);
        int to = (int) ((long) (i + 1) * values.length / columns);
        DoubleStream part = Arrays.stream(values, from, to);
        double value = (isMost ? part.max() : part.average()).orElse(0);
        if (!isMost || value > 0) {
          points.add(Point.of(step * (from + to) / 2, value));
        }
      }
      return new Series(name, "", points);
    }

    /** A value for each thing, whose x is its index. */
    public static <T> Series ofValues(
        String name, String colour, List<T> things, ToDoubleFunction<T> value) {
      return ofMeans(name, colour, things, thing -> Mean.once(value.applyAsDouble(thing)));
    }
  }

  /**
   * A point, with what it may as well be.
   *
   * @param label beside it; may be empty
   */
  public record Point(double x, double y, double low, double high, String label) {
    /** A mean with its interval. */
    public static Point of(double x, Mean y) {
      return new Point(x, y.value(), y.value() - y.error(), y.value() + y.error(), "");
    }

    /** A range of latencies: p50 to p99, and to the longest, milliseconds. */
    public static Point of(String label, Percentiles millis) {
      return new Point(0, millis.p99(), millis.p50(), millis.max(), label);
    }

    /** A mean latency at a throughput, with a line up to p99, milliseconds, at some load. */
    public static Point of(double perSecond, Percentiles millis, int load) {
      return new Point(
          perSecond, millis.mean(), millis.mean(), millis.p99(), Integer.toString(load));
    }

    /** A point without an interval. */
    public static Point of(double x, double y) {
      return new Point(x, y, y, y, "");
    }
  }

  /** Something that lasted, from and to a value of the axis. */
  public record Span(String name, double from, double to) {}

  /** A figure without panels. */
  public static Plot of(String file, String title, String subtitle, Axis x) {
    return new Plot(file, title, subtitle, "", x, List.of(), List.of(), List.of());
  }

  /** This plot with a key to its signs. */
  public Plot key(String text) {
    return new Plot(file, title, subtitle, text, x, panels, bands, strip);
  }

  /** This plot with another panel below the others. */
  public Plot panel(Kind kind, Axis y, List<Series> series) {
    List<Panel> all = new ArrayList<>(panels);
    all.add(new Panel(kind, y, series));
    return new Plot(file, title, subtitle, key, x, Collections.unmodifiableList(all), bands, strip);
  }

  /** This plot with what lasted meanwhile. */
  public Plot over(List<Span> behind, List<Span> below) {
    return new Plot(file, title, subtitle, key, x, panels, behind, below);
  }
}
