package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.coprocessor.HeldBatch.Hold;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A write that arrives once more after its row was cleaned up. The delete marker of the cleanup
 * hides the cell, not the mark; and the marker is dropped before the cell, which is in memory.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class LateDuplicateTest {
  private static final String ROW = "r";

  private final ExecutorService background = Executors.newCachedThreadPool();
  private RawTable t;
  private long oldest;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new RawTable(cluster);
    oldest = t.oracle.begin(); // while it is open, no write of those that follow is refused
  }

  @AfterEach
  void drop() throws Exception {
    background.shutdownNow();
    assertTrue(background.awaitTermination(60, TimeUnit.SECONDS));
    t.close();
  }

  /** The marker is in a file, together with the cell that it was made for. */
  @Test
  void ofAnAbortedTransactionStaysAwayWhenTheMarkerIsCompactedAway() throws IOException {
    long start = t.oracle.begin();
    t.write(start, ROW, "a", "never");
    t.oracle.abort(start);
    t.flush();
    t.cleanUp(start, Outcome.ABORTED, ROW);
    t.flush();
    t.write(start, ROW, "a", "never");
    t.cleanUp(start, Outcome.ABORTED, ROW);
    t.compact();
    assertEquals(Map.of(), t.read(t.oracle.begin(), ROW));
    assertEquals(List.of(), t.cells(ROW));
  }

  /** The marker is in the memory that is being flushed, and is not written. */
  @Test
  void ofAnAbortedTransactionStaysAwayWhenTheMarkerIsNotFlushed() throws Exception {
    HRegion region = t.regions().get(0);
    HeldStore held = HeldStore.into(region);
    long start = t.oracle.begin();
    t.write(start, ROW, "a", "never");
    t.oracle.abort(start);
    t.cleanUp(start, Outcome.ABORTED, ROW);
    Hold hold = held.holdNextFlush();
    Future<?> flush = background.submit(() -> region.flush(true));
    hold.awaitReached();
    t.write(start, ROW, "a", "never");
    t.cleanUp(start, Outcome.ABORTED, ROW);
    hold.release();
    flush.get();
    assertEquals(Map.of(), t.read(t.oracle.begin(), ROW));
    t.compact();
    assertEquals(Map.of(), t.read(t.oracle.begin(), ROW));
    assertEquals(List.of(), t.cells(ROW));
  }

  /** Some of its cells are hidden, and others are not; none of them is of this time any more. */
  @Test
  void ofACommittedTransactionDoesNotShowBeforeItsCommit() throws IOException {
    long start = t.oracle.begin();
    t.write(start, ROW, "a", "1");
    long between = t.oracle.begin();
    long committed = t.commit(start, ROW);
    t.flush();
    t.cleanUp(start, committed, ROW);
    t.flush();
    t.write(start, ROW, "a", "1");
    t.cleanUp(start, committed, ROW);
    t.compact();
    assertEquals(Map.of(), t.read(between, ROW));
    assertEquals(Map.of("a", "1"), t.read(t.oracle.begin(), ROW));
    assertEquals(1, t.cells(ROW).size());
    assertTrue(oldest < start);
  }

  private static Put put(long start, int batch, String value) {
    Put put = PendingWrite.mark(new Put(Bytes.toBytes(ROW)), start, batch);
    return put.addColumn(RawTable.F, Bytes.toBytes("a"), start, Bytes.toBytes(value));
  }

  private void assertFormerBatchIsRefused(long start) {
    IOException e = assertThrows(IOException.class, () -> t.table.put(put(start, 1, "1")));
    assertTrue(e.getMessage().contains("this is a late duplicate of a former"), e::getMessage);
  }

  private void assertLastWriteCounts(long start, String value) throws IOException {
    t.commit(start, ROW);
    assertEquals(Map.of("a", value), t.read(t.oracle.begin(), ROW));
  }

  /** What was written to a cell last counts, and both have the same version. */
  @Test
  void ofAFormerBatchOfItsTransactionIsRefused() throws Exception {
    t.writeWithCell("first");
    long start = t.oracle.begin();
    t.table.put(put(start, 1, "1"));
    t.table.put(put(start, 2, "2"));
    assertFormerBatchIsRefused(start);
    t.table.put(put(start, 2, "2")); // one of the same batch changes nothing
    assertLastWriteCounts(start, "2");
  }

  /** A region remembers the number of a batch though the marks are cells, or gone. */
  @Test
  void ofAFormerBatchIsRefusedWhenTheMarksHaveLeftTheMemory() throws Exception {
    t.writeWithCell("first");
    long start = t.oracle.begin();
    t.table.put(put(start, 1, "1"));
    t.table.put(put(start, 2, "2"));
    t.flush();
    assertFormerBatchIsRefused(start);
    t.cleanUp(start, t.commit(start, ROW), ROW);
    assertFormerBatchIsRefused(start);
    assertEquals(Map.of("a", "2"), t.read(t.oracle.begin(), ROW));
  }

  @Test
  void ofAFormerBatchIsWaitedFor() throws Exception {
    t.writeWithCell("first");
    HRegion region = t.regions().get(0);
    long start = t.oracle.begin();
    t.table.put(put(start, 1, "1"));
    Hold hold = HeldBatch.into(region).holdNext();
    Future<?> late =
        background.submit(() -> region.batchMutate(new Mutation[] {put(start, 1, "1")}));
    hold.awaitReached();
    assertThrows(
        RegionTooBusyException.class,
        () -> region.batchMutate(new Mutation[] {put(start, 2, "2")}));
    hold.release();
    late.get();
    t.table.put(put(start, 2, "2"));
    assertLastWriteCounts(start, "2");
  }

  /**
   * A plain writer's marker is of the same kind, and what it hides belongs to no transaction any
   * more.
   */
  @Test
  void whatAPlainDeleteHidesIsNeitherMovedNorLeft() throws IOException {
    long start = t.oracle.begin();
    t.table.delete(
        new Delete(Bytes.toBytes(ROW)).addColumns(RawTable.F, Bytes.toBytes("a"), start));
    t.flush();
    t.write(start, ROW, "a", "1");
    t.write(start, ROW, "b", "2");
    long committed = t.commit(start, ROW);
    t.cleanUp(start, committed, ROW);
    assertEquals(Map.of("b", "2"), t.read(t.oracle.begin(), ROW));
    t.compact();
    assertEquals(Map.of("b", "2"), t.read(t.oracle.begin(), ROW));
  }
}
