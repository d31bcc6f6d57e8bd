package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.coprocessor.HeldBatch.Hold;
import io.retso.hbase.layout.ChangedRow;
import io.retso.hbase.layout.FirstChange;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.ReadAttribute;
import io.retso.hbase.layout.Refusal;
import io.retso.hbase.resolve.SnapshotRequests;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Readers while a flush moves the versions of transactions that the region has adopted: nothing is
 * missed, and nothing comes twice.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class MovedCellsTest {
  private static final String ROW = "r";

  private final ExecutorService background = Executors.newCachedThreadPool();
  private RawTable t;
  private HRegion region;
  private HeldStore held;
  private long pending;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = RawTable.adopting(cluster);
    region = t.regions().get(0);
    held = HeldStore.into(region);
    pending = t.oracle.begin();
    t.write(pending, "0", "a", "pending"); // its mark is a cell
  }

  @AfterEach
  void drop() throws Exception {
    background.shutdownNow();
    assertTrue(background.awaitTermination(60, TimeUnit.SECONDS));
    t.close();
  }

  /** A committed write of one row that the region has adopted. */
  private void adopted(String row, String value) throws IOException {
    adopted(row, value, start -> t.commit(start, row));
  }

  private void aborted(String row) throws IOException {
    adopted(
        row,
        "aborted",
        start -> {
          t.oracle.abort(start);
          return Outcome.ABORTED;
        });
  }

  /** After a flush of marks the first one is a cell, and its transaction is not adopted. */
  private void adopted(String row, String value, LongUnaryOperator end) throws IOException {
    for (int i = 0; i < 10; i++) {
      long start = t.oracle.begin();
      t.write(start, row, "a", value);
      long outcome = end.applyAsLong(start);
      if (t.adopt(start, outcome, 1)) {
        return;
      }
      t.cleanUp(start, outcome, row);
      t.write(t.oracle.begin(), "0", "a", "pending");
    }
    throw new AssertionError("its mark was a cell each time");
  }

  /** The rows a to e, aborted ones among them, and one that is in doubt in both families. */
  private void rows() throws IOException {
    for (String row : List.of("a", "b", "c", "d", "e")) {
      adopted(row, "1");
    }
    aborted("ba");
    aborted("f");
    inDoubt("bb");
  }

  /** Its mark is a cell, as it is not logged: so the row is read a second time. */
  private void inDoubt(String row) throws IOException {
    long open = t.oracle.begin();
    Put put = RawTable.put(open, row, "b", "pending");
    put.addColumn(RawTable.G, b("c"), open, b("pending")).setDurability(Durability.SKIP_WAL);
    t.table.put(put);
  }

  private static String text(Result row) {
    return Bytes.toString(row.getRow());
  }

  /** The rows of a scan that gets them one by one; the flush comes after the first. */
  private List<String> scanned(Scan scan) throws IOException {
    ReadAttribute.set(scan, RawTable.FINGERPRINT, t.oracle.begin());
    return scannedAsIs(scan);
  }

  private List<String> scannedAsIs(Scan scan) throws IOException {
    List<String> rows = new ArrayList<>();
    try (ResultScanner scanner = t.table.getScanner(scan.setCaching(1))) {
      rows.add(text(scanner.next()));
      t.flush();
      scanner.forEach(row -> rows.add(text(row)));
    }
    return rows;
  }

  @Test
  void aScanSeesWhatMovesBetweenItsRows() throws IOException {
    rows();
    assertEquals(List.of("a", "b", "c", "d", "e"), scanned(new Scan()));
  }

  @Test
  void aReversedScanSeesWhatMovesBetweenItsRows() throws IOException {
    rows();
    assertEquals(List.of("e", "d", "c", "b", "a"), scanned(new Scan().setReversed(true)));
  }

  @Test
  void aScanSeesItsLastRowThoughThatMoves() throws IOException {
    rows();
    Scan two = new Scan().withStartRow(Bytes.toBytes("d"));
    assertEquals(List.of("d", "e"), scanned(two));
  }

  @Test
  void limitsAndFiltersCountEachRowOnce() throws IOException {
    rows();
    assertEquals(List.of("a", "b", "c"), scanned(new Scan().setLimit(3)));
    rows();
    assertEquals(List.of("a", "b", "c"), scanned(new Scan().setFilter(new PageFilter(3))));
    rows();
    Scan whole = new Scan().setFilter(new WhileMatchFilter(new FilterList()));
    assertEquals(List.of("a", "b", "c", "d", "e"), scanned(whole));
    rows();
    assertEquals(List.of("a", "b", "c", "d", "e"), scanned(new Scan().setBatch(1)));
  }

  /** The flush is committed amid the search for the row behind one that is not shown. */
  private List<String> scannedOverDoubt(Scan scan) throws Exception {
    ReadAttribute.set(scan, RawTable.FINGERPRINT, t.oracle.begin());
    List<String> rows = new ArrayList<>();
    try (ResultScanner scanner = t.table.getScanner(scan.setCaching(1))) {
      rows.add(text(scanner.next()));
      rows.add(text(scanner.next()));
      Result next = amid(scanner::next);
      for (; next != null; next = scanner.next()) {
        rows.add(text(next));
      }
    }
    return rows;
  }

  @Test
  void aScanSeesWhatMovesWhileItLooksForARow() throws Exception {
    rows();
    assertEquals(List.of("a", "b", "c", "d", "e"), scannedOverDoubt(new Scan()));
    rows();
    assertEquals(List.of("d", "c", "b", "a"), scannedOverDoubt(reversedFrom("d")));
  }

  private static Scan reversedFrom(String row) {
    return new Scan().setReversed(true).withStartRow(b(row));
  }

  @Test
  void aFilterThatCountsRowsSeesNoneThatIsReadAgain() throws Exception {
    rows();
    Scan scan = new Scan().setFilter(new PageFilter(3));
    assertEquals(List.of("a", "b", "c"), scannedOverDoubt(scan));
  }

  @Test
  void aScanLooksOnceMoreAtItsEnd() throws Exception {
    rows();
    Scan scan = new Scan().withStopRow(b("c"), true);
    assertEquals(List.of("a", "b", "c"), scannedOverDoubt(scan));
  }

  /** Has the versions of family f moved while {@code read} has its scanner on f, and none on g. */
  private <T> T amid(Callable<T> read) throws Exception {
    Hold reading = held.holdNextRead();
    Future<T> result = background.submit(read);
    reading.awaitReached();
    held.beginFlush();
    Future<?> flush = background.submit(() -> region.flush(true));
    Fixture.eventually("family f is committed", () -> flush.isDone() || held.isFamilyFCommitted());
    reading.release();
    flush.get();
    return result.get();
  }

  @Test
  void aGetSeesWhatMovesMeanwhile() throws Exception {
    adopted(ROW, "1");
    assertEquals(Map.of("a", "1"), amid(() -> t.read(t.oracle.begin(), ROW)));
    aborted(ROW);
    assertEquals(Map.of("a", "1"), amid(() -> t.read(t.oracle.begin(), ROW)));
    adopted(ROW, "2");
    assertEquals(Map.of("a", "2"), amid(() -> t.read(t.oracle.begin(), ROW)));
    adopted(ROW, null);
    assertEquals(Map.of(), amid(() -> t.read(t.oracle.begin(), ROW)));
  }

  @Test
  void aGetWithAFilterSeesWhatMovesMeanwhile() throws Exception {
    adopted(ROW, "1");
    Get get = RawTable.get(t.oracle.begin(), ROW).setFilter(new PageFilter(1));
    assertEquals(Map.of("a", "1"), amid(() -> RawTable.map(t.table.get(get))));
    adopted("s", "1");
    Get exists = RawTable.get(t.oracle.begin(), "s").setCheckExistenceOnly(true);
    assertTrue(amid(() -> t.table.exists(exists)));
  }

  @Test
  void aPlainGetSeesWhatMovesMeanwhile() throws Exception {
    adopted(ROW, "1");
    assertEquals(Map.of("a", "1"), amid(() -> RawTable.map(t.table.get(new Get(b(ROW))))));
    adopted("s", "1");
    Get filtered = new Get(b("s")).setFilter(new PageFilter(1));
    assertEquals(Map.of("a", "1"), amid(() -> RawTable.map(t.table.get(filtered))));
  }

  /** A compaction makes it read again; then a flush comes. */
  @Test
  void aGetThatIsReadAgainSeesWhatMovesMeanwhile() throws Exception {
    t.update("a", "a", "0");
    t.flush(RawTable.F);
    Store marks = region.getStore(PendingWrite.family());
    Fixture.eventually("they follow", () -> marks.getMemStoreSize().getCellsCount() == 0);
    region.waitForFlushes();
    t.write(t.oracle.begin(), "0", "a", "pending"); // its mark is a cell
    adopted(ROW, "1");
    assertEquals(1, t.cells(ROW).size(), "the region has adopted the first");
    Hold first = held.holdNextRead();
    Future<Result> get = background.submit(() -> t.table.get(new Get(b(ROW))));
    first.awaitReached();
    t.compact();
    Result result =
        amid(
            () -> {
              first.release();
              return get.get();
            });
    assertEquals(Map.of("a", "1"), RawTable.map(result));
  }

  private static byte[] b(String text) {
    return Bytes.toBytes(text);
  }

  private static Scan dataScan() {
    return new Scan().addFamily(RawTable.F).addFamily(RawTable.G);
  }

  @Test
  void aPlainScanSeesWhatMovesBetweenItsRows() throws Exception {
    rows();
    Scan plain = dataScan().withStartRow(b("c")).withStopRow(b("f"));
    List<String> all = List.of("c", "d", "e");
    assertEquals(all, scannedAsIs(new Scan(plain)));
    rows();
    Scan filtered = new Scan(plain).setFilter(new WhileMatchFilter(new FilterList()));
    assertEquals(all, scannedAsIs(filtered));
    rows();
    assertEquals(all, amid(() -> scannedWithoutAFlush(plain)));
  }

  /** It has looked whether cells have moved, and has read nothing of the row yet. */
  @Test
  void aPlainScanSeesWhatMovesWithinARow() throws Exception {
    rows();
    Hold reading = HeldScanner.into(region).holdNext();
    Scan plain = dataScan().withStartRow(b("c")).withStopRow(b("f"));
    Future<List<String>> scanned = background.submit(() -> scannedWithoutAFlush(plain));
    reading.awaitReached();
    t.flush();
    reading.release();
    assertEquals(List.of("c", "d", "e"), scanned.get());
  }

  private List<String> scannedWithoutAFlush(Scan scan) throws IOException {
    List<String> rows = new ArrayList<>();
    try (ResultScanner scanner = t.table.getScanner(scan)) {
      scanner.forEach(row -> rows.add(text(row)));
    }
    return rows;
  }

  /**
   * In column a is a version that moves; the others keep the row in doubt. The flush does not end
   * before the row is read.
   */
  @Test
  void aRowInDoubtThatIsReadAgainSeesWhatMovesMeanwhile() throws Exception {
    adopted("a", "1");
    adopted(ROW, "1");
    inDoubt(ROW);
    Scan scan = new Scan().setCaching(1);
    ReadAttribute.set(scan, RawTable.FINGERPRINT, t.oracle.begin());
    try (ResultScanner scanner = t.table.getScanner(scan)) {
      assertEquals("a", text(scanner.next()));
      Hold commit = held.holdNextCommit();
      Result next =
          amid(
              () -> {
                try {
                  return scanner.next();
                } finally {
                  commit.release();
                }
              });
      assertNotNull(next);
      assertEquals(Map.of("a", "1"), RawTable.map(next));
    }
  }

  private String watched(long timestamp, String row) throws IOException {
    Result result =
        t.table.get(SnapshotRequests.validating(new Get(b(row)), RawTable.FINGERPRINT, timestamp));
    return ChangedRow.is(result) ? "changed" : RawTable.map(result).toString();
  }

  private long firstChange(long from, long upTo) throws IOException {
    return FirstChange.of(
        t.table.get(
            SnapshotRequests.firstChange(new Get(b(ROW)), RawTable.FINGERPRINT, from, upTo)));
  }

  /** It began before the snapshot and committed after it, and nothing in its cell tells. */
  @Test
  void aValidatingGetAndTheFirstChangeSeeWhatWasAdoptedFromBelow() throws Exception {
    adopted(ROW, "1");
    long start = t.oracle.begin();
    t.write(start, ROW, "a", "2");
    long below = t.oracle.begin();
    long committed = t.commit(start, ROW);
    long above = t.oracle.begin();
    assertTrue(t.adopt(start, committed, 1));
    assertEquals("changed", watched(below, ROW));
    assertEquals("{a=2}", watched(above, ROW));
    assertEquals(committed, firstChange(below, above));
    assertEquals(FirstChange.NONE, firstChange(above, t.oracle.begin()));
    assertEquals(Map.of("a", "1"), t.read(below, ROW));
    assertEquals("changed", amid(() -> watched(below, ROW)));
    assertEquals(committed, firstChange(below, above));
  }

  @Test
  void theFirstChangeSeesWhatMovesMeanwhile() throws Exception {
    long below = t.oracle.begin();
    adopted(ROW, "1");
    long above = t.oracle.begin();
    assertTrue(amid(() -> firstChange(below, above)) < above);
  }

  @Test
  void anAbortedTransactionIsNoChange() throws Exception {
    adopted(ROW, "1");
    long start = t.oracle.begin();
    t.write(start, ROW, "a", "2");
    long below = t.oracle.begin();
    t.oracle.abort(start);
    assertTrue(t.adopt(start, Outcome.ABORTED, 1));
    assertEquals("{a=1}", watched(below, ROW));
    assertEquals(FirstChange.NONE, firstChange(below, t.oracle.begin()));
    assertEquals("{a=1}", amid(() -> watched(below, ROW)));
  }

  @Test
  void adoptedRowsAreReadWithoutTheOracleAndWithoutMarks() throws Exception {
    rows();
    long reader = t.oracle.begin();
    long doubts = RawTable.count("inDoubtRows");
    Scan rows = new Scan().withStartRow(b("c"));
    assertEquals(3, t.scan(reader, rows).size());
    assertEquals(Map.of(), t.read(reader, "f"));
    assertEquals(doubts, RawTable.count("inDoubtRows"));
  }

  /** What cannot be asked for: the region would not vouch for a mark that is a cell. */
  private void adoptThoughItsMarkIsACell(long start, long outcome)
      throws ReflectiveOperationException {
    Object outcomes = InsideRegion.call(InsideRegion.region(region), "outcomes");
    Method adopted = outcomes.getClass().getMethod("adopted", long.class, long.class);
    adopted.invoke(outcomes, start, outcome);
  }

  /** As a region finds it at opening, after a crash; the horizon may be above. */
  @Test
  void anAdoptionCountsThoughAMarkIsThereAndTheHorizonIsAbove() throws Exception {
    t.flush();
    long start = t.writeWithCell(ROW);
    long committed = t.commit(start, ROW);
    adoptThoughItsMarkIsACell(start, committed);
    t.oracle.cleanedUp(start);
    t.oracle.abort(pending);
    t.snapshot();
    t.flush(PendingWrite.family());
    IOException refused = assertThrows(IOException.class, () -> t.read(start, ROW));
    assertEquals(Refusal.SNAPSHOT_TOO_OLD, Refusal.of(refused));
    inDoubt(ROW);
    assertEquals(Map.of("a", "1"), t.read(t.oracle.begin(), ROW));
    t.cleanUp(start, Outcome.ABORTED, ROW);
    assertEquals(
        List.of(committed + 1),
        t.cells(ROW).stream()
            .filter(cell -> CellUtil.matchingQualifier(cell, b("a")))
            .map(Cell::getTimestamp)
            .toList());
  }

  /**
   * A late duplicate comes after the transaction was cleaned up and forgotten, and is removed. A
   * scanner from before all that still shows the version, which is not that of an aborted one.
   */
  @Test
  void whatIsForgottenIsNotTakenForAborted() throws Exception {
    t.update("a", "a", "1");
    long start = t.oracle.begin();
    t.write(start, ROW, "a", "1");
    long committed = t.commit(start, ROW);
    Scan scan = new Scan().setCaching(1);
    ReadAttribute.set(scan, RawTable.FINGERPRINT, t.oracle.begin());
    try (ResultScanner scanner = t.table.getScanner(scan)) {
      assertEquals("a", text(scanner.next()));
      t.cleanUp(start, committed, ROW);
      t.oracle.cleanedUp(start);
      t.write(start, ROW, "a", "1");
      t.cleanUp(start, Outcome.ABORTED, ROW); // as is done with what is forgotten
      Result next = scanner.next();
      assertNotNull(next);
      assertEquals(ROW, text(next));
    }
  }
}
