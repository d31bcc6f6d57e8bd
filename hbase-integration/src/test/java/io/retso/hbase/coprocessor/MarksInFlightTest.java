package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.coprocessor.HeldBatch.Hold;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.ReadAttribute;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What happens to marks that are no cells while a batch, a read or a flush is under way. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class MarksInFlightTest {
  private static final String ROW = "r";

  private final ExecutorService background = Executors.newCachedThreadPool();
  private RawTable t;
  private HRegion region;
  private long first;
  private volatile Thread flusher;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new RawTable(cluster);
    region = t.regions().get(0);
    first = t.oracle.begin();
    t.write(first, "first", "a", "1"); // its mark is a cell
  }

  @AfterEach
  void drop() throws Exception {
    background.shutdownNow();
    assertTrue(background.awaitTermination(60, TimeUnit.SECONDS));
    t.close();
  }

  private Map<String, String> read() throws IOException {
    return t.read(t.oracle.begin(), ROW);
  }

  private Future<?> apply(Put put) {
    return background.submit(() -> region.batchMutate(new Mutation[] {put}));
  }

  private static Put cleanup(long start, long outcome) {
    return new CleanupRequest(Bytes.toBytes(ROW), start, outcome).toPut();
  }

  /** The cleanup has taken the place of its request, and no reader can see it yet. */
  @Test
  void theMarkStaysUntilItsCleanupIsVisible() throws Exception {
    long start = t.writeWithoutCell(ROW);
    t.oracle.abort(start);
    Hold hold = HeldBatch.into(region).holdNext();
    Future<?> cleanup = apply(cleanup(start, Outcome.ABORTED));
    hold.awaitReached();
    assertEquals(Map.of(), read());
    hold.release();
    cleanup.get();
    assertEquals(List.of(), t.cells(ROW));
  }

  /**
   * The reader has the cells before the cleanup, and looks for the mark after it. It reads the row
   * twice, as one of its versions has no mark.
   */
  @Test
  void aReadThatMissesAMarkReadsAgain() throws Exception {
    HeldStore held = HeldStore.into(region);
    t.update("a", "a", "0");
    t.table.put(
        new Put(Bytes.toBytes(ROW))
            .addColumn(RawTable.F, Bytes.toBytes("b"), 16, Bytes.toBytes("plain")));
    long start = t.oracle.begin();
    t.table.put(
        RawTable.put(start, ROW, "a", "1")
            .addColumn(RawTable.G, Bytes.toBytes("a"), start, Bytes.toBytes("1")));
    Scan scan = new Scan().setCaching(1);
    ReadAttribute.set(scan, RawTable.FINGERPRINT, t.oracle.begin());
    try (ResultScanner scanner = t.table.getScanner(scan)) {
      assertEquals("a", Bytes.toString(scanner.next().getRow()));
      Hold reading = held.holdNextRead();
      Future<Result> rest = background.submit(() -> scanner.next());
      reading.awaitReached();
      t.oracle.abort(start);
      Hold cleaning = held.holdNextRead(); // the cleanup reads the row as well
      Future<?> cleanup = apply(cleanup(start, Outcome.ABORTED));
      cleaning.awaitReached();
      cleaning.release();
      cleanup.get();
      reading.release();
      assertEquals(Map.of("b", "plain"), RawTable.map(rest.get()));
    }
  }

  /** A scan that stands before the row, and a store that would hold another read of it. */
  @Test
  void aRowWhoseMarksAreInMemoryIsReadOnce() throws Exception {
    HeldStore held = HeldStore.into(region);
    t.update("a", "a", "0");
    long start = t.oracle.begin();
    t.table.put(
        RawTable.put(start, ROW, "a", "1")
            .addColumn(RawTable.G, Bytes.toBytes("a"), start, Bytes.toBytes("1")));
    t.commit(start, ROW);
    Scan scan = new Scan().setCaching(1);
    ReadAttribute.set(scan, RawTable.FINGERPRINT, t.oracle.begin());
    try (ResultScanner scanner = t.table.getScanner(scan)) {
      assertEquals("a", Bytes.toString(scanner.next().getRow()));
      Hold reading = held.holdNextRead();
      reading.release();
      assertEquals(Map.of("a", "1"), RawTable.map(scanner.next()));
      assertFalse(reading.isReached());
    }
  }

  /**
   * The oracle has forgotten a transaction that committed, and late duplicates of its writes have
   * left marks: what a scanner from before its cleanup shows of it counts all the same.
   */
  @Test
  void whatWasForgottenIsReadAgainInEachRow() throws Exception {
    t.update("a", "a", "0");
    long start = t.oracle.begin();
    t.write(start, "q", "a", "1");
    t.write(start, ROW, "a", "1");
    long committed = t.commit(start, ROW);
    Scan scan = new Scan().setCaching(1);
    ReadAttribute.set(scan, RawTable.FINGERPRINT, t.oracle.begin());
    try (ResultScanner scanner = t.table.getScanner(scan)) {
      assertEquals("a", Bytes.toString(scanner.next().getRow()));
      for (String row : List.of("q", ROW)) {
        t.cleanUp(start, committed, row);
        t.write(start, row, "a", "late");
      }
      t.oracle.cleanedUp(start);
      t.passWindow();
      for (String row : List.of("q", ROW)) {
        Result found = scanner.next();
        assertNotNull(found, row);
        assertEquals(Map.of("a", "1"), RawTable.map(found));
      }
    }
  }

  /**
   * The reader has the mark, which is a cell, when the row is cleaned up, and the horizon rises
   * above the transaction: a mark below it is that of an aborted one only if it is read after that.
   */
  @Test
  void theHorizonThatRisesWithinAReadAbortsNothing() throws Exception {
    HeldStore held = HeldStore.into(region);
    t.update("a", "a", "0");
    long start = t.oracle.begin();
    t.table.put(
        RawTable.put(start, ROW, "a", "1")
            .addColumn(RawTable.G, Bytes.toBytes("a"), start, Bytes.toBytes("1"))
            .setDurability(Durability.SKIP_WAL));
    long committed = t.commit(start, ROW);
    Scan scan = new Scan().withStopRow(Bytes.toBytes(ROW), true).setCaching(1);
    ReadAttribute.set(scan, RawTable.FINGERPRINT, t.oracle.begin());
    try (ResultScanner scanner = t.table.getScanner(scan)) {
      assertEquals("a", Bytes.toString(scanner.next().getRow()));
      Hold reading = held.holdNextRead();
      Future<Result> rest = background.submit(() -> scanner.next());
      reading.awaitReached();
      t.cleanUp(start, committed, ROW);
      t.oracle.cleanedUp(start);
      t.oracle.abort(first);
      region.getCoprocessorHost().preFlush(FlushLifeCycleTracker.DUMMY);
      assertThrows(IOException.class, () -> t.read(start, ROW), "the horizon has risen");
      reading.release();
      Result row = rest.get();
      assertNotNull(row);
      assertEquals(Map.of("a", "1"), RawTable.map(row));
    }
  }

  /** A flush of marks ends when the cleanup has read which marks are cells: this one was none. */
  @Test
  void aCleanupFindsAMarkThatAFlushMakesACellMeanwhile() throws Exception {
    long start = t.writeWithoutCell(ROW);
    long committed = t.commit(start, ROW);
    AtomicBoolean isFlushed = new AtomicBoolean();
    InsideRegion.replaceRegionOfCleaner(
        region,
        () -> {
          if (!isFlushed.getAndSet(true)) {
            t.flush(PendingWrite.family());
          }
        });
    t.cleanUp(start, committed, ROW);
    assertTrue(isFlushed.get());
    assertEquals(List.of("first"), t.rowsWithMarks());
    assertEquals(Map.of("a", "1"), read());
  }

  /** The mark is in the file that a flush is writing when its row is cleaned up and written. */
  @Test
  void aLateDuplicateKeepsItsMarkWhenAFlushEnds() throws Exception {
    long start = t.writeWithoutCell(ROW);
    t.oracle.abort(start);
    Hold hold = HeldStore.into(region).holdNextFlush();
    Future<?> flush = background.submit(() -> region.flush(true));
    hold.awaitReached();
    t.cleanUp(start, Outcome.ABORTED, ROW);
    t.write(start, ROW, "a", "late");
    hold.release();
    flush.get();
    assertEquals(Map.of(), read());
    assertEquals(List.of("first", ROW), t.rowsWithMarks());
    t.cleanUp(start, Outcome.ABORTED, ROW);
    t.reopen();
    assertEquals(List.of(), t.cells(ROW));
  }

  @Test
  void aCleanupDuringAFlushDeletesTheMarkThatItWrites() throws Exception {
    long start = t.writeWithoutCell(ROW);
    Hold hold = HeldStore.into(region).holdNextFlush();
    Future<?> flush = background.submit(() -> region.flush(true));
    hold.awaitReached();
    t.writeWithCell("second");
    t.cleanUp(start, t.commit(start, ROW), ROW);
    hold.release();
    flush.get();
    assertEquals(Map.of("a", "1"), read());
    assertEquals(List.of("first", "second"), t.rowsWithMarks());
  }

  /** A cleanup that begins between the end of the memory and the look at what it had. */
  @Test
  void aFlushWritesNoMarkWhoseDeleteIsInTheLogOnly() throws Exception {
    long start = t.writeWithoutCell(ROW);
    HeldStore store = HeldStore.into(region);
    HeldBatch batch = HeldBatch.into(region);
    Hold snapshot = store.holdNextFlushOfMarks();
    Hold written = store.holdNextFlush();
    written.release();
    Future<?> flush =
        background.submit(
            () -> {
              flusher = Thread.currentThread();
              return region.flush(true);
            });
    snapshot.awaitReached();
    t.writeWithCell("second");
    Hold cleaning = batch.holdNext();
    Future<?> cleanup = apply(cleanup(start, t.commit(start, ROW)));
    cleaning.awaitReached();
    snapshot.release();
    Fixture.eventually(
        "it waits for the cleanup",
        () -> written.isReached() || RawTable.isBlockingUpdates(flusher));
    cleaning.release();
    cleanup.get();
    flush.get();
    assertEquals(List.of("first", "second"), t.rowsWithMarks());
    assertEquals(Map.of("a", "1"), read());
    t.reopen();
    assertEquals(List.of("first", "second"), t.rowsWithMarks());
    assertEquals(Map.of("a", "1"), read());
  }

  /** What is written while a flush is under way is of the memory that comes after. */
  @Test
  void marksThatComeDuringAFlushAreThereAfterIt() throws Exception {
    HeldStore store = HeldStore.into(region);
    Hold snapshot = store.holdNextFlushOfMarks();
    Hold written = store.holdNextFlush();
    Future<?> flush = background.submit(() -> region.flush(true));
    snapshot.awaitReached();
    long first = t.writeWithCell("second");
    long before = t.writeWithoutCell(ROW);
    snapshot.release();
    written.awaitReached();
    long after = t.writeWithoutCell("s");
    written.release();
    flush.get();
    assertEquals(Map.of(), read());
    assertEquals(Map.of(), t.read(t.oracle.begin(), "s"));
    t.reopen();
    assertEquals(List.of("first", ROW, "s", "second"), t.rowsWithMarks());
    assertTrue(first < before && before < after);
  }

  /** HBase applies nothing of it. */
  @Test
  void aBatchThatFailsBeforeItIsLoggedLeavesNoMark() throws Exception {
    Hold hold = HeldBatch.into(region).holdNext();
    long start = t.oracle.begin();
    Future<?> write = apply(RawTable.put(start, ROW, "a", "1"));
    hold.awaitReached();
    hold.fail();
    assertThrows(Exception.class, write::get);
    assertEquals(List.of("first"), t.rowsWithMarks());
    t.write(start, ROW, "a", "2");
    t.reopen();
    assertEquals(Map.of(), read());
  }

  /**
   * Another coprocessor, asked before ours, fails when data and mark are in log and memory: HBase
   * says that the batch has failed, and its data can be seen.
   */
  @Test
  void aBatchThatFailsBehindTheLogLeavesItsMark() throws Exception {
    long start = t.oracle.begin();
    failBehindTheLog(RawTable.put(start, ROW, "a", "1"));
    assertEquals(1, t.table.get(new Get(Bytes.toBytes(ROW))).size(), "plain readers see it");
    assertEquals(Map.of(), read());
    t.reopen();
    assertEquals(Map.of(), read());
    t.commit(start, ROW);
    assertEquals(Map.of("a", "1"), read());
  }

  private void failBehindTheLog(Put put) throws Exception {
    Hold hold = HeldBatch.into(region, Coprocessor.PRIORITY_HIGHEST).holdNextApplied();
    Future<?> write = apply(put);
    hold.awaitReached();
    hold.fail();
    assertThrows(ExecutionException.class, write::get);
  }

  /** A cleanup that fails so takes the mark along: a late duplicate needs a mark of its own. */
  @Test
  void aCleanupThatFailsBehindTheLogTakesTheMarkAlong() throws Exception {
    long start = t.writeWithoutCell(ROW);
    t.oracle.abort(start);
    Hold hold = HeldBatch.into(region).holdNextApplied();
    Future<?> cleanup = apply(cleanup(start, Outcome.ABORTED));
    hold.awaitReached();
    hold.fail();
    assertThrows(ExecutionException.class, cleanup::get);
    assertEquals(List.of(), t.cells(ROW));
    t.write(start, ROW, "a", "late");
    assertEquals(Map.of(), read());
    t.reopen();
    assertEquals(Map.of(), read());
  }
}
