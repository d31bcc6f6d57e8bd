package io.retso.server.embedded;

import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import org.apache.bookkeeper.bookie.CheckpointSource.Checkpoint;
import org.apache.bookkeeper.bookie.LedgerDirsManager;
import org.apache.bookkeeper.bookie.storage.EntryLogger;
import org.apache.bookkeeper.bookie.storage.ldb.DbLedgerStorage;
import org.apache.bookkeeper.bookie.storage.ldb.SingleDirectoryDbLedgerStorage;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.meta.LedgerManager;
import org.apache.bookkeeper.stats.StatsLogger;

/**
 * BookKeeper's storage, except that after a checkpoint failed no later one succeeds until the
 * bookie is started again.
 *
 * <p>A checkpoint moves entries from memory to the entry log; once it is complete, the journal is
 * not replayed from before it. When one fails, as on a full disk, BookKeeper (4.18) keeps its
 * entries in memory, forgets that they are not in the entry log, and the next checkpoint, that of
 * the shutdown at the latest, has other entries or none, succeeds, and gives the journal up. Then
 * acknowledged entries are nowhere after a restart. Here the journal remains what it was at the
 * last checkpoint that succeeded, and a restart with room on the disk replays it.
 *
 * <p>Meanwhile the bookie goes on with what memory it has, and then refuses appends.
 *
 * <p>Public for BookKeeper, which makes it by its name.
 */
public final class JournalKeepingStorage extends DbLedgerStorage {
  @Override
  protected SingleDirectoryDbLedgerStorage newSingleDirectoryDbLedgerStorage(
      ServerConfiguration configuration,
      LedgerManager ledgers,
      LedgerDirsManager ledgerDirectories,
      LedgerDirsManager indexDirectories,
      EntryLogger entryLogger,
      StatsLogger stats,
      long writeCacheBytes,
      long readCacheBytes,
      int readAheadEntries,
      long readAheadBytes)
      throws IOException {
    return new Directory(
        configuration,
        ledgers,
        ledgerDirectories,
        indexDirectories,
        entryLogger,
        stats,
        allocator,
        writeCacheBytes,
        readCacheBytes,
        readAheadEntries,
        readAheadBytes);
  }

  /** The part in one directory; every kind of checkpoint passes through its method of that name. */
  private static final class Directory extends SingleDirectoryDbLedgerStorage {
    private boolean failed;
    private boolean closing;

    Directory(
        ServerConfiguration configuration,
        LedgerManager ledgers,
        LedgerDirsManager ledgerDirectories,
        LedgerDirsManager indexDirectories,
        EntryLogger entryLogger,
        StatsLogger stats,
        ByteBufAllocator allocator,
        long writeCacheBytes,
        long readCacheBytes,
        int readAheadEntries,
        long readAheadBytes)
        throws IOException {
      super(
          configuration,
          ledgers,
          ledgerDirectories,
          indexDirectories,
          entryLogger,
          stats,
          allocator,
          writeCacheBytes,
          readCacheBytes,
          readAheadEntries,
          readAheadBytes);
    }

    /** One at a time, as in BookKeeper, so that none begins before the one before it has failed. */
    @Override
    public synchronized void checkpoint(Checkpoint checkpoint) throws IOException {
      if (failed) {
        throw new IOException("no checkpoint after one that failed; the journal keeps the entries");
      }
      failed = true; // unless it returns
      super.checkpoint(checkpoint);
      failed = false;
    }

    /** The last flush is that of the shutdown, which closes nothing if it fails. */
    @Override
    public void flush() throws IOException {
      if (!skipsFlush()) {
        super.flush();
      }
    }

    private synchronized boolean skipsFlush() {
      return closing && failed;
    }

    @Override
    public void shutdown() throws InterruptedException {
      synchronized (this) {
        closing = true;
      }
      super.shutdown();
    }
  }
}
