package io.retso.hbase;

import io.retso.hbase.admin.SweepResult;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.admin.TablePreparationBuilder;
import io.retso.hbase.layout.AdoptionCell;
import io.retso.hbase.layout.OracleSettings;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.table.TableRules;
import io.retso.hbase.transaction.Inside;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AsyncTable;
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
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.JVMClusterUtil.RegionServerThread;

/**
 * Tables, managers and short words for tests of transactions; families f and g. {@link
 * RetsoCluster.Extension} gives one to each test that has a parameter of this type, and closes it.
 */
@SuppressWarnings("try") // closing may be interrupted, as in any test
public final class Fixture implements AutoCloseable {
  public static final byte[] F = bytes("f");
  public static final byte[] G = bytes("g");
  public static final byte[] Q = bytes("q");

  /** Where a test has to show that it does not matter who decides what is visible. */
  public static final List<Options> MODES = List.of(Options.CLIENT_READS, Options.DEFAULT);

  public static final int PATIENCE_SECONDS = 60;

  /** How long {@link #eventually} waits; less where a bug is injected, and waited for in vain. */
  public static volatile int patienceSeconds = PATIENCE_SECONDS;

  public final RetsoCluster cluster;
  private final List<AutoCloseable> opened = new ArrayList<>();

  public Fixture(RetsoCluster cluster) {
    this.cluster = cluster;
  }

  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** A manager that does not sweep by itself. */
  public ManagerBuilder builder() {
    return TransactionManager.builder(cluster.configuration())
        .sweepInterval(Duration.ZERO)
        .orphanDelay(Duration.ofMillis(1));
  }

  public TransactionManager manager() throws IOException {
    return opened(builder().build());
  }

  /** A client that dies with every end of a transaction: it never cleans up. */
  public static ManagerBuilder dying(ManagerBuilder builder) {
    return builder.cleanupAlive(start -> false);
  }

  /** A client that tries to clean up a row for so long. */
  public static ManagerBuilder withCleanupTimeout(ManagerBuilder builder, Duration timeout) {
    return builder.cleanupTimeout(timeout);
  }

  public TransactionManager dyingManager() throws IOException {
    return opened(dying(builder()).build());
  }

  public <T extends AutoCloseable> T opened(T what) {
    opened.add(what);
    return what;
  }

  public TablePreparation preparation() {
    return preparing().build();
  }

  /** Prepares tables for another oracle. */
  public TablePreparation preparation(String oracle) {
    return TablePreparation.builder(cluster.connection()).oracle(oracle).build();
  }

  /** An oracle of the test's own, and what stands in front of it. */
  public MutedOracle mutedOracle() throws Exception {
    return opened(new MutedOracle(opened(RetsoCluster.startOracle()).port()));
  }

  public TablePreparationBuilder preparing() {
    return TablePreparation.builder(cluster.connection()).oracle(cluster.oracleAddress());
  }

  public TableName table(Options options) throws IOException {
    TableName name = cluster.freshName("t");
    preparation().create(descriptor(name).build(), options);
    return name;
  }

  /** What happens around a request to HBase's asynchronous table. */
  public interface Around {
    Object call(String method, Callable<Object> call) throws Exception;
  }

  /** A transaction's table, whose calls of HBase's table a test can see, hold up and change. */
  public static AsyncTransactionalTable table(
      TransactionManager manager, ReadTransaction tx, TableName name, Around around)
      throws Exception {
    return Inside.table(tx, prepared(manager, name, around));
  }

  /** Such a table, without a transaction. */
  public static PreparedTable prepared(TransactionManager manager, TableName name, Around around)
      throws Exception {
    PreparedTable real = Inside.tables(manager).find(name).get(30, TimeUnit.SECONDS);
    return new PreparedTable(
        real.descriptor(),
        real.settings(),
        wrapped(real.raw(), around),
        wrapped(real.shortTimeout(), around),
        real.regions(),
        real.loadedNanos());
  }

