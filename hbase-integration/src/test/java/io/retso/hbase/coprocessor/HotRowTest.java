package io.retso.hbase.coprocessor;

import static io.retso.hbase.coprocessor.DecidedTable.ROW;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.FirstChange;
import io.retso.hbase.resolve.SnapshotRequests;
import java.io.IOException;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A row that is written often: nearly all of its versions are decided, and none is moved yet. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class HotRowTest {
  private static final int ROUNDS = 8;

  private DecidedTable t;

  /** By the snapshot's timestamp. */
  private final NavigableMap<Long, String> values = new TreeMap<>();

  /** Commit timestamps, ascending. */
  private final NavigableMap<Long, String> commits = new TreeMap<>();

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new DecidedTable(cluster, table -> {});
  }

  @AfterEach
  void drop() throws Exception {
    t.close();
  }

  private void see() {
    values.put(t.oracle.begin(), commits.isEmpty() ? "" : commits.lastEntry().getValue());
  }

  /** Who is open the whole time, who aborts, and who commits, with snapshots before and behind. */
  private void write() throws IOException {
    for (int i = 0; i < ROUNDS; i++) {
      t.write(t.oracle.begin(), ROW, "a", "open");
      long aborted = t.oracle.begin();
      t.write(aborted, ROW, "a", "aborted");
      long start = t.oracle.begin();
      t.write(start, ROW, "a", "value " + i);
      long abortedFirst = t.oracle.begin();
      t.write(abortedFirst, ROW, "a", "aborted first");
      t.abortAndDecide(abortedFirst, 1);
      see(); // the transaction commits above it
      commits.put(t.commitAndDecide(start, ROW), "value " + i);
      see();
      t.abortAndDecide(aborted, 1);
      see();
    }
  }

  @Test
  void eachSnapshotSeesItsOwnVersion() throws IOException {
    write();
    for (var seen : values.entrySet()) {
      Map<String, String> row = seen.getValue().isEmpty() ? Map.of() : Map.of("a", seen.getValue());
      assertEquals(row, t.read(seen.getKey(), ROW), "at " + seen.getKey());
    }
  }

  @Test
  void theFirstChangeIsTheNextCommit() throws IOException {
    write();
    long now = t.oracle.begin();
    for (long from : values.keySet()) {
      Long next = commits.higherKey(from);
      Get question = SnapshotRequests.firstChange(new Get(Bytes.toBytes(ROW)), from, now);
      assertEquals(
          next == null ? FirstChange.NONE : next,
          FirstChange.of(t.table.get(question)),
          "since " + from);
    }
  }
}
