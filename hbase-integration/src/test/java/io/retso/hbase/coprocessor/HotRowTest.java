package io.retso.hbase.coprocessor;

import static io.retso.hbase.coprocessor.AdoptingTable.ROW;
import static io.retso.hbase.coprocessor.RawTable.F;
import static io.retso.hbase.coprocessor.RawTable.G;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.FirstChange;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.resolve.SnapshotRequests;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A row that is written often: nearly all of its versions are adopted, and none is moved yet. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class HotRowTest {
  private static final int ROUNDS = 8;

  private AdoptingTable t;

  /** By the snapshot's timestamp. */
  private final NavigableMap<Long, String> values = new TreeMap<>();

  /** Commit timestamps, ascending. */
  private final NavigableMap<Long, String> commits = new TreeMap<>();

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new AdoptingTable(cluster, table -> {});
  }

  @AfterEach
  void drop() throws Exception {
    t.close();
  }

  private void see() {
    values.put(t.oracle.begin(), commits.isEmpty() ? "" : commits.lastEntry().getValue());
  }

  /**
   * A writer that stays open, one that aborts, and one that commits, with snapshots before and
   * behind.
   */
  private void write() throws IOException {
    for (int i = 0; i < ROUNDS; i++) {
      t.write(t.oracle.begin(), ROW, "a", "open");
      long aborted = t.oracle.begin();
      t.write(aborted, ROW, "a", "aborted");
      long start = t.oracle.begin();
      t.write(start, ROW, "a", "value " + i);
      long abortedFirst = t.oracle.begin();
      t.write(abortedFirst, ROW, "a", "aborted first");
      t.abortAndAdopt(abortedFirst, 1);
      see(); // the transaction commits above it
      commits.put(t.commitAndAdopt(start, ROW), "value " + i);
      see();
      t.abortAndAdopt(aborted, 1);
      see();
    }
  }

  private void assertEachSnapshotSeesItsOwnVersion() throws IOException {
    for (var seen : values.entrySet()) {
      Map<String, String> row = seen.getValue().isEmpty() ? Map.of() : Map.of("a", seen.getValue());
      assertEquals(row, t.read(seen.getKey(), ROW), "at " + seen.getKey());
    }
  }

  @Test
  void eachSnapshotSeesItsOwnVersion() throws IOException {
    write();
    assertEachSnapshotSeesItsOwnVersion();
  }

  /** There are three columns, one of them without a name, each with other versions around it. */
  @Test
  void aCleanupRemovesItsVersionOnly() throws IOException {
    byte[] column = Bytes.toBytes("a");
    byte[] unnamed = {};
    t.table.put(
        new Put(Bytes.toBytes(ROW)).addColumn(F, unnamed, 7, column).addColumn(G, column, 7, F));
    write();
    long aborted = t.oracle.begin();
    t.table.put(
        RawTable.put(aborted, ROW, "a", "x")
            .addColumn(F, unnamed, aborted, column)
            .addColumn(G, column, aborted, column));
    write();
    long last = t.oracle.begin();
    t.table.put(
        RawTable.put(last, ROW, "a", "last")
            .addColumn(F, unnamed, last, column)
            .addColumn(G, column, last, column));
    List<Long> versions = new ArrayList<>(AdoptingTable.versions(t.cells(ROW)));
    t.oracle.abort(aborted);
    t.cleanUp(aborted, Outcome.ABORTED, ROW);
    assertTrue(versions.removeAll(List.of(aborted)));
    assertEquals(versions, AdoptingTable.versions(t.cells(ROW)));
  }

  @Test
  void theFirstChangeIsTheNextCommit() throws IOException {
    write();
    long now = t.oracle.begin();
    for (long from : values.keySet()) {
      Long next = commits.higherKey(from);
      Get question =
          SnapshotRequests.firstChange(
              new Get(Bytes.toBytes(ROW)), RawTable.FINGERPRINT, from, now);
      assertEquals(
          next == null ? FirstChange.NONE : next,
          FirstChange.of(t.table.get(question)),
          "since " + from);
    }
  }
}
