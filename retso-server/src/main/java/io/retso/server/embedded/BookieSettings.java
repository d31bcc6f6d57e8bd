package io.retso.server.embedded;

import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import org.apache.bookkeeper.bookie.storage.ldb.DbLedgerStorage;
import org.apache.bookkeeper.conf.ServerConfiguration;

/**
 * How an embedded bookie is configured: for one writer of large entries that shares two cores with
 * everything else, and for little memory.
 *
 * <p>The page cache is the dearest part of a bookie. Each byte is written twice, to the journal and
 * to the entry log, and a page that the cache takes anew costs up to ten times the copy into it. So
 * the entry log bypasses the cache where the file system can do that, and the journal gives its
 * pages back as soon as they are on the disk. The latter needs {@code --add-opens
 * java.base/java.io=ALL-UNNAMED}; without it the bookie works, and costs more.
 */
public final class BookieSettings {
  /** Where bookies keep their metadata in ZooKeeper. */
  public static final String LEDGERS_ROOT = "/ledgers";

  /** Beyond this share of the disk a bookie takes no more appends. */
  private static final double DISK_USED_MAX = 0.97;

  private static final double DISK_USED_WARN = 0.95;

  /** Nor with less than this free: what is in memory must fit into the entry log yet. */
  private static final long FREE_BYTES_MIN = 256L << 20;

  private static final int DISK_CHECK_INTERVAL_MS = 1_000;

  private static final int ZOOKEEPER_TIMEOUT_MS = 10_000;

  /** Two halves; one is filled while the other is written to the entry log. */
  private static final int WRITE_CACHE_MB = 64;

  /**
   * Holds two entries of the usual size, so that the journal's writes are few. BookKeeper makes one
   * on the heap, too, with each journal file. With its header it is less than half of the smallest
   * region that G1 has (1 MiB): from there on an array is humongous, and each makes G1 mark the
   * whole heap.
   */
  private static final int JOURNAL_BUFFER_KB = 508;

  /** A journal is deleted once all of it is in the entry log. */
  private static final int JOURNAL_FILE_MB = 128;

  private static final int JOURNAL_FILES_KEPT = 1;

  /**
   * The unit in which the space of deleted ledgers comes free.
   *
   * <p>Not less than half a write cache: the direct entry log has 8 buffers, keeps one for each
   * file until that is flushed, and waits for ever when one flush of the cache spreads over 8
   * files.
   */
  private static final long ENTRY_LOG_BYTES = 64L << 20;

  /**
   * Eight buffers, of which each must hold the log's largest entry, 2.5 MiB and some: a larger one
   * cannot be moved from memory to the entry log, and neither can anything behind it.
   */
  private static final int WRITE_BUFFERS_MB = 8 * 3;

  private static final int COLLECT_INTERVAL_MS = 30_000;

  /** Bounds what a bookie reads again after a kill; milliseconds. */
  private static final int CHECKPOINT_INTERVAL_MS = 3_000;

  private static final String STORAGE = "dbStorage_";

  private BookieSettings() {}

  /** The identity of an embedded bookie. */
  static String name(int bookie) {
    return "bookie-" + bookie;
  }

  /**
   * The share of the disk beyond which a bookie takes no more appends; not positive if it is too
   * small.
   */
  static double diskUsedMax(FileStore disk) throws IOException {
    return Math.min(DISK_USED_MAX, 1 - (double) FREE_BYTES_MIN / disk.getTotalSpace());
  }

  /**
   * The configuration of one bookie.
   *
   * @param directory exists already
   * @param isSecured whether its nodes in ZooKeeper are its own alone
   */
  static ServerConfiguration of(
      String zookeeper, boolean isSecured, Path directory, int bookie, boolean sync)
      throws IOException {
    ServerConfiguration c = new ServerConfiguration();
    c.setZkEnableSecurity(isSecured);
    c.setMetadataServiceUri("zk+hierarchical://" + zookeeper + LEDGERS_ROOT);
    c.setZkTimeout(ZOOKEEPER_TIMEOUT_MS);
    identify(c, bookie);
    journal(c, directory.resolve("journal"), sync);
    storage(c, directory.resolve("ledgers"));
    // One log is one connection and one ledger at a time: more threads would only take turns.
    c.setServerNumIOThreads(1);
    c.setNumAddWorkerThreads(0);
    c.setNumReadWorkerThreads(1);
    c.setNumLongPollWorkerThreads(0);
    c.setNumHighPriorityWorkerThreads(1);
    return c;
  }

