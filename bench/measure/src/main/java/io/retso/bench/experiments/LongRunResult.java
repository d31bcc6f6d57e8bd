package io.retso.bench.experiments;

import io.retso.bench.experiments.LongRunBench.Course;
import io.retso.bench.experiments.LongRunBench.Point;
import io.retso.bench.stores.Memory;
import io.retso.bench.stores.StoreKind;
import io.retso.report.Plot;
import io.retso.report.Plot.Axis;
import io.retso.report.Plot.Kind;
import io.retso.report.Plot.Series;
import io.retso.report.Result;
import io.retso.report.Table;
import io.retso.report.Unit;
import io.retso.report.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** What long runs show: whether memory grows, and what else changes. */
final class LongRunResult {
  /** The last third of a run may have so much of the first one's. */
  private static final double GROWTH_MAX = 1.1;

  /** A part of the points, one of so many, is left out at the beginning. */
  private static final int WARM_UP = 10;

  private static final int PARTS = 3;
  private static final int POINTS_MIN = 9;
  private static final double MINUTES_MIN = 10;
  private static final double HOUR = 60;
  private static final double PERCENT = 100;

  /** Processes, by what they are. */
  private enum Processes {
    CLIENT("this process", Memory::client),
    ORACLE("the oracle", Memory::oracle),
    STORE("the store", Memory::store);

    private final String label;
    private final ToDoubleFunction<Memory> megabytes;

    Processes(String label, ToDoubleFunction<Memory> megabytes) {
      this.label = label;
      this.megabytes = megabytes;
    }

    double of(Point point) {
      return megabytes.applyAsDouble(point.memory());
    }

    boolean isIn(Course course) {
      return course.points().stream().anyMatch(point -> of(point) > 0);
    }
  }

  /** A third of a run, beside another one. */
  private record Part(Course course, String name, List<Point> points) {
    double mean(ToDoubleFunction<Point> figure) {
      return LongRunResult.mean(points, figure);
    }
  }

  private LongRunResult() {}

  /** Describes runs. */
  static void describe(Result.Builder to, List<Course> courses) {
    to.table(table(courses))
        .note("MB: resident memory, without what processes share; the store's: all its processes")
        .note("the first tenth of a run is left out")
        .runs(courses);
    for (Course course : courses) {
      to.plot(plot(course));
      if (course.store() != StoreKind.POSTGRESQL) {
        to.verdicts(verdicts(course));
      }
    }
  }

  private static Table table(List<Course> courses) {
    List<Part> parts = new ArrayList<>();
    for (Course course : courses) {
      parts.add(new Part(course, "first", part(course, 0)));
      parts.add(new Part(course, "last", part(course, PARTS - 1)));
    }
    Table.Rows<Part> rows =
        Table.of("", parts)
            .words("store", part -> part.course.store())
            .words("third", Part::name)
            .column(Unit.RATE, "per s", part -> part.mean(Point::perSecond))
            .column(Unit.MILLIS, "p90 ms", part -> part.mean(Point::p90))
            .column(Unit.SHARE, "refused", part -> part.mean(Point::refusedShare));
    for (Processes of : Processes.values()) {
      rows.column(
          Unit.COUNT, "MB: " + of.label, part -> of.isIn(part.course) ? part.mean(of::of) : null);
    }
    return rows.end();
  }

  private static List<Point> warm(Course course) {
    List<Point> points = course.points();
    return points.subList((points.size() + WARM_UP - 1) / WARM_UP, points.size());
  }

  private static List<Point> part(Course course, int number) {
    List<Point> warm = warm(course);
    return warm.subList(warm.size() * number / PARTS, warm.size() * (number + 1) / PARTS);
  }

  private static double mean(List<Point> points, ToDoubleFunction<Point> figure) {
    return points.stream().mapToDouble(figure).average().orElse(0);
  }

  /** How memory of each kind of process grows. */
  static List<Verdict> verdicts(Course course) {
    List<Verdict> all = new ArrayList<>();
    for (Processes of : Processes.values()) {
      if (of.isIn(course)) {
        double first = mean(part(course, 0), of::of);
        double last = mean(part(course, PARTS - 1), of::of);
        all.add(
            new Verdict(
                course.store() + ", memory of " + of.label + ", last third / first",
                last / Math.max(1, first),
                false,
                GROWTH_MAX,
                String.format(
                    Locale.ROOT,
                    "%,.0f / %,.0f MB; %+,.0f MB an hour",
                    last,
                    first,
                    HOUR * slope(warm(course), of::of)),
                doubt(course)));
      }
    }
    return all;
  }

  private static String doubt(Course course) {
    List<Point> points = course.points();
    double minutes = points.isEmpty() ? 0 : points.get(points.size() - 1).minutes();
    return points.size() < POINTS_MIN || minutes < MINUTES_MIN
        ? String.format(
            Locale.ROOT, "%.1f minutes and %d points say little", minutes, points.size())
        : "";
  }

  /** By least squares, for each minute. */
  private static double slope(List<Point> points, ToDoubleFunction<Point> figure) {
    double x = mean(points, Point::minutes);
    double y = mean(points, figure);
    double products = 0;
    double squares = 0;
    for (Point point : points) {
      products += (point.minutes() - x) * (figure.applyAsDouble(point) - y);
      squares += (point.minutes() - x) * (point.minutes() - x);
    }
    return squares > 0 ? products / squares : 0;
  }

  private static Plot plot(Course course) {
    List<Series> memory = new ArrayList<>();
    for (Processes of : Processes.values()) {
      if (of.isIn(course)) {
        memory.add(series(of.label, course, of::of));
      }
    }
    return Plot.of(
            "smallbank-long-" + course.store().name().toLowerCase(Locale.ROOT),
            "SmallBank for long",
            course.store() + ", serializable",
            Axis.linear("minutes"))
        .panel(Kind.CURVES, Axis.linear("memory, MB"), memory)
        .panel(
            Kind.CURVES,
            Axis.linear("committed / s"),
            List.of(series("programs", course, Point::perSecond)))
        .panel(Kind.CURVES, Axis.linear("p90, ms"), List.of(series("p90", course, Point::p90)))
        .panel(
            Kind.CURVES,
            Axis.linear("refused, %"),
            List.of(series("refused", course, point -> PERCENT * point.refusedShare())));
  }

  private static Series series(String name, Course course, ToDoubleFunction<Point> figure) {
    return Series.of(
        name,
        "",
        course.points(),
        point -> Plot.Point.of(point.minutes(), figure.applyAsDouble(point)));
  }
}
