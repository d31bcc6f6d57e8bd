package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.AdoptionRequest;
import io.retso.hbase.layout.AdoptionRequest.Adoption;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.FamilySettings;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.ReadAttribute;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.layout.TableSettings.Cleanup;
import io.retso.hbase.layout.Tombstone;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Reads;
import io.retso.protocol.OracleIdentity;
import io.retso.server.RetsoServer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.metrics.Counter;
import org.apache.hadoop.hbase.metrics.MetricRegistries;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.JVMClusterUtil.RegionServerThread;
import org.apache.hadoop.hbase.util.TableDescriptorChecker;

/**
 * A prepared table with the coprocessor and families f and g, and an oracle of its own; each step
 * of a transaction is done by hand.
 */
public class RawTable implements AutoCloseable {
  public static final byte[] F = Bytes.toBytes("f");
  private static final long PREPARATION = 0x5e771265;

  /** The fingerprint of the settings of all such tables. */
  public static final long FINGERPRINT =
      settings(new OracleIdentity(new UUID(0, 1), "test"), "a:1", Cleanup.ROWS).fingerprint();

  static final byte[] G = Bytes.toBytes("g");

  final RetsoCluster cluster;
  final TableName name;
  final Table table;
  final OracleByStart oracle;
  private final RetsoServer server;

  /** What else a test sets. */
  interface More {
    void to(TableDescriptorBuilder table) throws IOException;
  }

  RawTable(RetsoCluster cluster, byte[]... splits) throws Exception {
    this(cluster, Cleanup.ROWS, table -> {}, splits);
  }

  /** One whose regions adopt outcomes. */
  static RawTable adopting(RetsoCluster cluster, byte[]... splits) throws Exception {
    return new RawTable(cluster, Cleanup.REGIONS, table -> {}, splits);
  }

  RawTable(RetsoCluster cluster, Cleanup cleanup, More more, byte[]... splits) throws Exception {
    this.cluster = cluster;
    this.name = cluster.freshName("raw");
    this.server = RetsoCluster.startOracle();
    String address = address();
    this.oracle = new OracleByStart(address);
    TableDescriptorBuilder descriptor =
        TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(FamilySettings.prepared(ColumnFamilyDescriptorBuilder.of(F)))
            .setColumnFamily(FamilySettings.prepared(ColumnFamilyDescriptorBuilder.of(G)))
            .setColumnFamily(PendingWrite.familyDescriptor());
    addCoprocessor(descriptor);
    settings(oracle.identity(), address, cleanup).writeTo(descriptor);
    more.to(descriptor);
    try (Admin admin = cluster.connection().getAdmin()) {
      admin.createTable(descriptor.build(), splits);
    }
    this.table = cluster.connection().getTable(name);
  }

  private static TableSettings settings(OracleIdentity oracle, String address, Cleanup cleanup) {
    return new TableSettings(
        Conflicts.ROW, Reads.SERVER, oracle, address, List.of(), cleanup, PREPARATION);
  }

  /** The coprocessor that this class was loaded with: of this process, or from a jar. */
  private static void addCoprocessor(TableDescriptorBuilder table) throws Exception {
    Class<?> observer = TransactionRegionObserver.class;
    CoprocessorDescriptorBuilder builder =
        CoprocessorDescriptorBuilder.newBuilder(observer.getName());
    URL place = observer.getProtectionDomain().getCodeSource().getLocation();
    if (place.getPath().endsWith(".jar")) {
      builder.setJarPath(place.toURI().toString());
      // To take a copy HBase wants a local file system with checksums, which EmbeddedHBase has not;
      // it is set for region servers here; the master's check of the jar does not look.
      builder.setProperty("fs.file.impl", LocalFileSystem.class.getName());
      builder.setProperty("fs.file.impl.disable.cache", "true");
      table.setValue(TableDescriptorChecker.TABLE_SANITY_CHECKS, "false");
    }
    table.setCoprocessor(builder.build());
  }

  /** Where its oracle is. */
  final String address() {
    return "127.0.0.1:" + server.port();
  }

  /** Stops the oracle for good. */
  void stopOracle() {
    server.close();
  }

  /** A write of the transaction {@code start}; a null value deletes. */
  void write(long start, String row, String column, String value) throws IOException {
    table.put(put(start, row, column, value));
  }

