package io.retso.bench.attack;

import io.retso.report.BarFigure;
import io.retso.report.BarFigure.Bar;
import io.retso.report.RunFigures.Target;
import io.retso.report.TextTable;
import io.retso.report.Texts;
import io.retso.report.Verdict;
import java.util.Locale;

/** A report of attacks for the terminal, and as a figure. */
public final class AttackText {
  private AttackText() {}

  /** The report as text. */
  public static String of(AttackReport report) {
    TextTable table =
        new TextTable(
            "llrrrrrrrrrrrrr",
            "beside",
            "target",
            "p50 ms",
            "p99",
            "p99.9",
            "max",
            "begin p99",
            "control p99",
            "aborted",
            "long ones",
            "attack /s",
            "refused",
            "turn CPU ms",
            "append ms",
            "waits");
    for (AttackReport.Run run : report.runs()) {
      table.row(
          run.attack(),
          run.target().toString(),
          Texts.millis(run.good().p50()),
          Texts.millis(run.good().p99()),
          Texts.millis(run.good().p999()),
          Texts.millis(run.good().max()),
          Texts.millis(run.goodBegins().p99()),
          run.control() == null ? "-" : Texts.millis(run.control().p99()),
          Texts.percent(run.notCommitted()),
          run.longAborted() < 0 ? "-" : Texts.percent(run.longAborted()),
          Texts.rate(run.answeredPerSecond()),
          String.format(Locale.ROOT, "%,d", run.refused()),
          atMost(run.turnCpuMillis()),
          atMost(run.appendMillis()),
          run.cpu().oracleWaits() < 0 ? "-" : Texts.percent(run.cpu().oracleWaits()));
    }
    String end = System.lineSeparator();
    return end
        + "A good client begins "
        + Texts.rate(report.ratePerSecond())
        + " transactions a second; latencies from the instants at which they were due."
        + end
        + end
        + table
        + end
        + "  control: the same client's begins, answered at once by the server that is not"
        + " attacked."
        + end
        + "  long ones: aborted transactions of those that were open during the whole measurement."
        + end
        + "  turn CPU, append: the longest turn of the server's thread, and append to its log."
        + end
        + "  waits: time in which the server's thread could have gone on and got no processor."
        + end
        + end
        + Verdict.table(report.comparisons());
  }

  private static String atMost(double millis) {
    return millis < 0 ? "-" : "<= " + Texts.millis(millis);
  }

  /** The latencies as a figure. */
  public static String figure(AttackReport report) {
    return BarFigure.of(
        report.runs().stream()
            .map(
                run ->
                    new Bar(
                        run.attack() + ", " + run.target(),
                        run.target() == Target.LOG_ON ? "#de3a11" : "#2186eb",
                        run.good()))
            .toList(),
        "A good client beside attacks",
        Texts.rate(report.ratePerSecond()) + " transactions/s from an address of its own");
  }
}
