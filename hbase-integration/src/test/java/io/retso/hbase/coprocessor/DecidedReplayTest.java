package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.coprocessor.HeldBatch.Hold;
import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.TableSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableDescriptors;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Outcomes that a region decided before its server died, or that nobody heard of: decision 25. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(180)
class DecidedReplayTest {
  private static final String ROW = "r";
  private static final byte[] MARKS = PendingWrite.family();

  private final ExecutorService background = Executors.newCachedThreadPool();
  private RawTable t;

  /** An open transaction, which keeps the horizon below those that come later. */
  private long first;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t =
        new RawTable(
            cluster, TableSettings.VERSION_DECIDED, table -> table.setMemStoreFlushSize(1 << 20));
    first = t.writeWithCell("first");
  }

  @AfterEach
  void drop() throws Exception {
    background.shutdownNow();
    assertTrue(background.awaitTermination(60, TimeUnit.SECONDS));
    t.close();
  }

  private HRegion region() {
    return t.regions().get(0);
  }

  private Map<String, String> read() throws IOException {
    return t.read(t.oracle.begin(), ROW);
  }

  private List<Long> versions(String row) throws IOException {
    return t.cells(row).stream()
        .filter(cell -> !PendingWrite.isMark(cell))
        .map(Cell::getTimestamp)
        .toList();
  }

  /** Decides that a transaction which wrote one row is committed. */
  private long commitAndDecide(long start, String row) throws IOException {
    long committed = t.commit(start, row);
    assertTrue(t.decide(start, committed, 1));
    return committed;
  }

  /** What the oracle knows of a transaction, or a region by its horizon. */
  private void forget(long start) {
    t.oracle.cleanedUp(start);
    t.oracle.abort(first);
  }

  private void abortAndDecide(long start, int rows) throws IOException {
    t.oracle.abort(start);
    assertTrue(t.decide(start, CleanupRequest.ABORTED, rows));
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
  void aDecisionIsReplayed() throws Exception {
    long start = t.writeWithoutCell(ROW);
    long aborted = t.writeWithoutCell("s");
    long committed = commitAndDecide(start, ROW);
    abortAndDecide(aborted, 1);
    forget(start);
    t.crash();
    assertEquals(List.of(ROW + "{a=1}"), rows());
    assertEquals(List.of(CellVersion.committed(committed)), versions(ROW));
  }

  /** The replay has no decision in the log any more; the data is there. */
  @Test
  void aDecisionInAFileIsReplayed() throws Exception {
    long start = t.writeWithoutCell(ROW);
    long aborted = t.writeWithoutCell("s");
    long committed = commitAndDecide(start, ROW);
    abortAndDecide(aborted, 1);
    forget(start);
    t.flush(MARKS);
    t.crash();
    assertEquals(List.of(ROW + "{a=1}"), rows());
    assertEquals(List.of(CellVersion.committed(committed)), versions(ROW));
  }

  /** A flush of the marks has begun: the decision is in the memory that comes after. */
  @Test
  void aDecisionAmidAFlushOfMarksIsReplayed() throws Exception {
    long start = t.writeWithoutCell(ROW);
    t.oracle.abort(start);
    Hold hold = HeldStore.into(region()).holdNextFlushOfMarks();
    Future<?> flush =
        background.submit(
            () -> {
              t.flush(MARKS);
              return null;
            });
    hold.awaitReached();
    assertTrue(t.decide(start, CleanupRequest.ABORTED, 1));
    hold.release();
    flush.get();
    t.crash();
    assertEquals(List.of(), rows());
    t.reopen();
    assertEquals(List.of(), rows());
  }

  /** And its data is written by a flush amid the replay, before that reads the decision. */
  @Test
  void aFlushOfMarksWritesDecisionsThatCameMeanwhile() throws Exception {
    long start = t.writeWithoutCell(ROW);
    Hold hold = HeldStore.into(region()).holdNextFlushOfMarks();
    Future<?> flush =
        background.submit(
            () -> {
              t.flush(MARKS);
              return null;
            });
    hold.awaitReached();
    RefusedFlushes.in(region());
    fill();
    abortAndDecide(start, 1);
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
    abortAndDecide(start, 1);
    t.flush(RawTable.F);
    t.flush(MARKS);
    t.crash();
    assertEquals(List.of(), rows());
  }

  /** It was written before the replay read the decision; its mark is a cell then. */
  @Test
  void whatAReplayFilesIsCleanedUpAsItWasDecided() throws Exception {
    RefusedFlushes.in(region());
    long start = t.writeWithoutCell(ROW);
    long aborted = t.writeWithoutCell("s");
    fill();
    long committed = commitAndDecide(start, ROW);
    abortAndDecide(aborted, 1);
    forget(start);
    t.crash();
    assertTrue(region().getStore(MARKS).getStorefilesCount() > 1, "it has flushed amid the replay");
    assertEquals(List.of(ROW + "{a=1}"), rows());
    Fixture.eventually("its rows are cleaned up", () -> !marks().contains(ROW));
    assertEquals(List.of(ROW + "{a=1}"), rows());
    assertEquals(List.of(CellVersion.committed(committed)), versions(ROW));
  }

  /** Rows with marks that are cells, without making any. */
  private List<String> marks() throws IOException {
    List<String> rows = new ArrayList<>();
    try (RegionScanner scanner = region().getScanner(new Scan().addFamily(MARKS))) {
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

  /** Its second half has the row, and its decision is in the first one. */
  @Test
  void whatAReplayFilesIsCleanedUpBeforeTheRegionIsSplit() throws Exception {
    RefusedFlushes.in(region());
    long start = t.writeWithoutCell(ROW);
    fill();
    commitAndDecide(start, ROW);
    forget(start);
    t.crash();
    try (Admin admin = t.cluster.connection().getAdmin()) {
      admin
          .splitRegionAsync(region().getRegionInfo().getRegionName(), Bytes.toBytes("m"))
          .get(60, TimeUnit.SECONDS);
    }
    assertEquals(List.of(ROW + "{a=1}"), rows());
    t.reopen();
    assertEquals(List.of(ROW + "{a=1}"), rows());
  }

  /** What the client is told must not be lost with the memory; what is not, may come again. */
  @Test
  void aSecondCrashLosesNothing() throws Exception {
    RefusedFlushes.in(region());
    long start = t.writeWithoutCell(ROW);
    fill();
    commitAndDecide(start, ROW);
    forget(start);
    t.crash();
    t.crash();
    assertEquals(List.of(ROW + "{a=1}"), rows());
    Fixture.eventually("its rows are cleaned up", () -> !marks().contains(ROW));
    assertEquals(List.of(ROW + "{a=1}"), rows());
  }

  /** The part that replays needs no settings and no oracle. */
  @Test
  void aRegionThatRefusesTransactionsReplaysDecisions() throws Exception {
    long start = t.writeWithoutCell(ROW);
    long aborted = t.writeWithoutCell("s");
    long committed = commitAndDecide(start, ROW);
    abortAndDecide(aborted, 1);
    forget(start);
    describe("RETSO_CONFLICTS", "nonsense");
    t.crash();
    assertEquals(List.of(CellVersion.committed(committed)), versions(ROW));
    assertEquals(List.of(), versions("s"));
  }

  /** It closes as one in which no transactions work, and its halves are what they should be. */
  @Test
  void aRegionThatRefusesTransactionsCleansUpBeforeItIsSplit() throws Exception {
    RefusedFlushes.in(region());
    long start = t.writeWithoutCell(ROW);
    fill();
    commitAndDecide(start, ROW);
    forget(start);
    describe("RETSO_CONFLICTS", "nonsense");
    t.crash();
    describe("RETSO_CONFLICTS", "ROW");
    try (Admin admin = t.cluster.connection().getAdmin()) {
      admin
          .splitRegionAsync(region().getRegionInfo().getRegionName(), Bytes.toBytes("m"))
          .get(60, TimeUnit.SECONDS);
    }
    assertEquals(List.of(ROW + "{a=1}"), rows());
  }

  /** The server died before the region closed, which would have written what it had decided. */
  @Test
  void aRegionWhoseTableWasAlteredToVersion2ReplaysDecisions() throws Exception {
    long start = t.writeWithoutCell(ROW);
    long aborted = t.writeWithoutCell("s");
    long committed = commitAndDecide(start, ROW);
    abortAndDecide(aborted, 1);
    describe("RETSO_VERSION", "2");
    t.crash();
    assertEquals(List.of(ROW + "{a=1}"), rows());
    assertEquals(List.of(CellVersion.committed(committed)), versions(ROW));
    assertEquals(List.of(), versions("s"));
    t.write(t.oracle.begin(), "later", "a", "1");
    long later = t.oracle.begin();
    t.write(later, ROW, "a", "2"); // its mark is no cell
    assertFalse(t.decide(later, t.commit(later, ROW), 1), "it decides nothing any more");
  }

  @Test
  void aRegionWhoseTableWasAlteredToVersion2CleansUpWhatAReplayFiles() throws Exception {
    RefusedFlushes.in(region());
    long start = t.writeWithoutCell(ROW);
    long aborted = t.writeWithoutCell("s");
    fill();
    long committed = commitAndDecide(start, ROW);
    abortAndDecide(aborted, 1);
    describe("RETSO_VERSION", "2");
    t.crash();
    assertTrue(region().getStore(MARKS).getStorefilesCount() > 1, "it has flushed amid the replay");
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
