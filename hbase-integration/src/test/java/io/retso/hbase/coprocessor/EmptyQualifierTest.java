package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.ChangedRow;
import io.retso.hbase.layout.FirstChange;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.ReadAttribute;
import io.retso.hbase.layout.Tombstone;
import io.retso.hbase.resolve.SnapshotRequests;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.CellUtil;
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

/**
 * Snapshot reads of columns whose qualifier is empty. A filter cannot make HBase leave such a
 * column: all versions of it come, whatever the filter says.
 */
@ExtendWith(RetsoCluster.Extension.class)
class EmptyQualifierTest {
  private static final byte[] EMPTY = {};
  private static final byte[] ONE = {'a'};

  private RawTable t;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new RawTable(cluster);
  }

  @AfterEach
  void drop() throws IOException {
    t.close();
  }

  /** Writes f:"", f:a, g:"" and g:a of rows r and s, which stay in doubt; null deletes them. */
  private long write(String value) throws IOException {
    long start = t.oracle.begin();
    byte[] written = value == null ? Tombstone.value() : Bytes.toBytes(value);
    for (String row : List.of("r", "s")) {
      Put put = RawTable.put(start, row, "", value).addColumn(RawTable.F, ONE, start, written);
      put.addColumn(RawTable.G, EMPTY, start, written).addColumn(RawTable.G, ONE, start, written);
      t.table.put(put);
    }
    return start;
  }

  private void update(String value) throws IOException {
    long start = write(value);
    long committed = t.commit(start, "r");
    t.cleanUp(start, committed, "r");
    t.cleanUp(start, committed, "s");
    t.oracle.cleanedUp(start);
  }

  private static String text(Result result) {
    return result.isEmpty()
        ? ""
        : String.join(
            " ",
            Arrays.stream(result.rawCells())
                .map(
                    c ->
                        Bytes.toString(CellUtil.cloneFamily(c))
                            + ":"
                            + Bytes.toString(CellUtil.cloneQualifier(c))
                            + "="
                            + Bytes.toString(CellUtil.cloneValue(c)))
                .toList());
  }

  private String get() throws IOException {
    return text(t.table.get(RawTable.get(t.snapshot(), "r")));
  }

  private List<String> scan(Scan scan) throws IOException {
    ReadAttribute.set(scan, RawTable.FINGERPRINT, t.snapshot());
    List<String> rows = new ArrayList<>();
    try (ResultScanner scanner = t.table.getScanner(scan)) {
      scanner.forEach(row -> rows.add(text(row)));
    }
    return rows;
  }

  private static String all(String value) {
    return "f:=V f:a=V g:=V g:a=V".replace("V", value);
  }

  /**
   * The cell is in a file, with its sequence number, when its delete marker comes: HBase's scanners
   * never get past such a pair if a time range makes them leave the column at the marker.
   */
  @Test
  @Timeout(60)
  void aCleanupPassesWhatWasMovedBefore() throws IOException {
    update("0");
    long start = t.oracle.begin();
    long later = t.oracle.begin();
    try (ResultScanner older = t.table.getScanner(new Scan().setCaching(1))) {
      older.next(); // as long as it is open, HBase keeps the cells' sequence numbers
      t.table.put(RawTable.put(start, "r", "", "1"));
      t.table.put(RawTable.put(later, "x", "a", "1")); // so the file is not passed over
      t.flush();
    }
    long committed = t.commit(start, "r");
    t.cleanUp(start, committed, "r");
    t.table.put(RawTable.put(later, "r", "a", "2"));
    t.cleanUp(later, Outcome.ABORTED, "r");
    assertEquals("f:=1 f:a=0 g:=0 g:a=0", get());
  }

  @Test
  void showTheNewestCommittedVersionOnly() throws IOException {
    update("1");
    update("2");
    t.flush();
    update("3");
    assertEquals(all("3"), get());
    assertEquals(List.of(all("3"), all("3")), scan(new Scan()));
    assertEquals(List.of(all("3"), all("3")), scan(new Scan().setReversed(true)));
    assertEquals(List.of("f:=3 f:a=3", "f:=3 f:a=3"), scan(new Scan().addFamily(RawTable.F)));
    Get columns = RawTable.get(t.snapshot(), "r").addColumn(RawTable.F, EMPTY);
    assertEquals("f:=3 g:=3", text(t.table.get(columns.addColumn(RawTable.G, EMPTY))));
    write("in doubt");
    assertEquals(all("3"), get());
    assertEquals(List.of(all("3"), all("3")), scan(new Scan()));
  }

  @Test
  void showNothingThatIsDeleted() throws IOException {
    update("1");
    update(null);
    assertEquals("", get());
    assertEquals(List.of(), scan(new Scan()));
    assertEquals(List.of(), scan(new Scan().setReversed(true)));
    assertFalse(t.table.exists(RawTable.get(t.snapshot(), "r")));
    assertFalse(t.table.exists(RawTable.get(t.snapshot(), "r").addColumn(RawTable.F, EMPTY)));
    update("2");
    assertEquals(all("2"), get());
  }

  /** An application's filter, and limits of cells, see one version of each column. */
  @Test
  void countOnceForLimits() throws IOException {
    update("1");
    update("2");
    Scan scan = new Scan().setMaxResultsPerColumnFamily(2);
    assertEquals(List.of(all("2"), all("2")), scan(scan));
    scan = new Scan().setMaxResultsPerColumnFamily(1).setRowOffsetPerColumnFamily(1);
    assertEquals(List.of("f:a=2 g:a=2", "f:a=2 g:a=2"), scan(scan));
  }

  @Test
  void areWatchedLikeOthers() throws IOException {
    update("1");
    update("2");
    long from = t.oracle.begin();
    Get row = new Get(Bytes.toBytes("r")).addFamily(RawTable.F);
    assertEquals(
        "f:=2 f:a=2",
        text(t.table.get(SnapshotRequests.validating(row, RawTable.FINGERPRINT, from))));
    assertEquals(FirstChange.NONE, firstChange(row, from));
    long third = write("3");
    long committed = t.commit(third, "r");
    t.cleanUp(third, committed, "r");
    update("4");
    assertTrue(
        ChangedRow.is(t.table.get(SnapshotRequests.validating(row, RawTable.FINGERPRINT, from))));
    assertEquals(committed, firstChange(row, from));
    assertEquals(FirstChange.NONE, firstChange(row, t.oracle.begin()));
  }

  private long firstChange(Get get, long from) throws IOException {
    return FirstChange.of(
        t.table.get(
            SnapshotRequests.firstChange(get, RawTable.FINGERPRINT, from, t.oracle.begin())));
  }
}
