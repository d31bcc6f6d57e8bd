package io.retso.admin;

import io.retso.hbase.Hold;
import io.retso.server.commands.ExitCode;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code retso hbase holds}: lists the snapshots that are held. */
@Command(
    name = "holds",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Lists the snapshots that the oracle holds, oldest first: regions keep all versions since the"
          + " first of them.",
      ""
    })
final class HoldsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private ClusterOptions cluster;

  @Override
  public Integer call() {
    return ClusterWork.withOracle(
        spec,
        cluster,
        manager -> {
          List<Hold> holds = manager.holds();
          holds.forEach(hold -> ClusterWork.println(spec, line(hold)));
          if (holds.isEmpty()) {
            ClusterWork.println(spec, "No snapshot is held.");
          }
          return ExitCode.CLEAN.number();
        });
  }

  private static String line(Hold hold) {
    return String.format(
        Locale.ROOT,
        "%s  timestamp %d, since %s, ends in %s unless it is renewed",
        hold.name(),
        hold.token().timestamp(),
        hold.since().truncatedTo(ChronoUnit.SECONDS),
        text(hold.left()));
  }

  private static String text(Duration time) {
    return String.format(
        Locale.ROOT, "%d:%02d:%02d", time.toHours(), time.toMinutesPart(), time.toSecondsPart());
  }
}