  static Put put(long start, String row, String column, String value) {
    Put put = PendingWrite.mark(new Put(Bytes.toBytes(row)), start);
    return put.addColumn(
        F, Bytes.toBytes(column), start, value == null ? Tombstone.value() : Bytes.toBytes(value));
  }

  /**
   * So many transactions begin that all before leave the oracle's window of 2^17 timestamps: it
   * forgets those that are cleaned up or aborted.
   */
  void passWindow() {
    oracle.beginInVain((1 << 17) + 1000);
  }

  /** Commits without cleanup. */
  long commit(long start, String row) {
    return oracle.commit(start, row.hashCode()).commitTimestamp();
  }

  void cleanUp(long start, long commitTimestamp, String row) throws IOException {
    table.put(new CleanupRequest(Bytes.toBytes(row), start, commitTimestamp).toPut());
  }

  /** Tells a region how transactions ended; which of them are adopted. */
  BitSet adopt(String startKey, Adoption... adoptions) throws IOException {
    AdoptionRequest request =
        new AdoptionRequest(AdoptionRequest.firstRow(Bytes.toBytes(startKey)), List.of(adoptions));
    Object[] answers = new Object[1];
    try {
      table.batch(List.of(request.toPut(FINGERPRINT)), answers);
    } catch (InterruptedException e) {
      throw new InterruptedIOException();
    }
    return request.adopted(answers[0]);
  }

  /** Tells the first region how a transaction ended; whether it is adopted. */
  boolean adopt(long start, long outcome, int rows) throws IOException {
    return !adopt("", new Adoption(start, outcome, rows)).isEmpty();
  }

  /** The server of the first region dies; the region opens on another one, from the log. */
  void crash() throws Exception {
    HRegionServer server = serverOfRegion();
    if (cluster.hbase().liveRegionServers() < 2) {
      cluster.hbase().startRegionServer();
    }
    server.abort("a test wants it");
    try (Admin admin = cluster.connection().getAdmin()) {
      Fixture.eventually(
          "it opens elsewhere",
          () -> {
            HRegionServer other = serverOfRegion();
            return other != null && other != server && admin.isTableAvailable(name);
          });
    }
  }

  private HRegionServer serverOfRegion() {
    return cluster.hbase().cluster().getLiveRegionServers().stream()
        .map(RegionServerThread::getRegionServer)
        .filter(server -> !server.getRegions(name).isEmpty() && !server.isAborted())
        .findFirst()
        .orElse(null);
  }

  /** A whole transaction, cleaned up; returns its commit timestamp. */
  long update(String row, String column, String value) throws IOException {
    long start = oracle.begin();
    write(start, row, column, value);
    long committed = commit(start, row);
    cleanUp(start, committed, row);
    oracle.cleanedUp(start);
    return committed;
  }

  /** A new snapshot's timestamp, of a transaction that is over already. */
  long snapshot() {
    long start = oracle.begin();
    oracle.commit(start);
    return start;
  }

  /** What a snapshot sees of family f. */
  Map<String, String> read(long timestamp, String row) throws IOException {
    return map(table.get(get(timestamp, row)));
  }

  static Get get(long timestamp, String row) {
    Get get = new Get(Bytes.toBytes(row));
    ReadAttribute.set(get, FINGERPRINT, timestamp);
    return get;
  }

  static Map<String, String> map(Result result) {
    Map<String, String> map = new TreeMap<>();
    for (Cell cell : result.isEmpty() ? new Cell[0] : result.rawCells()) {
      map.put(
          Bytes.toString(CellUtil.cloneQualifier(cell)), Bytes.toString(CellUtil.cloneValue(cell)));
    }
    return map;
  }

