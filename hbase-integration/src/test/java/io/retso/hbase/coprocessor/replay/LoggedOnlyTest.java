package io.retso.hbase.coprocessor.replay;

import static io.retso.hbase.coprocessor.replay.LoggedOnly.DATA;
import static io.retso.hbase.coprocessor.replay.LoggedOnly.MARKS;
import static io.retso.hbase.coprocessor.replay.LoggedOnly.Q;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.coprocessor.replay.LoggedOnly.Notes;
import io.retso.hbase.embedded.EmbeddedHBase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What HBase does with cells that are in its log and not in its memory, with a region that it
 * replays, and with one that closes: outcomes that regions adopt rest on it; docs/decisions/0025.
 * Nothing of ReTSO is here.
 *
 * <p>Region servers are aborted, so the cluster is of this class alone.
 */
@Timeout(300)
class LoggedOnlyTest {
  private static Path directory;
  private static EmbeddedHBase hbase;
  private static Connection connection;
  private static Admin admin;
  private static int tables;

  private TableName name;
  private Notes notes;

  @BeforeAll
  static void start() throws Exception {
    directory = Files.createTempDirectory("retso-replay");
    hbase = EmbeddedHBase.in(directory).regionServers(2).start();
    connection = ConnectionFactory.createConnection(hbase.configuration());
    admin = connection.getAdmin();
  }

  @AfterAll
  static void stop() throws IOException {
    admin.close();
    connection.close();
    hbase.close();
    RetsoCluster.deleteAll(directory);
  }

