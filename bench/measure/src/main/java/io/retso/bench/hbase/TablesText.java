package io.retso.bench.hbase;

import io.retso.bench.hbase.TablesReport.Run;
import io.retso.report.Figure;
import io.retso.report.TextTable;
import io.retso.report.Texts;
import io.retso.report.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The report of transactional tables for the terminal, and its figure. */
public final class TablesText {
  private TablesText() {}

  /** The round of median throughput of each measurement. */
  static List<Run> medians(List<Run> runs) {
    Map<List<Object>, List<Run>> repeated = new LinkedHashMap<>();
    for (Run run : runs) {
      repeated
          .computeIfAbsent(
              List.of(run.contest(), run.load(), run.variant()), key -> new ArrayList<>())
          .add(run);
    }
    return repeated.values().stream()
        .map(
            rounds ->
                rounds.stream()
                    .sorted(Comparator.comparingDouble(Run::perSecond))
                    .toList()
                    .get(rounds.size() / 2))
        .toList();
  }

  /** The whole report. */
  public static String of(TablesReport report) {
    String end = System.lineSeparator();
    TextTable table =
        new TextTable(
            "lrlrrrrrrrrr",
            "what",
            "load",
            "by",
            "per s",
            "mean ms",
            "p50",
            "p99",
            "aborted",
            "server us",
            "client us",
            "oracle us",
            "compilers");
    for (Run run : medians(report.runs())) {
      table.row(
          run.contest(),
          Integer.toString(run.load()),
          run.variant(),
          Texts.rate(run.perSecond()),
          Texts.millis(run.latency().mean()),
          Texts.millis(run.latency().p50()),
          Texts.millis(run.latency().p99()),
          run.abortShare() == 0 ? "-" : Texts.percent(run.abortShare()),
          Texts.rate(run.cpu().server()),
          Texts.rate(run.cpu().client()),
          Texts.rate(run.cpu().oracle()),
          Texts.percent(run.cpu().compilerShare()));
    }
    TextTable requests =
        new TextTable(
            "lrrr",
            "requests of one operation, cleanup included",
            "region servers",
            "oracle, frames",
            "questions");
    for (TablesReport.Requests one : report.requests()) {
      requests.row(
          one.operation(),
          Texts.decimal(one.hbase()),
          Texts.decimal(one.oracleFrames()),
          Texts.decimal(one.oracleQueries()));
    }
    TextTable written =
        new TextTable(
            "llrr", "what one operation writes, cleanup included", "by", "log, bytes", "cells");
    for (TablesReport.Written one : report.written()) {
      written.row(
          one.operation(),
          one.variant(),
          Texts.decimal(one.logBytes()),
          Texts.decimal(one.cells()));
    }
    return end + table + end + requests + end + written + end + Verdict.table(report.comparisons());
  }

  /** Latency versus throughput of the paper's transactions. */
  public static String figure(TablesReport report) {
    return Figure.plain(
        List.of(
            series(report, Contest.PLAIN_ASYNC, "plain puts", "#616e7c"),
            series(report, Contest.TRANSACTIONS, "transactions", "#2186eb")),
        String.format(
            Locale.ROOT,
            "0 to 20 of %,d rows of %d bytes written; one region server and the oracle on %s cores",
            report.settings().get("rows"),
            report.settings().get("valueBytes"),
            report.machine().get("cores")),
        "points: mean, with the number under way; thin lines: up to p99");
  }

  private static Figure.Series series(
      TablesReport report, String variant, String name, String colour) {
    return new Figure.Series(
        name,
        colour,
        medians(report.runs()).stream()
            .filter(run -> run.contest().equals(Contest.PAPER) && run.variant().equals(variant))
            .map(
                run ->
                    new Figure.Point(
                        run.perSecond(),
                        run.latency().mean(),
                        run.latency().p99(),
                        Integer.toString(run.load())))
            .toList());
  }
}
