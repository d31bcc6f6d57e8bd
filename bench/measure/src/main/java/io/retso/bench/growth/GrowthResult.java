package io.retso.bench.growth;

import io.retso.report.Plot;
import io.retso.report.Plot.Kind;
import io.retso.report.Plot.Series;
import io.retso.report.Result;
import io.retso.report.Table;
import io.retso.report.Texts;
import io.retso.report.Unit;
import java.util.List;
import java.util.Locale;

/** What growth costs, for people, with a figure for each axis. */
final class GrowthResult {
  private GrowthResult() {}

  /** Describes points. */
  static void describe(Result.Builder to, List<GrowthPoint> points, double ratePerSecond) {
    to.table(
        Table.of("", points)
            .words("what grows", GrowthPoint::axis)
            .column(Unit.COUNT, "", GrowthPoint::value)
            .column(Unit.RATE, "TPS", GrowthPoint::perSecond)
            .column(Unit.COUNT, "ns: server", point -> Table.known(point.serverNanos()))
            .column(Unit.COUNT, "oracle", point -> Table.known(point.oracleNanos()))
            .column(Unit.MILLIS, "begin p50 ms", point -> point.begin().p50())
            .column(Unit.MILLIS, "p99", point -> point.begin().p99())
            .column(Unit.SHARE, "waits", point -> Table.known(point.cpu().oracleWaits()))
            .end());
    to.note(
        """
        ns: processor time per transaction, of the server's process and its thread 'oracle'; \
        waits: time in which that thread could have gone on and got no processor.
        """);
    for (Axis axis : points.stream().map(GrowthPoint::axis).distinct().toList()) {
      to.plot(plot(points.stream().filter(p -> p.axis() == axis).toList(), axis, ratePerSecond));
    }
    to.runs(points);
  }

  private static Plot plot(List<GrowthPoint> points, Axis axis, double ratePerSecond) {
    return Plot.of(
            "growth-" + axis.name().toLowerCase(Locale.ROOT),
            "Cost of a transaction and " + axis,
            Texts.rate(ratePerSecond) + " transactions/s, no log",
            Plot.Axis.of(
                axis.toString(),
                points.stream().map(point -> Unit.COUNT.text(point.value())).toList()))
        .panel(
            Kind.LINES,
            Plot.Axis.linear("processor time, ns a transaction"),
            List.of(
                Series.ofValues("server", "#2186eb", points, GrowthPoint::serverNanos),
                Series.ofValues(
                    "its thread 'oracle'", "#de3a11", points, GrowthPoint::oracleNanos)))
        .panel(
            Kind.LINES,
            Plot.Axis.linear("begin, ms"),
            List.of(
                Series.ofValues("p50", "#2186eb", points, point -> point.begin().p50()),
                Series.ofValues("p99", "#de3a11", points, point -> point.begin().p99())));
  }
}
