package io.retso.bench.security;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.bench.server.ServersPlan;
import io.retso.cluster.Tethered;
import io.retso.report.Verdict;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
class SecurityBenchTest {
  @TempDir Path directory;

  @Test
  void bothWaysAreMeasuredAtOneServer() throws Exception {
    ServersPlan plan =
        new ServersPlan(
            true,
            false,
            Optional.empty(),
            1_000_000,
            directory,
            Tethered.class.getName(),
            List.of("-Xmx256m"),
            List.of("--window-timestamps=2^20", "--uncleaned-max=100k"));
    StringWriter text = new StringWriter();
    List<Verdict> found =
        new SecurityBench(
                new SecurityBench.Settings(
                    plan, 1_000_000, 1, 1, Duration.ofMillis(200), Duration.ofMillis(500)),
                new PrintWriter(text))
            .run();
    assertEquals(5, found.size(), text::toString);
    for (Verdict each : found) {
      assertTrue(Double.isFinite(each.value()), each.toString());
    }
    try (Stream<Path> left = Files.list(directory)) {
      assertEquals(
          List.of("server-memory.txt"),
          left.map(file -> file.getFileName().toString()).toList(),
          "keys are gone with the servers");
    }
  }
}
