package io.retso.hbase.coprocessor;

import static io.retso.hbase.coprocessor.AdoptingTable.MARKS;
import static io.retso.hbase.coprocessor.AdoptingTable.ROW;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.coprocessor.HeldBatch.Hold;
import io.retso.hbase.layout.AdoptionRequest;
import io.retso.hbase.layout.AdoptionRequest.Adoption;
import io.retso.hbase.layout.Outcome;
import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Outcomes that a region does not adopt, so that their rows are cleaned up one by one: decision 25.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class RefusedAdoptionsTest {
  private AdoptingTable t;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new AdoptingTable(cluster, table -> {});
  }

  @AfterEach
  void drop() throws Exception {
    t.close();
  }

  /** A flush has come by, and the version is in a file, where none comes by again. */
  @Test
  void whatWasFlushedBeforeIsNotAdopted() throws IOException {
    long start = t.writeWithoutCell(ROW);
    Hold behind = HeldStore.into(t.region()).holdNextFlushOfMarks(); // or its mark would be a cell
    try {
      t.flush(RawTable.F);
      t.oracle.abort(start);
      assertFalse(t.adopt(start, Outcome.ABORTED, 1));
    } finally {
      behind.release();
    }
    assertEquals(Map.of(), t.read());
    t.cleanUp(start, Outcome.ABORTED, ROW);
    t.reopen();
    assertEquals(Map.of(), t.read());
  }

  @Test
  void whatHasMarksThatAreCellsIsNotAdopted() throws IOException {
    long start = t.writeWithoutCell(ROW);
    t.flush(MARKS);
    t.writeWithCell("second");
    t.write(start, "s", "a", "2");
    long committed = t.commit(start, ROW);
    assertFalse(t.adopt(start, committed, 2));
    assertFalse(t.adopt(start, committed, 1), "though it has one in memory");
    t.cleanUp(start, committed, ROW);
    t.cleanUp(start, committed, "s");
    assertEquals(Map.of("a", "1"), t.read());
  }

  /**
   * Its first version is in a file, with a mark; no younger transaction has a mark that is a cell.
   */
  @Test
  void whatIsWrittenAgainBehindAFlushIsNotAdopted() throws Exception {
    long older = t.oracle.begin();
    long start = t.writeWithoutCell(ROW);
    adoptInVain(older, start);
  }

  @Test
  void whatHasAMarkInMemoryBesideACellIsNotAdopted() throws Exception {
    t.flush();
    HeldMaps.awaitBackground(t.region());
    long older = t.oracle.begin();
    long start = t.writeWithCell(ROW);
    adoptInVain(older, start);
  }

  private void adoptInVain(long older, long start) throws Exception {
    t.flush();
    HeldMaps.awaitBackground(t.region());
    t.write(older, "second", "a", "1"); // its mark is a cell
    long inMemory = RawTable.count("marksInMemory");
    t.write(start, ROW, "b", "2");
    assertEquals(1, RawTable.count("marksInMemory") - inMemory);
    long committed = t.commit(start, ROW);
    assertFalse(t.adopt(start, committed, 1), "though the number of rows is right");
    t.cleanUp(start, committed, ROW);
    t.oracle.cleanedUp(start);
    t.flush();
    assertEquals(Map.of("a", "1", "b", "2"), t.read());
  }

  @Test
  void whatHasOtherRowsIsNotAdopted() throws IOException {
    long start = t.writeWithoutCell(ROW);
    long committed = t.commit(start, ROW);
    assertFalse(t.adopt(start, committed, 2));
    assertTrue(t.adopt(start, committed, 1));
  }

  @Test
  void whatIsBelowTheHorizonIsNotAdopted() throws IOException {
    long start = t.writeWithoutCell(ROW);
    t.oracle.abort(start);
    t.oracle.abort(t.first);
    t.oracle.begin();
    t.flush(RawTable.G); // raises the horizon
    assertFalse(t.adopt(start, Outcome.ABORTED, 1));
  }

  @Test
  void whatIsBeingWrittenIsNotAdopted() throws Exception {
    long start = t.writeWithoutCell(ROW);
    t.oracle.abort(start);
    Hold hold = HeldBatch.into(t.region()).holdNext();
    Put late = RawTable.put(start, ROW, "a", "late");
    Future<?> write = t.inBackground(() -> t.region().batchMutate(new Mutation[] {late}));
    hold.awaitReached();
    assertFalse(t.adopt(start, Outcome.ABORTED, 1));
    hold.release();
    write.get();
    assertTrue(t.adopt(start, Outcome.ABORTED, 1));
    assertEquals(Map.of(), t.read());
    t.reopen();
    assertEquals(Map.of(), t.read());
  }

  @Test
  void aListOutsideOfTheFirstRowIsNotTaken() throws IOException {
    long start = t.writeWithoutCell(ROW);
    long committed = t.commit(start, ROW);
    BitSet adopted = t.adopt("a", new Adoption(start, committed, 1));
    assertTrue(adopted.isEmpty());
    assertTrue(t.adopt(start, committed, 1));
    assertTrue(t.adopt(start, committed, 1), "it is asked for once more");
  }

  @Test
  void aListThatIsNotForcedToTheLogIsRefused() throws Exception {
    long start = t.writeWithoutCell(ROW);
    Put put =
        new AdoptionRequest(
                AdoptionRequest.firstRow(new byte[0]),
                List.of(new Adoption(start, t.commit(start, ROW), 1)))
            .toPut(RawTable.FINGERPRINT);
    put.setDurability(Durability.ASYNC_WAL);
    assertThrows(DoNotRetryIOException.class, () -> t.table.put(put));
  }

  @Test
  void manyAreAdoptedAtOnceAndTheOthersNamed() throws Exception {
    long one = t.writeWithoutCell("a");
    long two = t.writeWithoutCell("b");
    long three = t.writeWithoutCell("c");
    t.oracle.abort(three);
    BitSet adopted =
        t.adopt(
            "",
            new Adoption(one, t.commit(one, "a"), 1),
            new Adoption(two, t.commit(two, "b"), 7),
            new Adoption(three, Outcome.ABORTED, 1));
    assertEquals("{0, 2}", adopted.toString());
    assertEquals(List.of("b", "first"), t.rowsWithMarks());
    assertEquals(List.of("a{a=1}", "b{a=1}"), t.scan(t.oracle.begin(), new Scan()));
  }

  @Test
  void whatAPlainDeleteMayHideIsNotAdopted() throws IOException {
    t.table.delete(
        new Delete(Bytes.toBytes(ROW)).addColumns(RawTable.F, Bytes.toBytes("a"), 1L << 59));
    long start = t.writeWithoutCell(ROW);
    assertFalse(t.adopt(start, t.commit(start, ROW), 1));
  }

  /** Readers would take the plain one until a flush, and then the transaction's. */
  @Test
  void whatAPlainPutMayCoverIsNotAdopted() throws IOException {
    long start = t.writeWithoutCell(ROW);
    Put plain = new Put(Bytes.toBytes(ROW));
    t.table.put(plain.addColumn(RawTable.F, Bytes.toBytes("a"), start + 5, Bytes.toBytes("p")));
    long committed = t.commit(start, ROW);
    assertFalse(t.adopt(start, committed, 1));
    t.cleanUp(start, committed, ROW);
    assertEquals(Map.of("a", "1"), t.read());
  }
}
