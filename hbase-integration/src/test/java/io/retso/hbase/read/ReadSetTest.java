package io.retso.hbase.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.RowId;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Reads;
import io.retso.hbase.table.IdSet;
import io.retso.hbase.table.PreparedTable;
import io.retso.protocol.OracleIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** What is remembered of reads. */
class ReadSetTest {
  private static final byte[] NAME = Bytes.toBytes("t");
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] Q = Bytes.toBytes("q");
  private static final long ROOM = 100_000;

  private final PreparedTable byRow = table(Conflicts.ROW);
  private final PreparedTable byCell = table(Conflicts.CELL);
  private final ReadSet reads = ReadSet.tracked();

  private static PreparedTable table(Conflicts conflicts) {
    return new PreparedTable(
        TableDescriptorBuilder.newBuilder(TableName.valueOf(NAME)).build(),
        new TableSettings(
            conflicts, Reads.SERVER, new OracleIdentity(new UUID(1, 2), "main"), "a:1"),
        null,
        null,
        null,
        0);
  }

  private static byte[] row(String text) {
    return Bytes.toBytes(text);
  }

  private static Result result(String row) {
    return Result.create(List.of(new KeyValue(row(row), F, Q, 1, Bytes.toBytes("v"))));
  }

  private static long id(String row) {
    return RowId.of(NAME, row(row));
  }

  private static long[] sorted(long... ids) {
    return LongStream.of(ids).sorted().toArray();
  }

  private void expectIds(long... ids) {
    assertArrayEquals(sorted(ids), sorted(reads.ids(new IdSet(), ROOM).ids()));
  }

  /** With what bulk writers name, if there is any. */
  private void expectRanges(long... ids) {
    long[] all =
        ids.length == 0
            ? ids
            : LongStream.concat(LongStream.of(ids), LongStream.of(byRow.granules().bulk()))
                .toArray();
    assertArrayEquals(sorted(all), sorted(reads.ids(new IdSet(), ROOM).ranges()));
  }

  @Test
  void getsAreRows() {
    assertFalse(reads.hasReads());
    reads.add(
        byRow,
        List.of(
            new Get(row("a")),
            new Get(row("b")).addColumn(F, Q).setFilter(new PageFilter(1)),
            new Get(row("a")).setCheckExistenceOnly(true)));
    expectIds(id("a"), id("b"));
    expectRanges();
    assertTrue(reads.hasReads());
  }

  @Test
  void withConflictsByCellTheyAreTheCellsThatAreNamed() {
    reads.add(
        byCell,
        List.of(
            new Get(row("a")).addColumn(F, Q).addColumn(F, F),
            new Get(row("b")).addColumn(F, Q).addFamily(Q),
            new Get(row("c")).setFilter(new PageFilter(1)),
            new Get(row("d")).addColumn(F, Q).setMaxResultsPerColumnFamily(1)));
    expectIds(
        RowId.of(NAME, row("a"), F, Q),
        RowId.of(NAME, row("a"), F, F),
        RowId.of(NAME, row("d"), F, Q));
    expectRanges(RowId.rowGranule(NAME, row("b")), RowId.rowGranule(NAME, row("c")));
  }

  @Test
  void whatIsWrittenNeedsNoCertificateIfItIsTheSameId() {
    reads.add(byCell, List.of(new Get(row("a")).addColumn(F, Q), new Get(row("b"))));
    IdSet written = new IdSet();
    written.add(RowId.of(NAME, row("a"), F, Q));
    written.add(RowId.of(NAME, row("b"), F, Q));
    written.add(RowId.rowGranule(NAME, row("b")));
    ReadSet.Ids ids = reads.ids(written, ROOM);
    assertEquals(0, ids.ids().length);
    assertArrayEquals(
        sorted(RowId.rowGranule(NAME, row("b")), byCell.granules().bulk()), sorted(ids.ranges()));
  }

  private ScanRange scan(Scan scan) {
    return reads.scan(byRow, scan);
  }

  private static long granule(int bytes, String key) {
    return RowId.granule(NAME, bytes, row(key));
  }

  private static long shortKey(String key) {
    return RowId.rowGranule(NAME, row(key));
  }

  @Test
  void aScanIsReadUpToTheLastRowThatWasTaken() {
    ScanRange range = scan(new Scan().withStartRow(row("k1.3")).withStopRow(row("z")));
    assertFalse(reads.hasReads(), "nothing was taken");
    range.reached(result("k1.3"));
    range.reached(result("k1.4"));
    range.ended(false);
    expectRanges(granule(4, "k1.3"), shortKey("k1.4"));
  }

  @Test
  void anAbandonedScanIsReadSoFar() {
    scan(new Scan().withStartRow(row("k1"))).reached(result("k1"));
    expectIds(id("k1"));
    expectRanges();
  }

  /** One that is left may be so until the commit, and the application has the arrays. */
  @Test
  void aScanIsReadWhereItWasWhateverBecomesOfItsKeys() {
    byte[] start = row("k1.3");
    byte[] stop = row("k1.9");
    Result first = result("k1.4");
    scan(new Scan().withStartRow(start).withStopRow(stop)).reached(first);
    byte[] only = row("k2");
    scan(new Scan().withStartRow(only)).reached(result("k2"));
    for (byte[] array : List.of(start, stop, first.getRow(), only)) {
      array[0] = 'x';
    }
    expectRanges(granule(4, "k1.3"), shortKey("k1.4"));
    expectIds(id("k2"));
  }

  @Test
  void anExhaustedScanIsReadToItsEnd() {
    scan(new Scan().withStartRow(row("k1.1")).withStopRow(row("k1.3"))).ended(true);
    expectRanges(granule(4, "k1.1"), granule(4, "k1.2"));
    expectIds();
  }

  @Test
  void aReversedScanIsReadDownToTheLastRow() {
    ScanRange range =
        scan(new Scan().setReversed(true).withStartRow(row("k1.3")).withStopRow(row("k")));
    range.reached(result("k1.2"));
    expectRanges(granule(4, "k1.2"), shortKey("k1.3"));
  }

  @Test
  void scansOfAllAreTheTable() {
    scan(new Scan()).ended(true);
    expectRanges(byRow.granules().whole());
  }

  @Test
  void aScanOfOneRowIsThatRow() {
    scan(new Scan().withStartRow(row("a")).withStopRow(row("a"), true)).ended(true);
    expectIds(id("a"));
    expectRanges();
  }

  @Test
  void manyReadsBecomeGranulesAndThenTheTable() {
    List<Get> gets = new ArrayList<>();
    for (int i = 0; i < ReadSet.EXACT_MAX; i++) {
      gets.add(new Get(Bytes.toBytes(i)));
    }
    reads.add(byRow, gets);
    reads.add(byRow, gets); // the same again
    expectRanges();
    assertEquals(ReadSet.EXACT_MAX, reads.ids(new IdSet(), ROOM).ids().length);
    byte[] more = new byte[40];
    more[39] = 1; // all but its last bytes are those of the next one
    reads.add(byRow, List.of(new Get(more.clone())));
    more[39] = 2;
    reads.add(byRow, List.of(new Get(more)));
    expectRanges(RowId.granule(NAME, 32, more));
    for (int i = 0; i < 10 * ReadSet.COARSE_MAX; i++) {
      reads.add(byRow, List.of(new Get(Bytes.toBytes((i + 1) * 0x9E3779B97F4A7C15L))));
    }
    ReadSet.Ids ids = reads.ids(new IdSet(), ROOM);
    assertEquals(ReadSet.EXACT_MAX, ids.ids().length);
    assertTrue(ids.ranges().length <= ReadSet.COARSE_MAX + 1);
    assertTrue(LongStream.of(ids.ranges()).anyMatch(id -> id == byRow.granules().whole()));
    scan(new Scan().withStartRow(row("k1.1")).withStopRow(row("k1.3"))).ended(true);
    assertTrue(reads.ids(new IdSet(), ROOM).ranges().length <= ReadSet.IDS_MAX);
  }

  @Test
  void scansThatAreNeverEndedAreFew() {
    for (int i = 0; i < ReadSet.OPEN_MAX; i++) {
      scan(new Scan().withStartRow(row("k1.1")).withStopRow(row("k1.3")));
    }
    assertFalse(reads.hasReads());
    scan(new Scan().withStartRow(row("k1.1")).withStopRow(row("k1.3")));
    expectRanges(granule(4, "k1.1"), granule(4, "k1.2"));
  }

  @Test
  void withoutRoomItIsTheTables() {
    reads.add(byRow, List.of(new Get(row("a")), new Get(row("b"))));
    ReadSet.Ids ids = reads.ids(new IdSet(), 1);
    assertEquals(0, ids.ids().length);
    assertArrayEquals(
        sorted(byRow.granules().whole(), byRow.granules().bulk()), sorted(ids.ranges()));
  }

  @Test
  void othersRememberNothing() {
    ReadSet.UNTRACKED.add(byRow, List.of(new Get(row("a"))));
    ReadSet.UNTRACKED.scan(byRow, new Scan()).ended(true);
    assertFalse(ReadSet.UNTRACKED.hasReads());
  }
}
