package io.retso.bench.growth;

import io.retso.report.LineFigure;
import io.retso.report.LineFigure.Line;
import io.retso.report.LineFigure.Panel;
import io.retso.report.TextTable;
import io.retso.report.Texts;
import io.retso.report.Verdict;
import java.util.List;
import java.util.Locale;

/** A report of growth for the terminal, and a figure for each axis. */
public final class GrowthText {
  private GrowthText() {}

  /** The report as text. */
  public static String of(GrowthReport report) {
    TextTable table =
        new TextTable(
            "lrrrrrrr",
            "what grows",
            "",
            "TPS",
            "ns: server",
            "oracle",
            "begin p50 ms",
            "p99",
            "waits");
    for (GrowthReport.Point point : report.points()) {
      table.row(
          point.axis().toString(),
          String.format(Locale.ROOT, "%,d", point.value()),
          Texts.rate(point.perSecond()),
          nanos(point.serverNanos()),
          nanos(point.oracleNanos()),
          Texts.millis(point.begin().p50()),
          Texts.millis(point.begin().p99()),
          point.cpu().oracleWaits() < 0 ? "-" : Texts.percent(point.cpu().oracleWaits()));
    }
    String end = System.lineSeparator();
    StringBuilder text = new StringBuilder(end).append(table).append(end);
    text.append("  ns: processor time per transaction, of the server's process and its thread");
    text.append(" 'oracle'; waits: time in which that").append(end);
    text.append("  thread could have gone on and got no processor.").append(end);
    report.leftOut().forEach(what -> text.append("  not measured: ").append(what).append(end));
    return text.append(end).append(Verdict.table(report.comparisons())).toString();
  }

  private static String nanos(double nanos) {
    return nanos < 0 ? "-" : String.format(Locale.ROOT, "%,.0f", nanos);
  }

  /** The figure of an axis. */
  public static String figure(GrowthReport report, Axis axis) {
    List<GrowthReport.Point> points =
        report.points().stream().filter(point -> point.axis() == axis).toList();
    return LineFigure.of(
        "Cost of a transaction and " + axis,
        Texts.rate(report.ratePerSecond()) + " transactions/s, no log",
        points.stream().map(point -> String.format(Locale.ROOT, "%,d", point.value())).toList(),
        List.of(
            new Panel(
                "processor time, ns a transaction",
                List.of(
                    new Line(
                        "server",
                        "#2186eb",
                        points.stream().mapToDouble(GrowthReport.Point::serverNanos).toArray()),
                    new Line(
                        "its thread 'oracle'",
                        "#de3a11",
                        points.stream().mapToDouble(GrowthReport.Point::oracleNanos).toArray()))),
            new Panel(
                "begin, ms",
                List.of(
                    new Line(
                        "p50",
                        "#2186eb",
                        points.stream().mapToDouble(point -> point.begin().p50()).toArray()),
                    new Line(
                        "p99",
                        "#de3a11",
                        points.stream().mapToDouble(point -> point.begin().p99()).toArray())))));
  }
}
