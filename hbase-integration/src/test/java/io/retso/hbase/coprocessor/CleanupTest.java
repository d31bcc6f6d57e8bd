package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.Refusal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RetsoCluster.Extension.class)
class CleanupTest {
  private final Queue<IOException> refusals = new ConcurrentLinkedQueue<>();
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
  void movesTheCellsOfACommittedTransactionAndRemovesItsMark() throws IOException {
    long start = t.oracle.begin();
    t.write(start, "r", "a", "1");
    t.write(start, "r", "b", "2");
    long committed = t.commit(start, "r");
    t.cleanUp(start, committed, "r");
    List<Cell> cells = t.cells("r");
    assertEquals(2, cells.size(), cells::toString);
    cells.forEach(cell -> assertEquals(committed + 1, cell.getTimestamp()));
    assertEquals(Map.of("a", "1", "b", "2"), t.read(t.snapshot(), "r"));
  }

  @Test
  void removesTheCellsOfAnAbortedTransactionOnly() throws IOException {
    long committed = t.update("r", "a", "old");
    long start = t.oracle.begin();
    t.write(start, "r", "a", "new");
    t.oracle.abort(start);
    t.cleanUp(start, Outcome.ABORTED, "r");
    List<Cell> cells = t.cells("r");
    assertEquals(1, cells.size(), cells::toString);
    assertEquals(committed + 1, cells.get(0).getTimestamp());
  }

  @Test
  void doesNothingWithoutTheMark() throws IOException {
    long start = t.oracle.begin();
    t.write(start, "r", "a", "1");
    long committed = t.commit(start, "r");
    t.cleanUp(start, committed, "r");
    List<Cell> once = t.raw("r");
    t.cleanUp(start, committed, "r");
    t.cleanUp(start, Outcome.ABORTED, "r");
    assertEquals(once, t.raw("r"));
    Put plain =
        new Put(Bytes.toBytes("p"))
            .addColumn(RawTable.F, Bytes.toBytes("a"), start, Bytes.toBytes("p"));
    t.table.put(plain); // of this version, and of no transaction
    t.cleanUp(start, Outcome.ABORTED, "p");
    assertEquals(Map.of("a", "p"), t.read(t.snapshot(), "p"));
  }

  @Test
  void cleansUpManyTransactionsInOneBatch() throws Exception {
    List<Row> requests = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      String row = "r" + i % 10;
      long start = t.oracle.begin();
      t.write(start, row, "a", "v" + i);
      long committed = t.commit(start, row);
      Put request = new CleanupRequest(Bytes.toBytes(row), start, committed).toPut();
      requests.add(request);
      requests.add(request); // twice: HBase may repeat a request
    }
    t.table.batch(requests, new Object[requests.size()]);
    for (int i = 0; i < 10; i++) {
      assertEquals(Map.of("a", "v" + (40 + i)), t.read(t.snapshot(), "r" + i));
      assertTrue(t.cells("r" + i).stream().noneMatch(PendingWrite::isMark));
      assertEquals(5, t.cells("r" + i).size());
    }
  }

  @Test
  void aWriteAfterTheCleanupIsStillPending() throws IOException {
    long start = t.oracle.begin();
    t.write(start, "r", "a", "1");
    t.oracle.abort(start);
    t.cleanUp(start, Outcome.ABORTED, "r");
    // The client does not know yet that it was aborted, and writes another column.
    t.write(start, "r", "b", "2");
    assertEquals(Map.of(), t.read(t.snapshot(), "r"));
    t.flush();
    t.compact();
    assertEquals(Map.of(), t.read(t.snapshot(), "r"));
  }

  @Test
  void writesBelowTheHorizonAreRefused() throws IOException {
    long start = t.oracle.begin();
    t.write(start, "r", "a", "1");
    t.oracle.abort(start);
    t.update("r", "a", "2");
    t.flush();
    IOException refused = assertThrows(IOException.class, () -> t.write(start, "r", "a", "3"));
    assertEquals(Refusal.SNAPSHOT_TOO_OLD, Refusal.of(refused));
    List<Put> batch =
        List.of(RawTable.put(start, "r", "a", "3"), RawTable.put(t.oracle.begin(), "s", "a", "4"));
    IOException some = assertThrows(IOException.class, () -> t.table.put(batch));
    assertEquals(Refusal.SNAPSHOT_TOO_OLD, Refusal.of(some));
    assertEquals(2, t.cells("s").size(), "the other transaction's write went through");
  }

  @Test
  void aLateDuplicateOfACleanedUpWriteIsRemovedWhateverTheRequestSays() throws IOException {
    long start = t.oracle.begin();
    t.write(start, "r", "a", "1");
    long committed = t.commit(start, "r");
    t.cleanUp(start, committed, "r");
    t.write(start, "r", "c", "1"); // the duplicate, before the transaction is reported
    t.oracle.cleanedUp(start);
    t.snapshot();
    t.flush();
    assertTrue(t.oracle.lowWatermark() > start);
    t.cleanUp(start, committed, "r");
    assertEquals(Map.of("a", "1"), t.read(t.snapshot(), "r"));
    assertTrue(t.cells("r").stream().noneMatch(PendingWrite::isMark));
  }

  /** HBase's shared row locks let both work on the row at the same time; RowLatches does not. */
  @Test
  @Timeout(120)
  void cleanupsRacingWithLateWritesLeaveNothingThatLooksCommitted() throws Exception {
    for (int round = 0; round < 15; round++) {
      String row = "r" + round;
      long start = t.oracle.begin();
      t.write(start, row, "c", "first");
      t.oracle.abort(start);
      CyclicBarrier together = new CyclicBarrier(4);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        String column = "c" + i;
        boolean writes = i % 2 == 0;
        threads.add(
            new Thread(
                () -> {
                  try {
                    together.await();
                    for (int repeat = 0; repeat < 5; repeat++) {
                      if (writes) {
                        t.write(start, row, column + repeat, "late");
                      } else {
                        t.cleanUp(start, Outcome.ABORTED, row);
                      }
                    }
                  } catch (IOException e) {
                    refusals.add(e); // looked at below
                  } catch (InterruptedException | BrokenBarrierException e) {
                    throw new IllegalStateException(e);
                  }
                }));
        threads.get(i).start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertEquals(Map.of(), t.read(t.snapshot(), row));
    }
    for (IOException refused : refusals) {
      assertEquals(Refusal.DECIDED, Refusal.of(refused), refused::toString);
    }
  }
}
