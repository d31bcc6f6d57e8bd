package io.retso.verify.run;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.admin.TablePreparation;
import io.retso.verify.check.Checker;
import io.retso.verify.check.Model;
import io.retso.verify.check.Verdict;
import io.retso.verify.clients.ListWorker;
import io.retso.verify.clients.RunIsolation;
import io.retso.verify.clients.StopSignal;
import io.retso.verify.history.HistoryReader;
import io.retso.verify.history.HistoryRecorder;
import io.retso.verify.history.Isolation;
import io.retso.verify.lists.Generations;
import io.retso.verify.lists.ListKey;
import io.retso.verify.run.PlainLists.Flaw;
import java.nio.file.Path;
import java.util.ArrayList;
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
class InjectedBugsTest {
  private static final long SEED = Long.getLong("retso.verify.seed", 5);
  private static final int THREADS = 6;
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
            cluster.key(),
            cluster.oracle(),
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
    int number = bursts.incrementAndGet();
    Path file = directory.resolve("history-" + number + ".edn");
    StopSignal stop = new StopSignal();
    findings.clear();
    try (HistoryRecorder recorder = HistoryRecorder.create(file)) {
      Generations generations = new Generations(Generations.allAt(1000 * number), 40);
      try (PlainLists store = new PlainLists(flaw, place)) {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
          ListWorker worker =
              new ListWorker(
                  i,
                  store,
                  recorder,
                  generations,
                  RunIsolation.SNAPSHOT,
                  SEED + 100L * number + i,
                  findings::add,
                  stop);
          threads.add(new Thread(worker, "lists-" + i));
        }
        threads.forEach(Thread::start);
        stop.await(millis);
        stop.set();
        for (Thread thread : threads) {
          thread.join();
        }
      }
      recorder.flush();
      new FinalReads(place.manager(), place.tables(), recorder, Isolation.SNAPSHOT, THREADS)
          .read(FinalReads.keys(List.of(file)), false);
    }
    return Checker.check(HistoryReader.read(file).history(), Model.STRONG_SNAPSHOT_ISOLATION);
  }
}
