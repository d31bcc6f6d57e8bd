package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.ChangedRow;
import io.retso.hbase.layout.FirstChange;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.ReadAttribute;
import io.retso.hbase.resolve.SnapshotRequests;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Gets at an older timestamp whose answers say whether what they find is still current. */
@ExtendWith(RetsoCluster.Extension.class)
class ValidatingReadTest {
  private static final String ROW = "r";

  private RawTable t;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new RawTable(cluster, Bytes.toBytes("s"));
  }

  @AfterEach
  void drop() throws IOException {
    t.close();
  }

  private static byte[] b(String text) {
    return Bytes.toBytes(text);
  }

  /** The answer to a validating read at that timestamp. */
  private String watched(long timestamp, String row) throws IOException {
    Result result =
        t.table.get(SnapshotRequests.validating(new Get(b(row)), RawTable.FINGERPRINT, timestamp));
    return ChangedRow.is(result) ? "changed" : RawTable.map(result).toString();
  }

  @Test
  void learnsWhetherItIsCurrent() throws IOException {
    t.update(ROW, "a", "1");
    long reader = t.oracle.begin(); // holds the low watermark
    assertEquals("{a=1}", watched(reader, ROW));
    assertEquals("{}", watched(reader, "none"));
    long aborted = t.oracle.begin();
    t.write(aborted, ROW, "a", "aborted");
    assertEquals("changed", watched(reader, ROW));
    t.oracle.abort(aborted);
    t.cleanUp(aborted, Outcome.ABORTED, ROW);
    assertEquals("{a=1}", watched(reader, ROW));
    long start = t.oracle.begin();
    t.write(start, ROW, "b", "2");
    assertEquals("changed", watched(reader, ROW));
    long committed = t.commit(start, ROW);
    assertEquals("changed", watched(reader, ROW));
    t.cleanUp(start, committed, ROW);
    assertEquals("changed", watched(reader, ROW));
    assertEquals("{a=1, b=2}", watched(t.oracle.begin(), ROW));
    Get column = new Get(b(ROW)).addColumn(RawTable.F, b("a"));
    Result other = t.table.get(SnapshotRequests.validating(column, RawTable.FINGERPRINT, reader));
    assertEquals(Map.of("a", "1"), RawTable.map(other), "another column has changed");
  }

  @Test
  void learnsOfThoseWhoBeganBeforeIt() throws IOException {
    for (String row : List.of("open", "aborted", "before", "after", "cleaned", "deleted")) {
      t.update(row, "a", "1");
    }
    Map<String, Long> starts = new HashMap<>();
    for (String row : List.of("open", "aborted", "before", "after", "cleaned", "new")) {
      starts.put(row, t.oracle.begin());
      t.write(starts.get(row), row, "a", "2");
    }
    starts.put("deleted", t.oracle.begin());
    t.write(starts.get("deleted"), "deleted", "a", null);
    t.oracle.abort(starts.get("aborted"));
    t.commit(starts.get("before"), "before");
    long reader = t.oracle.begin();
    t.commit(starts.get("after"), "after");
    t.commit(starts.get("new"), "new");
    t.commit(starts.get("deleted"), "deleted");
    t.cleanUp(starts.get("cleaned"), t.commit(starts.get("cleaned"), "cleaned"), "cleaned");
    for (String row : List.of("open", "after", "cleaned", "new", "deleted")) {
      assertEquals("changed", watched(reader, row), row);
    }
    assertEquals("{a=1}", watched(reader, "aborted"));
    assertEquals("{a=2}", watched(reader, "before"));
    Result[] several =
        t.table.get(
            List.of(
                SnapshotRequests.validating(new Get(b("before")), RawTable.FINGERPRINT, reader),
                SnapshotRequests.validating(new Get(b("after")), RawTable.FINGERPRINT, reader)));
    assertEquals(Map.of("a", "2"), RawTable.map(several[0]));
    assertTrue(ChangedRow.is(several[1]));
  }

  @Test
  void passesPlainCellsOfThePast() throws IOException {
    long version = t.oracle.begin(); // has the form of a start timestamp, but no mark
    t.table.put(new Put(b(ROW)).addColumn(RawTable.F, b("a"), version, b("x")));
    assertEquals("{a=x}", watched(t.oracle.begin(), ROW));
    assertEquals("changed", watched(version - 16, ROW));
  }

  private long firstChange(long from, long upTo, Get get) throws IOException {
    return FirstChange.of(
        t.table.get(SnapshotRequests.firstChange(get, RawTable.FINGERPRINT, from, upTo)));
  }

  @Test
  void aRegionTellsTheFirstChange() throws IOException {
    t.update(ROW, "a", "1");
    t.update(ROW, "b", "1");
    long early = t.oracle.begin(); // in doubt at the time of the snapshot
    t.write(early, ROW, "b", "early");
    long from = t.oracle.begin();
    Get row = new Get(b(ROW));
    Get a = new Get(b(ROW)).addColumn(RawTable.F, b("a"));
    long upTo = t.oracle.begin();
    assertEquals(FirstChange.NONE, firstChange(from, upTo, row));
    assertEquals(FirstChange.NONE, firstChange(from, upTo, new Get(b("none"))));
    long second = t.oracle.begin();
    t.write(second, ROW, "a", "2");
    long secondCommit = t.commit(second, ROW);
    long aborted = t.oracle.begin();
    t.write(aborted, ROW, "a", "aborted");
    t.oracle.abort(aborted);
    t.update(ROW, "a", null);
    t.oracle.begin();
    long now = t.oracle.begin();
    for (int i = 0; i < 2; i++) {
      assertEquals(FirstChange.NONE, firstChange(from, upTo, a), "beyond");
      assertEquals(secondCommit, firstChange(from, now, a));
      assertEquals(secondCommit, firstChange(from, now, row));
      assertEquals(FirstChange.NONE, firstChange(now, t.oracle.begin(), a));
      t.cleanUp(second, secondCommit, ROW);
    }
  }

  /** Conflicts are by the hash of the row that the test chooses: this one commits. */
  @Test
  void theFirstChangeMayBeBySomebodyWhoBeganBefore() throws IOException {
    t.update(ROW, "a", "1");
    long early = t.oracle.begin();
    t.write(early, ROW, "a", "2");
    long from = t.oracle.begin();
    long commit = t.commit(early, ROW);
    long later = t.update("other", "a", "3");
    long upTo = t.oracle.begin();
    Get get = new Get(b(ROW)).addFamily(RawTable.F).setFilter(new PageFilter(1));
    assertTrue(commit < later);
    for (int i = 0; i < 2; i++) {
      assertEquals(commit, firstChange(from, upTo, get));
      t.cleanUp(early, commit, ROW);
    }
  }

  @Test
  void onlyGetsOfCellsValidate() throws IOException {
    long reader = t.oracle.begin();
    Get exists =
        SnapshotRequests.validating(new Get(b(ROW)), RawTable.FINGERPRINT, reader)
            .setCheckExistenceOnly(true);
    assertThrows(DoNotRetryIOException.class, () -> t.table.get(exists));
    Scan scan = new Scan();
    scan.setAttribute(ReadAttribute.NAME, Bytes.add(Bytes.toBytes(reader), new byte[] {1}));
    assertThrows(DoNotRetryIOException.class, () -> t.table.getScanner(scan).next());
    for (byte[] end : new byte[][] {{2}, {1, 1}}) {
      Get get = new Get(b(ROW));
      get.setAttribute(ReadAttribute.NAME, Bytes.add(Bytes.toBytes(reader), end));
      assertThrows(DoNotRetryIOException.class, () -> t.table.get(get));
    }
  }
}
