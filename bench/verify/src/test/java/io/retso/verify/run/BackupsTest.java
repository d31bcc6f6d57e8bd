package io.retso.verify.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.cluster.InProcessCluster;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.options.Conflicts;
import io.retso.text.Text;
import io.retso.verify.check.Checker;
import io.retso.verify.check.Model;
import io.retso.verify.check.Verdict;
import io.retso.verify.clients.ClusterAccess;
import io.retso.verify.clients.FinalReads;
import io.retso.verify.clients.RunIsolation;
import io.retso.verify.faults.FaultOrder;
import io.retso.verify.history.History;
import io.retso.verify.history.HistoryReader;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Backups that are taken while clients work, regions move, split and merge, and the oracle is
 * restarted, are restored into another cluster: all tokens are there, and the history with one
 * transaction more, which has read all lists as they were restored, is consistent. {@code
 * -Dretso.backups=40} is so many restores.
 */
@ExtendWith(InProcessCluster.Extension.class)
class BackupsTest {
  private static final int BACKUPS = Integer.getInteger("retso.backups", 2);

  /** Of a round: a full one, and one that adds to it. */
  private static final int A_ROUND = 2;

  /** Of histories, some hundred transactions. */
  private static final long WORK_BYTES = 50_000;

  private static final double SECONDS_MAX = 60;
  private static final long SEED = Long.getLong("retso.backups.seed", 1);
  private static final long PROCESS = 2_000_000;

  /** Snapshots are for tables that regions read. */
  private static final List<Options> MODES =
      List.of(
          Options.DEFAULT,
          Options.DEFAULT.withConflicts(Conflicts.CELL),
          Options.DEFAULT,
          Options.DEFAULT.withConflicts(Conflicts.CELL));

  private static final Set<String> FAULTS =
      Set.of(
          "move",
          "split",
          "merge",
          "flush",
          "compact",
          "major-compact",
          "manager-kill",
          "sweep",
          "oracle-kill");

  @TempDir Path directory;

  @Test
  void whatIsRestoredWasThereOnce(InProcessCluster cluster) throws Exception {
    ClusterAccess access = new ClusterAccess(cluster.key(), cluster.oracle());
    try (InProcessCluster other = new InProcessCluster("2^52");
        RunTables place = RunTables.open(access, "backed-up", MODES)) {
      ClusterAccess there = new ClusterAccess(other.key(), other.oracle());
      try (Connection connection = ConnectionFactory.createConnection(there.configuration());
          TransactionManager manager =
              TransactionManager.builder(there.configuration()).oracle(there.oracle()).build()) {
        Elsewhere elsewhere =
            new Elsewhere(
                connection,
                manager,
                TablePreparation.builder(connection).oracle(there.oracle()).build());
        FaultOrder faults = new FaultOrder(SEED);
        for (int number = 0; number * A_ROUND < BACKUPS; number++) {
          round(place, cluster, faults, elsewhere, number);
        }
      }
    }
  }

  /** Where backups are restored. */
  private record Elsewhere(
      Connection connection, TransactionManager manager, TablePreparation preparation) {}

  private void round(
      RunTables place, InProcessCluster cluster, FaultOrder faults, Elsewhere elsewhere, int number)
      throws Exception {
    Path own = Files.createDirectory(directory.resolve("round-" + number));
    Round round = new Round(place, settings(own), number, own, Duration.ofMinutes(2), faults);
    CompletableFuture<List<Restored>> taken =
        CompletableFuture.supplyAsync(
            () -> backups(place, number), work -> new Thread(work, "backups").start());
    Round.Outcome outcome = round.run(SECONDS_MAX, new OracleRestarts(cluster), until(taken));
    assertTrue(outcome.isGood(), () -> "seed " + SEED + ": " + outcome);
    Collection<Long> lists = FinalReads.keys(List.of(outcome.history()));
    List<String> violations = new ArrayList<>();
    List<Path> histories = new ArrayList<>(List.of(outcome.history()));
    for (Restored restored : taken.get(1, TimeUnit.MINUTES)) {
      Path history = own.resolve("restored-" + histories.size() + ".edn");
      restored.read(
          elsewhere.connection,
          elsewhere.manager,
          elsewhere.preparation,
          lists,
          violations::add,
          round.origin(),
          PROCESS + histories.size(),
          history);
      histories.add(history);
    }
    assertEquals(List.of(), violations, "seed " + SEED);
    Path all = own.resolve("all.edn");
    HistoryMerge.merge(histories, all);
    History history = HistoryReader.read(all).history();
    Verdict verdict = Checker.check(history, Model.of(history));
    assertTrue(verdict.isConsistent(), () -> "seed " + SEED + ": " + verdict);
    System.out.println(
        Text.of(
            "round %d: %d restored of %d lists, beside %d transactions and %s",
            number,
            histories.size() - 1,
            lists.size(),
            outcome.work().commits(),
            outcome.faults()));
  }

  private static RunSettings settings(Path own) {
    return new RunSettings(
        SEED,
        SECONDS_MAX,
        SECONDS_MAX,
        2 * SECONDS_MAX,
        0,
        3,
        20,
        RunIsolation.SNAPSHOT,
        FAULTS,
        Optional.empty(),
        own,
        true,
        false);
  }

  private List<Restored> backups(RunTables place, int number) {
    List<Restored> taken = new ArrayList<>();
    try {
      for (int i = 0; i < A_ROUND; i++) {
        awaitWork(directory.resolve("round-" + number));
        Path target = directory.resolve("backup-" + number + "-" + i);
        taken.add(
            Restored.take(
                place, target, i == 0 ? Optional.empty() : Optional.of(taken.get(i - 1))));
      }
      for (Restored each : taken) {
        place.manager().release(each.token());
      }
      return taken;
    } catch (IOException | InterruptedException e) {
      throw new CompletionException(e);
    }
  }

  /** Until there is something to back up. */
  private static void awaitWork(Path histories) throws IOException, InterruptedException {
    long enough = size(histories) + WORK_BYTES;
    while (size(histories) < enough) {
      TimeUnit.MILLISECONDS.sleep(10); // between two looks, not instead of one
    }
  }

  private static long size(Path histories) throws IOException {
    long size = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(histories, "client-*.edn")) {
      for (Path file : files) {
        size += Files.size(file);
      }
    }
    return size;
  }

  /** Clients work until the backups are there. */
  private static Round.Listener until(CompletableFuture<List<Restored>> taken) {
    return new Round.Listener() {
      @Override
      public boolean goesOn(double seconds, Tally tally, Map<String, Integer> faults) {
        return !taken.isDone();
      }

      @Override
      public void phase(String what) {}
    };
  }
}
