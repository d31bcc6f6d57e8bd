package io.retso.hbase.coprocessor;

import static io.retso.hbase.coprocessor.RawTable.F;
import static io.retso.hbase.coprocessor.RawTable.FINGERPRINT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.ReadAttribute;
import io.retso.hbase.layout.Refusal;
import io.retso.hbase.layout.Tombstone;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What has changed between two snapshots, against a model that keeps every version for ever. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(180)
class ChangesTest {
  private static final int STEPS = 150;
  private static final int OPEN_MAX = 4;

  private record Open(long start, Map<String, String> writes) {}

  private record Left(long start, long outcome, List<String> rows) {}

  private final List<Open> open = new ArrayList<>();
  private final List<Left> left = new ArrayList<>();

  /** Cell, {@code row/column}, to its values by version as a cleaned up one has it. */
  private final Map<String, TreeMap<Long, String>> model = new TreeMap<>();

  private RetsoCluster cluster;
  private RawTable t;

  @BeforeEach
  void keep(RetsoCluster cluster) {
    this.cluster = cluster;
  }

  @AfterEach
  void close() throws IOException {
    if (t != null) {
      t.close();
      t = null;
    }
  }

  /** Random histories: what changed since a snapshot that is held by a transaction. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void areThoseOfTheModel(long seed) throws Exception {
    Random random = new Random(seed);
    t = seed % 2 == 0 ? RawTable.adopting(cluster) : new RawTable(cluster);
    open.clear();
    left.clear();
    model.clear();
    try {
      for (int round = 0; round < 3; round++) {
        long since = t.oracle.begin();
        for (int i = 0; i < STEPS; i++) {
          step(random);
          if (i % 50 == 49) {
            long until = t.snapshot();
            String trace = "seed " + seed + ", round " + round + ", step " + i;
            assertEquals(changed(since, until), changes(since, until), trace);
          }
        }
        t.oracle.abort(since);
      }
    } finally {
      close();
    }
  }

  private void step(Random random) throws IOException {
    String row = "r" + random.nextInt(4);
    switch (random.nextInt(16)) {
      case 0, 1, 2 -> {
        if (open.size() < OPEN_MAX) {
          open.add(new Open(t.oracle.begin(), new TreeMap<>()));
        }
      }
      case 3, 4, 5, 6, 7 -> {
        if (!open.isEmpty()) {
          Open writer = open.get(random.nextInt(open.size()));
          String column = "c" + random.nextInt(2);
          String value = random.nextInt(3) == 0 ? "" : "v" + random.nextInt(1000);
          t.write(writer.start, row, column, value.isEmpty() ? null : value);
          writer.writes.put(row + "/" + column, value);
        }
      }
      case 8, 9, 10 -> end(random, random.nextInt(4) != 0);
      case 11, 12, 13 -> cleanUp(random);
      case 14 -> t.flush();
      default -> {
        if (random.nextInt(3) == 0) {
          t.flush();
          t.compact();
        }
      }
    }
  }

  private void end(Random random, boolean commit) {
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
      ending.writes.forEach((cell, value) -> committed(cell, outcome + 1, value));
    }
    left.add(new Left(ending.start, outcome, rows));
  }

  private void committed(String cell, long version, String value) {
    model.computeIfAbsent(cell, k -> new TreeMap<>()).put(version, value);
  }

  /** By the region if it adopts the outcome, else row by row. */
  private void cleanUp(Random random) throws IOException {
    if (left.isEmpty()) {
      return;
    }
    Left decided = left.remove(random.nextInt(left.size()));
    int rows = decided.rows.size();
    if (rows > 0 && !t.adopt(decided.start, decided.outcome, rows)) {
      for (String row : decided.rows) {
        t.cleanUp(decided.start, decided.outcome, row);
      }
    }
    t.oracle.cleanedUp(decided.start);
  }

  private List<String> changed(long since, long until) {
    List<String> cells = new ArrayList<>();
    model.forEach(
        (cell, versions) -> {
          Map.Entry<Long, String> newest = versions.lowerEntry(until);
          if (newest != null && newest.getKey() >= since) {
            cells.add(cell + "@" + newest.getKey() + "=" + newest.getValue());
          }
        });
    return cells;
  }