  /** Rows of a scan with their columns, {@code row{column=value}}. */
  List<String> scan(long timestamp, Scan scan) throws IOException {
    ReadAttribute.set(scan, FINGERPRINT, timestamp);
    List<String> rows = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        rows.add(Bytes.toString(result.getRow()) + map(result));
      }
    }
    return rows;
  }

  /** A put that our coprocessor does not see; the regions open anew. */
  void putUnseen(Put put) throws IOException {
    try (Admin admin = cluster.connection().getAdmin()) {
      TableDescriptor ours = admin.getDescriptor(name);
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(ours)
              .removeCoprocessor(TransactionRegionObserver.class.getName())
              .build());
      table.put(put);
      admin.modifyTable(ours);
    }
  }

  /** All cells of the table, deleted ones, too. */
  List<Cell> raw(String row) throws IOException {
    Scan scan = new Scan().setRaw(true).readAllVersions().withStartRow(Bytes.toBytes(row));
    scan.withStopRow(Bytes.toBytes(row), true);
    List<Cell> cells = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(scan)) {
      scanner.forEach(result -> cells.addAll(result.listCells()));
    }
    return cells;
  }

  /** Cells that a plain reader of all versions sees, of all families. */
  List<Cell> cells(String row) throws IOException {
    Result result = table.get(new Get(Bytes.toBytes(row)).readAllVersions());
    return result.isEmpty() ? List.of() : result.listCells();
  }

  /** The open regions. */
  List<HRegion> regions() {
    return cluster.hbase().cluster().getLiveRegionServers().stream()
        .flatMap(thread -> thread.getRegionServer().getRegions(name).stream())
        .map(HRegion.class::cast)
        .toList();
  }

  /** Whether a thread waits until no batch is under way in a region, or has begun to. */
  static boolean isBlockingUpdates(Thread thread) {
    return Arrays.stream(thread.getStackTrace())
        .anyMatch(frame -> frame.getMethodName().equals("blockUpdates"));
  }

  /** Counters of the coprocessor, over all region servers of this process. */
  public static long count(String metric) {
    return MetricRegistries.global().getMetricRegistries().stream()
        .flatMap(registry -> registry.get(metric).stream())
        .mapToLong(counter -> ((Counter) counter).getCount())
        .sum();
  }

  /** A write whose mark is a cell; those that follow are none. Returns its open transaction. */
  long writeWithCell(String row) throws IOException {
    return writeCounted(row, "marksAsCells");
  }

  /** A write whose mark is in memory, and no cell. Returns its open transaction. */
  long writeWithoutCell(String row) throws IOException {
    return writeCounted(row, "marksInMemory");
  }

  private long writeCounted(String row, String metric) throws IOException {
    long before = count(metric);
    long start = oracle.begin();
    write(start, row, "a", "1");
    assertEquals(1, count(metric) - before);
    return start;
  }

  /** Cells of marks that a row has, deleted ones, too; without making any of them. */
  List<Cell> cellsOfMarks(String row) throws IOException {
    byte[] key = Bytes.toBytes(row);
    Scan scan = new Scan(new Get(key)).addFamily(PendingWrite.family()).setRaw(true);
    List<Cell> cells = new ArrayList<>();
    for (HRegion region : regions()) {
      if (region.getRegionInfo().containsRow(key)) {
        try (RegionScanner scanner = region.getScanner(scan.readAllVersions())) {
          scanner.next(cells);
          cells.replaceAll(CellUtil::cloneIfNecessary);
        }
      }
    }
    return cells;
  }

  /** Rows with marks, as a sweep finds them. */
  List<String> rowsWithMarks() throws IOException {
    List<String> rows = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(new Scan().addFamily(PendingWrite.family()))) {
      for (Result row : scanner) {
        if (row.listCells().stream().anyMatch(PendingWrite::isWellFormed)) {
          rows.add(Bytes.toString(row.getRow()));
        }
      }
    }
    return rows;
  }

  /** Closes the regions and opens them again. */
  void reopen() throws IOException {
    try (Admin admin = cluster.connection().getAdmin()) {
      admin.disableTable(name);
      admin.enableTable(name);
    }
  }

  /** Flushes single families of the first region. */
  void flush(byte[]... families) throws IOException {
    flush(regions().get(0), List.of(families));
  }

  void flush() throws IOException {
    for (HRegion region : regions()) {
      flush(region, null);
    }
  }

  /** A region may be flushing by itself. */
  private static void flush(HRegion region, List<byte[]> families) throws IOException {
    boolean isFlushed = false;
    while (!isFlushed && region.getMemStoreDataSize() > 0) {
      region.waitForFlushes();
      isFlushed =
          region.flushcache(families, false, FlushLifeCycleTracker.DUMMY).isFlushSucceeded();
    }
  }

  /** Compacts all files of each family into one. */
  void compact() throws IOException {
    for (HRegion region : regions()) {
      region.compact(true);
    }
  }

  @Override
  public void close() throws IOException {
    try (Admin admin = cluster.connection().getAdmin()) {
      admin.disableTable(name);
      admin.deleteTable(name);
    }
    table.close();
    oracle.close();
    server.close();
  }
}
