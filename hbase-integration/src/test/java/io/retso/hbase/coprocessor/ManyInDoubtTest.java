package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scans over many rows that dead clients left in doubt ask about each transaction once. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class ManyInDoubtTest {
  private static final int ROWS = 1_000;

  private RawTable t;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new RawTable(cluster);
  }

  @AfterEach
  void drop() throws Exception {
    t.close();
  }

  private List<Put> puts(long start, String prefix, int rows) {
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      puts.add(RawTable.put(start, prefix + (10_000 + i), "a", "1"));
    }
    return puts;
  }

  private long queriesOfScan(int rowsExpected) throws Exception {
    return queriesOfScan(rowsExpected, new Scan());
  }

  private long queriesOfScan(int rowsExpected, Scan scan) throws Exception {
    long before = RawTable.count("oracleQueries");
    long roundsBefore = RawTable.count("oracleRounds");
    long reader = t.oracle.begin();
    assertEquals(rowsExpected, t.scan(reader, scan.setCaching(100)).size());
    long rounds = RawTable.count("oracleRounds") - roundsBefore;
    assertTrue(rounds <= 4, () -> "the scan waited for the oracle " + rounds + " times");
    return RawTable.count("oracleQueries") - before;
  }

  @Test
  void ofOneTransaction() throws Exception {
    long start = t.oracle.begin();
    t.table.put(puts(start, "r", ROWS));
    assertEquals(1, queriesOfScan(0), "open");
    t.commit(start, "r");
    assertEquals(1, queriesOfScan(ROWS), "committed");
    assertEquals(0, queriesOfScan(ROWS), "remembered");
  }

  /** The marks of the first batch after a flush are cells, those of later ones are none. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void ofAsManyTransactions(boolean areCells) throws Exception {
    if (!areCells) {
      t.cleanUp(t.writeWithCell("a"), Outcome.ABORTED, "a");
    }
    long cells = RawTable.count("marksAsCells");
    List<Put> puts = new ArrayList<>();
    List<Long> starts = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      starts.add(t.oracle.begin());
      puts.add(RawTable.put(starts.get(i), "r" + (10_000 + i), "a", "1"));
    }
    t.table.put(puts);
    assertEquals(areCells ? ROWS : 0, RawTable.count("marksAsCells") - cells);
    long ahead = RawTable.count("marksAhead");
    assertEquals(ROWS, queriesOfScan(0), "open");
    assertEquals(ROWS, RawTable.count("marksAhead") - ahead, "each mark is looked at once");
    assertEquals(ROWS, queriesOfScan(0, new Scan().setReversed(true)), "open, reversed");
    Scan some = new Scan().withStopRow(Bytes.toBytes("r10100")).withStartRow(Bytes.toBytes("r1"));
    assertEquals(100, queriesOfScan(0, some), "open, up to a row: nobody is asked beyond it");
    for (int i = 0; i < ROWS; i++) {
      t.commit(starts.get(i), "r" + (10_000 + i));
    }
    assertEquals(ROWS, queriesOfScan(ROWS), "committed");
    assertEquals(0, queriesOfScan(ROWS), "remembered");
  }

  /** The marks that a scan looks at ahead, with deletes of marks. */
  private long aheadOf(int rowsExpected, Scan scan) throws Exception {
    long before = RawTable.count("marksAhead");
    long queriesBefore = RawTable.count("oracleQueries");
    assertEquals(rowsExpected, t.scan(t.oracle.begin(), scan).size());
    assertEquals(1, RawTable.count("oracleQueries") - queriesBefore, "the others are cleaned up");
    return RawTable.count("marksAhead") - before;
  }

  @Test
  void aScanDoesNotStepOverAllThatWasCleanedUpSinceTheLastFlush() throws Exception {
    long done = t.oracle.begin();
    List<Put> puts = puts(done, "r", 2 * ROWS);
    t.table.put(puts);
    long committed = t.commit(done, "r");
    List<Put> cleanups = new ArrayList<>();
    for (Put put : puts) {
      cleanups.add(new CleanupRequest(put.getRow(), done, committed).toPut());
    }
    t.table.put(cleanups);
    t.write(t.oracle.begin(), "a", "a", "pending");
    assertEquals(16 + 1, aheadOf(1, new Scan().setLimit(1)), "cells, and the mark that is none");
    t.write(t.oracle.begin(), "s", "a", "pending");
    Scan backwards = new Scan().setReversed(true).withStopRow(Bytes.toBytes("b"));
    assertEquals(16 + 1, aheadOf(1, backwards.setLimit(1)));
    assertEquals(1, aheadOf(2 * ROWS, new Scan().withStartRow(Bytes.toBytes("b"))), "the last one");
    t.flush();
    assertEquals(1, aheadOf(2 * ROWS, backwards.setLimit(-1)), "a flush drops the others");
  }
}
