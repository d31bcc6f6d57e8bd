package io.retso.hbase.coprocessor;

import static io.retso.hbase.coprocessor.AdoptingTable.ROW;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.coprocessor.HeldBatch.Hold;
import io.retso.hbase.coprocessor.region.LoggedAdoptions;
import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.Refusal;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Outcomes that a region adopts while somebody else is between two looks: at outcomes and marks, at
 * outcomes and the horizon, at memory and outcomes.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class AdoptionsInFlightTest {
  /** Looks of a get between which a flush may come; there are two stores. */
  private static final int LOOKS = 12;

  private AdoptingTable t;
  private volatile Thread flusher;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new AdoptingTable(cluster, table -> {});
  }

  @AfterEach
  void drop() throws Exception {
    t.close();
  }

  private Future<?> flushInBackground(byte[]... families) {
    return t.inBackground(
        () -> {
          t.flush(families);
          return null;
        });
  }

  /** The flush has seen no outcome of the version, and has not written it yet. */
  private void adoptWhileAFlushLooks(long start, long outcome) throws Exception {
    Hold hold = HeldMaps.outcomes(t.region()).holdNextLook(start);
    Future<?> flush = flushInBackground(RawTable.F);
    hold.awaitReached();
    assertTrue(t.adopt(start, outcome, 1));
    hold.release();
    flush.get();
    t.flush();
  }

  @Test
  void whatIsAbortedWhileAFlushLooksIsNotRead() throws Exception {
    long start = t.writeWithoutCell(ROW);
    t.oracle.abort(start);
    adoptWhileAFlushLooks(start, Outcome.ABORTED);
    assertEquals(List.of(), AdoptingTable.versions(t.raw(ROW)));
    assertEquals(Map.of(), t.read());
  }

  @Test
  void whatIsCommittedWhileAFlushLooksIsNotReadBeforeItsCommit() throws Exception {
    long start = t.writeWithoutCell(ROW);
    long before = t.oracle.begin();
    long committed = t.commit(start, ROW);
    adoptWhileAFlushLooks(start, committed);
    assertEquals(List.of(CellVersion.committed(committed)), AdoptingTable.versions(t.raw(ROW)));
    assertEquals(Map.of(), t.read(before, ROW));
    assertEquals(Map.of("a", "1"), t.read());
  }

  private boolean isBelowTheHorizon(long timestamp) {
    try {
      t.read(timestamp, ROW);
      return false;
    } catch (IOException e) {
      return Refusal.of(e) == Refusal.SNAPSHOT_TOO_OLD;
    }
  }

  /** A reader's request, which comes as late as the region's own adoption and the next flush. */
  @Test
  void whatIsAdoptedWhileACleanupLooksIsNotTakenForAborted() throws Exception {
    long start = t.writeWithoutCell(ROW);
    long committed = t.commit(start, ROW);
    HeldMaps.Outcomes outcomes = HeldMaps.outcomes(t.region());
    Hold read = HeldStore.into(t.region()).holdNextPut();
    Put request = new CleanupRequest(Bytes.toBytes(ROW), start, committed).toPut();
    Future<?> cleanup = t.inBackground(() -> t.region().batchMutate(new Mutation[] {request}));
    read.awaitReached();
    Hold hold = outcomes.holdNextLook(start);
    read.release();
    hold.awaitReached(); // no outcome
    assertTrue(t.adopt(start, committed, 1));
    t.forget(start);
    t.snapshot();
    Future<?> flush = flushInBackground(RawTable.G);
    Fixture.eventually("the horizon is above", () -> isBelowTheHorizon(start));
    hold.release();
    cleanup.get();
    flush.get();
    assertEquals(Map.of("a", "1"), t.read());
    t.flush();
    assertEquals(Map.of("a", "1"), t.read());
  }

  /** A get and its filter take the number of moves one after the other, in each round. */
  @Test
  void aGetSeesItsRowWhereverFlushesComeBetweenItsLooks() throws Exception {
    t.commitAndAdopt(t.writeWithoutCell(ROW), ROW);
    Put plain = new Put(Bytes.toBytes("z")).addColumn(RawTable.F, null, Bytes.toBytes("plain"));
    AtomicInteger looks = new AtomicInteger();
    Set<Integer> flushes = new HashSet<>();
    InsideRegion.replaceStoresOfReaders(
        t.region(),
        () -> {
          if (flushes.contains(looks.incrementAndGet())) {
            t.table.put(plain);
            t.flush(RawTable.F);
          }
        });
    for (int first = 1; first <= LOOKS; first++) {
      for (int second = first; second <= LOOKS; second++) {
        looks.set(0);
        flushes.clear();
        flushes.add(first);
        flushes.add(second);
        assertEquals(Map.of("a", "1"), t.read(), "flushes behind looks " + first + ", " + second);
      }
    }
  }

  /** The flush has begun to let outcomes go, and the memory of the data is empty. */
  @Test
  void anOutcomeThatComesAsAFlushEndsStays() throws Exception {
    t.abortAndAdopt(t.writeWithoutCell("s"), 1);
    Hold hold = HeldMaps.adoptions(t.region()).holdNextCopy();
    Future<?> flush = flushInBackground(RawTable.F);
    hold.awaitReached();
    t.abortAndAdopt(t.writeWithoutCell(ROW), 1);
    hold.release();
    flush.get();
    assertEquals(Map.of(), t.read());
    t.flush();
    assertEquals(List.of(), AdoptingTable.versions(t.raw(ROW)));
  }

  /** The marks are gone and the adoption is not there yet when a flush of both looks at them. */
  @Test
  void aFlushOfMarksWaitsForTheAdoptionThatTookThem() throws Exception {
    long older = t.oracle.begin();
    long start = t.writeWithoutCell(ROW);
    t.oracle.abort(start);
    Hold snapshot = HeldStore.into(t.region()).holdNextFlushOfMarks();
    Future<?> flush =
        t.inBackground(
            () -> {
              flusher = Thread.currentThread();
              t.flush(AdoptingTable.MARKS);
              return null;
            });
    snapshot.awaitReached();
    t.write(older, "second", "a", "1"); // its mark is a cell, so the adoption is none
    Hold adopting = HeldMaps.adoptions(t.region()).holdNextAddition();
    Future<?> adoption = t.inBackground(() -> t.adopt(start, Outcome.ABORTED, 1));
    adopting.awaitReached();
    snapshot.release();
    Fixture.eventually(
        "it waits for the adoption", () -> flush.isDone() || RawTable.isBlockingUpdates(flusher));
    adopting.release();
    adoption.get();
    flush.get();
    assertEquals(Map.of(start, Outcome.ABORTED), LoggedAdoptions.read(t.region()));
  }
}
