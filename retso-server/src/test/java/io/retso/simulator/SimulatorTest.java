package io.retso.simulator;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.protocol.Outcome;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * The production members, oracle, sequencer, log protocol and recovery in a simulated world, with
 * servers and clients that die at any moment, leaders that are deposed or hand over, lost replies
 * and lost acknowledgements.
 *
 * <p>From the command line, for longer, or to repeat a failure (its seed is printed):
 *
 * <pre>
 *   ./mvnw -pl retso-client,retso-server test -Dtest=SimulatorTest \
 *       -Dsurefire.failIfNoSpecifiedTests=false \
 *       -Dtest.jvm.extra="-Dretso.sim.operations=100000000 -Dretso.sim.seed=7"
 * </pre>
 */
class SimulatorTest {
  private static final long OPERATIONS = Long.getLong("retso.sim.operations", 400_000);
  private static final long SEED = Long.getLong("retso.sim.seed", 1);
  private static final long OPERATIONS_PER_WORLD = 10_000;

  @Test
  void keepsItsPromisesInEveryWorld() {
    Map<String, Long> counts = new TreeMap<>();
    long commits = 0;
    long reads = 0;
    long operations = 0;
    long searches = 0;
    for (long seed = SEED; operations < OPERATIONS; seed++) {
      World world = new World(seed);
      try {
        world.run(OPERATIONS_PER_WORLD);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError(
            "-Dretso.sim.seed=" + seed + " -Dretso.sim.operations=1: " + e.getMessage(), e);
      }
      operations += world.operations();
      commits += world.history().commits();
      reads += world.history().reads();
      searches += world.history().order().searches();
      world.counts().forEach((name, count) -> counts.merge(name, count, Long::sum));
    }
    System.out.println(
        operations
            + " operations from seed "
            + SEED
            + ": "
            + commits
            + " commits, "
            + reads
            + " reads, "
            + searches
            + " searches for cycles, "
            + counts);
    if (operations >= 100_000) {
      for (String rare :
          List.of(
              "retries",
              "unknown",
              "repeats",
              "given up by clients",
              "ends not heard of",
              "calls that failed: TIMEOUT",
              "orphans",
              "deposed",
              "deposed and killed",
              "handed over",
              "not handed over",
              "take-overs that failed",
              "ports closed",
              "machines that went down",
              "sessions that lapsed",
              "sessions of the living that lapsed",
              "ledgers that were gone",
              "catalogs read late",
              "replacements that took effect and are refused",
              "sent back: DEPOSED",
              "sent back: NOT_LEADER",
              "stopped cleanly",
              "late answers to BEGIN",
              "late answers to TIMESTAMP",
              "sweeps",
              "watermarks",
              "timestamps",
              "timestamps followed the clock",
              "clocks set forward",
              "clocks set back",
              "waits",
              "waits for a turn",
              "cut off from BOOKIES",
              "cut off from CATALOG",
              "cut off from CLIENTS",
              "cut off from some bookies",
              "bookies that crashed",
              "bookies that were slow",
              "bookies that refused writes",
              "deposed unheard",
              "sleeps",
              "taken over from one that is cut off",
              "stalls of the log",
              "committed when the faults were over",
              "earlier call answered first",
              "later call answered first",
              "expiries",
              "safe readers",
              "locks",
              "late answers to SAFE",
              "held over windows",
              "held until its time was over",
              Outcome.nameOf(Outcome.ABORTED_PIVOT),
              Outcome.nameOf(Outcome.ABORTED_UNKNOWN_SUCCESSOR)))
        assertTrue(counts.getOrDefault(rare, 0L) > 10, () -> rare + " hardly happened: " + counts);
    }
  }
}
