package io.retso.hbase.coprocessor.write;

import io.retso.hbase.coprocessor.hbase.HBaseInternals;
import io.retso.hbase.coprocessor.region.AdoptedOutcomes;
import io.retso.hbase.coprocessor.region.Writers;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.regionserver.Region;

/**
 * Files of others that are loaded into a region (bulk loads). They may have delete markers and
 * versions between the begin and the commit of transactions, which flushes do not see, as they go
 * through the memory only. So nothing is adopted from before the files can be seen until their
 * versions are known, and what was adopted before is in files by then.
 *
 * <p>HBase flushes before it loads, so that the files count as younger than all that is there; if a
 * flush is under way it waits for that instead, and they count as older. So flushes are waited for
 * here, and ours do not begin meanwhile.
 *
 * <p>If another coprocessor refuses a load that has begun here, HBase does not call its end. Then
 * the region adopts nothing any more, and cleanups read their rows twice, until it closes; and
 * nothing is wrong. Thread-safe.
 */
public final class FileLoads {
  /** Flushes that a load may have to wait for. */
  private static final int FLUSHES_MAX = 10;

  private static final long FLUSH_MILLIS_MAX = TimeUnit.SECONDS.toMillis(10);

  private final Region region;
  private final PlainChanges changes;
  private final Writers writers;
  private final AdoptedOutcomes adoptions;

  public FileLoads(
      Region region, PlainChanges changes, Writers writers, AdoptedOutcomes adoptions) {
    this.region = region;
    this.changes = changes;
    this.writers = writers;
    this.adoptions = adoptions;
  }

  /**
   * Files are about to be loaded; {@link #end} follows.
   *
   * @throws IOException if they must not be loaded now; the client may try again
   */
  public void begin() throws IOException {
    changes.begin();
    writers.loading();
    boolean isReady = false;
    try {
      flushAdopted();
      isReady = true;
    } finally {
      if (!isReady) {
        end(0);
      }
    }
  }

  private void flushAdopted() throws IOException {
    HBaseInternals.blockUpdates(region); // adoptions that have not seen this load are over now
    HBaseInternals.unblockUpdates(region);
    for (int i = 0; ; i++) {
      boolean isFlushing = !region.waitForFlushes(FLUSH_MILLIS_MAX);
      if (!isFlushing && !adoptions.areInMemory()) {
        return;
      }
      if (region.isClosing() || region.isClosed()) {
        throw new NotServingRegionException("files are not loaded any more: it closes");
      }
      if (i == FLUSHES_MAX) {
        throw new RegionTooBusyException(
            "its memory could not be flushed, as must be before files are loaded; try again");
      }
      HBaseInternals.flush(region);
    }
  }

  /**
   * The files were loaded, or not.
   *
   * @param lastVersion the highest version in the region's files
   */
  public void end(long lastVersion) {
    writers.loaded(lastVersion);
    changes.end();
  }
}