  private List<String> changes(long since, long until) throws IOException {
    Scan scan = new Scan();
    ReadAttribute.setChanges(scan, FINGERPRINT, until, since);
    List<String> cells = new ArrayList<>();
    try (ResultScanner rows = t.table.getScanner(scan)) {
      for (Result row : rows) {
        for (Cell cell : row.rawCells()) {
          cells.add(
              Bytes.toString(row.getRow())
                  + "/"
                  + Bytes.toString(CellUtil.cloneQualifier(cell))
                  + "@"
                  + cell.getTimestamp()
                  + "="
                  + (Tombstone.is(cell) ? "" : Bytes.toString(CellUtil.cloneValue(cell))));
        }
      }
    }
    return cells;
  }

  /** A snapshot does not show what a plain writer put with its very number; the next one does. */
  @Test
  void aPlainVersionOfTheNumberOfTheOlderSnapshotIsOne() throws Exception {
    t = new RawTable(cluster);
    long since = t.oracle.begin();
    t.table.put(new Put(Bytes.toBytes("r1")).addColumn(F, F, since, F));
    t.table.put(new Put(Bytes.toBytes("r2")).addColumn(F, F, since - 1, F));
    assertEquals(Map.of(), t.read(since - 16, "r1"));
    long until = t.snapshot();
    assertEquals(List.of("r1/f@" + since + "=f"), changes(since, until));
    t.oracle.abort(since);
  }

  /** The transaction began long before the older snapshot, and its version says so. */
  @Test
  void whatBeganBeforeTheOlderSnapshotIsOne() throws Exception {
    t = RawTable.adopting(cluster);
    long writer = t.oracle.begin();
    t.write(writer, "r", "a", "1");
    t.flush();
    long since = t.oracle.begin();
    long committed = t.commit(writer, "r");
    assertEquals(List.of("r/a@" + (committed + 1) + "=1"), changes(since, t.snapshot()));
    t.oracle.abort(since);
  }

  /** The horizon has passed the transaction, and its version is in memory as it was written. */
  @Test
  void whatTheRegionHasAdoptedIsOneWhereverItIs() throws Exception {
    t = RawTable.adopting(cluster);
    long first = t.writeWithCell("q");
    long writer = t.oracle.begin();
    t.write(writer, "r", "a", "1");
    long since = t.oracle.begin();
    long committed = t.commit(writer, "r");
    assertTrue(t.adopt(writer, committed, 1));
    t.oracle.cleanedUp(writer);
    t.oracle.abort(first);
    List<String> wanted = List.of("r/a@" + (committed + 1) + "=1");
    raiseHorizon();
    assertEquals(wanted, changes(since, t.snapshot()));
    t.flush();
    assertEquals(wanted, changes(since, t.snapshot()));
    t.oracle.abort(since);
  }

  /** A flush asks for the low watermark; that of the marks leaves the data where it is. */
  private void raiseHorizon() throws IOException {
    t.flush(PendingWrite.family());
  }

  @Test
  void areRefusedWhenTheHorizonHasPassedTheOlderSnapshot() throws Exception {
    t = new RawTable(cluster);
    t.update("r", "a", "1");
    long since = t.snapshot();
    t.update("r", "a", null);
    t.passWindow();
    t.flush();
    t.compact();
    long until = t.snapshot();
    IOException e =
        assertThrows(UncheckedIOException.class, () -> changes(since, until)).getCause();
    assertEquals(Refusal.SNAPSHOT_TOO_OLD, Refusal.of(e));
    assertEquals(List.of(), t.scan(until, new Scan()));
  }

  @Test
  void areReadByScans() throws Exception {
    t = new RawTable(cluster);
    long since = t.snapshot();
    Scan scan = new Scan();
    ReadAttribute.setChanges(scan, FINGERPRINT, t.snapshot(), since);
    Get get = new Get(F);
    get.setAttribute(ReadAttribute.NAME, scan.getAttribute(ReadAttribute.NAME));
    assertThrows(DoNotRetryIOException.class, () -> t.table.get(get));
    assertThrows(
        IllegalArgumentException.class,
        () -> ReadAttribute.setChanges(scan, FINGERPRINT, since, since));
  }
}
