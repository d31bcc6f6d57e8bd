package io.retso.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The report for the terminal. */
public final class ReportText {
  private ReportText() {}

  /**
   * The runs that stand for their repetitions: of each the one of median throughput, where single
   * requests are measured that of median latency.
   */
  public static List<RunFigures> medians(List<RunFigures> runs) {
    Map<String, List<RunFigures>> byCase = new LinkedHashMap<>();
    for (RunFigures run : runs) {
      String key =
          run.kind()
              + "/"
              + run.target()
              + "/"
              + run.transactions()
              + "/"
              + run.clients()
              + "/"
              + run.outstanding()
              + "/"
              + run.ratePerSecond();
      byCase.computeIfAbsent(key, k -> new ArrayList<>()).add(run);
    }
    List<RunFigures> medians = new ArrayList<>();
    for (List<RunFigures> repeated : byCase.values()) {
      List<RunFigures> sorted = new ArrayList<>(repeated);
      boolean single = sorted.get(0).kind() == RunFigures.Kind.LATENCY;
      sorted.sort(
          Comparator.comparingDouble(run -> single ? run.latency().p50() : run.perSecond()));
      medians.add(sorted.get(sorted.size() / 2));
    }
    return medians;
  }

  /** The whole report. */
  public static String of(Report report) {
    String end = System.lineSeparator();
    StringBuilder text = new StringBuilder();
    text.append(end).append(runs(report)).append(end);
    text.append("  TPS: transactions (begin + commit) decided per second; in rows 'begins' start");
    text.append(" timestamps.").append(end);
    text.append("  ms: from the begin's sending to the commit's reply.");
    text.append(
        " ns: processor time per transaction, of the server's process, its thread 'oracle',");
    text.append(" this process.").append(end).append(" ");
    text.append(" batch: transactions and bytes per log entry;");
    text.append(" append ms: its mean time.").append(end).append(end);
    for (DiskFigures disk : report.disk()) {
      text.append(
          String.format(
              Locale.ROOT,
              "  disk: write + fdatasync of %s: p50 %s ms, p99 %s ms%n",
              disk.bytes() >= 1024 ? disk.bytes() / 1024 + " KB" : disk.bytes() + " B",
              Texts.millis(disk.p50()),
              Texts.millis(disk.p99())));
    }
    if (report.bookKeeperAdd() != null) {
      text.append(
          String.format(
              Locale.ROOT,
              "  BookKeeper: one small add at a time: p50 %s ms, p99 %s ms%n",
              Texts.millis(report.bookKeeperAdd().p50()),
              Texts.millis(report.bookKeeperAdd().p99())));
    }
    if (!report.comparisons().isEmpty()) {
      text.append(end).append(Verdict.table(report.comparisons()));
    }
    return text.toString();
  }

  private static TextTable runs(Report report) {
    TextTable table =
        new TextTable(
            "llrrrrrrrrrrrrrr",
            "run",
            "target",
            "clients x NT",
            "TPS",
            "mean ms",
            "p50",
            "p99",
            "p99.9",
            "abort",
            "cores: server",
            "client",
            "ns: server",
            "oracle",
            "client",
            "batch",
            "append ms");
    for (RunFigures run : medians(report.runs())) {
      Percentiles latency = run.latency();
      String size = run.clients() + " x " + String.format(Locale.ROOT, "%,d", run.outstanding());
      table.row(
          run.kind() + (run.transactions() ? "" : ", begins"),
          run.target().toString(),
          run.ratePerSecond() > 0
              ? run.clients() + " at " + Texts.rate(run.ratePerSecond()) + "/s"
              : size,
          Texts.rate(run.perSecond()),
          Texts.millis(latency.mean()),
          Texts.millis(latency.p50()),
          Texts.millis(latency.p99()),
          Texts.millis(latency.p999()),
          run.transactions() ? Texts.percent(run.abortShare()) : "-",
          run.cpu().server() < 0 ? "-" : Texts.decimal(run.cpu().server()),
          Texts.decimal(run.cpu().client()),
          nanos(run.serverNanos()),
          nanos(run.oracleNanos()),
          nanos(run.clientNanos()),
          batch(run.log()),
          run.log() == null ? "-" : Texts.millis(run.log().appendMillisMean()));
    }
    return table;
  }

  private static String nanos(double nanos) {
    return nanos < 0 ? "-" : String.format(Locale.ROOT, "%,.0f", nanos);
  }

  private static String batch(RunFigures.LogFigures log) {
    if (log == null || log.entries() == 0) {
      return "-";
    }
    return Texts.rate(log.transactionsPerEntry()) + " / " + Texts.bytes(log.bytesPerEntry());
  }
}
