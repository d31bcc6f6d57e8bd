package io.retso.verify.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.cluster.InProcessCluster;
import io.retso.edited.EditedClasses;
import io.retso.edited.SourceEdit;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.server.RetsoServer;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import io.retso.verify.check.Checker;
import io.retso.verify.check.Model;
import io.retso.verify.clients.ClusterAccess;
import io.retso.verify.clients.RunIsolation;
import io.retso.verify.history.History;
import io.retso.verify.history.HistoryReader;
import io.retso.verify.history.HistoryRecorder;
import io.retso.verify.history.Isolation;
import io.retso.verify.lists.Action;
import io.retso.verify.lists.ListKey;
import io.retso.verify.lists.ListStore.CommitFailure;
import io.retso.verify.lists.TableLists;
import java.lang.reflect.Constructor;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A run finds out if serializable transactions are not, on HBase, with an oracle, through the
 * public client.
 */
@ExtendWith(InProcessCluster.Extension.class)
class SerializableBugsTest {
  private static final long SEED = Long.getLong("retso.verify.seed", 5);

  /** Each begins with pairs that overlap; in the first of them they might meet others. */
  private static final int BURSTS_MAX = 10;

  private static final Path DECISION =
      Path.of("../../retso-server/src/main/java/io/retso/oracle/CommitDecision.java");

  @TempDir Path directory;

  /** Made by a loader of classes of its own; nothing is kept. */
  static final class Oracle implements IntSupplier, AutoCloseable {
    private final RetsoServer server;

    Oracle() throws Exception {
      server =
          RetsoServer.start(
              ServerConfig.builder()
                  .set(Settings.LISTEN_PORT, 0)
                  .set(Settings.HTTP_PORT, 0)
                  .set(Settings.LOG, "memory")
                  .set(Settings.ROWS, "100k")
                  .set(Settings.WINDOW_TIMESTAMPS, "2^17")
                  .set(Settings.UNCLEANED_MAX, "100k")
                  .build());
    }

    @Override
    public int getAsInt() {
      return server.port();
    }

    @Override
    public void close() {
      server.close();
    }
  }

  @Test
  void anOracleThatCertifiesNothingIsFound(InProcessCluster cluster) throws Exception {
    Path classes = directory.resolve("classes");
    new SourceEdit(
            DECISION, "if (refusal == Outcome.DONE && batch.serializable[i]) {", "if (false) {")
        .compile(classes);
    try (EditedClasses edited =
            EditedClasses.of(classes, Oracle.class, RetsoServer.class, OracleClient.class);
        AutoCloseable oracle = started(edited);
        RunTables place =
            RunTables.open(
                new ClusterAccess(cluster.key(), "127.0.0.1:" + ((IntSupplier) oracle).getAsInt()),
                "careless",
                RunTables.modes(RunIsolation.SERIALIZABLE))) {
      List<String> findings = new CopyOnWriteArrayList<>();
      for (int number = 1; number <= BURSTS_MAX; number++) {
        Burst burst = new Burst(place, number, directory);
        TableLists store = new TableLists(place.manager(), place.tables());
        burst.work(store, RunIsolation.SERIALIZABLE, SEED, 1000, findings::add);
        assertEquals(List.of(), findings, "seed " + SEED);
        History history = burst.history();
        assertTrue(isConsistent(history, Model.STRONG_SNAPSHOT_ISOLATION), "seed " + SEED);
        if (!isConsistent(history, Model.STRICT_SERIALIZABILITY)) {
          System.out.printf("seed %d: found in burst %d%n", SEED, number);
          return;
        }
      }
      throw new AssertionError("no cycle was found, seed " + SEED);
    }
  }

  private static AutoCloseable started(EditedClasses edited) throws Exception {
    Constructor<?> constructor = edited.loadClass(Oracle.class.getName()).getDeclaredConstructor();
    constructor.setAccessible(true);
    return (AutoCloseable) constructor.newInstance();
  }

  private static boolean isConsistent(History history, Model model) {
    return Checker.check(history, model).isConsistent();
  }

  /** Tables of all modes; what is not noticed in one of them is an anomaly of its own. */
  @Test
  void mixedIsolationWithoutGranulesIsFound(InProcessCluster cluster) throws Exception {
    History history = mixed(cluster, "bare", RunTables.ALL_MODES, Optional.empty());
    assertFalse(isConsistent(history, Model.AS_PROMISED));
    assertFalse(isConsistent(history, Model.STRICT_SERIALIZABILITY));
    assertTrue(isConsistent(history, Model.STRONG_SNAPSHOT_ISOLATION));
  }

  @Test
  void withGranulesItIsRefused(InProcessCluster cluster) throws Exception {
    List<Options> modes = RunTables.modes(RunIsolation.MIXED);
    History history = mixed(cluster, "granules", modes, Optional.of(CommitFailure.Kind.REFUSED));
    assertTrue(isConsistent(history, Model.AS_PROMISED));
    assertTrue(isConsistent(history, Model.STRICT_SERIALIZABILITY));
  }

  /**
   * A serializable transaction scans a range into which one of snapshot isolation inserts, and
   * writes something; a third one sees the insert and not what the first is about to write. So the
   * first comes before the second, that before the third, and that before the first.
   *
   * @param refused how the first one ends
   */
  private History mixed(
      InProcessCluster cluster,
      String name,
      List<Options> modes,
      Optional<CommitFailure.Kind> refused)
      throws Exception {
    Path file = directory.resolve("mixed.edn");
    try (RunTables place =
        RunTables.open(new ClusterAccess(cluster.key(), cluster.oracle()), name, modes)) {
      try (HistoryRecorder recorder = HistoryRecorder.create(file)) {
        Script script = new Script(new TableLists(place.manager(), place.tables()), recorder);
        for (int table = 0; table < ListKey.TABLES; table++) {
          ListKey inserted = new ListKey(table, 3, 0, 1, 0);
          ListKey other = new ListKey(table, 3, 0, 3, 0);
          ListKey low = new ListKey(table, 3, 0, 0, 0);
          Action scan = new Action.Scan(List.of(low, inserted), false);
          Action insert = new Action.Append(inserted, 1, Action.Way.PUT);
          Action look = new Action.Get(List.of(inserted, other));
          Action write = new Action.Append(other, 2, Action.Way.PUT);
          Script.Part first = script.begin(Isolation.SERIALIZABLE, scan, write);
          first.run(scan);
          assertEquals(Optional.empty(), script.alone(Isolation.SNAPSHOT, insert));
          assertEquals(Optional.empty(), script.alone(Isolation.SERIALIZABLE, look));
          first.run(write);
          assertEquals(refused, first.commit(), modes.get(table)::toString);
        }
      }
    }
    return HistoryReader.read(file).history();
  }
}
