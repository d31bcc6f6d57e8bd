package io.retso.bench.bounds;

import io.retso.bench.server.ServerMetrics;
import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.layout.AdoptionCell;
import io.retso.hbase.layout.PendingWrite;
import io.retso.machine.ResidentMemory;
import io.retso.protocol.Timestamps;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.Size;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;

/**
 * One row of a transactional table, updated again and again, while other clients that write it die.
 * Every value that is read is checked: it must be the last one that was committed.
 *
 * <p>For one thread.
 */
final class LongRun implements AutoCloseable {
  static final byte[] FAMILY = Bytes.toBytes("f");
  static final byte[] QUALIFIER = Bytes.toBytes("q");

  private static final byte[] ROW = key(0);
  private static final int CHECKED_EVERY = 10;
  private static final int READS = 200;
  private static final List<String> REMEMBERED =
      List.of(
          "retso_open_transactions",
          "retso_half_aborted_transactions",
          "retso_uncleaned_transactions");
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long QUIET_NANOS_MAX = TimeUnit.MINUTES.toNanos(2);

  /** Compacts all files of the table into one. */
  interface Compaction {
    void run() throws IOException, InterruptedException;
  }

  /**
   * The state after so many updates.
   *
   * @param updates committed so far
   * @param deaths of clients so far
   * @param versions of the row in the table
   * @param marks in the table, of all rows
   * @param storeBytes of the table's files
   * @param memstoreBytes of the table, a multiple of a megabyte
   * @param remembered transactions that the oracle holds: open, aborted, or not cleaned up
   * @param lagTimestamps timestamps between now and the low watermark; a transaction takes two
   * @param readMillis median latency of a transaction that reads the row
   * @param oracleMegabytes resident memory of the oracle, NaN if that is not known
   */
  record Observation(
      long updates,
      long deaths,
      long versions,
      long marks,
      long storeBytes,
      long memstoreBytes,
      long remembered,
      long lagTimestamps,
      double readMillis,
      double oracleMegabytes) {}

  private final Connection connection;
  private final TransactionManager manager;
  private final OracleClient oracle;
  private final TableName name;
  private final int oracleHttpPort;
  private final long oraclePid;
  private final Table table;
  private final DyingClients dying;
  private final ServerMetrics metrics = new ServerMetrics();
  private long updates;
  private long deaths;

  /** The last value that was committed: each is one more than the one before. */
  private long value;

  /**
   * Prepares the run on a prepared table.
   *
   * @param oracleHttpPort where the oracle serves its metrics
   * @param oraclePid of the oracle's process, 0 if that is this one
   */
  LongRun(
      Connection connection,
      TransactionManager manager,
      OracleClient oracle,
      TableName name,
      int oracleHttpPort,
      long oraclePid)
      throws IOException {
    this.connection = connection;
    this.manager = manager;
    this.oracle = oracle;
    this.name = name;
    this.oracleHttpPort = oracleHttpPort;
    this.oraclePid = oraclePid;
    this.table = connection.getTable(name);
    this.dying = new DyingClients(connection, oracle, name);
  }

  /** Updates the row so many times, by one transaction after the other. */
  void update(long times) throws IOException {
    for (long i = 0; i < times; i++) {
      boolean checks = i % CHECKED_EVERY == 0;
      manager.run(
          tx -> {
            Table in = tx.table(name);
            if (checks) {
              check(in.get(new Get(ROW)));
            }
            in.put(new Put(ROW).addColumn(FAMILY, QUALIFIER, Bytes.toBytes(value + 1)));
            return null;
          });
      value++;
      updates++;
    }
  }

  /** A client that writes the row and another one dies. */
  void die(DyingClients.Death death) throws IOException {
    byte[] other = key(1 + deaths % 100);
    if (dying.die(death, ROW, other, Bytes.toBytes(value + 1))) {
      value++;
    }
    deaths++;
  }

  private void check(Result read) throws IOException {
    byte[] found = read.getValue(FAMILY, QUALIFIER);
    if (value > 0 && (found == null || Bytes.toLong(found) != value)) {
      throw new IOException(
          "a snapshot has "
              + (found == null ? "no value" : Bytes.toLong(found))
              + " where "
              + value
              + " was committed last: please report it");
    }
  }

