package io.retso.verify.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.cluster.ClusterException;
import io.retso.verify.lists.Generations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.TableName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Client processes that do not end as they should. */
@Timeout(300)
class ClientPoolTest {
  private static final Duration LONG = Duration.ofMinutes(2);

  @TempDir Path directory;

  private final Set<ProcessHandle> others =
      ProcessHandle.current().children().collect(Collectors.toSet());
  private final AtomicInteger started = new AtomicInteger();
  private final List<String> findings = new ArrayList<>();

  private ClientPool pool(Class<?> main, Duration patience) {
    return new ClientPool(this::plan, directory, findings::add, main, patience);
  }

  private ClientPlan plan() {
    int number = started.getAndIncrement();
    return new ClientPlan(
        number,
        1,
        1,
        new ClusterAccess("localhost:1:/hbase", "localhost:1"),
        List.of(TableName.valueOf("t")),
        Generations.allAt(0),
        20,
        RunIsolation.SNAPSHOT,
        0,
        directory.resolve("client-" + number + ".edn"));
  }

  private static void ready(String file) throws IOException {
    Path unfinished = Files.writeString(Path.of(file + ".next"), Long.toString(System.nanoTime()));
    Files.move(unfinished, Path.of(file));
  }

  private static void awaitParent() throws IOException {
    while (System.in.read() >= 0) {
      // what counts is the end
    }
  }

  /** Ends when it is asked. */
  public static final class Good {
    private Good() {}

    /** Runs it: the file to write when it is ready. */
    public static void main(String[] arguments) throws IOException {
      ready(arguments[0]);
      awaitParent();
    }
  }

  /** Finds out in the end that something is wrong. */
  public static final class Failing {
    private Failing() {}

    /** Runs it: the file to write when it is ready. */
    public static void main(String[] arguments) throws IOException {
      ready(arguments[0]);
      awaitParent();
      System.out.println("lists-64 did not finish its transaction");
      System.exit(1);
    }
  }

  /** Does not mind that it is asked to end. */
  public static final class Hanging {
    private Hanging() {}

    /** Runs it: the file to write when it is ready. */
    public static void main(String[] arguments) throws Exception {
      ready(arguments[0]);
      Thread.currentThread().join(); // itself: for ever
    }
  }

  /** Starts only if it is the first. */
  public static final class OnlyOne {
    private OnlyOne() {}

    /** Runs it: the file to write when it is ready. */
    public static void main(String[] arguments) throws IOException {
      if (arguments[0].contains("client-0")) {
        ready(arguments[0]);
        awaitParent();
      }
    }
  }

  @Test
  void clientsThatEndWhenTheyAreAskedAreNotReported() throws Exception {
    try (ClientPool pool = pool(Good.class, LONG)) {
      pool.start(2);
      assertEquals(
          3, pool.killOne(new Random(1)).split("client ").length, "one killed, one started");
    }
    assertEquals(List.of(), findings);
  }

  @Test
  void aClientThatFailsInTheEndIsReported() throws Exception {
    try (ClientPool pool = pool(Failing.class, LONG)) {
      pool.start(1);
    }
    assertEquals(1, findings.size(), findings::toString);
    assertTrue(findings.get(0).startsWith("client 0 ended with exit code 1"), findings::toString);
    assertTrue(findings.get(0).contains("did not finish its transaction"), findings::toString);
  }

  @Test
  void aClientThatHasToBeKilledIsReported() throws Exception {
    try (ClientPool pool = pool(Hanging.class, Duration.ZERO)) {
      pool.start(1);
    }
    assertEquals(1, findings.size(), findings::toString);
    assertTrue(findings.get(0).startsWith("client 0 did not end within"), findings::toString);
  }

  @Test
  void aClientThatDiedIsReportedThoughItWasToBeKilled() throws Exception {
    try (ClientPool pool = pool(Good.class, LONG)) {
      pool.start(1);
      killChildren();
      pool.killOne(new Random(1));
      killChildren();
    }
    assertEquals(2, findings.size(), findings::toString);
    assertTrue(findings.get(0).startsWith("client 0 ended by itself"), findings::toString);
    assertTrue(findings.get(1).startsWith("client 1 ended by itself"), findings::toString);
  }

  private void killChildren() {
    ProcessHandle.current()
        .children()
        .filter(child -> !others.contains(child))
        .forEach(
            child -> {
              child.destroyForcibly();
              child.onExit().join();
            });
  }

  @Test
  void nobodyIsKilledWhereThereIsNobody() {
    try (ClientPool pool = pool(Good.class, LONG)) {
      IOException refused = assertThrows(IOException.class, () -> pool.killOne(new Random(1)));
      assertEquals("there are no client processes", refused.getMessage());
    }
  }

  /** That is no fault of the store. */
  @Test
  void aReplacementThatDoesNotStartIsNoViolation() throws Exception {
    try (ClientPool pool = pool(OnlyOne.class, LONG)) {
      pool.start(1);
      assertThrows(ClusterException.class, () -> pool.killOne(new Random(1)));
      assertEquals(1, pool.missing().size());
      assertTrue(
          pool.missing().get(0).startsWith("client 0 was killed and not replaced: client 1 ended"),
          pool.missing()::toString);
    }
    assertEquals(List.of(), findings);
  }
}
