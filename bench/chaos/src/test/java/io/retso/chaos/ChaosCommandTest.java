package io.retso.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.retso.cluster.nodes.Cluster;
import io.retso.server.commands.CommandLines;
import io.retso.server.commands.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code retso chaos} in short: a cluster of processes under faults, and its history judged. */
@Timeout(400)
class ChaosCommandTest {
  private static final long SEED = Long.getLong("retso.chaos.seed", 17);
  private static final String MINUTES = System.getProperty("retso.chaos.minutes", "0.3");

  @TempDir Path temporary;

  private record Answer(int code, String out, String err) {}

  private Answer run(String... words) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine command = CommandLines.of(new ChaosCommand());
    command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return new Answer(command.execute(words), out.toString(), err.toString());
  }

  /** Processes of this machine that name the directory in their arguments. */
  private long related() {
    return ProcessHandle.allProcesses()
        .filter(process -> !process.equals(ProcessHandle.current()))
        .map(process -> Arrays.toString(process.info().arguments().orElse(new String[0])))
        .filter(arguments -> arguments.contains(temporary.toString()))
        .count();
  }

  @Test
  void aClusterUnderFaultsKeepsItsPromises() throws Exception {
    Optional<String> obstacle = Cluster.obstacleToNamespaces();
    assumeTrue(obstacle.isEmpty(), () -> "without faults of the network: " + obstacle.orElse(""));
    Path out = temporary.resolve("out");
    Answer answer =
        run(
            "--minutes=" + MINUTES,
            "--seed=" + SEED,
            "--oracles=2",
            "--bookies=3",
            "--zookeepers=1",
            "--rate=200",
            "--faults=kill-leader,partition-leader-out,pause-leader,hand-over,lose-packets",
            "--out=" + out);
    System.out.println(answer.out());
    assertEquals(0, answer.code(), answer::toString);
    assertTrue(answer.out().contains("Acknowledged commits lost: 0. Wrong answers: 0."));
    assertTrue(Files.readString(out.resolve("chaos.svg")).contains("leader"));
    assertTrue(Files.readString(out.resolve("chaos.json")).contains("\"seed\" : " + SEED));
    assertTrue(
        Pattern.compile("\"led\" : \\d")
            .matcher(Files.readString(out.resolve("chaos.json")))
            .find(),
        "a standby that took over is seen in the logs");
    assertFalse(Files.exists(out.resolve("cluster")), "the cluster is gone");
    assertEquals(0, related());
  }

  /** Members find each other, clients and operators are let in, by certificates alone. */
  @Test
  void aClusterThatWantsToKnowEverybodyKeepsItsPromises() throws Exception {
    Path out = temporary.resolve("out");
    Answer answer =
        run(
            "--secured",
            "--minutes=0.1",
            "--seed=" + SEED,
            "--oracles=2",
            "--bookies=1",
            "--zookeepers=1",
            "--rate=100",
            "--faults=hand-over",
            "--out=" + out);
    System.out.println(answer.out());
    assertEquals(0, answer.code(), answer::toString);
    assertTrue(answer.out().contains("Acknowledged commits lost: 0. Wrong answers: 0."));
    assertTrue(Pattern.compile("hand-over +[1-9]").matcher(answer.out()).find(), answer.out());
    assertFalse(Files.exists(out.resolve("cluster")), "keys are gone with the cluster");
  }

  @Test
  void whatCannotBeIsSaidBeforeAnythingStarts() {
    assertEquals(ExitCode.USAGE.number(), run("--minutes=0").code());
    assertTrue(run("--bookies=0").err().contains("bookies"));
    assertTrue(run("--rollout", "--oracles=1").err().contains("--oracles 2 or more"));
    assertTrue(run("--rollout", "--secured").err().contains("goes with none of"));
  }
}
