package io.retso.verify.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.cluster.InProcessCluster;
import io.retso.verify.check.Model;
import io.retso.verify.clients.ClusterAccess;
import io.retso.verify.clients.RunIsolation;
import io.retso.verify.faults.FaultOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A short run against the product, in one process: managers lose their connections, regions move,
 * split, merge, flush and compact, the oracle restarts. What separate processes add is up to {@code
 * retso verify}.
 */
@ExtendWith(InProcessCluster.Extension.class)
class WorkloadTest {
  private static final long SEED = Long.getLong("retso.verify.seed", 11);
  private static final double SECONDS =
      Double.parseDouble(System.getProperty("retso.verify.seconds", "10"));
  private static final double SECONDS_MAX = SECONDS + 120;
  private static final int COMMITTED_MIN = 300;
  private static final int FAULTS_MIN = 3;
  private static final int PAIRS_MIN = 5;

  @TempDir Path directory;

  /** Pairs that overlapped were write skew, for the oracle and for the checker. */
  @Test
  void snapshotIsolationIsKeptAndIsNoMore(InProcessCluster cluster) throws Exception {
    Round.Outcome outcome = run(cluster, RunIsolation.SNAPSHOT);
    assertEquals(Model.STRONG_SNAPSHOT_ISOLATION, outcome.verdict().model());
    assertEquals(0, outcome.work().refused(), outcome::toString);
    assertTrue(outcome.work().skewed() >= PAIRS_MIN, outcome::toString);
    assertTrue(outcome.verdict().unserializable() > 0, outcome::toString);
  }

  /** Pairs that overlapped were refused. */
  @Test
  void serializableTransactionsAre(InProcessCluster cluster) throws Exception {
    Round.Outcome outcome = run(cluster, RunIsolation.SERIALIZABLE);
    assertEquals(Model.STRICT_SERIALIZABILITY, outcome.verdict().model());
    assertEquals(0, outcome.work().skewed(), outcome::toString);
    assertTrue(outcome.work().refused() >= PAIRS_MIN, outcome::toString);
  }

  @Test
  void eachIsAsItWasPromised(InProcessCluster cluster) throws Exception {
    Round.Outcome outcome = run(cluster, RunIsolation.MIXED);
    assertEquals(Model.AS_PROMISED, outcome.verdict().model());
    assertTrue(outcome.work().skewed() + outcome.work().refused() >= PAIRS_MIN, outcome::toString);
  }

  private Round.Outcome run(InProcessCluster cluster, RunIsolation isolation) throws Exception {
    RunSettings settings =
        new RunSettings(
            SEED,
            SECONDS_MAX,
            SECONDS_MAX,
            600,
            0,
            6,
            40,
            isolation,
            Set.of(
                "manager-kill", "flush", "major-compact", "move", "split", "merge", "oracle-kill"),
            Optional.empty(),
            directory,
            true,
            false);
    try (RunTables place =
        RunTables.open(
            new ClusterAccess(cluster.key(), cluster.oracle()),
            "run",
            RunTables.modes(isolation))) {
      Round round =
          new Round(place, settings, 0, directory, Duration.ofMinutes(1), new FaultOrder(SEED));
      Round.Outcome outcome =
          round.run(settings.seconds(), new OracleRestarts(cluster), new Quiet());
      String summary = "seed " + SEED + ": " + outcome;
      assertEquals(List.of(), outcome.violations(), summary);
      assertTrue(outcome.verdict().isConsistent(), summary);
      assertEquals(List.of(), outcome.verdict().withoutLastRead(), summary);
      assertTrue(outcome.verdict().ok() >= COMMITTED_MIN, summary);
      assertEquals(List.of(), outcome.work().tooLittle(), summary);
      assertTrue(outcome.faults().size() >= FAULTS_MIN, summary);
      return outcome;
    }
  }

  /** Says nothing; a slow machine gets the time that it needs. */
  private static final class Quiet implements Round.Listener {
    @Override
    public boolean goesOn(double seconds, Tally tally, Map<String, Integer> faults) {
      return seconds < SECONDS
          || tally.committed() < COMMITTED_MIN
          || tally.skewed() + tally.refusedPairs() < PAIRS_MIN
          || faults.size() < FAULTS_MIN;
    }

    @Override
    public void phase(String what) {}
  }
}
