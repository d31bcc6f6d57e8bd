package io.retso.bench.suite;

import io.retso.report.DiskFigures;
import io.retso.report.Percentiles;
import io.retso.report.Plot;
import io.retso.report.Plot.Axis;
import io.retso.report.Plot.Kind;
import io.retso.report.Plot.Point;
import io.retso.report.Plot.Series;
import io.retso.report.Result;
import io.retso.report.Rounds;
import io.retso.report.RunFigures;
import io.retso.report.Table;
import io.retso.report.Texts;
import io.retso.report.Unit;
import java.util.Comparator;
import java.util.List;

/** What was measured of the oracle, for people. */
final class SuiteResult {
  /** What the paper's section 4 states is grey. */
  private static final String PAPER = "#9aa5b1";

  private SuiteResult() {}

  /**
   * The runs that stand for their repetitions: of each the one of median throughput, where single
   * requests are measured that of median latency.
   */
  static List<RunFigures> medians(List<RunFigures> runs) {
    return Rounds.of(
            runs,
            run ->
                new Case(
                    run.kind(),
                    run.target(),
                    run.transactions(),
                    run.clients(),
                    run.outstanding(),
                    run.ratePerSecond()),
            RunFigures::round)
        .medians(
            run -> run.kind() == RunFigures.Kind.LATENCY ? run.latency().p50() : run.perSecond());
  }

  /**
   * Describes figures.
   *
   * @param subtitle of the paper's Figure 3; empty if it was not measured
   */
  static void describe(Result.Builder to, OracleFigures figures, String subtitle) {
    to.table(runs(figures));
    to.note(
        """
        TPS: transactions (begin + commit) decided per second; in rows 'begins' start timestamps.
        ms: from the begin's sending to the commit's reply. ns: processor time per transaction, of \
        the server's process, its thread 'oracle', this process.
        batch: transactions and bytes per log entry; append ms: its mean time.
        """);
    for (DiskFigures disk : figures.disk()) {
      String size = disk.bytes() >= 1024 ? disk.bytes() / 1024 + " KB" : disk.bytes() + " B";
      to.note(millis("disk: write + fdatasync of " + size, disk.p50(), disk.p99()));
    }
    Percentiles add = figures.bookKeeperAdd();
    if (add != null) {
      to.note(millis("BookKeeper: one small add at a time", add.p50(), add.p99()));
    }
    if (!subtitle.isEmpty()) {
      to.plot(plot(figures, subtitle));
    }
    to.runs(figures.runs());
  }

  private static String millis(String what, double p50, double p99) {
    return what + ": p50 " + Texts.millis(p50) + " ms, p99 " + Texts.millis(p99) + " ms";
  }

  private static Table runs(OracleFigures figures) {
    return Table.of("", medians(figures.runs()))
        .words("run", run -> run.kind() + (run.transactions() ? "" : ", begins"))
        .words("target", RunFigures::target)
        .words("clients x NT", SuiteResult::load)
        .column(Unit.RATE, "TPS", RunFigures::perSecond)
        .column(Unit.MILLIS, "mean ms", run -> run.latency().mean())
        .column(Unit.MILLIS, "p50", run -> run.latency().p50())
        .column(Unit.MILLIS, "p99", run -> run.latency().p99())
        .column(Unit.MILLIS, "p99.9", run -> run.latency().p999())
        .column(Unit.SHARE, "abort", run -> run.transactions() ? run.abortShare() : null)
        .column(Unit.RATIO, "cores: server", run -> Table.known(run.cpu().server()))
        .column(Unit.RATIO, "client", run -> run.cpu().client())
        .column(Unit.COUNT, "ns: server", run -> Table.known(run.serverNanos()))
        .column(Unit.COUNT, "oracle", run -> Table.known(run.oracleNanos()))
        .column(Unit.COUNT, "client", run -> Table.known(run.clientNanos()))
        .words("batch", run -> batch(run.log()))
        .column(
            Unit.MILLIS,
            "append ms",
            run -> run.log() == null ? null : run.log().appendMillisMean())
        .end();
  }

  private static String load(RunFigures run) {
    return run.ratePerSecond() > 0
        ? run.clients() + " at " + Texts.rate(run.ratePerSecond()) + "/s"
        : run.clients() + " x " + Unit.COUNT.text(run.outstanding());
  }

  private static String batch(RunFigures.LogFigures log) {
    if (log == null || log.entries() == 0) {
      return "-";
    }
    return Texts.rate(log.transactionsPerEntry()) + " / " + Texts.bytes(log.bytesPerEntry());
  }

  /** The paper's Figure 3, latency versus throughput, beside its own points. */
  private static Plot plot(OracleFigures figures, String subtitle) {
    return Plot.of(
            "figure3",
            "Latency vs. throughput",
            subtitle,
            Axis.linear("throughput, transactions per second"))
        .key("points: mean, with the number of clients; thin lines: up to p99")
        .panel(
            Kind.LINES,
            Axis.log("latency, ms"),
            List.of(
                series(figures, RunFigures.Target.LOG_OFF, "log off", "#2186eb"),
                series(figures, RunFigures.Target.LOG_ON, "log on (fsync)", "#de3a11"),
                series(figures, RunFigures.Target.REMOTE, "server", "#2186eb"),
                new Series("the paper, 2011: 1 x 1", PAPER, List.of(paper(1_027.56, 0.85))),
                new Series("1 x 1, WAL off", PAPER, List.of(paper(3_063.08, 0.171))),
                new Series("16 x 100", PAPER, List.of(paper(72_500, 14.4)))));
  }

  private static Point paper(double perSecond, double millis) {
    return Point.of(perSecond, millis);
  }

  private static Series series(
      OracleFigures figures, RunFigures.Target target, String name, String colour) {
    return Series.of(
        name,
        colour,
        medians(figures.runs()).stream()
            .filter(run -> run.kind() == RunFigures.Kind.SCALE && run.target() == target)
            .sorted(Comparator.comparingInt(RunFigures::clients))
            .toList(),
        run -> Point.of(run.perSecond(), run.transaction(), run.clients()));
  }
}
