package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.TransactionStatus;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.ReadAttribute;
import io.retso.hbase.layout.Refusal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RetsoCluster.Extension.class)
class SnapshotReadTest {
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

  @Test
  void seesWhatCommittedBeforeItCleanedUpOrNot() throws IOException {
    long before = t.oracle.begin();
    long start = t.oracle.begin();
    t.write(start, ROW, "a", "1");
    long between = t.oracle.begin();
    long committed = t.commit(start, ROW);
    long after = t.oracle.begin();
    for (int i = 0; i < 2; i++) {
      assertEquals(Map.of(), t.read(before, ROW));
      assertEquals(Map.of(), t.read(between, ROW));
      assertEquals(Map.of("a", "1"), t.read(after, ROW));
      Result shown = t.table.get(RawTable.get(after, ROW));
      assertEquals(committed + 1, shown.rawCells()[0].getTimestamp());
      t.cleanUp(start, committed, ROW);
    }
  }

  @Test
  void seesItsOwnWritesOnly() throws IOException {
    t.update(ROW, "a", "0");
    long one = t.oracle.begin();
    long two = t.oracle.begin();
    t.write(one, ROW, "a", "1");
    t.write(two, ROW, "a", "2");
    t.write(two, ROW, "b", "2");
    assertEquals(Map.of("a", "1"), t.read(one, ROW));
    assertEquals(Map.of("a", "2", "b", "2"), t.read(two, ROW));
    assertEquals(Map.of("a", "0"), t.read(t.oracle.begin(), ROW));
  }

