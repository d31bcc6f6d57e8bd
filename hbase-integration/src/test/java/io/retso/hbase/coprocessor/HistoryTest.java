package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.OracleSettings;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.Refusal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.JVMClusterUtil.RegionServerThread;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random histories of transactions, cleanups by anybody at any time, flushes and compactions that
 * purge, against a model that keeps every version for ever: each open snapshot sees what the model
 * says, and one that is over sees that or is refused.
 */
@ExtendWith(RetsoCluster.Extension.class)
class HistoryTest {
  private static final int STEPS = 400;
  private static final int ROWS = 4;
  private static final int COLUMNS = 2;
  private static final int OPEN_MAX = 6;

  /** A transaction that may still write. */
  private record Open(long start, Map<String, String> writes) {}

  /** A decided transaction whose marks may be there. */
  private record Left(long start, long outcome, List<String> rows) {}

  private final List<Open> open = new ArrayList<>();
  private final List<Left> left = new ArrayList<>();
  private final List<Long> over = new ArrayList<>();

  /** Cell, {@code row/column}, to its values by commit timestamp; "" is deleted. */
  private final Map<String, TreeMap<Long, String>> model = new TreeMap<>();

  private RawTable t;
  private Random random;
  private String trace;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void everySnapshotAtOrAboveTheHorizonSeesTheSame(long seed, RetsoCluster cluster)
      throws Exception {
    random = new Random(seed);
    try (RawTable table = new RawTable(cluster)) {
      t = table;
      for (int i = 0; i < STEPS; i++) {
        trace = "seed " + seed + ", step " + i;
        step();
        verify(i % 20 == 19);
      }
    }
  }

  /** By a user that may write the table, while its regions prove outcomes. */
  @ParameterizedTest
  @ValueSource(longs = {5, 6})
  void outcomesThatAreMadeUpChangeNothing(long seed, RetsoCluster cluster) throws Exception {
    random = new Random(seed);
    regionServersTake(cluster, "prove");
    try (RawTable table = RawTable.adopting(cluster)) {
      t = table;
      for (int i = 0; i < STEPS; i++) {
        trace = "seed " + seed + ", step " + i;
        step();
        makeUp();
        verify(i % 20 == 19);
      }
    } finally {
      regionServersTake(cluster, "trust");
    }
  }

  private static void regionServersTake(RetsoCluster cluster, String outcomes) {
    for (RegionServerThread server : cluster.hbase().cluster().getLiveRegionServers()) {
      server.getRegionServer().getConfiguration().set(OracleSettings.OUTCOMES, outcomes);
    }
  }

  private void makeUp() throws IOException {
    boolean isOver = random.nextBoolean() || open.isEmpty();
    if (isOver && left.isEmpty()) {
      return;
    }
    Left about =
        isOver
            ? left.get(random.nextInt(left.size()))
            : new Left(open.get(random.nextInt(open.size())).start, Outcome.UNKNOWN, List.of());
    long claim =
        random.nextBoolean() ? Outcome.ABORTED : about.start + 16L * (1 + random.nextInt(99));
    if (claim == about.outcome) {
      return;
    }
    try {
      t.cleanUp(about.start, claim, "r" + random.nextInt(ROWS));
    } catch (IOException e) {
      assertTrue(e.getMessage().contains("the oracle does not say so"), e.getMessage());
    }
    assertFalse(t.adopt(about.start, claim, 1 + random.nextInt(2)), trace);
  }

  private void step() throws IOException {
    switch (random.nextInt(20)) {
      case 0, 1, 2 -> {
        if (open.size() < OPEN_MAX) {
          open.add(new Open(t.oracle.begin(), new TreeMap<>()));
        }
      }
      case 3, 4, 5, 6, 7, 8 -> write();
      case 9, 10, 11 -> end(true);
      case 12, 13 -> end(false);
      case 14, 15, 16 -> cleanUp();
      case 17 -> t.flush();
      case 18 -> {
        if (random.nextInt(3) == 0) {
          t.compact();
        }
      }
      default -> {
        if (!open.isEmpty()) {
          assertSees(open.get(random.nextInt(open.size())));
        }
      }
    }
  }

  private void write() throws IOException {
    if (open.isEmpty()) {
      return;
    }
    Open writer = open.get(random.nextInt(open.size()));
    String row = "r" + random.nextInt(ROWS);
    String column = "c" + random.nextInt(COLUMNS);
    String value = random.nextInt(4) == 0 ? "" : "v" + random.nextInt(1000);
    t.write(writer.start, row, column, value.isEmpty() ? null : value);
    writer.writes.put(row + "/" + column, value);
  }

  private void end(boolean commit) {
    if (open.isEmpty()) {
      return;
    }
    Open ending = open.remove(random.nextInt(open.size()));
    List<String> rows =
        ending.writes.keySet().stream().map(key -> key.substring(0, 2)).distinct().toList();
    long[] ids = rows.stream().mapToLong(String::hashCode).toArray();
    var result = commit ? t.oracle.commit(ending.start, ids) : t.oracle.abort(ending.start);
    long outcome = result.isCommitted() ? result.commitTimestamp() : Outcome.ABORTED;
    if (result.isCommitted()) {
      ending.writes.forEach(
          (key, value) -> model.computeIfAbsent(key, k -> new TreeMap<>()).put(outcome, value));
    }
    if (ending.writes.isEmpty()) {
      over.add(ending.start);
    }
    left.add(new Left(ending.start, outcome, rows));
  }

  /** Cleans up any transaction, at any time, twice perhaps. */
  private void cleanUp() throws IOException {
    if (left.isEmpty()) {
      return;
    }
    Left transaction = left.get(random.nextInt(left.size()));
    for (String row : transaction.rows) {
      t.cleanUp(transaction.start, transaction.outcome, row);
    }
    t.oracle.cleanedUp(transaction.start);
    if (random.nextInt(3) > 0) {
      left.remove(transaction);
    }
  }

  private void verify(boolean all) throws IOException {
    if (!all) {
      return;
    }
    for (Open reader : open) {
      assertSees(reader);
    }
    long now = t.snapshot();
    assertEquals(expected(now, Map.of()), t.scan(now, new Scan()), trace);
    over.add(now);
    for (int i = 0; i < 3 && !over.isEmpty(); i++) {
      long old = over.get(random.nextInt(over.size()));
      try {
        assertEquals(expected(old, Map.of()), t.scan(old, new Scan()), trace);
      } catch (UncheckedIOException e) {
        assertNotNull(Refusal.of(e), trace);
      }
    }
  }

  private void assertSees(Open reader) throws IOException {
    assertEquals(expected(reader.start, reader.writes), t.scan(reader.start, new Scan()), trace);
  }

  private List<String> expected(long timestamp, Map<String, String> own) {
    Map<String, String> cells = new TreeMap<>();
    model.forEach(
        (key, versions) -> {
          Map.Entry<Long, String> newest = versions.lowerEntry(timestamp);
          if (newest != null) {
            cells.put(key, newest.getValue());
          }
        });
    cells.putAll(own);
    Map<String, Map<String, String>> rows = new TreeMap<>();
    cells.forEach(
        (key, value) -> {
          if (!value.isEmpty()) {
            rows.computeIfAbsent(key.substring(0, 2), row -> new TreeMap<>())
                .put(key.substring(3), value);
          }
        });
    return rows.entrySet().stream().map(row -> row.getKey() + row.getValue()).toList();
  }
}
