package io.retso.bench.attack;

import io.retso.report.Plot;
import io.retso.report.Plot.Axis;
import io.retso.report.Plot.Kind;
import io.retso.report.Plot.Point;
import io.retso.report.Plot.Series;
import io.retso.report.Result;
import io.retso.report.RunFigures.Target;
import io.retso.report.Table;
import io.retso.report.Texts;
import io.retso.report.Unit;
import java.util.List;

/** What a good client notices of attacks, for people. */
final class AttackResult {
  private AttackResult() {}

  /** Describes runs. */
  static void describe(Result.Builder to, List<AttackFigures> runs, double ratePerSecond) {
    to.table(
        Table.of("", runs)
            .words("beside", AttackFigures::attack)
            .words("target", AttackFigures::target)
            .column(Unit.MILLIS, "p50 ms", run -> run.good().p50())
            .column(Unit.MILLIS, "p99", run -> run.good().p99())
            .column(Unit.MILLIS, "p99.9", run -> run.good().p999())
            .column(Unit.MILLIS, "max", run -> run.good().max())
            .column(Unit.MILLIS, "begin p99", run -> run.goodBegins().p99())
            .column(
                Unit.MILLIS,
                "control p99",
                run -> run.control() == null ? null : run.control().p99())
            .column(Unit.SHARE, "aborted", AttackFigures::notCommitted)
            .column(Unit.SHARE, "long ones", run -> Table.known(run.longAborted()))
            .column(Unit.RATE, "attack /s", AttackFigures::answeredPerSecond)
            .column(Unit.COUNT, "refused", AttackFigures::refused)
            .column(Unit.MILLIS, "turn CPU ms, at most", run -> Table.known(run.turnCpuMillis()))
            .column(Unit.MILLIS, "append ms, at most", run -> Table.known(run.appendMillis()))
            .column(Unit.SHARE, "waits", run -> Table.known(run.cpu().oracleWaits()))
            .end());
    String rate = Texts.rate(ratePerSecond) + " transactions";
    to.note(
        "A good client begins "
            + rate
            + " a second; latencies from the instants at which they were due.");
    to.note(
        """
        control: the same client's begins, answered at once by the server that is not attacked.
        long ones: aborted transactions of those that were open during the whole measurement.
        turn CPU, append: the longest turn of the server's thread, and append to its log.
        waits: time in which the server's thread could have gone on and got no processor.
        """);
    to.plot(
        Plot.of(
                "attacks",
                "A good client beside attacks",
                rate + "/s from an address of its own",
                Axis.log("ms"))
            .key("bar: p50 to p99; line: to the longest")
            .panel(
                Kind.RANGES,
                Axis.linear(""),
                List.of(
                    series(runs, Target.LOG_OFF, "#2186eb"),
                    series(runs, Target.LOG_ON, "#de3a11"))));
    to.runs(runs);
  }

  private static Series series(List<AttackFigures> runs, Target target, String colour) {
    return Series.of(
        target.toString(),
        colour,
        runs.stream().filter(run -> run.target() == target).toList(),
        run -> Point.of(run.attack() + ", " + target, run.good()));
  }
}
