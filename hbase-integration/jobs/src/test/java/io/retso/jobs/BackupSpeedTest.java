package io.retso.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.TransactionManager;
import io.retso.hbase.backup.Backup;
import io.retso.hbase.backup.BackupInfo;
import io.retso.hbase.backup.BackupOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.mapreduce.Export;
import org.apache.hadoop.mapreduce.Job;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * How fast a backup is beside HBase's Export of the same table, and what tellers get done beside a
 * backup or Export, in turn. By hand, {@code -Dretso.backup.rows=500000}.
 */
@EnabledIfSystemProperty(named = "retso.backup.rows", matches = "\\d+")
class BackupSpeedTest {
  private static final int ROWS = Integer.getInteger("retso.backup.rows", 0);
  private static final int CELLS_OF_A_ROW = 2;

  /** As many as Export's mappers. */
  private static final int THREADS = 4;

  /** About 80,000 rows: three quarters of what Export does on two cores. */
  private static final long BYTES_PER_SECOND = 15_000_000;

  @TempDir private Path directory;

  private Servers servers;
  private Connection connection;
  private TransactionManager manager;
  private int written;

  @BeforeEach
  void open() throws Exception {
    servers = new Servers(directory);
    connection = ConnectionFactory.createConnection(servers.configuration());
    manager =
        TransactionManager.builder(servers.configuration()).oracle(servers.addresses()).build();
    SpeedTable.fill(connection, servers.addresses(), manager, ROWS);
  }

  @AfterEach
  void close() throws Exception {
    manager.close();
    connection.close();
    servers.close();
  }

  @Test
  void besideExport() throws Exception {
    Pairs.print(
        ROWS + " rows: rows",
        "Export",
        () -> rowsOf(export()),
        "backup",
        () -> rowsOf(backup(options(THREADS))));
  }

  @Test
  void tellersBesideBackup() throws Exception {
    tellersBeside("a backup by " + THREADS + " threads", () -> backup(options(THREADS)));
  }

  @Test
  void tellersBesideBackupOfOneThread() throws Exception {
    tellersBeside("a backup by one thread", () -> backup(options(1)));
  }

  @Test
  void tellersBesideSlowBackup() throws Exception {
    tellersBeside(
        "a backup of " + BYTES_PER_SECOND + " bytes a second",
        () -> backup(options(1).withBytesPerSecond(BYTES_PER_SECOND)));
  }

  /** What HBase itself takes of these machines. */
  @Test
  void tellersBesideExport() throws Exception {
    tellersBeside("Export by " + THREADS + " mappers", this::export);
  }

  private void tellersBeside(String what, Work work) throws Exception {
    Bank bank = new Bank(connection, servers.addresses(), manager, new SplittableRandom(1));
    try {
      long[] nanos = {TimeUnit.SECONDS.toNanos(2)};
      Pairs.print(
          "tellers beside " + what + " of " + ROWS + " rows: transfers",
          "alone",
          () -> transfers(bank, () -> pause(nanos[0])),
          "beside it",
          () -> transfers(bank, () -> nanos[0] = work.nanos()));
    } finally {
      bank.end();
    }
  }

  private interface Work {
    /** How long it took. */
    long nanos() throws Exception;
  }

  private static double transfers(Bank bank, Work beside) throws Exception {
    long begun = System.nanoTime();
    long before = bank.transfers();
    beside.nanos();
    return (bank.transfers() - before) * 1e9 / (System.nanoTime() - begun);
  }

  /** As long as the last work took: the tellers go on. */
  private static long pause(long nanos) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(nanos);
    return nanos;
  }

  private static double rowsOf(long nanos) {
    return ROWS * 1e9 / nanos;
  }

  private org.apache.hadoop.fs.Path next() {
    written++;
    return new org.apache.hadoop.fs.Path(directory.resolve("out" + written).toUri());
  }

  private void delete(org.apache.hadoop.fs.Path path) throws IOException {
    FileSystem files = path.getFileSystem(servers.configuration());
    assertTrue(files.delete(path, true), () -> "nothing was written to " + path);
  }

  private BackupOptions options(int threads) {
    return BackupOptions.to(next(), List.of(SpeedTable.NAME)).withThreads(threads);
  }

  /** Returns the nanoseconds that it took. */
  private long backup(BackupOptions options) throws IOException {
    long begun = System.nanoTime();
    BackupInfo info = Backup.of(manager, connection).take(options);
    long taken = System.nanoTime() - begun;
    assertEquals((long) ROWS * CELLS_OF_A_ROW, info.cells());
    delete(info.directory());
    return taken;
  }

  /** Returns the nanoseconds that it took. */
  private long export() throws Exception {
    Configuration configuration =
        MapReduceEngine.ofJobs(servers.configuration(), directory.resolve("export"));
    org.apache.hadoop.fs.Path target = next();
    long begun = System.nanoTime();
    String[] arguments = {SpeedTable.NAME.getNameAsString(), target.toString()};
    Job job = Export.createSubmittableJob(configuration, arguments);
    assertTrue(job.waitForCompletion(false), () -> "failed: " + job);
    long taken = System.nanoTime() - begun;
    assertEquals(
        ROWS,
        job.getCounters()
            .findCounter("org.apache.hadoop.mapreduce.TaskCounter", "MAP_INPUT_RECORDS")
            .getValue());
    delete(target);
    return taken;
  }
}
