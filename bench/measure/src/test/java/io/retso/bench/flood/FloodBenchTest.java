package io.retso.bench.flood;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.bench.server.ServersPlan;
import io.retso.cluster.Tethered;
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
class FloodBenchTest {
  @TempDir Path directory;

  /** With a heap and direct memory that would not do for what strangers might have it hold. */
  @Test
  void thoseThatAreKnownAreServedBesideEachFlood() throws Exception {
    ServersPlan plan =
        new ServersPlan(
            true,
            false,
            Optional.empty(),
            1_000_000,
            directory,
            Tethered.class.getName(),
            List.of("-Xmx160m", "-XX:MaxDirectMemorySize=64m"),
            List.of("--window-timestamps=2^20", "--uncleaned-max=100k"));
    StringWriter text = new StringWriter();
    List<FloodBench.Run> runs =
        new FloodBench(
                new FloodBench.Settings(
                    plan,
                    Pattern.compile(""),
                    200,
                    1_000_000,
                    1,
                    Duration.ofMillis(300),
                    Duration.ofMillis(1_000)),
                new PrintWriter(text))
            .run();
    assertEquals(1 + Flood.values().length, runs.size(), text::toString);
    for (FloodBench.Run run : runs) {
      assertTrue(run.letIn() >= 1, run::toString);
      assertEquals(0, run.keptAway(), run::toString);
      assertTrue(run.flood().equals("alone") || run.perSecond() > 0, run::toString);
    }
  }
}
