package io.retso.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.cluster.ChildProcess;
import io.retso.cluster.ClusterException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TellerPoolTest {
  @TempDir Path directory;

  private final SplittableRandom random = new SplittableRandom(1);
  private final List<ChildProcess> processes = new ArrayList<>();
  private final TellerPool pool = new TellerPool(this::start);

  /** Does nothing until its standard input ends. */
  public static final class Idler {
    private Idler() {}

    /** Runs it. */
    public static void main(String[] arguments) throws IOException {
      while (System.in.read() >= 0) {
        // nobody writes
      }
    }
  }

  private ChildProcess start(String name) throws ClusterException {
    ChildProcess process =
        ChildProcess.start(
            name,
            directory.resolve(name + "-output.txt"),
            directory.resolve(name),
            List.of(),
            Idler.class.getName(),
            List.of());
    processes.add(process);
    return process;
  }

  @AfterEach
  void close() {
    pool.close();
  }

  @Test
  void oneThatIsKilledIsReplaced() throws IOException {
    pool.start(1);
    pool.killOne(random);
    assertFalse(processes.get(0).isAlive());
    assertTrue(pool.isAnyAlive());
    pool.killAll();
    assertFalse(pool.isAnyAlive());
    assertEquals(2, pool.killed());
    assertEquals(List.of(), pool.deaths());
  }

  @Test
  void oneThatEndedByItselfWasNotKilled() throws IOException {
    pool.start(1);
    processes.get(0).kill(); // the pool does not know
    pool.killOne(random);
    processes.get(1).kill();
    pool.killAll();
    assertEquals(0, pool.killed());
    assertEquals(2, pool.deaths().size());
    assertTrue(
        pool.deaths().get(0).startsWith("teller-1 ended by itself. It said:"),
        pool.deaths()::toString);
    assertTrue(pool.deaths().get(1).startsWith("teller-2 ended"), pool.deaths()::toString);
  }
}
