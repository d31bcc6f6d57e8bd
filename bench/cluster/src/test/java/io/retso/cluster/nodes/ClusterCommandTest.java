package io.retso.cluster.nodes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.retso.ChildJvm;
import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.TransactionHandle;
import io.retso.server.commands.CommandLines;
import io.retso.server.commands.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code retso cluster}, with all of its processes; each command is given as users give it. */
@Timeout(300)
class ClusterCommandTest {
  private static final Duration SHORT = Duration.ofMillis(500);

  @TempDir Path temporary;

  private Path directory() {
    return temporary.resolve("cluster");
  }

  private record Answer(int code, String out, String err) {}

  private Answer run(String... words) {
    List<String> all = new ArrayList<>(List.of("--dir=" + directory()));
    all.addAll(Arrays.asList(words));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine command = CommandLines.of(new ClusterCommand());
    command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    int code = command.execute(all.toArray(String[]::new));
    return new Answer(code, out.toString(), err.toString());
  }

  private String succeed(String... words) {
    Answer answer = run(words);
    assertEquals(0, answer.code(), answer::toString);
    return answer.out();
  }

  private String fail(String... words) {
    Answer answer = run(words);
    assertEquals(ExitCode.USAGE.number(), answer.code(), answer::toString);
    return answer.err();
  }

  @AfterEach
  void end() {
    if (Layout.exists(directory())) {
      run("stop");
    }
  }

  private void up(String... words) {
    List<String> all = new ArrayList<>(List.of("up"));
    all.addAll(List.of("--set=rows=1k", "--set=window.timestamps=2^10"));
    all.addAll(Arrays.asList(words));
    succeed(all.toArray(String[]::new));
  }

  private Node node(String name) throws IOException {
    return Layout.load(directory()).node(name);
  }

  /** The processes, and those that hold namespaces. */
  private List<OwnProcess> processes() throws IOException {
    try (Stream<Path> files = Files.walk(directory())) {
      return files
          .filter(file -> file.endsWith("process") || isHolder(file))
          .map(ClusterCommandTest::load)
          .toList();
    }
  }

  private static boolean isHolder(Path file) {
    return file.getParent().endsWith("network") && !file.toString().endsWith(".txt");
  }

