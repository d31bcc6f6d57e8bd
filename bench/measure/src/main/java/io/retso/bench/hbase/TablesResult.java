package io.retso.bench.hbase;

import io.retso.bench.hbase.TablesFigures.Run;
import io.retso.report.Plot;
import io.retso.report.Plot.Axis;
import io.retso.report.Plot.Kind;
import io.retso.report.Plot.Point;
import io.retso.report.Plot.Series;
import io.retso.report.Result;
import io.retso.report.Rounds;
import io.retso.report.Table;
import io.retso.report.Unit;
import java.util.List;
import java.util.Locale;

/** What was measured of transactional tables, for people. */
final class TablesResult {
  private TablesResult() {}

  /** The round of median throughput of each measurement. */
  private static List<Run> medians(List<Run> runs) {
    return Rounds.of(runs, run -> List.of(run.contest(), run.load(), run.variant()), Run::round)
        .medians(Run::perSecond);
  }

  /** Describes figures. */
  static void describe(Result.Builder to, TablesFigures figures, TablesSettings settings) {
    to.table(
        Table.of("", medians(figures.runs()))
            .words("what", Run::contest)
            .column(Unit.COUNT, "load", Run::load)
            .words("by", Run::variant)
            .column(Unit.RATE, "per s", Run::perSecond)
            .column(Unit.MILLIS, "mean ms", run -> run.latency().mean())
            .column(Unit.MILLIS, "p50", run -> run.latency().p50())
            .column(Unit.MILLIS, "p99", run -> run.latency().p99())
            .column(Unit.SHARE, "aborted", run -> run.abortShare() == 0 ? null : run.abortShare())
            .column(Unit.RATE, "server us", run -> run.cpu().server())
            .column(Unit.RATE, "client us", run -> run.cpu().client())
            .column(Unit.RATE, "oracle us", run -> run.cpu().oracle())
            .column(Unit.SHARE, "compilers", run -> run.cpu().compilerShare())
            .end());
    to.table(
        Table.of("requests of one operation, cleanup included", figures.requests())
            .words("operation", TablesFigures.Requests::operation)
            .column(Unit.RATIO, "region servers", TablesFigures.Requests::hbase)
            .column(Unit.RATIO, "oracle, frames", TablesFigures.Requests::oracleFrames)
            .column(Unit.RATIO, "questions", TablesFigures.Requests::oracleQueries)
            .end());
    to.table(
        Table.of("what one operation writes, cleanup included", figures.written())
            .words("operation", TablesFigures.Written::operation)
            .words("by", TablesFigures.Written::variant)
            .column(Unit.RATIO, "log, bytes", TablesFigures.Written::logBytes)
            .column(Unit.RATIO, "cells", TablesFigures.Written::cells)
            .end());
    to.verdicts(
        TablesComparisons.of(
            figures.runs(), figures.works(), figures.requests(), figures.written()));
    to.plot(plot(figures, settings)).settings(settings.facts()).runs(List.of(figures));
  }

  /** Latency versus throughput of the paper's transactions. */
  private static Plot plot(TablesFigures figures, TablesSettings settings) {
    return Plot.of(
            "hbase",
            "Latency vs. throughput",
            String.format(
                Locale.ROOT,
                "0 to 20 of %,d rows of %d bytes written; one region server and the oracle",
                settings.rows(),
                settings.valueBytes()),
            Axis.linear("transactions per second"))
        .key("points: mean, with the number under way; thin lines: up to p99")
        .panel(
            Kind.LINES,
            Axis.log("latency, ms"),
            List.of(
                series(figures, Contest.PLAIN_ASYNC, "plain puts", "#616e7c"),
                series(figures, Contest.TRANSACTIONS, "transactions", "#2186eb")));
  }

  private static Series series(TablesFigures figures, String variant, String name, String colour) {
    return Series.of(
        name,
        colour,
        medians(figures.runs()).stream()
            .filter(run -> run.contest().equals(Contest.PAPER) && run.variant().equals(variant))
            .toList(),
        run -> Point.of(run.perSecond(), run.latency(), run.load()));
  }
}
