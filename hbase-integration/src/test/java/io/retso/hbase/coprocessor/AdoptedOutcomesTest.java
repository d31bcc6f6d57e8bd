package io.retso.hbase.coprocessor;

import static io.retso.hbase.coprocessor.AdoptingTable.MARKS;
import static io.retso.hbase.coprocessor.AdoptingTable.ROW;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.coprocessor.HeldBatch.Hold;
import io.retso.hbase.coprocessor.region.LoggedAdoptions;
import io.retso.hbase.layout.AdoptionCell;
import io.retso.hbase.layout.AdoptionRequest.Adoption;
import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.Refusal;
import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Outcomes that a region has adopted, and what flushes make of them: decision 25. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class AdoptedOutcomesTest {
  private AdoptingTable t;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new AdoptingTable(cluster, table -> {});
  }

  @AfterEach
  void drop() throws Exception {
    t.close();
  }

  /** Versions of family f in a row, deleted ones, too. */
  private List<Long> versions(String row) throws IOException {
    return AdoptingTable.versions(t.raw(row));
  }

  /** Adoptions that {@code !pw} has, with how many transactions. */
  private List<Integer> adoptions() throws IOException {
    return t.cellsOfMarks("\0").stream()
        .filter(AdoptionCell::is)
        .map(
            cell -> {
              int[] count = new int[1];
              AdoptionCell.read(cell, (start, outcome) -> count[0]++);
              return count[0];
            })
        .toList();
  }

  private long commitAndAdopt(long start, String row) throws IOException {
    long committed = t.commitAndAdopt(start, row);
    t.oracle.cleanedUp(start);
    return committed;
  }

  @Test
  void aCommittedVersionIsMovedByTheFlush() throws IOException {
    long start = t.writeWithoutCell(ROW);
    int cells = t.region().getStore(RawTable.F).getMemStoreSize().getCellsCount();
    long committed = commitAndAdopt(start, ROW);
    assertEquals(Map.of("a", "1"), t.read());
    assertEquals(Map.of(), t.read(committed, ROW));
    assertEquals(List.of("first"), t.rowsWithMarks());
    assertEquals(cells, t.region().getStore(RawTable.F).getMemStoreSize().getCellsCount());
    t.flush();
    assertEquals(List.of(CellVersion.committed(committed)), versions(ROW));
    assertEquals(Map.of("a", "1"), t.read());
    assertEquals(Map.of(), t.read(committed, ROW));
    t.reopen();
    assertEquals(Map.of("a", "1"), t.read());
  }

  @Test
  void anAbortedVersionIsDroppedByTheFlush() throws IOException {
    long start = t.writeWithoutCell(ROW);
    t.abortAndAdopt(start, 1);
    assertEquals(Map.of(), t.read());
    t.flush(RawTable.F);
    assertEquals(List.of(), versions(ROW));
    assertEquals(Map.of(), t.read());
    t.reopen();
    assertEquals(Map.of(), t.read());
  }

  @Test
  void anOutcomeStaysUntilAllFamiliesAreFlushed() throws IOException {
    long start = t.oracle.begin();
    Put put = RawTable.put(start, ROW, "a", "1");
    put.addColumn(RawTable.G, Bytes.toBytes("a"), start, Bytes.toBytes("2"));
    t.table.put(put);
    t.abortAndAdopt(start, 1);
    t.flush(RawTable.F);
    assertEquals(Map.of(), t.read());
    assertEquals(List.of(), t.scan(t.oracle.begin(), new Scan().addFamily(RawTable.G)));
    t.flush(RawTable.G);
    assertEquals(List.of(), versions(ROW));
    assertEquals(List.of(), t.scan(t.oracle.begin(), new Scan().addFamily(RawTable.G)));
    t.flush(MARKS);
    t.compact();
    assertEquals(List.of(), adoptions());
  }

  @Test
  void anAdoptionAmidAFlushCountsThere() throws Exception {
    long start = t.writeWithoutCell(ROW);
    Hold hold = HeldStore.into(t.region()).holdNextFlushOfMarks();
    Future<?> flush = t.inBackground(() -> t.region().flush(true));
    hold.awaitReached();
    long committed = commitAndAdopt(start, ROW);
    hold.release();
    flush.get();
    assertEquals(List.of(CellVersion.committed(committed)), versions(ROW));
    assertEquals(Map.of("a", "1"), t.read());
    assertEquals(List.of("first"), t.rowsWithMarks());
  }

  /** By another coprocessor, when its mark is in memory; the batch does not fail. */
  @Test
  void aWriteThatIsRefusedBehindOurHookIsNotCounted() throws IOException {
    long start = t.writeWithoutCell(ROW);
    HeldBatch refusing = HeldBatch.into(t.region());
    refusing.setRefusing(true);
    assertThrows(IOException.class, () -> t.write(start, "s", "a", "2"));
    refusing.setRefusing(false);
    t.abortAndAdopt(start, 1);
    assertEquals(Map.of(), t.read());
  }

  @Test
  void writesOfAnAdoptedTransactionAreRefused() throws IOException {
    long start = t.writeWithoutCell(ROW);
    t.abortAndAdopt(start, 1);
    IOException e = assertThrows(IOException.class, () -> t.write(start, ROW, "a", "late"));
    assertEquals(Refusal.DECIDED, Refusal.of(e));
    t.reopen();
    assertEquals(Map.of(), t.read());
  }

  @Test
  void aTimeToCloseThatIsNoNumberIsNamed() throws Exception {
    try (Admin admin = t.cluster.connection().getAdmin()) {
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(t.name))
              .setValue("retso.close.timeout", "soon")
              .build());
    }
    IOException e = assertThrows(IOException.class, () -> t.write(t.first, ROW, "a", "1"));
    assertTrue(e.getMessage().contains("retso.close.timeout"), e::getMessage);
  }

  @Test
  void aFlushOfMarksWritesTheAdoptionsThatHaveNotLeft() throws IOException {
    long start = t.writeWithoutCell(ROW);
    long later = t.writeWithoutCell("s");
    commitAndAdopt(start, ROW);
    commitAndAdopt(later, "s");
    t.flush(MARKS);
    assertEquals(List.of(2), adoptions());
    t.compact();
    assertEquals(List.of(2), adoptions());
    t.flush(RawTable.F);
    t.writeWithCell("second");
    t.flush(MARKS);
    t.compact();
    assertEquals(List.of(), adoptions());
    assertEquals(Map.of("a", "1"), t.read());
  }

  @Test
  void marksAreFlushedBehindData() throws Exception {
    long start = t.writeWithoutCell(ROW);
    commitAndAdopt(start, ROW);
    t.flush(RawTable.F);
    Fixture.eventually(
        "the memory of marks is empty",
        () -> t.region().getStore(MARKS).getMemStoreSize().getCellsCount() == 0);
  }

  /** The first row is a row of the user, too. */
  @Test
  void aPlainDeleteOfTheFirstRowLeavesAdoptions() throws IOException {
    long start = t.writeWithoutCell(ROW);
    long committed = commitAndAdopt(start, ROW);
    t.table.delete(new Delete(Bytes.toBytes("\0"), 1L << 59));
    t.flush(MARKS);
    assertEquals(Map.of(start, committed), LoggedAdoptions.read(t.region()));
  }

  /** A version that others committed after it was written stays behind it. */
  @Test
  void movedVersionsAreInOrder() throws IOException {
    long aborted = t.oracle.begin();
    long open = t.oracle.begin();
    t.write(open, ROW, "a", "open");
    t.write(aborted, ROW, "a", "aborted");
    long start = t.writeWithoutCell(ROW);
    long committed = commitAndAdopt(start, ROW);
    long next = t.writeWithoutCell(ROW);
    long last = commitAndAdopt(next, ROW);
    t.flush(RawTable.F);
    assertEquals(
        List.of(CellVersion.committed(last), CellVersion.committed(committed), open, aborted),
        versions(ROW));
    assertEquals(Map.of("a", "1"), t.read());
  }

  /** An open transaction began after another, and commits before it. */
  @Test
  void aMovedVersionPassesThoseOfOpenTransactions() throws IOException {
    long start = t.writeWithoutCell(ROW);
    long open = t.oracle.begin();
    t.write(open, ROW, "a", "open");
    long committed = commitAndAdopt(start, ROW);
    t.flush(RawTable.F);
    assertEquals(List.of(CellVersion.committed(committed), open), versions(ROW));
    assertEquals(Map.of("a", "1"), t.read());
    t.oracle.abort(open);
    assertEquals(Map.of("a", "1"), t.read());
  }

  @Test
  void deletesOfTransactionsAreMovedLikeValues() throws IOException {
    t.update(ROW, "a", "0");
    long start = t.oracle.begin();
    t.write(start, ROW, "a", null);
    long before = t.snapshot();
    commitAndAdopt(start, ROW);
    assertEquals(Map.of(), t.read());
    t.flush();
    assertEquals(Map.of(), t.read());
    assertEquals(Map.of("a", "0"), t.read(before, ROW));
  }

  /** A cleanup by somebody else has deleted it, and it came once more. */
  @Test
  void aLateDuplicateIsNotSeenTwice() throws IOException {
    long start = t.writeWithoutCell(ROW);
    long committed = t.commit(start, ROW);
    t.cleanUp(start, committed, ROW);
    t.write(start, ROW, "a", "1");
    assertTrue(t.adopt(start, committed, 1));
    assertEquals(Map.of("a", "1"), t.read());
    t.flush();
    t.compact();
    assertEquals(List.of(CellVersion.committed(committed)), versions(ROW));
  }

  /** The region remembers what was written; but there is no mark any more. */
  @Test
  void aCleanupOfARowThatWasAdoptedDoesNothing() throws IOException {
    long start = t.writeWithoutCell(ROW);
    long committed = t.commit(start, ROW);
    assertTrue(t.adopt(start, committed, 1));
    t.table.put(new CleanupRequest(Bytes.toBytes(ROW), start, committed).toPut());
    assertEquals(List.of(start), versions(ROW));
    t.flush();
    assertEquals(List.of(CellVersion.committed(committed)), versions(ROW));
  }

  /** As it is not known to have committed, what can be moved is not read. */
  @Test
  void aRowThatIsAdoptedAfterACleanupHasReadItIsReadAgain() throws Exception {
    long start = t.writeWithoutCell(ROW);
    Hold hold = HeldStore.into(t.region()).holdNextPut();
    Future<?> cleanup =
        t.inBackground(
            () -> {
              t.cleanUp(start, Outcome.ABORTED, ROW);
              return null;
            });
    hold.awaitReached();
    long committed = commitAndAdopt(start, ROW);
    hold.release();
    assertDoesNotThrow(() -> cleanup.get());
    assertEquals(Map.of("a", "1"), t.read());
    t.flush();
    assertEquals(List.of(CellVersion.committed(committed)), versions(ROW));
  }

  @Test
  void whatAPlainDeleteHidesStaysAway() throws IOException {
    long start = t.writeWithoutCell(ROW);
    long committed = t.commit(start, ROW);
    assertTrue(t.adopt(start, committed, 1));
    t.table.delete(
        new Delete(Bytes.toBytes(ROW)).addColumns(RawTable.F, Bytes.toBytes("a"), start));
    assertEquals(Map.of(), t.read());
    t.flush();
    t.compact();
    assertEquals(Map.of(), t.read());
  }

  @Test
  void aSplitLosesNothing() throws Exception {
    long one = t.writeWithoutCell("b");
    long two = t.writeWithoutCell(ROW);
    long three = t.writeWithoutCell("s");
    commitAndAdopt(one, "b");
    commitAndAdopt(two, ROW);
    t.abortAndAdopt(three, 1);
    try (Admin admin = t.cluster.connection().getAdmin()) {
      admin
          .splitRegionAsync(t.region().getRegionInfo().getRegionName(), Bytes.toBytes("m"))
          .get(60, TimeUnit.SECONDS);
    }
    assertEquals(List.of("b{a=1}", "r{a=1}"), t.scan(t.oracle.begin(), new Scan()));
    long start = t.oracle.begin();
    t.write(start, "z", "a", "1"); // its mark is a cell
    long next = t.writeWithoutCell("y");
    BitSet adopted = t.adopt("m", new Adoption(next, t.commit(next, "y"), 1));
    assertEquals("{0}", adopted.toString());
  }

  @Test
  void aMergeLosesNothing() throws Exception {
    try (RawTable two = RawTable.adopting(t.cluster, Bytes.toBytes("m"))) {
      two.writeWithCell("a");
      two.writeWithCell("n");
      long left = two.writeWithoutCell("b");
      long right = two.writeWithoutCell("r");
      long gone = two.writeWithoutCell("s");
      two.oracle.abort(gone);
      assertEquals("{0}", two.adopt("", adoption(two, left, "b")).toString());
      Adoption aborted = new Adoption(gone, Outcome.ABORTED, 1);
      assertEquals("{0, 1}", two.adopt("m", adoption(two, right, "r"), aborted).toString());
      byte[][] regions =
          two.regions().stream()
              .map(region -> region.getRegionInfo().getEncodedNameAsBytes())
              .toArray(byte[][]::new);
      try (Admin admin = t.cluster.connection().getAdmin()) {
        admin.mergeRegionsAsync(regions, false).get(60, TimeUnit.SECONDS);
      }
      assertEquals(List.of("b{a=1}", "r{a=1}"), two.scan(two.oracle.begin(), new Scan()));
    }
  }

  private static Adoption adoption(RawTable table, long start, String row) {
    long committed = table.commit(start, row);
    table.oracle.cleanedUp(start);
    return new Adoption(start, committed, 1);
  }

  /** Many cells of one row and column, more than HBase hands over at once. */
  @Test
  void largeRowsAreMovedWhole() throws IOException {
    long start = t.oracle.begin();
    Put put = PendingWrite.mark(new Put(Bytes.toBytes(ROW)), start);
    for (int i = 0; i < 1_000; i++) {
      put.addColumn(RawTable.F, Bytes.toBytes("c" + i), start, Bytes.toBytes("1"));
    }
    t.table.put(put);
    long committed = commitAndAdopt(start, ROW);
    t.flush();
    List<Long> versions = versions(ROW);
    assertEquals(1_000, versions.size());
    assertTrue(versions.stream().allMatch(version -> version == committed + 1));
    assertEquals(1_000, t.read().size());
  }
}