  private static OwnProcess load(Path file) {
    try {
      return OwnProcess.load(file).orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Processes of this machine that name the cluster's directory in their arguments. */
  private long related() {
    return ProcessHandle.allProcesses()
        .filter(process -> !process.equals(ProcessHandle.current()))
        .filter(process -> String.join(" ", arguments(process)).contains(directory().toString()))
        .count();
  }

  private boolean runs(String node, String build) throws IOException {
    long pid = load(directory().resolve(node).resolve("process")).pid();
    return Files.readString(Path.of("/proc/" + pid + "/cmdline")).contains(build);
  }

  private static String[] arguments(ProcessHandle process) {
    return process.info().arguments().orElse(new String[0]);
  }

  /** Begins and commits a transaction; returns its start timestamp. */
  private static long commit(OracleClient oracle, long row) throws Exception {
    TransactionHandle begun = oracle.begin();
    assertTrue(oracle.commit(begun, row).isCommitted());
    oracle.cleanedUp(begun);
    return begun.startTimestamp();
  }

  @Test
  void aClusterCommitsWhileNodesAreKilledAndPausedAndLeavesNothing() throws Exception {
    up();
    assertEquals(5, processes().size());
    assertTrue(succeed("status").contains("running, serving"));
    String address = node("oracle-1").endpoint();
    long before;
    try (OracleClient oracle = OracleClient.builder().address(address).build()) {
      commit(oracle, 1);
      succeed("kill", "bookie-2");
      before = commit(oracle, 2);
    }
    succeed("pause", "oracle-1");
    Answer status = run("status");
    assertEquals(ExitCode.UNHEALTHY.number(), status.code());
    assertTrue(status.out().matches("(?s).*bookie-2 [^\\n]* down\\n.*"), status::out);
    assertTrue(status.out().matches("(?s).*oracle-1 [^\\n]* paused\\n.*"), status::out);
    String other = System.getProperty("java.class.path") + ":" + temporary.resolve("other-build");
    succeed("restart", "bookie-2", "--class-path=" + other);
    assertTrue(runs("bookie-2", "other-build"), "a node runs the build that it was given");
    succeed("kill", "bookie-2");
    succeed("restart", "bookie-2");
    assertTrue(runs("bookie-2", "other-build"), "and keeps it");
    succeed("restart", "bookie-2", "--class-path=own");
    assertFalse(runs("bookie-2", "other-build"));
    try (OracleClient oracle =
        OracleClient.builder().address(address).requestTimeout(SHORT).build()) {
      assertThrows(OracleException.class, oracle::begin);
    }
    succeed("resume", "oracle-1");
    try (OracleClient oracle = OracleClient.builder().address(address).build()) {
      assertTrue(commit(oracle, 3) > before);
    }
    assertTrue(fail("partition", "oracle-1").contains("--network namespaces"));

    List<OwnProcess> processes = processes();
    succeed("pause", "bookie-3"); // a stopped one ends, too
    succeed("stop");
    for (OwnProcess process : processes) {
      assertFalse(process.isAlive(), process::toString);
    }
    assertEquals(0, related());
    succeed("stop", "--delete");
    assertFalse(Files.exists(directory()));
  }

  /** Connects from its own host, and commits once; any failure is an exit code. */
  public static final class OneCommit {
    private OneCommit() {}

    /** The oracle's address, and how long an answer may take in milliseconds. */
    public static void main(String[] arguments) throws Exception {
      try (OracleClient oracle =
          OracleClient.builder()
              .address(arguments[0])
              .requestTimeout(Duration.ofMillis(Long.parseLong(arguments[1])))
              .build()) {
        commit(oracle, 1);
      }
    }
  }

  private int commitFromClient(Duration atMost) throws Exception {
    List<String> words = new ArrayList<>();
    try (Cluster cluster = Cluster.open(directory())) {
      words.addAll(cluster.enter(node("client-1")));
    }
    words.addAll(
        ChildJvm.builder(
                List.of(
                    "-ea",
                    "-cp",
                    System.getProperty("java.class.path"),
                    OneCommit.class.getName(),
                    node("oracle-1").endpoint(),
                    Long.toString(atMost.toMillis())))
            .command());
    Process process =
        new ProcessBuilder(words)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertTrue(process.waitFor(1, TimeUnit.MINUTES));
    return process.exitValue();
  }

  @Test
  void nodesInNamespacesAreCutOffInEitherDirection() throws Exception {
    Optional<String> obstacle = Namespaces.obstacle();
    assumeTrue(obstacle.isEmpty(), () -> obstacle.orElse(""));
    up("--network=namespaces", "--bookies=1", "--bookie-disk=256");
    Duration patient = Duration.ofSeconds(20);
    assertEquals(0, commitFromClient(patient));

    succeed("partition", "oracle-1", "--from=client-1", "--direction=out");
    assertTrue(run("status").out().contains("cut off: packets from oracle-1 to client-1"));
    assertNotEquals(0, commitFromClient(SHORT), "it is heard, but its answers are dropped");
    succeed("heal", "bookie-1");
    assertNotEquals(0, commitFromClient(SHORT), "that healed another node");
    succeed("heal", "oracle-1");
    assertFalse(run("status").out().contains("cut off"));
    assertEquals(0, commitFromClient(patient));
    succeed("partition", "oracle-1", "--from=client-1", "--direction=in");
    assertNotEquals(0, commitFromClient(SHORT));
    succeed("heal");
    linksLoseAndDelayUntilTheyAreHealed();
    aFullDiskIsEmptiedAndTheOracleGoesOn();

    List<OwnProcess> processes = processes();
    assertEquals(8, processes.size(), "three nodes, four hosts, a router");
    succeed("stop");
    for (OwnProcess process : processes) {
      assertFalse(process.isAlive(), process::toString);
    }
    assertEquals(0, related());
    assertTrue(fail("up").contains("the disks of the bookies were in memory"));
    assertEquals(0, related());
  }

  private void linksLoseAndDelayUntilTheyAreHealed() throws Exception {
    succeed("lose", "oracle-1", "99");
    assertTrue(run("status").out().contains("oracle-1 loses packets"));
    assertNotEquals(0, commitFromClient(SHORT));
    succeed("slow", "bookie-1", "5000");
    assertTrue(run("status").out().contains("the link of bookie-1 is slow"));
    succeed("heal");
    String healed = run("status").out();
    assertFalse(healed.contains("loses") || healed.contains("slow"), healed);
    assertEquals(0, commitFromClient(Duration.ofSeconds(20)));
    assertTrue(fail("lose", "oracle-1", "100").contains("1 to 99"));
  }

  /** Whether the bookie ends depends on what its journal has reserved; its data stays. */
  private void aFullDiskIsEmptiedAndTheOracleGoesOn() throws Exception {
    assertTrue(fail("fill", "oracle-1").contains("--bookie-disk"));
    succeed("fill", "bookie-1");
    succeed("heal");
    succeed("restart", "bookie-1"); // which a bookie refuses that finds another disk
    assertEquals(0, commitFromClient(Duration.ofSeconds(40)));
  }

  @Test
  void whatCannotBeIsSaidBeforeAnythingStarts() throws Exception {
    assertTrue(fail("up", "--oracles=0").contains("oracles"));
    assertTrue(fail("up", "--bookies=0").contains("bookies"));
    assertTrue(fail("up", "--zookeepers=2").contains("1 or 3"));
    assertTrue(fail("up", "--set=rowz=1k").contains("rowz"));
    assertTrue(fail("up", "--bookie-disk=256").contains("namespaces"));
    assertTrue(fail("status").contains("no cluster"));
    assertEquals(0, related());
  }

  @Test
  void aLaterProcessWithTheSameIdIsLeftAlone() throws Exception {
    Process process = new ProcessBuilder("sleep", "60").start();
    try {
      OwnProcess own = OwnProcess.of(process.pid());
      assertTrue(own.isAlive());
      OwnProcess earlier = new OwnProcess(own.pid(), own.ticks() + "0", own.bootId());
      assertFalse(earlier.isAlive());
      earlier.signal("KILL");
      assertFalse(new OwnProcess(own.pid(), own.ticks(), "another boot").isAlive());
      assertTrue(own.isAlive());
      own.signal("KILL");
      process.waitFor();
      assertFalse(own.isAlive());
    } finally {
      process.destroyForcibly();
    }
  }
}