  private static void identify(ServerConfiguration c, int bookie) {
    // A name of its own, so that the port may change from start to start.
    c.setBookieId(name(bookie));
    c.setBookiePort(0);
    c.setAdvertisedAddress("127.0.0.1");
    // Only says "not all interfaces"; the advertised address is the one that is used.
    c.setListeningInterface("lo");
    c.setAllowLoopback(true);
  }

  private static void journal(ServerConfiguration c, Path directory, boolean sync) {
    c.setJournalDirName(directory.toString());
    c.setJournalSyncData(sync);
    // Without it an append waits 1-2 ms for company; under load there is company anyway.
    c.setJournalFlushWhenQueueEmpty(true);
    c.setJournalWriteBufferSizeKB(JOURNAL_BUFFER_KB);
    c.setMaxJournalSizeMB(JOURNAL_FILE_MB);
    c.setMaxBackupJournals(JOURNAL_FILES_KEPT);
    // Reaches into java.io; where that is closed it would fail (or end the bookie, with -ea).
    c.setJournalRemovePagesFromCache(
        FileDescriptor.class.getModule().isOpen("java.io", DbLedgerStorage.class.getModule()));
  }

  private static void storage(ServerConfiguration c, Path directory) throws IOException {
    c.setLedgerDirNames(new String[] {directory.toString()});
    c.setLedgerStorageClass(JournalKeepingStorage.class.getName());
    c.setProperty(DbLedgerStorage.WRITE_CACHE_MAX_SIZE_MB, WRITE_CACHE_MB);
    c.setProperty(DbLedgerStorage.READ_AHEAD_CACHE_MAX_SIZE_MB, 8);
    // Entries are read once, in order, and large: reading ahead fetches them twice.
    c.setProperty(STORAGE + "readAheadCacheBatchSize", 4);
    c.setProperty(STORAGE + "rocksDB_writeBufferSizeMB", 1);
    c.setProperty(STORAGE + "rocksDB_blockCacheSize", 2 << 20);
    c.setProperty(DbLedgerStorage.DIRECT_IO_ENTRYLOGGER, canBypassPageCache(directory));
    c.setProperty(
        DbLedgerStorage.DIRECT_IO_ENTRYLOGGER_TOTAL_WRITEBUFFER_SIZE_MB, WRITE_BUFFERS_MB);
    c.setProperty(DbLedgerStorage.DIRECT_IO_ENTRYLOGGER_TOTAL_READBUFFER_SIZE_MB, 8);
    c.setProperty(DbLedgerStorage.DIRECT_IO_ENTRYLOGGER_READBUFFER_SIZE_MB, 4);
    c.setEntryLogSizeLimit(ENTRY_LOG_BYTES);
    c.setFlushInterval(CHECKPOINT_INTERVAL_MS);
    c.setGcWaitTime(COLLECT_INTERVAL_MS);
    double usedMax = diskUsedMax(Files.getFileStore(Files.createDirectories(directory)));
    c.setDiskUsageThreshold((float) usedMax);
    c.setDiskUsageWarnThreshold((float) Math.min(DISK_USED_WARN, usedMax));
    c.setDiskCheckInterval(DISK_CHECK_INTERVAL_MS);
    c.setMinUsableSizeForEntryLogCreation(ENTRY_LOG_BYTES);
    c.setIsForceGCAllowWhenNoSpace(true);
  }

  /** BookKeeper's native library is for Linux, and not every file system has direct I/O. */
  private static boolean canBypassPageCache(Path directory) throws IOException {
    if (!System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("linux")) {
      return false;
    }
    Path probe = Files.createDirectories(directory.getParent()).resolve("direct-io-probe");
    try (FileChannel channel =
        FileChannel.open(
            probe,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            com.sun.nio.file.ExtendedOpenOption.DIRECT)) {
      return channel.isOpen();
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    } finally {
      Files.deleteIfExists(probe);
    }
  }
}
