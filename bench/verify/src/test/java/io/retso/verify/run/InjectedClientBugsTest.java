package io.retso.verify.run;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.cluster.InProcessCluster;
import io.retso.hbase.admin.TablePreparation;
import io.retso.verify.check.Checker;
import io.retso.verify.check.Model;
import io.retso.verify.check.Verdict;
import io.retso.verify.clients.ClusterAccess;
import io.retso.verify.clients.RunIsolation;
import io.retso.verify.lists.ListKey;
import io.retso.verify.run.PlainLists.Flaw;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A run judges clients with one flaw each, and finds every flaw; a client without one passes. They
 * work in bursts until an anomaly is found, which is nearly always in the first.
 */
@ExtendWith(InProcessCluster.Extension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class InjectedClientBugsTest {
  private static final long SEED = Long.getLong("retso.verify.seed", 5);
  private static final int BURSTS_MAX = 15;
  private static final int BURST_MILLIS = 1000;

  private static Path directory;
  private RunTables place;
  private final AtomicInteger bursts = new AtomicInteger();

  /** Those of the last burst. */
  private final List<String> findings = new CopyOnWriteArrayList<>();

  @BeforeAll
  void openTables(InProcessCluster cluster, @TempDir Path temporary) throws Exception {
    directory = temporary;
    place =
        RunTables.open(
            new ClusterAccess(cluster.key(), cluster.oracle()),
            "bugs",
            Collections.nCopies(ListKey.TABLES, TablePreparation.Options.CLIENT_READS));
  }

  @AfterAll
  void closeTables() throws Exception {
    place.close();
  }

  @ParameterizedTest
  @EnumSource(Flaw.class)
  void everyFlawIsFound(Flaw flaw) throws Exception {
    if (flaw == Flaw.NONE) {
      long ok = 0;
      for (int i = 0; i < BURSTS_MAX && ok <= 100; i++) { // a busy machine takes several
        Verdict verdict = burst(flaw, 3 * BURST_MILLIS);
        assertTrue(isGood(verdict), "seed " + SEED + ": " + verdict + findings);
        ok += verdict.ok();
      }
      assertTrue(ok > 100, "seed " + SEED + ": " + ok);
      return;
    }
    for (int i = 1; i < BURSTS_MAX; i++) {
      if (!isGood(burst(flaw, BURST_MILLIS))) {
        return;
      }
    }
    assertFalse(isGood(burst(flaw, BURST_MILLIS)), () -> flaw + " was not found, seed " + SEED);
  }

  private boolean isGood(Verdict verdict) {
    return verdict.isConsistent() && findings.isEmpty();
  }

  private Verdict burst(Flaw flaw, long millis) throws Exception {
    findings.clear();
    Burst burst = new Burst(place, bursts.incrementAndGet(), directory);
    try (PlainLists store = new PlainLists(flaw, place)) {
      burst.work(store, RunIsolation.SNAPSHOT, SEED, millis, findings::add);
    }
    return Checker.check(burst.history(), Model.STRONG_SNAPSHOT_ISOLATION);
  }
}
