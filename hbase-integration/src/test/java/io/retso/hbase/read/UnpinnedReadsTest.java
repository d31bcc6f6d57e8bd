package io.retso.hbase.read;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static io.retso.hbase.Fixture.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Reads;
import io.retso.hbase.transaction.Inside;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Read-only transactions that read what is current without a timestamp: all that one of them reads
 * is one moment, between its first read and now.
 */
@ExtendWith(RetsoCluster.Extension.class)
class UnpinnedReadsTest {
  static final List<Options> MODES =
      List.of(Options.DEFAULT, Options.DEFAULT.withConflicts(Conflicts.CELL), Options.CLIENT_READS);

  private static final long SEED = Long.getLong("retso.unpinned.seed", 20_261_122L);
  private static final int ROUNDS = 200;
  private static final int ROWS = 5;

  private Fixture fixture;
  private TransactionManager manager;
  private TransactionManager other;
  private TransactionManager dying;
  private TableName name;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
    other = fixture.manager();
    dying = fixture.dyingManager();
    name = fixture.table(Options.DEFAULT);
  }

  private void write(String row, String value) throws Exception {
    other.run(
        tx -> {
          tx.table(name).put(put(row, value));
          return null;
        });
  }

  /** Takes the older snapshot that readers who come in the next second read at. */
  private void takeOlderSnapshot() throws Exception {
    try (ReadTransaction tx = manager.beginReadOnly()) {
      tx.readTimestamp();
    }
  }

  @Test
  void whatIsCurrentIsReadWithoutATimestamp() throws Exception {
    write("a", "0");
    // A cleanup between the region's two looks at a row leaves open whether it is current.
    Fixture.eventually("cleaned up", () -> fixture.marks(name) == 0);
    takeOlderSnapshot();
    try (ReadTransaction tx = manager.beginReadOnly()) {
      assertEquals("0", read(tx.table(name), "a"));
      assertNull(read(tx.table(name), "b"));
      assertTrue(tx.toString().contains("without a timestamp"), tx::toString);
    }
    Counters counters = Inside.counters(manager);
    assertEquals(2, counters.currentReads.sum());
    assertEquals(0, counters.changedSnapshots.sum());
  }

  @Test
  void whatWasCommittedSinceTheOlderSnapshotIsNotMissed() throws Exception {
    for (String value : List.of("0", "1", "2")) {
      takeOlderSnapshot();
      write("a", value);
      try (ReadTransaction tx = manager.beginReadOnly()) {
        assertEquals(value, read(tx.table(name), "a"));
        assertTrue(tx.toString().contains("transaction "), tx::toString);
      }
    }
  }

  /** It has read "a" as it was before it was written with "b" and "c". */
  @Test
  void laterReadsSeeTheMomentOfTheFirst() throws Exception {
    other.run(
        tx -> {
          tx.table(name).put(List.of(put("a", "0"), put("b", "0"), put("c", "0")));
          return null;
        });
    takeOlderSnapshot();
    write("c", "1"); // committed before it begins
    try (ReadTransaction tx = manager.beginReadOnly()) {
      assertEquals("0", read(tx.table(name), "a"));
      other.run(
          t -> {
            t.table(name).put(List.of(put("a", "2"), put("b", "2")));
            return null;
          });
      write("c", "3");
      assertEquals("0", read(tx.table(name), "b"));
      assertEquals("1", read(tx.table(name), "c"));
      assertEquals("a=0 b=0 c=1", Fixture.scan(tx.table(name), new Scan()));
      assertTrue(tx.readTimestamp() > 0);
    }
  }

  @Test
  void theFirstChangeOfAnyRowCounts() throws Exception {
    other.run(
        tx -> {
          tx.table(name).put(List.of(put("a", "0"), put("b", "0"), put("c", "0")));
          return null;
        });
    takeOlderSnapshot();
    try (ReadTransaction tx = manager.beginReadOnly()) {
      assertEquals(2, tx.table(name).get(List.of(Fixture.get("a"), Fixture.get("b"))).length);
      assertNull(read(tx.table(name), "d"));
      other.run(
          t -> {
            t.table(name).put(List.of(put("b", "1"), put("c", "1")));
            return null;
          });
      write("d", "2");
      write("a", "3");
      assertEquals("0", read(tx.table(name), "c"));
      assertEquals("a=0 b=0 c=0", Fixture.scan(tx.table(name), new Scan()));
    }
  }

  /**
   * A caller that asks for the timestamp gets one at which what was read before is as it was read.
   */
  @Test
  void theTimestampIsOneOfWhatWasRead() throws Exception {
    other.run(
        tx -> {
          tx.table(name).put(List.of(put("a", "0"), put("b", "0")));
          return null;
        });
    takeOlderSnapshot();
    try (ReadTransaction tx = manager.beginReadOnly()) {
      assertEquals("0", read(tx.table(name), "b"));
      Transaction writer = dying.begin(); // leaves its marks
      writer.table(name).put(put("b", "1"));
      long first = writer.commit().getAsLong();
      write("a", "1");
      assertTrue(tx.readTimestamp() <= first);
      assertEquals("0", read(tx.table(name), "a"));
    }
  }

  @Test
  void whoReadsVeryManyRowsTakesATimestamp() throws Exception {
    write("1", "0");
    List<Get> gets = new ArrayList<>();
    for (int i = 0; i < Snapshot.UNPINNED_MAX; i++) {
      gets.add(Fixture.get(String.valueOf(i)));
    }
    takeOlderSnapshot();
    try (ReadTransaction tx = manager.beginReadOnly()) {
      assertEquals("0", text(tx.table(name).get(gets)[1].getValue(F, Q)));
      assertTrue(tx.toString().contains("without a timestamp"), tx::toString);
      assertEquals("0", read(tx.table(name), "1"));
      assertFalse(tx.toString().contains("without a timestamp"), tx::toString);
    }
  }

  /** A reader beside writers who commit, abort, delete, die, and leave open, one step at a time. */
  @ParameterizedTest
  @FieldSource("MODES")
  void allThatIsReadIsOneMoment(Options options) throws Exception {
    name = fixture.table(options);
    Random random = new Random(SEED);
    History history = new History();
    for (int i = 0; i < ROUNDS; i++) {
      takeOlderSnapshot();
      for (int before = random.nextInt(3); before > 0; before--) {
        history.write(random);
      }
      try (ReadTransaction tx = manager.beginReadOnly()) {
        Reader reader = new Reader(tx, history);
        for (int step = 0; step < 7; step++) {
          if (random.nextBoolean()) {
            history.write(random);
          } else {
            reader.read(random, "round " + i + ", step " + step + ", seed " + SEED);
          }
        }
        history.pinnedLate += reader.isLate() ? 1 : 0;
      }
    }
    history.endOpen(random);
    // Rounds in which what was read first had changed when something else was read.
    assertTrue(history.pinnedLate > ROUNDS / 10, () -> "only " + history.pinnedLate);
    // How many were current depends on how fast rows were cleaned up.
    assertEquals(options.reads() != Reads.CLIENT, Inside.counters(manager).currentReads.sum() > 0);
  }

  /** The table after each commit. */
  private final class History {
    final List<Map<String, String>> moments = new ArrayList<>(List.of(Map.of()));
    private Transaction open;
    private Map<String, String> openWrites;
    private int values;
    int pinnedLate;

    Map<String, String> now() {
      return moments.get(moments.size() - 1);
    }

    void write(Random random) throws Exception {
      if (open != null && random.nextBoolean()) {
        endOpen(random);
        return;
      }
      Map<String, String> writes = new HashMap<>();
      for (int i = 1 + random.nextInt(2); i > 0; i--) {
        String value = random.nextInt(4) == 0 ? null : String.valueOf(++values);
        writes.put("r" + random.nextInt(ROWS), value);
      }
      Transaction tx = (random.nextBoolean() ? other : dying).begin();
      for (Map.Entry<String, String> write : writes.entrySet()) {
        if (write.getValue() == null) {
          tx.table(name).delete(new Delete(bytes(write.getKey())).addColumn(F, Q));
        } else {
          tx.table(name).put(put(write.getKey(), write.getValue()));
        }
      }
      if (open == null && random.nextBoolean()) {
        Inside.writes(tx).sendAll().get();
        open = tx;
        openWrites = writes;
      } else {
        commit(tx, writes);
      }
    }

    void endOpen(Random random) throws Exception {
      if (open == null) {
        return;
      }
      if (random.nextInt(3) == 0) {
        open.rollback();
      } else {
        commit(open, openWrites);
      }
      open = null;
    }

    private void commit(Transaction tx, Map<String, String> writes) throws Exception {
      try {
        tx.commit();
      } catch (ConflictException e) {
        return; // another one committed while it was open
      }
      Map<String, String> next = new HashMap<>(now());
      writes.forEach(
          (row, value) -> {
            if (value == null) {
              next.remove(row);
            } else {
              next.put(row, value);
            }
          });
      moments.add(next);
    }
  }

  /** Checks that there is a moment from the first read on at which all that was read was so. */
  private final class Reader {
    private final ReadTransaction tx;
    private final History history;
    private final Map<String, String> seen = new HashMap<>();
    private int first = -1;
    private boolean late;

    Reader(ReadTransaction tx, History history) {
      this.tx = tx;
      this.history = history;
    }

    /** Whether it read something after what it had read before was changed. */
    boolean isLate() {
      return late;
    }

    void read(Random random, String where) throws Exception {
      late |= first >= 0 && !agrees(history.now());
      first = first < 0 ? history.moments.size() - 1 : first;
      int way = random.nextInt(12);
      if (way == 0) {
        scan();
      } else if (way == 1) {
        tx.readTimestamp();
      } else {
        get(random);
      }
      List<Map<String, String>> since = history.moments.subList(first, history.moments.size());
      assertTrue(
          since.stream().anyMatch(this::agrees),
          () -> where + ": " + seen + ", never so in " + since);
    }

    private boolean agrees(Map<String, String> moment) {
      return seen.entrySet().stream()
          .allMatch(read -> Objects.equals(read.getValue(), moment.get(read.getKey())));
    }

    private void get(Random random) throws Exception {
      List<Get> gets = new ArrayList<>();
      for (int row : random.ints(1 + random.nextInt(2), 0, ROWS).toArray()) {
        gets.add(new Get(bytes("r" + row)).addColumn(F, Q));
      }
      if (random.nextInt(5) == 0) {
        boolean[] exist = tx.table(name).exists(gets);
        for (int i = 0; i < exist.length; i++) {
          String row = text(gets.get(i).getRow());
          String known = seen.get(row);
          assertTrue(!seen.containsKey(row) || exist[i] == (known != null), row);
        }
        return;
      }
      Result[] results = tx.table(name).get(gets);
      for (int i = 0; i < results.length; i++) {
        saw(text(gets.get(i).getRow()), results[i]);
      }
    }

    private void saw(String row, Result result) {
      String value = text(result.getValue(F, Q));
      assertTrue(!seen.containsKey(row) || Objects.equals(seen.get(row), value), row);
      seen.put(row, value);
    }

    private void scan() throws Exception {
      Map<String, String> rows = new HashMap<>();
      try (ResultScanner scanner = tx.table(name).getScanner(new Scan())) {
        for (Result row : scanner) {
          rows.put(text(row.getRow()), text(row.getValue(F, Q)));
        }
      }
      for (int row = 0; row < ROWS; row++) {
        String key = "r" + row;
        assertTrue(!seen.containsKey(key) || Objects.equals(seen.get(key), rows.get(key)), key);
        seen.put(key, rows.get(key));
      }
    }
  }
}
