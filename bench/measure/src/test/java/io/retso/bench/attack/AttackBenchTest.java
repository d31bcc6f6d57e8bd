package io.retso.bench.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.bench.load.LoadPlan;
import io.retso.bench.server.ServersPlan;
import io.retso.cluster.InProcessServer;
import io.retso.report.Drawing;
import io.retso.report.ReportJson;
import io.retso.report.Result;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
class AttackBenchTest {
  @TempDir Path directory;

  @Test
  void aGoodClientIsServedBesideEachAttack() throws Exception {
    try (InProcessServer server = new InProcessServer(1_000_000, 1 << 20, 100_000)) {
      ServersPlan plan =
          new ServersPlan(
              false,
              false,
              Optional.of(server.address()),
              1_000_000,
              directory,
              "",
              List.of(),
              List.of());
      Result report = run(plan, "", 500);
      assertEquals(Attack.values().length + 1, report.runs(AttackFigures.class).size());
      // A run ends well only if all that the good client began was answered.
      for (AttackFigures run : report.runs(AttackFigures.class)) {
        AttackFigures longer = run;
        for (int millis = 1000; !isFelt(longer); millis *= 2) { // up to the test's time limit
          longer =
              run(plan, "^" + Pattern.quote(run.attack()) + "$", millis)
                  .runs(AttackFigures.class)
                  .get(1);
        }
      }
      assertTrue(report.text().contains(Attack.LARGE_COMMITS.toString()));
      assertTrue(Drawing.of(report.plots().get(0)).endsWith("</svg>\n"));
      ReportJson.write(report, directory.resolve("attacks.json"));
    }
  }

  private static boolean isFelt(AttackFigures run) {
    return run.attack().equals("alone") || run.answered() + run.refused() > 0;
  }

  /** The good client alone, and beside the attacks of a name. */
  private static Result run(ServersPlan plan, String names, int millis) throws Exception {
    AttackBench.Settings settings =
        new AttackBench.Settings(
            plan,
            Pattern.compile(names),
            LoadPlan.Work.CERTIFIED_READS,
            50, // its rows are within its share of so small a map
            1_000_000,
            1,
            Duration.ofMillis(300),
            Duration.ofMillis(millis));
    return new AttackBench(settings, new PrintWriter(new StringWriter()), false)
        .run("test", List.of());
  }
}
