package io.retso.hbase.coprocessor;

import static io.retso.hbase.coprocessor.AdoptingTable.MARKS;
import static io.retso.hbase.coprocessor.AdoptingTable.ROW;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RefusedCleanups;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.coprocessor.HeldBatch.Hold;
import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableDescriptors;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CoprocessorDescriptor;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Outcomes that a region adopted before its server died, or that went unheard: decision 25. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(180)
class AdoptedReplayTest {
  private AdoptingTable t;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    CoprocessorDescriptor gate = RefusedCleanups.descriptor();
    t = new AdoptingTable(cluster, of -> of.setMemStoreFlushSize(1 << 20).setCoprocessor(gate));
  }

  @AfterEach
  void drop() throws Exception {
    RefusedCleanups.set(t.name, false); // a region cleans up as it closes
    t.close();
  }

  private List<Long> versions(String row) throws IOException {
    return AdoptingTable.versions(t.cells(row));
  }

  /** More than a memory, so that a replay flushes before it reads what comes behind. */
  private void fill() throws IOException {
    for (int i = 0; i < 3; i++) {
      Put put = new Put(Bytes.toBytes("large" + i));
      t.table.put(put.addColumn(RawTable.F, Bytes.toBytes("a"), 17, new byte[500_000]));
    }
  }

  private List<String> rows() throws IOException {
    List<String> rows = new ArrayList<>(t.scan(t.oracle.begin(), new Scan()));
    rows.removeIf(row -> row.startsWith("large"));
    return rows;
  }

  @Test
  void anAdoptionIsReplayed() throws Exception {
    long start = t.writeWithoutCell(ROW);
    long aborted = t.writeWithoutCell("s");
    long committed = t.commitAndAdopt(start, ROW);
    t.abortAndAdopt(aborted, 1);
    t.forget(start);
    t.crash();
    assertEquals(List.of(ROW + "{a=1}"), rows());
    assertEquals(List.of(CellVersion.committed(committed)), versions(ROW));
  }

  private static Put write(long start, String row) {
    return RawTable.put(start, row, "a", "1");
  }

  @Test
  void marksOfABatchAreReplayed() throws Exception {
    long open = t.oracle.begin();
    t.table.put(List.of(write(open, "c"), write(open, "a"), write(open, "b")));
    long adopted = t.oracle.begin();
    t.table.put(List.of(write(adopted, "d"), write(adopted, "e")));
    assertTrue(t.adopt(adopted, t.oracle.commit(adopted, 4, 5).commitTimestamp(), 2));
    t.crash();
    assertEquals(List.of("d{a=1}", "e{a=1}"), rows());
    assertEquals(List.of("a", "b", "c", "first"), marks());
    t.oracle.commit(open, 1, 2, 3);
    assertEquals(List.of("a{a=1}", "b{a=1}", "c{a=1}", "d{a=1}", "e{a=1}"), rows());
  }

  @Test
  void marksAreLoggedThoughAnotherCoprocessorRefusesTheirFirstWrite() throws Exception {
    AddedChanges.into(t.region()).refuseNext();
    long start = t.oracle.begin();
    Object[] answers = new Object[2];
    assertThrows(
        IOException.class,
        () -> t.table.batch(List.of(write(start, "a"), write(start, "b")), answers));
    t.crash();
    assertEquals(List.of(), rows());
    assertEquals(List.of("a", "b", "first"), marks());
  }

  /**
   * What the replay moves, even amid the log, needs no mark; what came unadopted to a file does.
   */
  @Test
  void aReplayLeavesRowsToCleanUpOnlyWhereItHasFlushedTooSoon() throws Exception {
    RefusedFlushes.in(t.region());
    long start = t.writeWithoutCell(ROW);
    t.commitAndAdopt(start, ROW);
    long late = t.writeWithoutCell("s");
    fill();
    long last = t.writeWithoutCell("u");
    t.commitAndAdopt(last, "u");
    t.commitAndAdopt(late, "s");
    RefusedCleanups.set(t.name, true);
    t.crash();
    assertEquals(List.of("first", "s"), marks());
    assertEquals(List.of(ROW + "{a=1}", "s{a=1}", "u{a=1}"), rows());
  }

  /** A flush writes the row while the adoption is being logged. */
  @Test
  void anAdoptionThatWasLoggedAndNotTakenIsCarriedOutAfterACrash() throws Exception {
    long start = t.writeWithoutCell(ROW);
    t.oracle.abort(start);
    Hold flushing = HeldStore.into(t.region()).holdNextFlush();
    Future<?> flush =
        t.inBackground(
            () -> {
              t.flush(RawTable.F);
              return null;
            });
    flushing.awaitReached();
    RefusedFlushes.in(t.region()); // that of the marks, behind it
    Hold adopting = HeldBatch.into(t.region()).holdNext();
    Future<Boolean> adopted = t.inBackground(() -> t.adopt(start, Outcome.ABORTED, 1));
    adopting.awaitReached();
    flushing.release();
    flush.get();
    adopting.release();
    assertFalse(adopted.get());
    t.oracle.abort(t.first);
    t.crash();
    assertEquals(List.of(), rows());
    Fixture.eventually("its rows are cleaned up", () -> !marks().contains(ROW));
    assertEquals(List.of(), versions(ROW));
  }

  /** The replay has no adoption in the log any more; the data is there. */
  @Test
  void anAdoptionInAFileIsReplayed() throws Exception {
    long start = t.writeWithoutCell(ROW);
    long aborted = t.writeWithoutCell("s");
    long committed = t.commitAndAdopt(start, ROW);
    t.abortAndAdopt(aborted, 1);
    t.forget(start);
    t.flush(MARKS);
    t.crash();
    assertEquals(List.of(ROW + "{a=1}"), rows());
    assertEquals(List.of(CellVersion.committed(committed)), versions(ROW));
  }

  /** A flush of the marks has begun: the adoption is in the memory that comes after. */
  @Test
  void anAdoptionAmidAFlushOfMarksIsReplayed() throws Exception {
    long start = t.writeWithoutCell(ROW);
    t.oracle.abort(start);
    Hold hold = HeldStore.into(t.region()).holdNextFlushOfMarks();
    Future<?> flush =
        t.inBackground(
            () -> {
              t.flush(MARKS);
              return null;
            });
    hold.awaitReached();
    assertTrue(t.adopt(start, Outcome.ABORTED, 1));
    hold.release();
    flush.get();
    t.crash();
    assertEquals(List.of(), rows());
    t.reopen();
    assertEquals(List.of(), rows());
  }

  /** And its data is written by a flush amid the replay, before that reads the adoption. */
  @Test
  void aFlushOfMarksWritesAdoptionsThatCameMeanwhile() throws Exception {
    long start = t.writeWithoutCell(ROW);
    Hold hold = HeldStore.into(t.region()).holdNextFlushOfMarks();
    Future<?> flush =
        t.inBackground(
            () -> {
              t.flush(MARKS);
              return null;
            });
    hold.awaitReached();
    RefusedFlushes.in(t.region());
    fill();
    t.abortAndAdopt(start, 1);
    hold.release();
    flush.get();
    t.crash();
    assertEquals(List.of(), rows());
    t.reopen();
    assertEquals(List.of(), rows());
  }

  @Test
  void anOutcomeOfTwoFamiliesIsReplayedIfOneIsFlushed() throws Exception {
    long start = t.oracle.begin();
    Put put = RawTable.put(start, ROW, "a", "1");
    put.addColumn(RawTable.G, Bytes.toBytes("b"), start, Bytes.toBytes("2"));
    t.table.put(put);
    t.abortAndAdopt(start, 1);
    t.flush(RawTable.F);
    t.flush(MARKS);
    t.crash();
    assertEquals(List.of(), rows());
  }

  /** It was written before the replay read the adoption; its mark is a cell then. */
  @Test
  void whatAReplayFlushesIsCleanedUpAsItWasAdopted() throws Exception {
    RefusedFlushes.in(t.region());
    long start = t.writeWithoutCell(ROW);
    long aborted = t.writeWithoutCell("s");
    fill();
    long committed = t.commitAndAdopt(start, ROW);
    t.abortAndAdopt(aborted, 1);
    t.forget(start);
    t.crash();
    assertTrue(
        t.region().getStore(MARKS).getStorefilesCount() > 1, "it has flushed amid the replay");
    assertEquals(List.of(ROW + "{a=1}"), rows());
    Fixture.eventually("its rows are cleaned up", () -> !marks().contains(ROW));
    assertEquals(List.of(ROW + "{a=1}"), rows());
    assertEquals(List.of(CellVersion.committed(committed)), versions(ROW));
  }

  /**
   * A compaction comes between the read of such a row and its move, which is a new edit: had a
   * horizon above been activated, the deletion would be gone, and what was deleted would come out.
   */
  @Test
  void nothingIsPurgedBeforeRowsAreCleanedUpAsTheyWereAdopted() throws Exception {
    RefusedFlushes.in(t.region());
    long start = t.writeWithoutCell(ROW);
    fill();
    long committed = t.commitAndAdopt(start, ROW);
    long later = t.oracle.begin();
    t.write(later, ROW, "a", null);
    t.commitAndAdopt(later, ROW);
    t.oracle.cleanedUp(later);
    t.forget(start);
    RefusedCleanups.set(t.name, true);
    t.crash();
    t.write(t.oracle.begin(), "other", "a", "1");
    t.flush(); // the horizon rises above both
    Hold hold = HeldStore.into(t.region()).holdNextPut();
    Future<?> cleanup =
        t.inBackground(
            () -> {
              t.cleanUp(start, committed, ROW);
              return null;
            });
    hold.awaitReached();
    t.compact();
    hold.release();
    cleanup.get();
    assertEquals(List.of(), rows());
  }

  /** Somebody else has the row, for longer than a region needs for a hundred attempts. */
  @Test
  void aRegionThatClosesWaitsForARowThatIsBeingCleanedUp() throws Exception {
    RefusedFlushes.in(t.region());
    long start = t.writeWithoutCell(ROW);
    fill();
    long committed = t.commitAndAdopt(start, ROW);
    t.forget(start);
    RefusedCleanups.set(t.name, true);
    t.crash();
    Hold hold = HeldStore.into(t.region()).holdNextPut();
    Future<?> cleanup =
        t.inBackground(
            () -> {
              t.cleanUp(start, committed, ROW);
              return null;
            });
    hold.awaitReached();
    RefusedCleanups.set(t.name, false);
    Future<?> closing = t.inBackground(this::beforeItCloses);
    Fixture.eventually(
        "it has tried", () -> closing.isDone() || RefusedCleanups.passed(t.name) > 100);
    hold.release();
    assertDoesNotThrow(() -> closing.get());
    cleanup.get();
    assertFalse(marks().contains(ROW));
    assertEquals(List.of(ROW + "{a=1}"), rows());
  }

  private Void beforeItCloses() throws IOException {
    t.region().getCoprocessorHost().preClose(false);
    return null;
  }

  /** No row is longer, so none that HBase could begin to read with comes right behind it. */
  @Test
  void aRowOfTheGreatestLengthIsCleanedUpAsItWasAdopted() throws Exception {
    String row = "r".repeat(HConstants.MAX_ROW_LENGTH);
    RefusedFlushes.in(t.region());
    long start = t.writeWithoutCell(row);
    fill();
    t.commitAndAdopt(start, row);
    t.forget(start);
    t.crash();
    beforeItCloses();
    assertFalse(marks().contains(row));
    assertEquals(List.of(row + "{a=1}"), rows());
  }

  /** Somebody else has the row, and fails to clean it up. */
  @Test
  void anOutcomeStaysUntilTheLastMarkOfItIsGone() throws Exception {
    describe("retso.close.timeout", "200");
    RefusedFlushes.in(t.region());
    long start = t.writeWithoutCell(ROW);
    fill();
    long committed = t.commitAndAdopt(start, ROW);
    t.forget(start);
    RefusedCleanups.set(t.name, true);
    t.crash();
    Hold hold = HeldStore.into(t.region()).holdNextPut();
    Future<?> cleanup = t.inBackground(() -> cleanUpOnce(start, committed));
    hold.awaitReached();
    RefusedCleanups.set(t.name, false);
    try {
      assertThrows(IOException.class, this::beforeItCloses, "it is cleaned up");
    } finally {
      hold.fail();
    }
    cleanup.get();
    assertEquals(List.of(ROW + "{a=1}"), rows());
    Fixture.eventually("its rows are cleaned up", () -> !marks().contains(ROW));
    assertEquals(List.of(ROW + "{a=1}"), rows());
  }

  /** It is the test that has it fail. */
  private Void cleanUpOnce(long start, long committed) {
    assertThrows(IOException.class, () -> t.cleanUp(start, committed, ROW));
    return null;
  }

  /** Rows with marks that are cells, without making any. */
  private List<String> marks() throws IOException {
    List<String> rows = new ArrayList<>();
    try (RegionScanner scanner = t.region().getScanner(new Scan().addFamily(MARKS))) {
      List<Cell> cells = new ArrayList<>();
      boolean more = true;
      while (more) {
        more = scanner.next(cells);
        for (Cell cell : cells) {
          if (PendingWrite.isWellFormed(cell)) {
            rows.add(Bytes.toString(cell.getRowArray(), cell.getRowOffset(), cell.getRowLength()));
          }
        }
        cells.clear();
      }
    }
    return rows;
  }

  /** Its second half has the row, and its adoption is in the first one. */
  @Test
  void whatAReplayFilesIsCleanedUpBeforeTheRegionIsSplit() throws Exception {
    RefusedFlushes.in(t.region());
    long start = t.writeWithoutCell(ROW);
    fill();
    t.commitAndAdopt(start, ROW);
    t.forget(start);
    t.crash();
    try (Admin admin = t.cluster.connection().getAdmin()) {
      admin
          .splitRegionAsync(t.region().getRegionInfo().getRegionName(), Bytes.toBytes("m"))
          .get(60, TimeUnit.SECONDS);
    }
    assertEquals(List.of(ROW + "{a=1}"), rows());
    t.reopen();
    assertEquals(List.of(ROW + "{a=1}"), rows());
  }

  /** What the client is told must not be lost with the memory; what is not, may come again. */
  @Test
  void aSecondCrashLosesNothing() throws Exception {
    RefusedFlushes.in(t.region());
    long start = t.writeWithoutCell(ROW);
    fill();
    t.commitAndAdopt(start, ROW);
    t.forget(start);
    t.crash();
    t.crash();
    assertEquals(List.of(ROW + "{a=1}"), rows());
    Fixture.eventually("its rows are cleaned up", () -> !marks().contains(ROW));
    assertEquals(List.of(ROW + "{a=1}"), rows());
  }

  /** The part that replays needs no settings and no oracle. */
  @Test
  void aRegionThatRefusesTransactionsReplaysAdoptions() throws Exception {
    long start = t.writeWithoutCell(ROW);
    long aborted = t.writeWithoutCell("s");
    long committed = t.commitAndAdopt(start, ROW);
    t.abortAndAdopt(aborted, 1);
    t.forget(start);
    describe("RETSO_CONFLICTS", "nonsense");
    t.crash();
    assertEquals(List.of(CellVersion.committed(committed)), versions(ROW));
    assertEquals(List.of(), versions("s"));
  }

  /** It closes as one in which no transactions work, and its halves are what they should be. */
  @Test
  void aRegionThatRefusesTransactionsCleansUpBeforeItIsSplit() throws Exception {
    RefusedFlushes.in(t.region());
    long start = t.writeWithoutCell(ROW);
    fill();
    t.commitAndAdopt(start, ROW);
    t.forget(start);
    describe("RETSO_CONFLICTS", "nonsense");
    t.crash();
    describe("RETSO_CONFLICTS", "ROW");
    try (Admin admin = t.cluster.connection().getAdmin()) {
      admin
          .splitRegionAsync(t.region().getRegionInfo().getRegionName(), Bytes.toBytes("m"))
          .get(60, TimeUnit.SECONDS);
    }
    assertEquals(List.of(ROW + "{a=1}"), rows());
  }

  /** The server died before the region closed, which would have written what it had adopted. */
  @Test
  void aRegionWhoseTableWasAlteredBackReplaysAdoptions() throws Exception {
    long start = t.writeWithoutCell(ROW);
    long aborted = t.writeWithoutCell("s");
    long committed = t.commitAndAdopt(start, ROW);
    t.abortAndAdopt(aborted, 1);
    describe("RETSO_CLEANUP", "ROWS");
    t.crash();
    assertEquals(List.of(ROW + "{a=1}"), rows());
    assertEquals(List.of(CellVersion.committed(committed)), versions(ROW));
    assertEquals(List.of(), versions("s"));
    t.write(t.oracle.begin(), "later", "a", "1");
    long later = t.oracle.begin();
    t.write(later, ROW, "a", "2"); // its mark is no cell
    assertFalse(t.adopt(later, t.commit(later, ROW), 1), "it adopts nothing any more");
  }

  @Test
  void aRegionWhoseTableWasAlteredBackCleansUpWhatAReplayFiles() throws Exception {
    RefusedFlushes.in(t.region());
    long start = t.writeWithoutCell(ROW);
    long aborted = t.writeWithoutCell("s");
    fill();
    long committed = t.commitAndAdopt(start, ROW);
    t.abortAndAdopt(aborted, 1);
    describe("RETSO_CLEANUP", "ROWS");
    t.crash();
    assertTrue(
        t.region().getStore(MARKS).getStorefilesCount() > 1, "it has flushed amid the replay");
    assertEquals(List.of(ROW + "{a=1}"), rows());
    Fixture.eventually("its rows are cleaned up", () -> !marks().contains(ROW));
    assertEquals(List.of(ROW + "{a=1}"), rows());
    assertEquals(List.of(CellVersion.committed(committed)), versions(ROW));
  }

  /** Says so in the table's descriptor, which is read by those who open a region from now on. */
  private void describe(String key, String value) throws IOException {
    TableDescriptors descriptors =
        t.cluster.hbase().cluster().getActiveMaster().getTableDescriptors();
    descriptors.update(
        TableDescriptorBuilder.newBuilder(descriptors.get(t.name)).setValue(key, value).build());
  }
}