  void flush() throws IOException {
    try (Admin admin = connection.getAdmin()) {
      admin.flush(name);
    }
  }

  /**
   * Waits until the oracle's time limit has passed for every dead client, sweeps until the oracle
   * remembers no transaction, flushes, and compacts.
   *
   * @param compact compacts all files of the table
   * @throws IOException if the oracle goes on remembering some
   */
  void awaitQuiet(Compaction compact) throws IOException, InterruptedException {
    long now = timestamp();
    long deadline = System.nanoTime() + QUIET_NANOS_MAX;
    while (oracle.lowWatermark() <= now || remembered() > 0) {
      manager.sweep();
      long patience = System.nanoTime() + PATIENCE_NANOS; // for the end of the sweep's transaction
      while (System.nanoTime() < patience && remembered() > 0) {
        LockSupport.parkNanos(POLL_NANOS);
      }
      if (System.nanoTime() > deadline) {
        throw new IOException(
            "the oracle still remembers "
                + remembered()
                + " transactions, and its low watermark is "
                + (now - oracle.lowWatermark())
                + " behind");
      }
    }
    manager.sweep(); // to the one before, what expired last may have been open still
    flush();
    compact.run();
  }

  /** Looks at everything that might grow. */
  Observation observe() throws IOException, InterruptedException {
    long remembered =
        remembered(); // before reads of its own, whose ends are reported a little later
    long lag = lag();
    double readMillis = readMillis();
    return new Observation(
        updates,
        deaths,
        table.get(new Get(ROW).addFamily(FAMILY).readAllVersions()).size(),
        marks(),
        storeBytes(),
        memstoreBytes(),
        remembered,
        lag,
        readMillis,
        oraclePid == 0 ? Double.NaN : ResidentMemory.megabytes(oraclePid));
  }

  /** Some tenths of a second old. */
  private long remembered() throws IOException, InterruptedException {
    Map<String, Double> figures = metrics.read(oracleHttpPort);
    double sum = 0;
    for (String name : REMEMBERED) {
      Double figure = figures.get(name);
      if (figure == null) {
        throw new IOException("the oracle does not report " + name);
      }
      sum += figure;
    }
    return (long) sum;
  }

  /** PendingWrite marks in the table. */
  long marks() throws IOException {
    long marks = 0;
    try (ResultScanner scanner = table.getScanner(new Scan().addFamily(PendingWrite.family()))) {
      for (Result row : scanner) {
        marks += Stream.of(row.rawCells()).filter(cell -> !AdoptionCell.is(cell)).count();
      }
    }
    return marks;
  }

  /** Bytes of the table's files: HBase's own figure counts whole megabytes. */
  private long storeBytes() throws IOException {
    Configuration configuration = connection.getConfiguration();
    Path root = new Path(configuration.get(HConstants.HBASE_DIR));
    Path files = CommonFSUtils.getTableDir(root, name);
    return files.getFileSystem(configuration).getContentSummary(files).getLength();
  }

  private long memstoreBytes() throws IOException {
    long bytes = 0;
    try (Admin admin = connection.getAdmin()) {
      for (ServerName server : admin.getRegionServers()) {
        for (RegionMetrics region : admin.getRegionMetrics(server, name)) {
          bytes += (long) region.getMemStoreSize().get(Size.Unit.BYTE);
        }
      }
    }
    return bytes;
  }

  /** A timestamp of now. */
  private long timestamp() {
    TransactionHandle now = oracle.begin();
    oracle.commit(now);
    return now.startTimestamp();
  }

  private long lag() {
    long now = timestamp();
    return (now - oracle.lowWatermark()) / Timestamps.GAP;
  }

  private double readMillis() throws IOException {
    Histogram nanos = new Histogram(TimeUnit.HOURS.toNanos(1), 3);
    for (int i = 0; i < READS; i++) {
      long from = System.nanoTime();
      manager.run(
          tx -> {
            check(tx.table(name).get(new Get(ROW)));
            return null;
          });
      nanos.recordValue(System.nanoTime() - from);
    }
    return nanos.getValueAtPercentile(50) / 1e6;
  }

  private static byte[] key(long row) {
    return Bytes.toBytes(String.format(Locale.ROOT, "user%010d", row));
  }

  @Override
  public void close() throws IOException {
    dying.close();
    table.close();
  }
}