  @SuppressWarnings("unchecked")
  private static AsyncTable<AdvancedScanResultConsumer> wrapped(
      AsyncTable<AdvancedScanResultConsumer> table, Around around) {
    Class<?> type = AsyncTable.class;
    return (AsyncTable<AdvancedScanResultConsumer>)
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              boolean isRequest = arguments != null;
              try {
                return isRequest
                    ? around.call(method.getName(), () -> method.invoke(table, arguments))
                    : method.invoke(table);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** Deletes what other tests left behind: tables that keep a sweep from being reported. */
  public void deleteTablesThatHinderSweeps() throws IOException {
    try (Admin admin = cluster.connection().getAdmin()) {
      for (TableDescriptor table : admin.listTableDescriptors()) {
        TableName name = table.getTableName();
        boolean isEnabled = admin.isTableEnabled(name);
        boolean isOurs =
            !TableSettings.isPrepared(table)
                || cluster.oracleAddress().equals(TableSettings.of(table).addresses())
                    && preparation().check(name).isEmpty();
        if (!isEnabled || !isOurs) {
          if (isEnabled) {
            admin.disableTable(name);
          }
          admin.deleteTable(name);
        }
      }
    }
  }

  public static TableDescriptorBuilder descriptor(TableName name) {
    return TableDescriptorBuilder.newBuilder(name)
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(G));
  }

  public static Put put(String row, String value) {
    return new Put(bytes(row)).addColumn(F, Q, bytes(value));
  }

  public static Get get(String row) {
    return new Get(bytes(row));
  }

  /** Value of f:q, or null. */
  public static String read(ReadTable table, String row) throws IOException {
    return read(table.asTable(), row);
  }

  /** Value of f:q, or null. */
  public static String read(TransactionalTable table, String row) throws IOException {
    return read(table.asTable(), row);
  }

  /** Value of f:q, or null. */
  public static String read(Table table, String row) throws IOException {
    return text(table.get(get(row)).getValue(F, Q));
  }

  public static String text(byte[] value) {
    return value == null ? null : new String(value, StandardCharsets.UTF_8);
  }

  /** Like "r1=a r2=b", of f:q. */
  public static String scan(ReadTable table, Scan scan) throws IOException {
    return scan(table.asTable(), scan);
  }

  /** Like "r1=a r2=b", of f:q. */
  public static String scan(TransactionalTable table, Scan scan) throws IOException {
    return scan(table.asTable(), scan);
  }

  /** Like "r1=a r2=b", of f:q. */
  public static String scan(Table table, Scan scan) throws IOException {
    List<String> rows = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result row : scanner) {
        rows.add(text(row.getRow()) + "=" + text(row.getValue(F, Q)));
      }
    }
    return String.join(" ", rows);
  }

  /** All cells of the table as HBase has them, marks included, of all versions. */
  public List<Cell> raw(TableName name) throws IOException {
    List<Cell> cells = new ArrayList<>();
    try (Table table = cluster.connection().getTable(name);
        ResultScanner scanner = table.getScanner(new Scan().readAllVersions())) {
      for (Result row : scanner) {
        cells.addAll(row.listCells());
      }
    }
    return cells;
  }

  public long marks(TableName name) throws IOException {
    return raw(name).stream()
        .filter(cell -> PendingWrite.isMark(cell) && !AdoptionCell.is(cell))
        .count();
  }

  /** Versions of data cells, when what regions have adopted is in files. */
  public long versions(TableName name) throws IOException {
    return flushed(name).count();
  }

  /**
   * Versions of data cells that do not say that they are committed, when what regions have adopted
   * is in files.
   */
  public long uncleaned(TableName name) throws IOException {
    return flushed(name).filter(cell -> (cell.getTimestamp() & 15) != 1).count();
  }

  private Stream<Cell> flushed(TableName name) throws IOException {
    for (HRegion region : regions(name)) {
      region.flush(true);
    }
    return raw(name).stream().filter(cell -> !PendingWrite.isMark(cell));
  }

  /** As flush and major_compact do. */
  public void compact(TableName name) throws IOException {
    for (HRegion region : regions(name)) {
      region.flush(true);
      region.compact(true);
    }
  }

  /** Something that HBase may refuse. */
  public interface Action {
    void run() throws Exception;
  }

  /**
   * Writes and flushes while an older scanner is open: then HBase keeps the sequence numbers of
   * cells in the file. The table has two rows at least.
   */
  public void flushWhileRead(TableName name, Action writes) throws Exception {
    try (Table table = cluster.connection().getTable(name);
        ResultScanner older = table.getScanner(new Scan().setCaching(1))) {
      older.next();
      writes.run();
      for (HRegion region : regions(name)) {
        region.flush(true);
      }
    }
  }

  /** Those that are open. */
  public List<HRegion> regions(TableName name) {
    return regionServers().stream()
        .flatMap(server -> server.getRegions(name).stream())
        .map(HRegion.class::cast)
        .toList();
  }

  /** A prepared table whose region servers wait for the oracle no longer than this. */
  public static TableDescriptor withOracleTimeout(TableDescriptor prepared, int millis)
      throws IOException {
    return TableDescriptorBuilder.newBuilder(prepared)
        .removeCoprocessor(TableRules.OBSERVER)
        .setCoprocessor(
            CoprocessorDescriptorBuilder.newBuilder(TableRules.OBSERVER)
                .setProperties(Map.of(OracleSettings.TIMEOUT, String.valueOf(millis)))
                .build())
        .build();
  }

  /** Those that run: other tests may have started some. */
  public List<HRegionServer> regionServers() {
    return cluster.hbase().cluster().getLiveRegionServers().stream()
        .map(RegionServerThread::getRegionServer)
        .toList();
  }

  /** Their configurations; a region takes what it finds there when it is opened. */
  public List<Configuration> serverConfigurations() {
    return regionServers().stream().map(HRegionServer::getConfiguration).toList();
  }

  public interface Condition {
    boolean holds() throws IOException;
  }

  /** Waits for what happens in the background. */
  public static void eventually(String what, Condition condition) throws Exception {
    eventually(() -> what, condition);
  }

  /**
   * Sweeps until nothing is left out: a row that is being cleaned up at the moment may be. Tables
   * of other classes are not in the way.
   */
  public void sweep(TransactionManager manager) throws Exception {
    deleteTablesThatHinderSweeps();
    String[] leftOut = {""};
    eventually(
        () -> "swept; left out: " + leftOut[0],
        () -> {
          SweepResult result = manager.sweep();
          leftOut[0] = result.reason();
          return result.reported();
        });
  }

  /** Waits for what happens in the background; what it is may say how far that has come. */
  public static void eventually(Supplier<String> what, Condition condition) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(patienceSeconds);
    while (!condition.holds()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("not within " + patienceSeconds + " s: " + what.get());
      }
      TimeUnit.MILLISECONDS.sleep(10); // between two looks, not instead of one
    }
  }

  public static long number(byte[] value) {
    return Bytes.toLong(value);
  }

  @Override
  public void close() throws Exception {
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close(); // managers before their oracles
    }
  }
}
