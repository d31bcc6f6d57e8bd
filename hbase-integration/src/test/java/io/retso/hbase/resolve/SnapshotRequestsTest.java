package io.retso.hbase.resolve;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.ReadAttribute;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.client.Consistency;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.DependentColumnFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.TimestampsFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class SnapshotRequestsTest {
  private static final byte[] ROW = Bytes.toBytes("row");
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] Q = Bytes.toBytes("q");

  /** Part of the message, and the scan that is refused with it. */
  private static Map<String, Scan> refusedScans() throws Exception {
    Scan ofMarks = new Scan().addFamily(PendingWrite.family());
    return Map.ofEntries(
        Map.entry("raw scan", new Scan().setRaw(true)),
        Map.entry("no readVersions", new Scan().readAllVersions()),
        Map.entry("no setTimeRange", new Scan().setTimeRange(0, 5)),
        Map.entry("no setColumnFamilyTimeRange", new Scan().setColumnFamilyTimeRange(F, 0, 5)),
        Map.entry("no setBatch", new Scan().setBatch(3)),
        Map.entry("no setAllowPartialResults", new Scan().setAllowPartialResults(true)),
        Map.entry("no setNeedCursorResult", new Scan().setNeedCursorResult(true)),
        Map.entry("Consistency.STRONG", new Scan().setConsistency(Consistency.TIMELINE)),
        Map.entry("no replica id", new Scan().setReplicaId(1)),
        Map.entry(
            "no IsolationLevel.READ_UNCOMMITTED",
            new Scan().setIsolationLevel(IsolationLevel.READ_UNCOMMITTED)),
        Map.entry("PendingWrite marks", ofMarks),
        Map.entry("a family is null", new Scan().addFamily(F).addFamily(null)));
  }

  @Test
  void scansThatASnapshotCannotHonourAreRefused() throws Exception {
    refusedScans()
        .forEach((message, scan) -> assertRefused(message, () -> SnapshotRequests.check(scan)));
    Get versions = new Get(ROW).readVersions(2);
    assertRefused("no readVersions", () -> SnapshotRequests.check(versions));
    assertRefused("no setTimeRange", () -> SnapshotRequests.check(new Get(ROW).setTimestamp(7)));
    assertRefused(
        "marks", () -> SnapshotRequests.check(new Get(ROW).addColumn(PendingWrite.family(), Q)));
    assertRefused(
        "a family is null", () -> SnapshotRequests.check(new Get(ROW).addColumn(null, Q)));
  }

  @Test
  void filtersByVersionAreRefusedWhereverTheyAre() {
    List<Filter> refused =
        List.of(new TimestampsFilter(List.of(7L)), new DependentColumnFilter(F, Q));
    for (Filter filter : refused) {
      for (Filter wrapped :
          List.of(
              filter,
              new SkipFilter(filter),
              new WhileMatchFilter(new SkipFilter(filter)),
              new FilterList(new PageFilter(1), new FilterList(filter)))) {
        Scan scan = new Scan().setFilter(wrapped);
        String name = filter.getClass().getSimpleName();
        assertRefused(name, () -> SnapshotRequests.check(scan));
      }
    }
  }

  private static void assertRefused(String message, Runnable check) {
    String reason = assertThrows(IllegalArgumentException.class, check::run, message).getMessage();
    assertTrue(reason.contains(message), () -> reason + " does not say " + message);
  }

  @Test
  void theRestIsHonoured() {
    Scan scan = scan();
    SnapshotRequests.check(scan);
    SnapshotRequests.check(new Scan());
    SnapshotRequests.check(new Get(ROW).addColumn(F, Q).setCheckExistenceOnly(true));
    Scan sent = SnapshotRequests.atServer(scan, 7, 160);
    assertEquals(160, ReadAttribute.of(sent));
    assertEquals(0, ReadAttribute.of(scan));
    assertSame(scan.getFilter(), sent.getFilter());
    assertEquals(3, sent.getMaxResultsPerColumnFamily());
    assertEquals(10, sent.getLimit());
    Get get = SnapshotRequests.atServer(new Get(ROW).setFilter(new PageFilter(1)), 7, 160);
    assertEquals(160, ReadAttribute.of(get));
    assertTrue(get.getFilter() instanceof PageFilter);
  }

  private static Scan scan() {
    return new Scan()
        .withStartRow(ROW, false)
        .withStopRow(Q, true)
        .setReversed(true)
        .addColumn(F, Q)
        .setFilter(new FilterList(new SkipFilter(new PageFilter(1))))
        .setMaxResultsPerColumnFamily(3)
        .setCaching(7)
        .setLimit(10)
        .setIsolationLevel(IsolationLevel.READ_COMMITTED);
  }

  @Test
  void rawScansReadVersionsAndMarks() {
    Scan scan = scan();
    Scan raw = SnapshotRequests.raw(scan, 160, 2);
    assertArrayEquals(ROW, raw.getStartRow());
    assertFalse(raw.includeStartRow());
    assertTrue(raw.includeStopRow());
    assertTrue(raw.isReversed());
    assertEquals(7, raw.getCaching());
    assertEquals(-1, raw.getLimit());
    assertNull(raw.getFilter());
    assertEquals(-1, raw.getMaxResultsPerColumnFamily());
    assertEquals(2, raw.getMaxVersions());
    assertEquals(0, raw.getTimeRange().getMin());
    assertEquals(161, raw.getTimeRange().getMax());
    assertEquals(2, raw.getFamilyMap().size());
    assertNull(raw.getFamilyMap().get(PendingWrite.family()));
    assertEquals(1, raw.getFamilyMap().get(F).size());
    assertEquals(1, scan.getFamilyMap().size(), "the application's scan is unchanged");
    assertEquals(0, SnapshotRequests.raw(new Scan(), 160, 1).getFamilyMap().size(), "all families");
  }

  @Test
  void rawGetsReadVersionsAndMarks() {
    Get get = new Get(ROW).addColumn(F, Q).setFilter(new PageFilter(1)).setCheckExistenceOnly(true);
    Get raw = SnapshotRequests.raw(get, 160, 2);
    assertNull(raw.getFilter());
    assertFalse(raw.isCheckExistenceOnly());
    assertEquals(2, raw.getMaxVersions());
    assertEquals(161, raw.getTimeRange().getMax());
    assertEquals(2, raw.getFamilyMap().size());
    assertEquals(1, get.getFamilyMap().size(), "the application's get is unchanged");
    assertFalse(SnapshotRequests.raw(new Get(ROW), 160, 1).hasFamilies());
  }
}
