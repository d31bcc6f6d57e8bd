package io.retso.hbase.coprocessor;

import static io.retso.hbase.coprocessor.DecidedTable.ROW;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.coprocessor.region.RegionDecisions;
import io.retso.hbase.coprocessor.region.RegionMarks;
import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.DecisionRequest;
import io.retso.hbase.layout.DecisionRequest.Decision;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.client.Put;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Regions that have nearly no memory left for outcomes and marks, or none. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class FullMemoryTest {
  private DecidedTable t;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new DecidedTable(cluster, table -> {});
  }

  @AfterEach
  void drop() throws Exception {
    t.close();
  }

  /** Keys are long, so that few marks take most of the memory. */
  @Test
  void aRegionWithManyOutcomesIsFlushedBeforeTheirMemoryIsFull() throws Exception {
    for (int from = 0; from < RegionDecisions.MANY; from += DecisionRequest.DECISIONS_MAX) {
      List<Put> puts = new ArrayList<>();
      List<Decision> decisions = new ArrayList<>();
      for (int i = 0; i < DecisionRequest.DECISIONS_MAX; i++) {
        long start = t.oracle.begin();
        t.oracle.abort(start);
        puts.add(RawTable.put(start, "many" + i, "a", "1"));
        decisions.add(new Decision(start, CleanupRequest.ABORTED, 1));
      }
      t.table.put(puts);
      BitSet decided = t.decide("", decisions.toArray(Decision[]::new));
      assertEquals(DecisionRequest.DECISIONS_MAX, decided.cardinality());
    }
    long open = t.oracle.begin();
    String key = "k".repeat(30_000);
    for (long bytes = 0; bytes < RegionMarks.BYTES_MAX / 4 * 3; bytes += 2 * key.length()) {
      t.write(open, key + bytes, "a", "1");
    }
    long start = t.writeWithoutCell(ROW);
    assertEquals(0, t.region().getStore(RawTable.F).getStorefilesCount());
    long committed = t.commitAndDecide(start, ROW);
    t.oracle.cleanedUp(start);
    Fixture.eventually(
        "flushed",
        () -> DecidedTable.versions(t.raw(ROW)).equals(List.of(CellVersion.committed(committed))));
    assertEquals(Map.of("a", "1"), t.read());
    assertEquals(Map.of(), t.read(t.oracle.begin(), "many0"));
    assertEquals(Map.of(), t.read(t.oracle.begin(), key + 0));
  }

  /** Keys are long, so that few marks fill the memory. */
  @Test
  void whatHasNoRoomIsNotDecided() throws IOException {
    String key = "k".repeat(30_000);
    long start = t.oracle.begin();
    long asCells = RawTable.count("marksAsCells");
    int rows = 0;
    while (RawTable.count("marksAsCells") == asCells && rows < 3_000) {
      t.write(start, key + rows++, "a", "1");
    }
    assertTrue(rows < 3_000, "it is never full");
    long committed = t.commit(start, ROW);
    assertFalse(t.decide(start, committed, rows));
    assertFalse(t.decide(start, committed, rows - 1), "one of them is a cell");
    assertEquals(Map.of("a", "1"), t.read(t.oracle.begin(), key + 0));
  }
}
