package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.coprocessor.HeldBatch.Hold;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is not made by transactions, beside cleanups of rows and adoptions of regions. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class PlainChangesTest {
  private static final String ROW = "r";
  private static final byte[] R = Bytes.toBytes(ROW);
  private static final byte[] A = Bytes.toBytes("a");
  private static final byte[] B = Bytes.toBytes("b");

  private final ExecutorService background = Executors.newCachedThreadPool();
  private RawTable t;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = RawTable.adopting(cluster);
  }

  @AfterEach
  void drop() throws Exception {
    background.shutdownNow();
    assertTrue(background.awaitTermination(60, TimeUnit.SECONDS));
    t.close();
  }

  private static Put put(long start, int batch, byte[] column, String value) {
    return PendingWrite.mark(new Put(R), start, batch)
        .addColumn(RawTable.F, column, start, Bytes.toBytes(value));
  }

  private void cleanUp(long start, long outcome) throws IOException {
    t.table.put(new CleanupRequest(R, start, outcome).toPut());
  }

  @Test
  void belowTheHorizonItOnlyRemoves() throws IOException {
    long start = t.oracle.begin();
    t.table.put(put(start, 1, A, "1"));
    long committed = t.commit(start, ROW);
    cleanUp(start, committed);
    t.table.put(put(start, 1, B, "1")); // a late duplicate, let us say
    t.oracle.cleanedUp(start);
    t.snapshot();
    t.flush();
    assertTrue(t.oracle.lowWatermark() > start);
    cleanUp(start, committed);
    assertEquals(Map.of("a", "1"), t.read(t.snapshot(), ROW));
    assertTrue(t.cells(ROW).stream().noneMatch(PendingWrite::isMark));
  }

  @Test
  void whatAPlainDeleteRemovedStaysAway() throws Exception {
    List<PlainDelete> ways =
        List.of(
            delete -> t.table.delete(delete),
            delete -> t.table.batch(List.of(delete), new Object[1]),
            delete -> t.table.mutateRow(RowMutations.of(List.of((Mutation) delete))),
            delete ->
                t.table.checkAndMutate(
                    CheckAndMutate.newBuilder(R).ifNotExists(RawTable.G, A).build(delete)));
    for (PlainDelete way : ways) {
      long start = t.oracle.begin();
      t.table.put(put(start, 1, A, "1"));
      way.apply(new Delete(R).addColumn(RawTable.F, A, start));
      cleanUp(start, t.commit(start, ROW));
      assertEquals(List.of(), t.cells(ROW));
    }
  }

  private interface PlainDelete {
    void apply(Delete delete) throws IOException, InterruptedException;
  }

  @Test
  void aPlainDeleteOfTheMarkLeavesNothingToCleanUp() throws IOException {
    long start = t.oracle.begin();
    t.table.put(put(start, 1, A, "1"));
    t.table.delete(
        new Delete(R).addColumn(PendingWrite.family(), PendingWrite.qualifier(start), start));
    List<Cell> before = t.raw(ROW);
    cleanUp(start, t.commit(start, ROW));
    assertEquals(before, t.raw(ROW));
  }

  /** A plain put may change the cell, or add one of the version. */
  @Test
  void aPlainPutOfTheVersionIsNotLost() throws IOException {
    long start = t.oracle.begin();
    t.table.put(put(start, 1, A, "1"));
    t.table.put(new Put(R).addColumn(RawTable.F, A, start, Bytes.toBytes("plain")));
    cleanUp(start, t.commit(start, ROW));
    assertEquals(Map.of("a", "plain"), t.read(t.snapshot(), ROW));
  }

  /** The delete has begun before the write and is applied after it. */
  @Test
  void aPlainDeleteThatBeganBeforeTheWriteRemovesIt() throws Exception {
    long start = t.oracle.begin();
    Hold hold = HeldBatch.into(region()).holdNext();
    Future<?> delete = applyHeld(hold, new Delete(R).addColumn(RawTable.F, A, start));
    t.table.put(put(start, 1, A, "1"));
    hold.release();
    delete.get();
    cleanUp(start, t.commit(start, ROW));
    assertEquals(List.of(), t.cells(ROW));
  }

  /** A put, unlike a delete, hides nothing, so that only the order in time keeps it. */
  @Test
  void aPlainPutThatBeganBeforeTheWriteIsNotLost() throws Exception {
    long start = t.oracle.begin();
    Hold hold = HeldBatch.into(region()).holdNext();
    Put plain = new Put(R).addColumn(RawTable.F, A, start, Bytes.toBytes("plain"));
    Future<?> held = applyHeld(hold, plain);
    t.table.put(put(start, 1, A, "1"));
    hold.release();
    held.get();
    cleanUp(start, t.commit(start, ROW));
    assertEquals(Map.of("a", "plain"), t.read(t.snapshot(), ROW));
  }

  @Test
  void aPlainPutDuringTheWriteIsMovedWithIt() throws Exception {
    long start = t.oracle.begin();
    Hold hold = HeldBatch.into(region()).holdNext();
    Future<?> write = applyHeld(hold, put(start, 1, A, "1"));
    t.table.put(new Put(R).addColumn(RawTable.F, B, start, Bytes.toBytes("plain")));
    hold.release();
    write.get();
    cleanUp(start, t.commit(start, ROW));
    assertEquals(Map.of("a", "1", "b", "plain"), t.read(t.snapshot(), ROW));
    assertTrue(t.cells(ROW).stream().noneMatch(cell -> cell.getTimestamp() == start));
  }

  /** HBase's deletes hide later puts of their version, too. */
  @Test
  void aPlainDeleteDuringTheWriteHidesIt() throws Exception {
    long start = t.oracle.begin();
    Hold hold = HeldBatch.into(region()).holdNext();
    Future<?> write = applyHeld(hold, put(start, 1, A, "1"));
    t.table.delete(new Delete(R).addColumn(RawTable.F, A, start));
    hold.release();
    write.get();
    cleanUp(start, t.commit(start, ROW));
    assertEquals(Map.of(), t.read(t.snapshot(), ROW));
  }

  @Test
  void aPlainDeleteBeforeTheWriteHidesIt() throws IOException {
    long start = t.oracle.begin();
    t.table.delete(new Delete(R).addColumns(RawTable.F, A, start));
    t.table.put(put(start, 1, A, "1"));
    cleanUp(start, t.commit(start, ROW));
    assertEquals(Map.of(), t.read(t.snapshot(), ROW));
  }

  @Test
  void aPlainDeleteInAFileHidesWhatIsWrittenAfterTheRegionOpened() throws IOException {
    long start = t.oracle.begin();
    t.table.delete(new Delete(R).addColumns(RawTable.F, A, start));
    t.flush();
    t.reopen();
    t.table.put(put(start, 1, A, "1"));
    cleanUp(start, t.commit(start, ROW));
    assertEquals(Map.of(), t.read(t.snapshot(), ROW));
  }

  /** The second one does nothing: above all it does not delete what the first one moved. */
  @Test
  void aRowIsCleanedUpOnceInABatch() throws IOException {
    long start = t.oracle.begin();
    t.table.put(put(start, 1, A, "1"));
    long committed = t.commit(start, ROW);
    Mutation[] twice = new Mutation[2];
    Arrays.setAll(twice, i -> new CleanupRequest(R, start, committed).toPut());
    long before = RawTable.count("cleanedRows");
    region().batchMutate(twice);
    assertEquals(1, RawTable.count("cleanedRows") - before);
    assertEquals(Map.of("a", "1"), t.read(t.snapshot(), ROW));
  }

  /** HBase writes one when nothing is left; its time range is all times. */
  @Test
  void anEmptyFileKeepsNothingFromBeingAdopted() throws IOException {
    t.update(ROW, "a", "0");
    t.flush();
    t.compact();
    assertTrue(
        region().getStore(PendingWrite.family()).getStorefiles().stream()
            .anyMatch(file -> file.getReader().getEntries() == 0),
        "the marks left an empty file");
    t.reopen();
    t.write(t.oracle.begin(), "s", "a", "1"); // its mark is a cell
    long start = t.writeWithoutCell(ROW);
    assertTrue(t.adopt(start, t.commit(start, ROW), 1));
  }

  /** The write of the second comes when what hides it is there. */
  private void assertHiddenAndNotAdopted(long earlier, long start) throws IOException {
    t.write(earlier, "s", "a", "1"); // its mark is a cell
    t.write(start, ROW, "a", "1");
    long committed = t.commit(start, ROW);
    assertFalse(t.adopt(start, committed, 1));
    cleanUp(start, committed);
    assertEquals(Map.of(), t.read(t.snapshot(), ROW));
  }

  @Test
  void whatAFileMayHideIsNotAdopted() throws IOException {
    long earlier = t.oracle.begin();
    long start = t.oracle.begin();
    t.table.delete(new Delete(R).addColumns(RawTable.F, A, start));
    t.flush();
    t.reopen();
    assertHiddenAndNotAdopted(earlier, start);
  }

  /** It begins before the outer one has met a mutation, and ends before that is applied. */
  @Test
  void aBatchWithinABatchLeavesItsPlace() throws Exception {
    byte[] other = Bytes.toBytes("s");
    BatchWithin.into(region())
        .addNext(new Put(other).addColumn(RawTable.F, A, 17, Bytes.toBytes("inner")));
    long start = t.oracle.begin();
    assertDoesNotThrow(() -> t.table.put(put(start, 1, A, "1")));
    cleanUp(start, t.commit(start, ROW));
    t.oracle.cleanedUp(start);
    assertEquals(Map.of("a", "1"), t.read(t.snapshot(), ROW));
    assertEquals(1, t.cells("s").size());
    t.update(ROW, "a", "2");
    t.snapshot();
    t.flush();
    assertEquals(1, t.cells(ROW).size(), "and nothing that is in flight keeps the purge waiting");
  }

  @Test
  void whatOtherCoprocessorsMayHideIsNotAdopted() throws IOException {
    AddedChanges added = AddedChanges.into(region());
    long other = t.oracle.begin();
    t.write(other, "s", "a", "1"); // its mark is a cell
    t.oracle.abort(other);
    long start = t.writeWithoutCell(ROW);
    added.addNext(new Delete(R).addColumn(RawTable.F, A, start));
    t.cleanUp(other, Outcome.ABORTED, "s");
    long committed = t.commit(start, ROW);
    assertFalse(t.adopt(start, committed, 1));
    cleanUp(start, committed);
    assertEquals(List.of(), t.cells(ROW));
  }

  private HRegion region() {
    return t.regions().get(0);
  }

  private Future<?> applyHeld(Hold hold, Mutation mutation) throws InterruptedException {
    HRegion region = region();
    Future<?> done = background.submit(() -> region.batchMutate(new Mutation[] {mutation}));
    hold.awaitReached();
    return done;
  }
}
