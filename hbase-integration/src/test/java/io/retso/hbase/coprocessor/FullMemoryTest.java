package io.retso.hbase.coprocessor;

import static io.retso.hbase.coprocessor.AdoptingTable.ROW;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.coprocessor.region.SharedMemory;
import io.retso.hbase.layout.AdoptionRequest;
import io.retso.hbase.layout.AdoptionRequest.Adoption;
import io.retso.hbase.layout.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Regions that have nearly no memory left for outcomes and marks, or none. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class FullMemoryTest {
  private AdoptingTable t;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new AdoptingTable(cluster, table -> {});
  }

  @AfterEach
  void drop() throws Exception {
    t.close();
  }

  /**
   * Keys are long, so that few marks take most of the memory, and begin with what differs: they are
   * compared often. The request is another region's.
   */
  @Test
  void theRegionWithMostOutcomesIsFlushedBeforeTheirMemoryIsFull() throws Exception {
    try (RawTable three = RawTable.adopting(t.cluster, Bytes.toBytes("m"), Bytes.toBytes("t"))) {
      for (String key : List.of("a", "n", "u")) {
        three.writeWithCell(key);
      }
      adoptMany(three, "m", "o", SharedMemory.MANY);
      adoptMany(three, "m", "p", 1);
      adoptMany(three, "t", "v", SharedMemory.MANY);
      long open = three.oracle.begin();
      String key = "k".repeat(30_000);
      for (long bytes = 0; bytes < SharedMemory.BYTES_MAX / 4 * 3; bytes += 2 * key.length()) {
        three.write(open, bytes + key, "a", "1");
      }
      assertEquals(List.of(0, 0, 0), files(three));
      adoptMany(three, "", "b", 1);
      Fixture.eventually("it is flushed", () -> files(three).stream().anyMatch(n -> n > 0));
      assertEquals(List.of(0, 1, 0), files(three));
      assertEquals(Map.of(), three.read(three.oracle.begin(), "o0"));
      assertEquals(Map.of(), three.read(three.oracle.begin(), 0 + key));
    }
  }

  /** So many transactions that are aborted, in the region that begins with a key. */
  private static void adoptMany(RawTable table, String region, String row, int many)
      throws IOException {
    List<Put> puts = new ArrayList<>();
    List<Adoption> adoptions = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      long start = table.oracle.begin();
      table.oracle.abort(start);
      puts.add(RawTable.put(start, row + i, "a", "1"));
      adoptions.add(new Adoption(start, Outcome.ABORTED, 1));
    }
    table.table.put(puts);
    for (int i = 0; i < many; i += AdoptionRequest.ADOPTIONS_MAX) {
      int end = Math.min(many, i + AdoptionRequest.ADOPTIONS_MAX);
      Adoption[] some = adoptions.subList(i, end).toArray(Adoption[]::new);
      assertEquals(some.length, table.adopt(region, some).cardinality());
    }
  }

  private static List<Integer> files(RawTable table) {
    return table.regions().stream()
        .sorted(
            Comparator.comparing(region -> Bytes.toString(region.getRegionInfo().getStartKey())))
        .map(region -> region.getStore(RawTable.F).getStorefilesCount())
        .toList();
  }

  /** Keys are long, so that few marks fill the memory. */
  @Test
  void whatHasNoRoomIsNotAdopted() throws IOException {
    String key = "k".repeat(30_000);
    long start = t.oracle.begin();
    long asCells = RawTable.count("marksAsCells");
    int rows = 0;
    while (RawTable.count("marksAsCells") == asCells && rows < 1_500) {
      t.write(start, rows++ + key, "a", "1");
    }
    assertTrue(rows < 1_500, "it is never full");
    long committed = t.commit(start, ROW);
    assertFalse(t.adopt(start, committed, rows));
    assertFalse(t.adopt(start, committed, rows - 1), "one of them is a cell");
    assertEquals(Map.of("a", "1"), t.read(t.oracle.begin(), 0 + key));
  }
}
