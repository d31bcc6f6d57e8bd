package io.retso.hbase.coprocessor;

import static io.retso.hbase.coprocessor.AdoptingTable.MARKS;
import static io.retso.hbase.coprocessor.AdoptingTable.ROW;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableDescriptors;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.regionserver.wal.AbstractFSWAL;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.JVMClusterUtil.RegionServerThread;
import org.apache.hadoop.hbase.wal.WAL;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALFactory;
import org.apache.hadoop.hbase.wal.WALSplitter;
import org.apache.hadoop.hbase.wal.WALStreamReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tables with transactions that are not cleaned up, and what HBase has besides reads and writes:
 * snapshots, read-only tables, copies of the log, and logs that are split to files.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(180)
class UncleanedTablesTest {
  private AdoptingTable t;
  private Admin admin;

  /** Adopted. */
  private long start;

  private long committed;

  /** Committed, and not cleaned up. */
  private long uncleaned;

  private long uncleanedAt;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new AdoptingTable(cluster, table -> table.setMemStoreFlushSize(1 << 20));
    admin = cluster.connection().getAdmin();
  }

  @AfterEach
  void drop() throws Exception {
    admin.close();
    t.close();
  }

  /** Rows r (committed), s (aborted), u (committed, with its mark) and first (pending). */
  private void write() throws IOException {
    start = t.writeWithoutCell(ROW);
    long aborted = t.writeWithoutCell("s");
    uncleaned = t.writeWithoutCell("u");
    committed = t.commitAndAdopt(start, ROW);
    t.abortAndAdopt(aborted, 1);
    uncleanedAt = t.commit(uncleaned, "u");
  }

  private List<String> rows() throws IOException {
    List<String> rows = new ArrayList<>(t.scan(t.oracle.begin(), new Scan()));
    rows.removeIf(row -> row.startsWith("large"));
    return rows;
  }

  private List<Long> versions(TableName name, String row) throws IOException {
    try (Table table = t.cluster.connection().getTable(name)) {
      Result found = table.get(new Get(Bytes.toBytes(row)).readAllVersions());
      return found.isEmpty() ? List.of() : AdoptingTable.versions(found.listCells());
    }
  }

  private void modify(TableName name, TableDescriptorBuilder table) throws IOException {
    assertEquals(name, table.build().getTableName());
    admin.modifyTable(table.build());
  }

  private TableDescriptorBuilder now() throws IOException {
    return TableDescriptorBuilder.newBuilder(admin.getDescriptor(t.name));
  }

  // Snapshots.

  /** It flushes first, so nothing in it needs the log or the region's memory. */
  @Test
  void aCloneHasWhatWasAdoptedAtItsPlaceAndMarksOfTheRest() throws Exception {
    write();
    TableName clone = t.cluster.freshName("clone");
    admin.snapshot("of-" + clone, t.name);
    admin.cloneSnapshot("of-" + clone, clone);
    try {
      assertEquals(List.of(CellVersion.committed(committed)), versions(clone, ROW));
      assertEquals(List.of(), versions(clone, "s"));
      assertEquals(List.of(uncleaned), versions(clone, "u"));
      assertEquals(List.of(t.first), versions(clone, "first"));
      try (Table table = t.cluster.connection().getTable(clone)) {
        for (String row : List.of("u", "first")) {
          Get mark = new Get(Bytes.toBytes(row)).addFamily(MARKS);
          assertTrue(PendingWrite.isWellFormed(table.get(mark).rawCells()[0]), row);
        }
        CleanupRequest request = new CleanupRequest(Bytes.toBytes("u"), uncleaned, uncleanedAt);
        IOException e = assertThrows(IOException.class, () -> table.put(request.toPut()));
        assertTrue(e.getMessage().contains("copy of table " + t.name), e.getMessage());
      }
    } finally {
      admin.deleteSnapshot("of-" + clone);
      admin.disableTable(clone);
      admin.deleteTable(clone);
    }
    assertEquals(List.of(ROW + "{a=1}", "u{a=1}"), rows());
  }

  /** What the oracle still knows is as it was; what it has forgotten since, it has aborted. */
  @Test
  void aRestoredTableGoesOnFromItsSnapshot() throws Exception {
    long forgotten = t.writeWithoutCell("v");
    long forgottenAt = t.commit(forgotten, "v");
    write();
    String snapshot = "of-" + t.name;
    admin.snapshot(snapshot, t.name);
    t.cleanUp(uncleaned, uncleanedAt, "u");
    t.cleanUp(forgotten, forgottenAt, "v");
    t.forget(forgotten);
    t.update("later", "a", "1");
    assertEquals(List.of("later{a=1}", ROW + "{a=1}", "u{a=1}", "v{a=1}"), rows());
    admin.disableTable(t.name);
    admin.restoreSnapshot(snapshot);
    admin.enableTable(t.name);
    admin.deleteSnapshot(snapshot);
    assertEquals(List.of(ROW + "{a=1}", "u{a=1}"), rows());
    assertEquals(List.of("first", "u", "v"), t.rowsWithMarks());
    t.cleanUp(uncleaned, uncleanedAt, "u");
    t.cleanUp(forgotten, Outcome.ABORTED, "v");
    t.write(t.oracle.begin(), "other", "a", "1"); // its mark is a cell
    t.commitAndAdopt(t.writeWithoutCell("w"), "w");
    t.flush();
    assertEquals(List.of(ROW + "{a=1}", "u{a=1}", "w{a=1}"), rows());
    assertEquals(List.of(CellVersion.committed(uncleanedAt)), versions(t.name, "u"));
  }

  // Read-only tables.

  @Test
  void aReadOnlyTableIsReadAsItIsAndCleanedUpAfterwards() throws Exception {
    write();
    modify(t.name, now().setReadOnly(true));
    assertEquals(List.of(ROW + "{a=1}", "u{a=1}"), rows());
    assertEquals(List.of(CellVersion.committed(committed)), versions(t.name, ROW));
    assertThrows(IOException.class, () -> t.cleanUp(uncleaned, uncleanedAt, "u"));
    assertThrows(IOException.class, () -> t.adopt(t.first, Outcome.ABORTED, 1));
    assertEquals(List.of("first", "u"), t.rowsWithMarks());
    t.reopen();
    assertEquals(List.of(ROW + "{a=1}", "u{a=1}"), rows());
    modify(t.name, now().setReadOnly(false));
    t.cleanUp(uncleaned, uncleanedAt, "u");
    assertEquals(List.of("first"), t.rowsWithMarks());
    assertEquals(List.of(ROW + "{a=1}", "u{a=1}"), rows());
  }

  /**
   * Its server died as the table was altered: rows are to be cleaned up, and nothing is written.
   */
  @Test
  void aReadOnlyRegionClosesWithRowsThatWereAdopted() throws Exception {
    RefusedFlushes.in(t.region());
    start = t.writeWithoutCell(ROW);
    fill();
    committed = t.commitAndAdopt(start, ROW);
    t.forget(start);
    TableDescriptors descriptors =
        t.cluster.hbase().cluster().getActiveMaster().getTableDescriptors();
    descriptors.update(now().setReadOnly(true).build());
    t.crash();
    HRegionServer server = server();
    assertEquals(List.of(ROW + "{a=1}"), rows());
    t.reopen();
    assertEquals(List.of(ROW + "{a=1}"), rows());
    assertEquals(List.of(start), versions(t.name, ROW));
    modify(t.name, now().setReadOnly(false));
    assertFalse(server.isAborted() || server.isStopped(), "the region could not be closed");
    Fixture.eventually(
        "cleaned up",
        () -> versions(t.name, ROW).equals(List.of(CellVersion.committed(committed))));
    assertEquals(List.of(ROW + "{a=1}"), rows());
  }

  private HRegionServer server() {
    return t.cluster.hbase().cluster().getLiveRegionServers().stream()
        .map(RegionServerThread::getRegionServer)
        .filter(server -> !server.getRegions(t.name).isEmpty())
        .findFirst()
        .orElseThrow();
  }

  /** More than a memory, so that a replay flushes before it reads what comes behind. */
  private void fill() throws IOException {
    for (int i = 0; i < 3; i++) {
      Put put = new Put(Bytes.toBytes("large" + i));
      t.table.put(put.addColumn(RawTable.F, Bytes.toBytes("a"), 17, new byte[500_000]));
    }
  }

  // Logs that are split to files.

  private void splitLogsToFiles(boolean isOn) {
    for (RegionServerThread thread : t.cluster.hbase().cluster().getLiveRegionServers()) {
      Configuration configuration = thread.getRegionServer().getConfiguration();
      if (isOn) {
        configuration.setBoolean(WALSplitter.WAL_SPLIT_TO_HFILE, true);
      } else {
        configuration.unset(WALSplitter.WAL_SPLIT_TO_HFILE);
      }
    }
  }

  @Test
  void transactionsAreRefusedWhereLogsAreSplitToFiles() throws Exception {
    write();
    splitLogsToFiles(true);
    try {
      t.reopen();
      IOException e = assertThrows(IOException.class, () -> t.write(t.first, "x", "a", "1"));
      assertTrue(e.getMessage().contains("set it to false"), e.getMessage());
      e = assertThrows(IOException.class, t::read);
      assertTrue(e.getMessage().contains(WALSplitter.WAL_SPLIT_TO_HFILE), e.getMessage());
    } finally {
      splitLogsToFiles(false);
    }
    t.reopen();
    assertEquals(List.of(ROW + "{a=1}", "u{a=1}"), rows());
    assertEquals(List.of(CellVersion.committed(committed)), versions(t.name, ROW));
  }

  // Copies of the log.

  /** As HBase's WALPlayer does: each edit is put into the table, and nothing else. */
  private void replayed(List<Mutation> edits, byte[]... splits) throws Exception {
    TableDescriptor ours = admin.getDescriptor(t.name);
    TableDescriptor plain =
        TableDescriptorBuilder.newBuilder(ours)
            .removeCoprocessor(TransactionRegionObserver.class.getName())
            .build();
    admin.disableTable(t.name);
    admin.deleteTable(t.name);
    admin.createTable(plain, splits);
    t.table.batch(edits, new Object[edits.size()]);
    admin.modifyTable(ours);
  }

  private List<Mutation> log() throws Exception {
    AbstractFSWAL<?> wal = (AbstractFSWAL<?>) t.region().getWAL();
    Path file = wal.getCurrentFileName();
    wal.rollWriter(true);
    Fixture.eventually("it is closed behind the roll", () -> wal.getInflightWALCloseCount() == 0);
    Configuration configuration = t.cluster.connection().getConfiguration();
    List<Mutation> edits = new ArrayList<>();
    FileSystem files = file.getFileSystem(configuration);
    try (WALStreamReader reader = WALFactory.createStreamReader(files, file, configuration)) {
      for (WAL.Entry entry = reader.next(); entry != null; entry = reader.next()) {
        if (entry.getKey().getTableName().equals(t.name)) {
          for (Cell cell : entry.getEdit().getCells()) {
            if (!WALEdit.isMetaEditFamily(cell)) {
              edits.add(mutation(cell));
            }
          }
        }
      }
    }
    return edits;
  }

  private static Mutation mutation(Cell cell) throws IOException {
    byte[] row = CellUtil.cloneRow(cell);
    return CellUtil.isDelete(cell) ? new Delete(row).add(cell) : new Put(row).add(cell);
  }

  @Test
  void aCopyOfTheLogIsRightWhereRegionsBeginWithTheSameRows() throws Exception {
    write();
    List<Mutation> edits = log();
    t.forget(start);
    replayed(edits);
    assertEquals(List.of(ROW + "{a=1}", "u{a=1}"), rows());
    Fixture.eventually(
        "cleaned up",
        () -> versions(t.name, ROW).equals(List.of(CellVersion.committed(committed))));
    assertEquals(List.of(), versions(t.name, "s"));
    assertEquals(List.of(ROW + "{a=1}", "u{a=1}"), rows());
  }

  /** A limitation, which is documented: adoptions are in the first row of the region. */
  @Test
  void aCopyOfTheLogLosesForgottenCommitsWhereTheyBeginWithOthers() throws Exception {
    write();
    List<Mutation> edits = log();
    t.forget(start);
    replayed(edits, Bytes.toBytes("m"));
    assertEquals(List.of("u{a=1}"), rows(), "row r is in the second region");
  }
}
