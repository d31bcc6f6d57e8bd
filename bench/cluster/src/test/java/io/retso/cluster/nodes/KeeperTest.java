package io.retso.cluster.nodes;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.retso.ChildJvm;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nothing is left of a cluster when the process that made faults in it is killed. */
@Timeout(200)
class KeeperTest {
  private static final Duration END_MAX = Duration.ofMinutes(2);

  @TempDir Path temporary;

  /** Makes a cluster with a node that is stopped and cut off, says so, and hangs. */
  public static final class Maker {
    private Maker() {}

    /** Where. */
    public static void main(String[] arguments) throws Exception {
      Path directory = Path.of(arguments[0]);
      Keeper keeper = Keeper.of(directory);
      Cluster cluster =
          Cluster.create(
              directory,
              new Layout.Counts(1, 1, 1),
              true,
              hosts -> Map.of("rows", "1k", "window.timestamps", "2^10"),
              0);
      cluster.up(line -> {});
      Node oracle = cluster.layout().node("oracle-1");
      cluster.pause(oracle);
      cluster.faults().partition(oracle, null, Faults.Direction.BOTH);
      System.out.println("up");
      Thread.currentThread().join(); // itself: for ever
      keeper.close();
    }
  }

  @Test
  void aClusterGoesWithItsMaker() throws Exception {
    Optional<String> obstacle = Namespaces.obstacle();
    assumeTrue(obstacle.isEmpty(), () -> obstacle.orElse(""));
    Path directory = temporary.resolve("cluster");
    Process maker =
        ChildJvm.builder(
                List.of(
                    "--add-opens=java.base/java.io=ALL-UNNAMED",
                    "-cp",
                    System.getProperty("java.class.path"),
                    Maker.class.getName(),
                    directory.toString()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    List<OwnProcess> processes = new ArrayList<>();
    try (BufferedReader out = maker.inputReader()) {
      assertNotNull(out.readLine(), "ended by itself");
      try (var files = Files.walk(directory)) {
        for (Path file : files.filter(path -> path.endsWith("process")).toList()) {
          processes.add(OwnProcess.load(file).orElseThrow());
        }
      }
      processes.add(OwnProcess.load(directory.resolve("network/router")).orElseThrow());
    } finally {
      maker.destroyForcibly(); // kill -9
    }
    assertTrue(processes.size() == 4, processes::toString);
    assertTrue(Waiting.until(END_MAX, () -> !Files.exists(directory)));
    for (OwnProcess process : processes) {
      assertFalse(process.isAlive(), process::toString);
    }
  }
}
