package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.FirstChange;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.ReadAttribute;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.wal.WALActionsListener;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Marks that are in the log and in the memory of a region, and no cells: decision 24. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class MarksInMemoryTest {
  private static final String ROW = "r";
  private static final byte[] FAMILY = PendingWrite.family();

  private RawTable t;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new RawTable(cluster);
    t.write(t.oracle.begin(), "first", "a", "1"); // its mark is a cell
  }

  @AfterEach
  void drop() throws Exception {
    t.close();
  }

  private void flushMarks() throws IOException {
    region().flushcache(List.of(FAMILY), false, FlushLifeCycleTracker.DUMMY);
  }

  private HRegion region() {
    return t.regions().get(0);
  }

  private Map<String, String> read() throws IOException {
    return t.read(t.oracle.begin(), ROW);
  }

  @Test
  void aTransactionPutsItsDataAndMovesIt() throws IOException {
    HRegion region = region();
    int data = region.getStore(RawTable.F).getMemStoreSize().getCellsCount();
    int marks = region.getStore(FAMILY).getMemStoreSize().getCellsCount();
    long start = t.writeWithoutCell(ROW);
    assertEquals(data + 1, region.getStore(RawTable.F).getMemStoreSize().getCellsCount());
    assertEquals(Map.of(), read());
    long committed = t.commit(start, ROW);
    assertEquals(Map.of("a", "1"), read());
    t.cleanUp(start, committed, ROW);
    assertEquals(Map.of("a", "1"), read());
    assertEquals(data + 3, region.getStore(RawTable.F).getMemStoreSize().getCellsCount());
    assertEquals(marks, region.getStore(FAMILY).getMemStoreSize().getCellsCount());
    assertEquals(List.of("first"), t.rowsWithMarks());
    assertEquals(1, t.cells(ROW).size());
  }

  /** So region servers that know nothing of such marks can replay it. */
  @Test
  void theLogIsThatOfCells() throws IOException {
    List<String> logged = new ArrayList<>();
    WALActionsListener listener =
        new WALActionsListener() {
          @Override
          public void visitLogEntryBeforeWrite(RegionInfo region, WALKey key, WALEdit edit) {
            if (region.equals(region().getRegionInfo()) && !edit.isMetaEdit()) {
              edit.getCells().forEach(cell -> logged.add(textOf(cell)));
            }
          }
        };
    region().getWAL().registerWALActionsListener(listener);
    try {
      t.flush();
      long asCell = t.writeWithCell("a");
      t.cleanUp(asCell, t.commit(asCell, "a"), "a");
      List<String> ofCells = logged.stream().sorted().toList();
      logged.clear();
      long inMemory = t.writeWithoutCell("b");
      t.cleanUp(inMemory, t.commit(inMemory, "b"), "b");
      assertEquals(ofCells, logged.stream().sorted().toList());
      assertEquals(5, logged.size());
    } finally {
      region().getWAL().unregisterWALActionsListener(listener);
    }
  }

  /** All but the row and the timestamps. */
  private static String textOf(Cell cell) {
    return Bytes.toString(CellUtil.cloneFamily(cell))
        + ' '
        + cell.getQualifierLength()
        + ' '
        + cell.getType()
        + ' '
        + Bytes.toStringBinary(CellUtil.cloneValue(cell));
  }

  @Test
  void anAbortedTransactionLeavesNothing() throws IOException {
    long start = t.writeWithoutCell(ROW);
    t.oracle.abort(start);
    assertEquals(Map.of(), read());
    t.cleanUp(start, Outcome.ABORTED, ROW);
    assertEquals(List.of(), t.cells(ROW));
    assertEquals(List.of("first"), t.rowsWithMarks());
  }

  /** A reader that sees the cells sees the mark. */
  @Test
  void theMarkIsThereWithItsCells() throws IOException {
    t.writeWithoutCell(ROW);
    assertEquals(Map.of(), read());
  }

  @Test
  void aRegionTellsTheFirstChange() throws IOException {
    long before = t.snapshot();
    long start = t.writeWithoutCell(ROW);
    assertEquals(FirstChange.NONE, firstChangeSince(before));
    long committed = t.commit(start, ROW);
    assertEquals(committed, firstChangeSince(before));
  }

  private long firstChangeSince(long timestamp) throws IOException {
    Get get = new Get(Bytes.toBytes(ROW)).addFamily(RawTable.F);
    ReadAttribute.setFirstChange(get, RawTable.FINGERPRINT, timestamp, t.snapshot());
    return FirstChange.of(t.table.get(get));
  }

  /** HBase flushes no empty memory, and takes its edits for flushed. */
  @Test
  void theFirstMarkAfterAFlushIsACell() throws IOException {
    t.flush();
    long start = t.oracle.begin();
    t.write(start, ROW, "a", "1");
    assertEquals(1, t.cellsOfMarks(ROW).size());
    t.reopen();
    assertEquals(Map.of(), read());
  }

  @Test
  void aFlushOfMarksWritesThoseInMemory() throws IOException {
    long start = t.writeWithoutCell(ROW);
    flushMarks();
    assertEquals(1, t.cellsOfMarks(ROW).size());
    assertEquals(Map.of(), read());
    long committed = t.commit(start, ROW);
    t.cleanUp(start, committed, ROW);
    assertEquals(List.of("first"), t.rowsWithMarks());
    assertEquals(Map.of("a", "1"), read());
    t.reopen();
    assertEquals(List.of("first"), t.rowsWithMarks());
    assertEquals(Map.of("a", "1"), read());
  }

  @Test
  void aFlushOfAllFamiliesWritesThem() throws IOException {
    t.writeWithoutCell(ROW);
    t.flush();
    t.compact();
    assertEquals(1, t.cellsOfMarks(ROW).size());
    t.reopen();
    assertEquals(Map.of(), read());
  }

  @Test
  void aRegionThatClosesWritesThem() throws IOException {
    long start = t.writeWithoutCell(ROW);
    t.reopen();
    assertEquals(1, t.cellsOfMarks(ROW).size());
    assertEquals(Map.of(), read());
    t.commit(start, ROW);
    assertEquals(Map.of("a", "1"), read());
  }

  @Test
  void aRegionThatIsSplitWritesThem() throws Exception {
    t.writeWithoutCell("b");
    t.writeWithoutCell(ROW);
    try (Admin admin = t.cluster.connection().getAdmin()) {
      admin
          .splitRegionAsync(region().getRegionInfo().getRegionName(), Bytes.toBytes("m"))
          .get(60, TimeUnit.SECONDS);
    }
    assertEquals(Map.of(), t.read(t.oracle.begin(), "b"));
    assertEquals(Map.of(), read());
    assertEquals(2, t.regions().size());
    assertEquals(List.of("b", "first", ROW), t.rowsWithMarks());
  }

  @Test
  void aCrashMakesThemCellsAndTheirDeletesCount() throws Exception {
    long done = t.writeWithoutCell("done");
    t.cleanUp(done, t.commit(done, "done"), "done");
    long start = t.writeWithoutCell(ROW);
    t.crash();
    assertEquals(Map.of(), read());
    assertEquals(Map.of("a", "1"), t.read(t.oracle.begin(), "done"));
    assertEquals(List.of("first", ROW), t.rowsWithMarks());
    t.commit(start, ROW);
    assertEquals(Map.of("a", "1"), read());
  }

  /** Its edits are not replayed, but those of the data are. */
  @Test
  void aCrashAfterAFlushOfMarksAloneLosesNone() throws Exception {
    long start = t.writeWithoutCell(ROW);
    flushMarks();
    t.crash();
    assertEquals(Map.of(), read());
    t.cleanUp(start, t.commit(start, ROW), ROW);
    assertEquals(Map.of("a", "1"), read());
    assertEquals(List.of("first"), t.rowsWithMarks());
  }

  /** Keys are long, so that few marks fill the memory. */
  @Test
  void whatHasNoRoomIsACell() throws IOException {
    String key = "k".repeat(30_000);
    long start = t.oracle.begin();
    long asCells = RawTable.count("marksAsCells");
    int rows = 0;
    while (RawTable.count("marksAsCells") == asCells && rows < 1_500) {
      t.write(start, rows++ + key, "a", "1");
    }
    assertTrue(rows < 1_500, "it is never full");
    assertEquals(Map.of(), t.read(t.oracle.begin(), (rows - 1) + key));
    assertEquals(1, t.cellsOfMarks((rows - 1) + key).size());
    t.oracle.abort(start);
    t.cleanUp(start, Outcome.ABORTED, 0 + key);
    t.cleanUp(start, Outcome.ABORTED, (rows - 1) + key);
    assertEquals(Map.of(), t.read(t.oracle.begin(), (rows - 1) + key));
    t.writeWithoutCell(ROW); // there is room again
  }

  @Test
  void whatIsNotLoggedIsACell() throws IOException {
    long asCells = RawTable.count("marksAsCells");
    long start = t.oracle.begin();
    t.table.put(RawTable.put(start, ROW, "a", "1").setDurability(Durability.SKIP_WAL));
    t.table.put(RawTable.put(start, "s", "a", "1").setDurability(Durability.ASYNC_WAL));
    assertEquals(2, RawTable.count("marksAsCells") - asCells);
    t.reopen();
    assertEquals(Map.of(), read());
  }

  @Test
  void aMarkWithoutDataIsACell() throws IOException {
    t.table.put(PendingWrite.mark(new Put(Bytes.toBytes(ROW)), t.oracle.begin()));
    assertEquals(1, t.cellsOfMarks(ROW).size());
  }

  /** Two batches of a transaction: the mark of one is a cell, that of the other is not. */
  @Test
  void aCleanupRemovesBothMarksOfARow() throws IOException {
    long start = t.writeWithoutCell(ROW);
    flushMarks();
    t.writeWithCell("second");
    t.write(start, ROW, "b", "2");
    t.cleanUp(start, t.commit(start, ROW), ROW);
    assertEquals(Map.of("a", "1", "b", "2"), read());
    assertEquals(List.of("first", "second"), t.rowsWithMarks());
  }

  @Test
  void whoReadsMarksOrAllVersionsFindsThem() throws IOException {
    byte[] row = Bytes.toBytes(ROW);
    long start = t.writeWithoutCell(ROW);
    assertEquals(0, t.cellsOfMarks(ROW).size());
    assertEquals(1, t.table.get(new Get(row)).size(), "a plain reader of data changes nothing");
    assertEquals(0, t.cellsOfMarks(ROW).size());
    Get mark = new Get(row).addColumn(FAMILY, PendingWrite.qualifier(start));
    assertEquals(1, t.table.get(mark).size());
    t.writeWithCell("s");
    t.writeWithoutCell("t");
    assertEquals(List.of("first", ROW, "s", "t"), t.rowsWithMarks());
    t.writeWithCell("u");
    t.writeWithoutCell("v");
    Scan reversed = new Scan().addFamily(FAMILY).setReversed(true).withStartRow(Bytes.toBytes("v"));
    try (ResultScanner scanner = t.table.getScanner(reversed)) {
      assertEquals("v", Bytes.toString(scanner.next().getRow()));
    }
    t.writeWithCell("w");
    t.writeWithoutCell("x");
    assertEquals(2, t.cells("x").size());
  }

  @Test
  void aReversedScanOfMarksFindsThoseBetweenItsBounds() throws IOException {
    t.writeWithoutCell(ROW);
    Scan scan =
        new Scan()
            .addFamily(FAMILY)
            .setReversed(true)
            .withStartRow(Bytes.toBytes("v"))
            .withStopRow(Bytes.toBytes("g"));
    try (ResultScanner scanner = t.table.getScanner(scan)) {
      Result found = scanner.next();
      assertNotNull(found);
      assertEquals(ROW, Bytes.toString(found.getRow()));
      assertNull(scanner.next());
    }
  }

  /** As tools copy tables: region by region, and the newest version of each column. */
  @Test
  void aScanOfAllRowsOfARegionFindsThem() throws Exception {
    try (RawTable two = new RawTable(t.cluster, Bytes.toBytes("m"))) {
      two.writeWithCell("a");
      two.writeWithoutCell("b");
      Scan scan = new Scan().withStopRow(Bytes.toBytes("m"));
      try (ResultScanner scanner = two.table.getScanner(scan)) {
        assertEquals(2, scanner.next().size());
        assertEquals(2, scanner.next().size(), "the mark and the value");
      }
    }
  }
}
