package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.ReadAttribute;
import io.retso.hbase.layout.Refusal;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionConfiguration;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RetsoCluster.Extension.class)
class PurgeTest {
  private static final String ROW = "r";

  private RawTable t;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new RawTable(cluster);
  }

  @AfterEach
  void drop() throws IOException {
    t.close();
  }

  @Test
  void aRowThatIsUpdatedAThousandTimesStaysSmall() throws IOException {
    for (int i = 0; i < 1000; i++) {
      t.update(ROW, "a", "v" + i);
    }
    long reader = t.oracle.begin();
    t.flush();
    assertEquals(Map.of("a", "v999"), t.read(reader, ROW));
    List<Cell> cells = t.cells(ROW);
    assertTrue(cells.size() <= 2, () -> cells.size() + " versions");
    t.compact();
    assertEquals(1, t.raw(ROW).size(), () -> String.valueOf(raw()));
  }

  @Test
  void whatAnOpenSnapshotSeesStays() throws IOException {
    t.update(ROW, "a", "1");
    long reader = t.oracle.begin();
    for (int i = 0; i < 10; i++) {
      t.update(ROW, "a", "later" + i);
    }
    t.flush();
    t.compact();
    assertEquals(Map.of("a", "1"), t.read(reader, ROW));
    t.oracle.commit(reader);
    t.snapshot();
    t.compact();
    assertEquals(1, t.cells(ROW).size());
  }

  @Test
  void tombstonesGoWithEverythingBelowThem() throws IOException {
    t.table.put(new Put(Bytes.toBytes(ROW)).addColumn(RawTable.F, Bytes.toBytes("a"), 5, b("x")));
    t.update(ROW, "a", "1");
    t.flush();
    t.update(ROW, "a", null);
    t.snapshot();
    t.flush();
    assertTrue(t.cells(ROW).size() > 0, "a flush keeps tombstones: there are other files");
    assertEquals(Map.of(), t.read(t.oracle.begin(), ROW));
    t.compact();
    assertEquals(List.of(), t.raw(ROW));
  }

  @Test
  void tombstonesGoThoughTheMemoryIsNeverEmpty() throws IOException {
    t.update(ROW, "a", "1");
    t.update(ROW, "a", null);
    t.snapshot();
    t.flush();
    t.update("other", "a", "1"); // what became active before the flush is in the files all the same
    t.compact();
    assertEquals(List.of(), t.raw(ROW));
  }

  @Test
  void tombstonesStayWhileAnOlderSnapshotIsOpen() throws IOException {
    t.update(ROW, "a", "1");
    long reader = t.oracle.begin();
    t.update(ROW, "a", null);
    t.flush();
    t.compact();
    assertEquals(Map.of("a", "1"), t.read(reader, ROW));
    assertEquals(Map.of(), t.read(t.oracle.begin(), ROW));
  }

  /** Writes a value, and deletes it; then nothing is left of either. Returns the first commit. */
  private long purged(long start) throws IOException {
    t.write(start, ROW, "a", "1");
    long committed = t.commit(start, ROW);
    t.cleanUp(start, committed, ROW);
    t.oracle.cleanedUp(start);
    t.update(ROW, "a", null);
    t.snapshot();
    t.flush();
    t.compact();
    assertEquals(List.of(), t.raw(ROW));
    return committed;
  }

  /** Its transaction did commit, and the oracle says so. */
  @Test
  void aLateDuplicateBelowTheHorizonIsOfNoCommit() throws IOException {
    long start = t.oracle.begin();
    purged(start);
    t.putUnseen(RawTable.put(start, ROW, "a", "1"));
    assertEquals(Map.of(), t.read(t.snapshot(), ROW));
  }

  /** A flush of the data alone raises the horizon, and leaves marks in memory. */
  @Test
  void marksInMemoryBelowTheHorizonAreNotAskedAbout() throws IOException {
    long other = t.writeWithCell("other");
    long start = t.writeWithoutCell(ROW);
    t.oracle.abort(other);
    t.oracle.abort(start);
    t.flush(RawTable.F);
    assertEquals(List.of(), t.cellsOfMarks(ROW));
    long asked = RawTable.count("oracleQueries");
    assertEquals(Map.of(), t.read(t.snapshot(), ROW));
    assertEquals(asked, RawTable.count("oracleQueries"));
  }

  /** The cleanup is the first that a region is asked for after it opened. */
  @Test
  void aLateDuplicateBelowTheHorizonIsNotMoved() throws IOException {
    long start = t.oracle.begin();
    long committed = purged(start);
    t.putUnseen(RawTable.put(start, ROW, "a", "1"));
    t.cleanUp(start, committed, ROW);
    assertEquals(Map.of(), t.read(t.snapshot(), ROW));
    t.flush();
    t.compact();
    assertEquals(List.of(), t.raw(ROW));
  }

  /** All files are compacted, but the memory has a committed version that the tombstone covers. */
  @Test
  void tombstonesStayForWhatIsInMemory() throws IOException {
    long start = t.oracle.begin();
    t.write(start, ROW, "a", "1");
    long committed = t.commit(start, ROW);
    t.update(ROW, "a", null);
    t.flush();
    t.cleanUp(start, committed, ROW);
    t.oracle.cleanedUp(start);
    t.snapshot();
    t.compact();
    assertEquals(Map.of(), t.read(t.snapshot(), ROW));
  }

  /** An older file has what they cover. */
  @Test
  void tombstonesStayInACompactionOfTheOtherFiles() throws IOException {
    try (Admin admin = t.cluster.connection().getAdmin()) {
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(t.name))
              .setValue(CompactionConfiguration.HBASE_HSTORE_COMPACTION_MIN_KEY, "2")
              .setValue(CompactionConfiguration.HBASE_HSTORE_COMPACTION_MAX_KEY, "2")
              .build());
    }
    t.update(ROW, "a", "1".repeat(10_000)); // two smaller files are chosen rather
    t.flush();
    t.update(ROW, "a", null);
    t.flush();
    t.update("other", "a", "1");
    t.snapshot();
    t.flush();
    for (HRegion region : t.regions()) {
      region.compact(false);
      assertEquals(2, region.getStore(RawTable.F).getStorefilesCount());
    }
    assertEquals(Map.of(), t.read(t.snapshot(), ROW));
  }

  @Test
  void anUncleanedTransactionOlderThanATombstoneDoesNotComeBack() throws IOException {
    long lost = t.oracle.begin();
    t.write(lost, ROW, "a", "lost");
    long committed = t.commit(lost, ROW); // and its client dies
    t.update(ROW, "a", null);
    t.snapshot();
    t.flush();
    t.compact();
    assertEquals(Map.of(), t.read(t.oracle.begin(), ROW));
    t.cleanUp(lost, committed, ROW);
    t.oracle.cleanedUp(lost);
    t.snapshot();
    assertEquals(Map.of(), t.read(t.oracle.begin(), ROW));
    t.flush();
    t.compact();
    assertEquals(Map.of(), t.read(t.oracle.begin(), ROW));
    assertTrue(t.cells(ROW).isEmpty(), () -> String.valueOf(raw()));
  }

  @Test
  void whatMayBePendingCoversNothing() throws IOException {
    t.update(ROW, "a", "1");
    long aborted = t.oracle.begin();
    t.write(aborted, ROW, "a", "never");
    t.oracle.abort(aborted);
    t.snapshot();
    t.flush();
    t.compact();
    assertEquals(Map.of("a", "1"), t.read(t.oracle.begin(), ROW));
  }

  @Test
  void marksThatAreGoneLeaveNothingInFiles() throws IOException {
    for (int i = 0; i < 20; i++) {
      t.update(ROW, "a", "v" + i);
    }
    t.flush();
    t.compact();
    assertTrue(t.raw(ROW).stream().noneMatch(PendingWrite::isMark), () -> String.valueOf(raw()));
  }

  @Test
  void whatIsWrittenAndCleanedUpBetweenTwoFlushesLeavesNoDeletes() throws IOException {
    for (int flush = 1; flush <= 2; flush++) {
      for (int i = 0; i < 20; i++) {
        t.update(ROW, "a", "v" + i);
      }
      t.snapshot();
      t.flush();
      List<Cell> raw = t.raw(ROW);
      assertEquals(flush, raw.size(), () -> String.valueOf(raw));
    }
  }

  @Test
  void deletesStayWhileAnOlderFileHoldsWhatTheyDelete() throws IOException {
    t.update(ROW, "a", "1");
    long aborted = t.oracle.begin();
    t.write(aborted, ROW, "a", "never");
    t.write(aborted, ROW, "b", "never");
    t.flush();
    t.oracle.abort(aborted);
    t.cleanUp(aborted, Outcome.ABORTED, ROW);
    t.oracle.cleanedUp(aborted);
    t.snapshot();
    t.flush();
    assertEquals(1, t.cells(ROW).size(), () -> String.valueOf(raw()));
    assertEquals(Map.of("a", "1"), t.read(t.oracle.begin(), ROW));
    t.compact();
    assertEquals(1, t.raw(ROW).size(), () -> String.valueOf(raw()));
  }

  @Test
  void deletesStayForScannersThatDoNotSeeThemYet() throws IOException {
    t.update(ROW, "a", "1");
    long writer = t.oracle.begin();
    t.write(writer, ROW, "b", "2");
    t.write(writer, "s", "b", "2");
    Scan all = new Scan().setRaw(true).readAllVersions().setCaching(1).setBatch(1);
    try (var scanner = t.table.getScanner(all)) {
      scanner.next(); // from now on its read point keeps what it sees
      for (String row : List.of(ROW, "s")) {
        t.cleanUp(writer, writer + 16, row);
      }
      t.flush();
      assertEquals(List.of("b=2"), values(t.cells("s")));
      assertTrue(t.raw("s").stream().anyMatch(cell -> cell.getType() == Cell.Type.Delete));
    }
    t.compact();
    assertEquals(List.of("b=2"), values(t.cells("s")));
  }

  private static List<String> values(List<Cell> cells) {
    return cells.stream()
        .map(
            cell ->
                Bytes.toString(CellUtil.cloneQualifier(cell))
                    + "="
                    + Bytes.toString(CellUtil.cloneValue(cell)))
        .toList();
  }

  @Test
  void flushesAndCompactionsDoWithoutTheOracle() throws IOException {
    t.update(ROW, "a", "1");
    t.update(ROW, "a", "2");
    t.snapshot();
    t.stopOracle();
    t.flush();
    t.table.put(new Put(b("plain")).addColumn(RawTable.F, b("a"), b("1")));
    t.flush();
    t.compact();
    assertEquals(2, t.cells(ROW).size(), "nothing is purged");
  }

  @Test
  void aScanGoesOnOverAFlushThatPurges() throws IOException {
    for (int i = 0; i < 30; i++) {
      t.update("r" + (10 + i), "a", "1");
    }
    long reader = t.oracle.begin();
    Scan scan = new Scan().setCaching(2);
    ReadAttribute.set(scan, RawTable.FINGERPRINT, reader);
    int rows = 0;
    try (var scanner = t.table.getScanner(scan)) {
      while (rows < 30) {
        assertEquals(Map.of("a", "1"), RawTable.map(scanner.next()));
        rows++;
        if (rows == 10) {
          for (int i = 0; i < 30; i++) {
            t.update("r" + (10 + i), "a", "2");
          }
          t.flush();
          t.compact();
        }
      }
    }
  }

  /** W is the start of the oldest one that is open, or committed and not cleaned up. */
  @Test
  void theOldestTransactionStandsAtTheHorizonAndLosesNothing() throws IOException {
    long start = t.oracle.begin();
    t.write(start, ROW, "a", "1");
    t.snapshot();
    t.flush();
    assertEquals(start, t.oracle.lowWatermark());
    t.write(start, ROW, "b", "2");
    long committed = t.commit(start, ROW);
    t.snapshot();
    t.compact();
    assertEquals(start, t.oracle.lowWatermark());
    assertEquals(Map.of("a", "1", "b", "2"), t.read(t.oracle.begin(), ROW));
    t.cleanUp(start, committed, ROW);
    assertEquals(Map.of("a", "1", "b", "2"), t.read(t.oracle.begin(), ROW));
  }

  /** The scanner is older than the horizon, whose test comes after each row. */
  @Test
  void aScanFailsWhenItsSnapshotIsPurgedUnderIt() throws IOException {
    for (int i = 0; i < 30; i++) {
      t.update("r" + (10 + i), "a", "1");
    }
    long reader = t.oracle.begin();
    Scan scan = new Scan().setCaching(2);
    ReadAttribute.set(scan, RawTable.FINGERPRINT, reader);
    try (var scanner = t.table.getScanner(scan)) {
      assertEquals(Map.of("a", "1"), RawTable.map(scanner.next()));
      t.oracle.abort(reader); // by its time limit; its client does not know
      for (int i = 0; i < 30; i++) {
        t.update("r" + (10 + i), "a", "2");
      }
      t.snapshot();
      t.flush();
      t.compact();
      IOException refused =
          assertThrows(
              IOException.class,
              () -> {
                for (Result row = scanner.next(); row != null; row = scanner.next()) {
                  assertEquals(Map.of("a", "1"), RawTable.map(row));
                }
              });
      assertEquals(Refusal.SNAPSHOT_TOO_OLD, Refusal.of(refused));
    }
  }

  @Test
  void aRegionThatOpensKnowsWhatWasPurgedBefore() throws IOException {
    t.update(ROW, "a", "1");
    long old = t.snapshot();
    t.update(ROW, "a", "2");
    t.snapshot();
    t.flush();
    try (Admin admin = t.cluster.connection().getAdmin()) {
      admin.disableTable(t.name);
      admin.enableTable(t.name);
    }
    IOException refused = assertThrows(IOException.class, () -> t.read(old, ROW));
    assertEquals(Refusal.SNAPSHOT_TOO_OLD, Refusal.of(refused));
  }

  private List<Cell> raw() {
    try {
      return t.raw(ROW);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static byte[] b(String text) {
    return Bytes.toBytes(text);
  }
}
