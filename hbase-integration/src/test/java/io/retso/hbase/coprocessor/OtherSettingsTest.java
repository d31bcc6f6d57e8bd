package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.AdoptionRequest;
import io.retso.hbase.layout.AdoptionRequest.Adoption;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.ReadAttribute;
import io.retso.hbase.layout.Refusal;
import io.retso.hbase.layout.SettingsCheck;
import java.util.List;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.function.Executable;

/** What a region says to requests that go by other settings than its table has. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class OtherSettingsTest {
  private static final long OTHER = RawTable.FINGERPRINT + 1;
  private static final byte[] ROW = Bytes.toBytes("r");

  private RawTable t;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = RawTable.adopting(cluster);
  }

  @AfterEach
  void drop() throws Exception {
    t.close();
  }

  private static void assertRefused(Executable request) {
    DoNotRetryIOException e = assertThrows(DoNotRetryIOException.class, request);
    assertEquals(Refusal.TABLE_CHANGED, Refusal.of(e), e::toString);
  }

  private static Put write(long start, long fingerprint) {
    return PendingWrite.mark(new Put(ROW), start, 3, fingerprint)
        .addColumn(RawTable.F, ROW, start, ROW);
  }

  @Test
  void writesAreRefused() throws Exception {
    long start = t.oracle.begin();
    assertRefused(() -> t.table.put(write(start, OTHER)));
    Put ofClientReads = SettingsCheck.set(RawTable.put(start, "r", "a", "1"), OTHER);
    assertRefused(() -> t.table.put(ofClientReads));
    assertEquals(List.of(), t.cells("r"));
    t.table.put(write(start, RawTable.FINGERPRINT));
    assertEquals(List.of("r"), t.rowsWithMarks());
  }

  /** Logs are copied, and replicated, into tables that were prepared by themselves. */
  @Test
  void marksAreKeptWithoutTheFingerprint() throws Exception {
    for (int write = 0; write < 2; write++) { // the second one is none in memory
      t.table.put(write(t.oracle.begin(), RawTable.FINGERPRINT));
    }
    t.rowsWithMarks(); // makes it one
    assertEquals(
        List.of(), t.cellsOfMarks("r").stream().filter(mark -> mark.getValueLength() > 4).toList());
    t.table.put(RawTable.put(t.oracle.begin(), "r", "a", "1"));
    assertEquals(3, t.cells("r").stream().filter(PendingWrite::isMark).count());
  }

  @Test
  void readsAreRefused() {
    long timestamp = t.oracle.begin();
    Get get = new Get(ROW);
    ReadAttribute.set(get, OTHER, timestamp);
    assertRefused(() -> t.table.get(get));
    ReadAttribute.setValidating(get, OTHER, timestamp);
    assertRefused(() -> t.table.get(get));
    ReadAttribute.setFirstChange(get, OTHER, timestamp, t.oracle.begin());
    assertRefused(() -> t.table.get(get));
    Scan scan = new Scan();
    ReadAttribute.set(scan, OTHER, timestamp);
    assertRefused(() -> first(scan));
  }

  private void first(Scan scan) throws Exception {
    try (ResultScanner rows = t.table.getScanner(scan)) {
      rows.next();
    }
  }

  /** They come from a client that takes it for a table with client reads. */
  @Test
  void readsOfClientsThatDecideAreRefused() {
    assertRefused(() -> t.table.get(SettingsCheck.set(new Get(ROW), OTHER)));
    assertRefused(() -> first(SettingsCheck.set(new Scan(), OTHER)));
    Delete cleanup = SettingsCheck.set(new Delete(ROW).addColumn(RawTable.F, ROW, 16), OTHER);
    assertRefused(() -> t.table.delete(cleanup));
  }

  @Test
  void cleanupsAreRefused() throws Exception {
    long start = t.oracle.begin();
    t.table.put(write(start, RawTable.FINGERPRINT));
    long committed = t.commit(start, "r");
    assertRefused(() -> t.table.put(new CleanupRequest(ROW, start, committed).toPut(OTHER)));
    AdoptionRequest adoption =
        new AdoptionRequest(
            AdoptionRequest.firstRow(new byte[0]), List.of(new Adoption(start, committed, 1)));
    assertRefused(() -> t.table.put(adoption.toPut(OTHER)));
    assertEquals(List.of("r"), t.rowsWithMarks());
    t.cleanUp(start, committed, "r");
    assertEquals(
        List.of(committed + 1),
        t.cells("r").stream()
            .filter(cell -> CellUtil.matchingFamily(cell, RawTable.F))
            .map(cell -> cell.getTimestamp())
            .toList());
  }
}