  @BeforeEach
  void create() throws IOException {
    name = TableName.valueOf("replay-" + tables++);
    notes = LoggedOnly.notes(name);
    admin.createTable(
        TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(DATA).setMaxVersions(9).build())
            .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(MARKS).build())
            .setMemStoreFlushSize(1 << 20)
            .setCoprocessor(LoggedOnly.class.getName())
            .build());
  }

  private HRegionServer server() {
    return hbase.cluster().getLiveRegionServers().stream()
        .map(thread -> thread.getRegionServer())
        .filter(server -> !server.getRegions(name).isEmpty())
        .findFirst()
        .orElseThrow();
  }

  private HRegion region() {
    return server().getRegions(name).get(0);
  }

  private static Put put(String row) {
    return new Put(Bytes.toBytes(row)).addColumn(DATA, Q, 16, Q).addColumn(MARKS, Q, 16, Q);
  }

  private void put(Put put) throws IOException {
    try (Table table = connection.getTable(name)) {
      table.put(put);
    }
  }

  /** A row whose mark is in the log only. */
  private void putLoggedOnly(String row) throws IOException {
    put(put(row).setAttribute(LoggedOnly.IN_LOG_ONLY, Q));
  }

  /** A mark that is a cell, without data. */
  private void putMark(String row) throws IOException {
    put(new Put(Bytes.toBytes(row)).addColumn(MARKS, Q, 16, Q));
  }

  private String families(String row) throws IOException {
    try (Table table = connection.getTable(name)) {
      Result result = table.get(new Get(Bytes.toBytes(row)));
      return (result.containsColumn(MARKS, Q) ? "mark " : "")
          + (result.containsColumn(DATA, Q) ? "data" : "");
    }
  }

  /** The marks that the region has, with their sequence numbers, as {@link LoggedOnly#text}. */
  private List<String> marks() throws IOException {
    List<String> found = new ArrayList<>();
    try (RegionScanner scanner = region().getScanner(new Scan().addFamily(MARKS))) {
      List<Cell> cells = new ArrayList<>();
      boolean more = true;
      while (more) {
        more = scanner.next(cells);
        cells.forEach(cell -> found.add(LoggedOnly.text(cell)));
        cells.clear();
      }
    }
    return found;
  }

  private String noted(String row) {
    return row + "#" + notes.sequences.get(row);
  }

  private void flush(byte[]... families) throws IOException {
    region().flushcache(List.of(families), false, FlushLifeCycleTracker.DUMMY);
  }

  /** The server with the table dies; another one opens the region. */
  private void crash() throws Exception {
    HRegionServer dying = server();
    notes.events.clear();
    dying.abort("this test wants it");
    hbase.startRegionServer();
    Fixture.eventually(
        "the region on another server",
        () ->
            hbase.cluster().getLiveRegionServers().stream()
                .map(thread -> thread.getRegionServer())
                .filter(server -> server != dying)
                .flatMap(server -> server.getRegions(name).stream())
                .anyMatch(Region::isAvailable));
    families("a"); // as soon as it can be read
  }

  @Test
  void isNotInMemoryAndComesBackByReplay() throws Exception {
    putMark("0");
    putLoggedOnly("a");
    assertEquals("data", families("a"));
    crash();
    assertEquals("mark data", families("a"));
  }

  @Test
  void comesBackIfOnlyTheDataWasFlushed() throws Exception {
    putMark("0");
    putLoggedOnly("a");
    flush(DATA);
    crash();
    assertEquals("mark data", families("a"));
  }

  @Test
  void isLostIfItsFamilyWasFlushed() throws Exception {
    putMark("0");
    putLoggedOnly("a");
    flush(MARKS);
    crash();
    assertEquals("data", families("a"));
  }

  /**
   * HBase takes the edits of an empty memory for flushed, and leaves them out when it splits the
   * log. That is so once the master has heard of it; before, they come back.
   */
  @Test
  void isLostIfItsFamilyHadNothingInMemoryAtTheFlush() throws Exception {
    putLoggedOnly("a");
    flush(DATA, MARKS);
    assertEquals(List.of("flush", "writes d []", "wrote d"), notes.events.subList(1, 4));
    byte[] encodedName = region().getRegionInfo().getEncodedNameAsBytes();
    Fixture.eventually(
        "the master hears of the flush",
        () ->
            hbase
                    .cluster()
                    .getActiveMaster()
                    .getServerManager()
                    .getLastFlushedSequenceId(encodedName)
                    .getLastFlushedSequenceId()
                >= notes.sequences.get("a"));
    crash();
    assertEquals("data", families("a"));
  }

  @Test
  void aRegionWithoutMemoryIsNotFlushed() throws Exception {
    putLoggedOnly("a");
    flush(DATA);
    notes.events.clear();
    flush(MARKS);
    assertEquals(List.of("flush"), notes.events); // the hook comes before the look
    crash();
    assertEquals("mark data", families("a"));
  }

  /**
   * The flush at the end of a replay writes all marks before data, commits the marks first, and
   * runs without the hook for the region. While data is written the marks can be read, with the
   * sequence numbers that they had when they were put.
   */
  @Test
  void canBeReadByTheFlushThatEndsTheReplay() throws Exception {
    putMark("0");
    putLoggedOnly("a");
    putMark("adoption");
    assertTrue(notes.sequences.get("a") < notes.sequences.get("adoption"));
    List<String> all = List.of(noted("0"), noted("a"), noted("adoption"));
    crash();
    assertEquals(
        List.of("writes !p", "writes d " + all, "wrote !p", "wrote d", "open"),
        afterClosing(notes.events));
    assertEquals(all, marks());
  }

  /** What is in files is there, too. */
  @Test
  void canBeReadTogetherWithOlderFiles() throws Exception {
    putMark("adoption");
    flush(MARKS);
    putLoggedOnly("a");
    crash();
    assertTrue(
        notes.events.contains("writes d " + List.of(noted("a"), noted("adoption"))),
        notes.events::toString);
  }

  private static List<String> afterClosing(List<String> events) {
    return events.subList(events.lastIndexOf("closing") + 1, events.size());
  }

  /** A flush in the middle of a replay knows nothing of what comes later in the log. */
  @Test
  void aReplayFlushesBeforeItHasReadTheWholeLog() throws Exception {
    notes.refusesFlushes = true;
    putMark("0");
    putLoggedOnly("a");
    for (int i = 0; i < 3; i++) {
      put(new Put(Bytes.toBytes("large" + i)).addColumn(DATA, Q, new byte[500_000]));
    }
    putMark("adoption");
    crash();
    notes.refusesFlushes = false;
    List<String> data = notes.events.stream().filter(e -> e.startsWith("writes d")).toList();
    assertFalse(data.isEmpty(), notes.events::toString);
    assertFalse(data.get(0).contains("adoption"), data::toString);
    assertTrue(data.get(0).contains("a#"), data::toString);
    assertTrue(marks().contains(noted("adoption")), () -> notes.events.toString());
  }

  /**
   * A coprocessor that has something left to write can do it then, and is asked twice; the hook for
   * flushes is not called.
   */
  @Test
  void aClosingRegionTakesWritesOfItsCoprocessor() throws Exception {
    put(put("a"));
    notes.rowAtClose = "last";
    admin.disableTable(name);
    assertEquals(
        List.of("writes !p", "writes d " + List.of(noted("a")), "wrote !p", "wrote d"),
        afterClosing(notes.events));
    assertFalse(notes.events.contains("flush"), notes.events::toString);
    notes.rowAtClose = null;
    admin.enableTable(name);
    assertEquals("data", families("last"));
  }

  /**
   * A region may not be written as it opens, though HBase lets its coprocessor do so: the edit gets
   * a number from before those with which the region begins, which may have been used.
   */
  @Test
  void aRegionThatOpensGivesNumbersOfThePast() throws Exception {
    put(put("a"));
    notes.rowAtOpen = "first";
    admin.disableTable(name);
    admin.enableTable(name);
    assertEquals("data", families("first"));
    assertTrue(
        notes.sequences.get("first") < region().getOpenSeqNum(),
        () -> notes.sequences + ", " + region().getOpenSeqNum());
  }

  /**
   * Two cells with one key: a mark of the outcome on the cell itself, as a tag, would be lost if
   * the same cell is written once more by a late duplicate.
   */
  @Test
  void aCellThatIsWrittenAgainHidesTheFirstOneAndCompactionsDropThat() throws Exception {
    put(new Put(Bytes.toBytes("a")).addColumn(DATA, Q, 16, Bytes.toBytes("tagged")));
    flush(DATA);
    put(new Put(Bytes.toBytes("a")).addColumn(DATA, Q, 16, Bytes.toBytes("duplicate")));
    flush(DATA);
    assertEquals(2, cellsInFiles());
    assertEquals(List.of("duplicate"), versions());
    region().compact(true);
    assertEquals(1, cellsInFiles());
    assertEquals(List.of("duplicate"), versions());
  }

  private long cellsInFiles() {
    return region().getStore(DATA).getStorefiles().stream()
        .mapToLong(file -> file.getReader().getEntries())
        .sum();
  }

  /** All that a raw scan finds. */
  private List<String> versions() throws IOException {
    List<String> values = new ArrayList<>();
    try (Table table = connection.getTable(name);
        ResultScanner scanner =
            table.getScanner(
                new Scan().setRaw(true).readVersions(HConstants.ALL_VERSIONS).addFamily(DATA))) {
      for (Result result : scanner) {
        for (Cell cell : result.rawCells()) {
          values.add(
              Bytes.toString(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength()));
        }
      }
    }
    return values;
  }
}