  @Test
  void looksThroughStacksOfInvisibleVersions() throws IOException {
    t.update(ROW, "a", "0");
    List<Long> open = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      long start = t.oracle.begin();
      t.write(start, ROW, "a", "pending" + i);
      if (i % 2 == 0) {
        t.oracle.abort(start);
      } else {
        open.add(start);
      }
    }
    long reader = t.oracle.begin();
    assertEquals(Map.of("a", "0"), t.read(reader, ROW));
    long winner = open.get(10);
    assertTrue(t.oracle.commit(winner, ROW.hashCode()).isCommitted());
    assertEquals(Map.of("a", "0"), t.read(reader, ROW));
    assertEquals(Map.of("a", "pending21"), t.read(t.oracle.begin(), ROW));
  }

  @Test
  void tombstonesHideValuesFromLaterSnapshotsOnly() throws IOException {
    t.update(ROW, "a", "1");
    t.update(ROW, "b", "1");
    long before = t.oracle.begin();
    long start = t.oracle.begin();
    t.write(start, ROW, "a", null);
    long committed = t.commit(start, ROW);
    assertEquals(Map.of("b", "1"), t.read(t.oracle.begin(), ROW));
    t.cleanUp(start, committed, ROW);
    assertEquals(Map.of("b", "1"), t.read(t.oracle.begin(), ROW));
    assertEquals(Map.of("a", "1", "b", "1"), t.read(before, ROW));
  }

  @Test
  void aForgottenTransactionWhoseMarkIsThereWasAborted() throws IOException {
    long start = t.oracle.begin();
    t.write(start, ROW, "a", "1");
    t.oracle.abort(start);
    t.passWindow();
    long reader = t.oracle.begin();
    assertEquals(TransactionStatus.State.RETRY, t.oracle.status(start, reader).state());
    assertEquals(Map.of(), t.read(reader, ROW));
  }

  @Test
  void plainCellsAreCommittedAtTheirVersion() throws IOException {
    long version = t.oracle.begin(); // has the form of a start timestamp, but no mark
    t.table.put(new Put(Bytes.toBytes(ROW)).addColumn(RawTable.F, b("a"), version, b("x")));
    t.table.put(new Put(Bytes.toBytes(ROW)).addColumn(RawTable.F, b("b"), version + 5, b("y")));
    assertEquals(Map.of(), t.read(version, ROW));
    assertEquals(Map.of("a", "x", "b", "y"), t.read(t.oracle.begin(), ROW));
  }

  @Test
  void existsAndManyGetsInOneRequest() throws IOException {
    t.update(ROW, "a", "1");
    long start = t.oracle.begin();
    t.write(start, "pending", "a", "1");
    long reader = t.oracle.begin();
    assertTrue(t.table.exists(RawTable.get(reader, ROW)));
    assertFalse(t.table.exists(RawTable.get(reader, "pending")));
    assertArrayEquals(
        new boolean[] {true, false, false},
        t.table.exists(
            List.of(
                RawTable.get(reader, ROW),
                RawTable.get(reader, "pending"),
                RawTable.get(reader, "none"))));
    t.commit(start, "pending");
    long later = t.oracle.begin();
    Result[] results =
        t.table.get(List.of(RawTable.get(later, ROW), RawTable.get(later, "pending")));
    assertEquals(Map.of("a", "1"), RawTable.map(results[0]));
    assertEquals(Map.of("a", "1"), RawTable.map(results[1]));
  }

  @Test
  void returnsOnlyWhatWasAskedFor() throws IOException {
    long start = t.oracle.begin();
    t.table.put(
        RawTable.put(start, ROW, "a", "1")
            .addColumn(RawTable.F, b("b"), start, b("2"))
            .addColumn(RawTable.G, b("c"), start, b("3")));
    t.commit(start, ROW);
    long reader = t.oracle.begin();
    Get get = RawTable.get(reader, ROW).addColumn(RawTable.F, b("b"));
    assertEquals(Map.of("b", "2"), RawTable.map(t.table.get(get)));
    assertEquals(Map.of("a", "1", "b", "2", "c", "3"), t.read(reader, ROW));
    Get limited = RawTable.get(reader, ROW).setMaxResultsPerColumnFamily(1);
    assertEquals(Map.of("a", "1", "c", "3"), RawTable.map(t.table.get(limited)));
    limited.setRowOffsetPerColumnFamily(1);
    assertEquals(Map.of("b", "2"), RawTable.map(t.table.get(limited)));
  }

  @Test
  void scansInBothDirectionsOverRegionsWithLimitsAndFilters() throws IOException {
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      String row = (i < 30 ? "r" : "t") + (10 + i);
      t.update(row, "a", "old");
      long start = t.oracle.begin();
      t.write(start, row, "a", i % 4 == 3 ? null : "new" + i % 4);
      switch (i % 4) {
        case 0 -> expected.add(row + "{a=old}"); // open
        case 1, 3 -> t.commit(start, row);
        default -> {
          t.oracle.abort(start);
          expected.add(row + "{a=old}");
        }
      }
      if (i % 4 == 1) {
        expected.add(row + "{a=new1}");
      }
    }
    long reader = t.oracle.begin();
    assertEquals(expected, t.scan(reader, new Scan()));
    assertEquals(expected, t.scan(reader, new Scan().setCaching(3).setMaxResultSize(100)));
    List<String> reversed = new ArrayList<>(expected);
    Collections.reverse(reversed);
    assertEquals(reversed, t.scan(reader, new Scan().setReversed(true).setCaching(7)));
    assertEquals(expected.subList(0, 11), t.scan(reader, new Scan().setLimit(11)));
    assertEquals(
        expected.stream().filter(row -> row.endsWith("{a=new1}")).toList(),
        t.scan(
            reader,
            new Scan()
                .setFilter(
                    new SingleColumnValueFilter(
                        RawTable.F,
                        b("a"),
                        CompareOperator.EQUAL,
                        new BinaryComparator(b("new1"))))));
    Scan page = new Scan().withStopRow(b("s")).setFilter(new PageFilter(5));
    assertEquals(expected.subList(0, 5), t.scan(reader, page));
    t.flush();
    assertEquals(expected, t.scan(reader, new Scan()));
    t.compact();
    assertEquals(expected, t.scan(reader, new Scan()));
  }

  /**
   * A scanner reads as of its opening, and rows in doubt once more as of now: what is written in
   * between comes up in that second read only, and its mark was not asked for.
   */
  @Test
  void aVersionThatComesUpInTheSecondReadOfARowIsLeftOut() throws IOException {
    t.update("q", "a", "first");
    List<String> rows = List.of("r1", "r2", "r3", "r4");
    List<Long> doubted = new ArrayList<>();
    for (String row : rows) {
      t.update(row, "a", "old");
      doubted.add(t.oracle.begin());
      t.write(doubted.get(doubted.size() - 1), row, "a", "doubted");
    }
    t.commit(doubted.get(2), "r3");
    long committed = t.commit(doubted.get(3), "r4");
    List<Long> late = new ArrayList<>();
    rows.forEach(row -> late.add(t.oracle.begin()));
    long reader = t.snapshot();
    List<String> seen = new ArrayList<>();
    Scan scan = new Scan().withStopRow(b("s")).setCaching(1);
    ReadAttribute.set(scan, RawTable.FINGERPRINT, reader);
    try (ResultScanner scanner = t.table.getScanner(scan)) {
      assertEquals(Map.of("a", "first"), RawTable.map(scanner.next()));
      for (int i = 0; i < late.size(); i++) {
        t.write(late.get(i), rows.get(i), "a", "late");
      }
      assertTrue(t.commit(late.get(1), "r2") > reader);
      t.cleanUp(doubted.get(3), committed, "r4");
      for (Result result : scanner) {
        seen.add(Bytes.toString(result.getRow()) + RawTable.map(result));
      }
    }
    List<String> expected = List.of("r1{a=old}", "r2{a=old}", "r3{a=doubted}", "r4{a=doubted}");
    assertEquals(expected, seen);
    assertEquals(expected, t.scan(reader, new Scan().withStartRow(b("r"))), "whose marks are read");
  }

  @Test
  void rowsWiderThanAnyBatchComeWhole() throws IOException {
    long start = t.oracle.begin();
    for (int i = 0; i < 300; i++) {
      t.write(start, ROW, "c" + (1000 + i), "v".repeat(100));
    }
    t.commit(start, ROW);
    Scan scan = new Scan().setMaxResultSize(500);
    List<String> rows = t.scan(t.oracle.begin(), scan);
    assertEquals(1, rows.size());
    assertEquals(300, rows.get(0).split("=").length - 1);
  }

  @Test
  void snapshotsStayAsTheyAreThroughMovesAndSplits() throws Exception {
    for (int i = 0; i < 20; i++) {
      t.update("r" + (10 + i), "a", "1");
    }
    long start = t.oracle.begin();
    t.write(start, "r15", "a", "2");
    long reader = t.oracle.begin();
    List<String> seen = t.scan(reader, new Scan());
    assertEquals(20, seen.size());
    t.commit(start, "r15");
    if (t.cluster.hbase().liveRegionServers() < 2) {
      t.cluster.hbase().startRegionServer();
    }
    try (Admin admin = t.cluster.connection().getAdmin()) {
      byte[] region = t.regions().get(0).getRegionInfo().getEncodedNameAsBytes();
      admin.move(region);
      assertEquals(seen, t.scan(reader, new Scan()));
      admin
          .splitRegionAsync(
              t.cluster
                  .connection()
                  .getRegionLocator(t.name)
                  .getRegionLocation(b("r10"), true)
                  .getRegion()
                  .getRegionName(),
              b("r15"))
          .get();
    }
    assertEquals(seen, t.scan(reader, new Scan()));
    t.compact();
    assertEquals(seen, t.scan(reader, new Scan()));
    assertEquals(Map.of("a", "2"), t.read(t.oracle.begin(), "r15"));
  }

  @Test
  void snapshotsBelowTheHorizonAreRefused() throws IOException {
    long old = t.snapshot();
    t.update(ROW, "a", "1");
    t.snapshot();
    t.flush();
    IOException refused = assertThrows(IOException.class, () -> t.read(old, ROW));
    assertEquals(Refusal.SNAPSHOT_TOO_OLD, Refusal.of(refused));
    // Also if nothing was found.
    refused = assertThrows(IOException.class, () -> t.read(old, "nothing"));
    assertEquals(Refusal.SNAPSHOT_TOO_OLD, Refusal.of(refused));
    UncheckedIOException scan =
        assertThrows(UncheckedIOException.class, () -> t.scan(old, new Scan().withStopRow(b("b"))));
    assertEquals(Refusal.SNAPSHOT_TOO_OLD, Refusal.of(scan));
    assertNull(Refusal.of(new IOException("something else")));
  }

  @Test
  void malformedRequestsFailAndTheServerLives() throws IOException {
    Get get = new Get(b(ROW));
    get.setAttribute("retso.read", new byte[3]);
    assertThrows(IOException.class, () -> t.table.get(get));
    Get firstChange = new Get(b(ROW));
    firstChange.setAttribute(
        "retso.read", Bytes.add(Bytes.toBytes(16L), new byte[] {2}, Bytes.toBytes(17L)));
    assertThrows(IOException.class, () -> t.table.get(firstChange));
    Put put = new Put(b(ROW)).addColumn(RawTable.F, b("a"), b("1"));
    put.setAttribute("retso.cleanup", new byte[2]);
    assertThrows(IOException.class, () -> t.table.put(put));
    t.update(ROW, "a", "1");
    assertEquals(Map.of("a", "1"), t.read(t.oracle.begin(), ROW));
  }

  /** A filter that fails where HBase itself would not have asked it. */
  public static final class Irreversible extends FilterBase {
    /** Called by HBase. */
    public static Irreversible parseFrom(byte[] bytes) {
      return new Irreversible();
    }

    @Override
    public void setReversed(boolean reversed) {
      throw new UnsupportedOperationException("not to be reversed");
    }
  }

  /** HBase would stop the region server if anything but an IOException came out of our hooks. */
  @Test
  void failuresThatNobodyExpectedFailTheirRequestAndTheServerLives() throws IOException {
    t.update(ROW, "a", "1");
    long reader = t.oracle.begin();
    int servers = t.cluster.hbase().liveRegionServers();
    Get get = RawTable.get(reader, ROW).setFilter(new Irreversible());
    IOException failed = assertThrows(DoNotRetryIOException.class, () -> t.table.get(get));
    assertTrue(failed.getMessage().contains("not to be reversed"), failed::getMessage);
    Scan scan = new Scan().setFilter(new Irreversible());
    assertThrows(UncheckedIOException.class, () -> t.scan(reader, scan));
    assertEquals(servers, t.cluster.hbase().liveRegionServers());
    assertEquals(Map.of("a", "1"), t.read(reader, ROW));
  }

  @Test
  void whatIsNoMarkIsNotAdmittedAmongTheMarks() throws IOException {
    byte[] marks = PendingWrite.family();
    long timestamp = t.oracle.begin();
    IOException refused =
        assertThrows(
            DoNotRetryIOException.class,
            () -> t.table.put(new Put(b(ROW)).addColumn(marks, b("x"), b("1"))));
    assertTrue(
        refused.getMessage().contains("not a PendingWrite mark: r/!pw:x/"), refused::toString);
    for (Mutation other :
        List.of(
            new Put(b(ROW)).addColumn(marks, b("x"), timestamp, b("1")),
            new Put(b(ROW))
                .addColumn(marks, PendingWrite.qualifier(timestamp), timestamp + 16, b("1")),
            new Increment(b(ROW)).addColumn(marks, b("x"), 1),
            new Append(b(ROW)).addColumn(marks, b("x"), b("1")))) {
      refused =
          assertThrows(
              IOException.class, () -> t.table.mutateRow(new RowMutations(b(ROW)).add(other)));
      assertTrue(refused.getMessage().contains("not a PendingWrite mark"), refused::toString);
    }
    Put good = new Put(b("q")).addColumn(RawTable.F, b("a"), 17, b("1"));
    Put bad = new Put(b(ROW)).addColumn(marks, b("x"), b("1"));
    assertThrows(IOException.class, () -> t.table.put(List.of(good, bad)));
    assertEquals(List.of(), t.cells(ROW));
    assertEquals(1, t.cells("q").size(), "others of the batch proceed");
  }

  @Test
  void whatIsNoMarkDoesNotHinderAScan() throws IOException {
    long start = t.oracle.begin();
    t.write(start, "q", "a", "1"); // in doubt: the scan looks at the marks ahead
    t.commit(start, "q");
    t.putUnseen(new Put(b(ROW)).addColumn(PendingWrite.family(), b("x"), 17, b("1")));
    assertEquals(List.of("q{a=1}"), t.scan(t.oracle.begin(), new Scan()));
  }

  private static byte[] b(String text) {
    return Bytes.toBytes(text);
  }
}
