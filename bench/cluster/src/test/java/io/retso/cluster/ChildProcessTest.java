package io.retso.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that talk, and such as do not answer. */
@Timeout(60)
class ChildProcessTest {
  private static final Duration LONG = Duration.ofSeconds(50);

  @TempDir Path directory;

  private ChildProcess start(String script) throws ClusterException {
    return ChildProcess.startTalking(
        "the child", directory.resolve("child.txt"), List.of("sh", "-c", script));
  }

  @Test
  void answersComeInTheOrderOfTheCommands() throws Exception {
    try (ChildProcess child = start("while read -r line; do echo \"got $line\"; done")) {
      for (String line : List.of("one", "two two")) {
        child.send(line);
        assertEquals("got " + line, child.answer(LONG));
      }
    }
  }

  @Test
  void oneThatEndsIsReportedWithWhatItSaid() throws Exception {
    try (ChildProcess child = start("echo no such plan >&2; exit 3")) {
      ClusterException ended = assertThrows(ClusterException.class, () -> child.answer(LONG));
      assertTrue(
          ended.getMessage().startsWith("the child ended with exit code 3"), ended::toString);
      assertTrue(ended.getMessage().contains("no such plan"), ended::toString);
    }
  }

  @Test
  void oneThatHangsIsKilled() throws Exception {
    try (ChildProcess child = start("exec sleep 1000")) {
      ClusterException hangs =
          assertThrows(ClusterException.class, () -> child.answer(Duration.ofMillis(50)));
      assertTrue(hangs.getMessage().startsWith("the child did not answer"), hangs::toString);
      assertFalse(child.isAlive());
    }
  }
}
