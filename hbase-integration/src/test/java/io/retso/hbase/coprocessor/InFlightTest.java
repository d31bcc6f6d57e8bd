package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.coprocessor.HeldBatch.Hold;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.Refusal;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
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
 * What happens while a batch of mutations is in the middle of a region: held there, so that each
 * order of events is the one that would do harm.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class InFlightTest {
  private static final String ROW = "r";

  private final ExecutorService background = Executors.newCachedThreadPool();
  private RawTable t;
  private HRegion region;
  private HeldBatch held;
  private HeldStore store;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new RawTable(cluster);
    region = t.regions().get(0);
    held = HeldBatch.into(region);
    store = HeldStore.into(region);
  }

  @AfterEach
  void drop() throws Exception {
    background.shutdownNow();
    assertTrue(background.awaitTermination(60, TimeUnit.SECONDS));
    t.close();
  }

  /** Straight to the region: HBase's client would repeat what is asked to come back. */
  private void apply(Put put) throws IOException {
    region.batchMutate(new Mutation[] {put});
  }

  private Future<?> applyHeld(Hold hold, Put put) throws InterruptedException {
    Future<?> done =
        background.submit(
            () -> {
              apply(put);
              return null;
            });
    hold.awaitReached();
    return done;
  }

  private boolean isRefused(Put put) {
    try {
      apply(put);
      return false;
    } catch (IOException e) {
      assertTrue(Refusal.of(e) != null || e instanceof RegionTooBusyException, e::toString);
      return true;
    }
  }

  private static void finish(Hold hold, Future<?> held)
      throws InterruptedException, ExecutionException {
    hold.release();
    held.get();
  }

  private static Put cleanup(long start, long outcome) {
    return new CleanupRequest(Bytes.toBytes(ROW), start, outcome).toPut();
  }

  /** The cleanup has read the row; what is written now would lose its mark to it. */
  @Test
  void aWriteIsRefusedDuringACleanupOfItsTransaction() throws Exception {
    long start = t.oracle.begin();
    t.write(start, ROW, "a", "1");
    t.oracle.abort(start);
    Hold hold = held.holdNext();
    Future<?> cleanup = applyHeld(hold, cleanup(start, Outcome.ABORTED));
    boolean refused = isRefused(RawTable.put(start, ROW, "late", "1"));
    finish(hold, cleanup);
    assertEquals(Map.of(), t.read(t.snapshot(), ROW));
    assertTrue(refused);
  }

  /** The other way round: the cleanup would not see what is about to be written. */
  @Test
  void aCleanupIsTurnedAwayDuringAWriteOfItsTransaction() throws Exception {
    long start = t.oracle.begin();
    t.write(start, ROW, "a", "1");
    t.oracle.abort(start);
    Hold writing = held.holdNext();
    Future<?> write = applyHeld(writing, RawTable.put(start, ROW, "late", "1"));
    Hold cleaning = held.holdNext();
    Future<Boolean> cleanup = background.submit(() -> isRefused(cleanup(start, Outcome.ABORTED)));
    while (!cleanup.isDone() && !cleaning.isReached()) {
      Thread.onSpinWait();
    }
    finish(writing, write);
    cleaning.release();
    boolean refused = cleanup.get();
    assertEquals(Map.of(), t.read(t.snapshot(), ROW));
    assertTrue(refused);
    t.cleanUp(start, Outcome.ABORTED, ROW);
    assertEquals(List.of(), t.cells(ROW));
  }

  /** A second cleanup must not end the first one's latch of the row. */
  @Test
  void aSecondCleanupLetsNoWriteInDuringTheFirst() throws Exception {
    long start = t.oracle.begin();
    t.write(start, ROW, "a", "1");
    t.oracle.abort(start);
    Hold hold = held.holdNext();
    Future<?> cleanup = applyHeld(hold, cleanup(start, Outcome.ABORTED));
    boolean second = isRefused(cleanup(start, Outcome.ABORTED));
    boolean write = isRefused(RawTable.put(start, ROW, "late", "1"));
    finish(hold, cleanup);
    assertEquals(Map.of(), t.read(t.snapshot(), ROW));
    assertTrue(second && write);
  }

  /** Other transactions work on the row all the while. */
  @Test
  void othersAreNotDisturbedByACleanup() throws Exception {
    long start = t.oracle.begin();
    t.write(start, ROW, "a", "1");
    t.oracle.abort(start);
    Hold hold = held.holdNext();
    Future<?> cleanup = applyHeld(hold, cleanup(start, Outcome.ABORTED));
    t.update(ROW, "b", "2");
    assertEquals(Map.of("b", "2"), t.read(t.snapshot(), ROW));
    finish(hold, cleanup);
    assertEquals(Map.of("b", "2"), t.read(t.snapshot(), ROW));
  }

  /**
   * A late duplicate of a write is being moved to its commit timestamp while that falls below the
   * watermark. Were the purge to drop a younger tombstone now, the value would come back.
   */
  @Test
  void purgeCountsOnNothingThatABatchInFlightMayChange() throws Exception {
    long start = t.oracle.begin();
    t.write(start, ROW, "a", "1");
    long committed = t.commit(start, ROW);
    t.cleanUp(start, committed, ROW);
    t.update(ROW, "a", null);
    t.flush();
    t.compact(); // the delete of the moved cell would hide the duplicate
    t.write(start, ROW, "a", "1");
    t.flush();
    Hold hold = held.holdNext();
    Future<?> cleanup = applyHeld(hold, cleanup(start, committed));
    t.oracle.cleanedUp(start);
    t.snapshot();
    assertTrue(t.oracle.lowWatermark() > committed);
    t.compact();
    finish(hold, cleanup);
    assertEquals(Map.of(), t.read(t.snapshot(), ROW));
    t.flush();
    t.compact();
    assertEquals(List.of(), t.raw(ROW), "now it may go");
  }

  /** A row that is to be cleaned up comes from a slow disk. */
  @Test
  void neitherWritesNorFlushesWaitForTheReadOfACleanup() throws Exception {
    long start = t.oracle.begin();
    t.write(start, ROW, "a", "1");
    t.oracle.abort(start);
    Hold reading = store.holdNextRead();
    Future<?> cleanup = applyHeld(reading, cleanup(start, Outcome.ABORTED));
    try {
      background.submit(() -> region.flush(true)).get(30, TimeUnit.SECONDS);
      Put write = RawTable.put(t.oracle.begin(), "other", "b", "2");
      assertFalse(background.submit(() -> isRefused(write)).get(30, TimeUnit.SECONDS));
    } finally {
      finish(reading, cleanup);
    }
    assertEquals(List.of(), t.cells(ROW));
  }

  /** The row was read before; it is not what it was. */
  @Test
  void whatAPlainDeleteRemovesAfterTheReadOfACleanupIsNotMoved() throws Exception {
    long start = t.oracle.begin();
    t.write(start, ROW, "a", "1");
    t.write(start, ROW, "b", "2");
    long committed = t.commit(start, ROW);
    Hold hasRead = store.holdNextPut();
    Future<?> cleanup = applyHeld(hasRead, cleanup(start, committed));
    t.table.delete(new Delete(Bytes.toBytes(ROW)).addColumn(RawTable.F, Bytes.toBytes("a"), start));
    finish(hasRead, cleanup);
    assertEquals(Map.of("b", "2"), t.read(t.snapshot(), ROW));
  }

  /** Another coprocessor fails after the row was latched and read. */
  @Test
  void aRowIsNotClaimedAfterItsBatchHasFailed() throws Exception {
    long start = t.oracle.begin();
    t.write(start, ROW, "a", "1");
    t.oracle.abort(start);
    Hold hasRead = store.holdNextPut();
    Future<?> cleanup = applyHeld(hasRead, cleanup(start, Outcome.ABORTED));
    hasRead.fail();
    assertThrows(ExecutionException.class, cleanup::get);
    apply(cleanup(start, Outcome.ABORTED));
    assertEquals(List.of(), t.cells(ROW));
  }

  /**
   * HBase calls no hook at the end of a batch that another coprocessor refused at its beginning.
   */
  @Test
  void aBatchThatDidNotBeginLeavesNothingToTheNextOfItsThread() throws Exception {
    store.setRefusing(true);
    long start = t.oracle.begin();
    assertThrows(IOException.class, () -> apply(RawTable.put(start, ROW, "a", "1")));
    store.setRefusing(false);
    apply(RawTable.put(start, ROW, "a", "1")); // by the same thread
    long committed = t.commit(start, ROW);
    apply(cleanup(start, committed));
    t.oracle.cleanedUp(start);
    t.update(ROW, "a", "2");
    t.snapshot();
    t.flush();
    assertEquals(1, t.cells(ROW).size(), "and nothing that is in flight keeps the purge waiting");
  }
}
