package io.retso.hbase.coprocessor.write;

import io.retso.hbase.coprocessor.region.AdoptedOutcomes;
import io.retso.hbase.coprocessor.region.Background;
import io.retso.hbase.coprocessor.region.LoggedAdoptions;
import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.coprocessor.region.RegionMarks;
import io.retso.hbase.coprocessor.region.RegionOutcomes;
import io.retso.hbase.coprocessor.region.SharedMemory;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.RegionSettings;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.regionserver.Region;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cleans up the rows with marks of transactions that were adopted before the region opened ({@link
 * AdoptedOutcomes}), in the background, and before the region closes at the latest: of two regions
 * that come of a split, only one would find the adoptions.
 *
 * <p>It begins when the region is served: HBase numbers what is written before as if it were of the
 * past. Needs no oracle: the outcomes are here.
 *
 * <p>In a table that is set read-only nothing is written, and the region closes as it is: the next
 * one finds the adoptions where they were. (If it is split then, only the first half does.)
 *
 * <p>Thread-safe.
 */
public final class ReplayCleanup {
  private static final int ROWS_MAX = 200;

  /** For which a region that closes goes on without success, as others have the rows. */
  private static final long PATIENCE_MILLIS = 30_000;

  /** Property of servers and tables: the same in milliseconds. */
  private static final String PATIENCE = "retso.close.timeout";

  private static final long DELAY_MILLIS = 200;
  private static final long RETRY_MILLIS = 2_000;

  /** Between two passes without success. */
  private static final long PAUSE_MILLIS = 20;

  private static final int NOTHING_LEFT = -1;
  private static final Logger LOG = LoggerFactory.getLogger(ReplayCleanup.class);

  /** Cleans up rows. */
  private interface Rows {
    /** How many were cleaned up: others may have the rows. */
    int cleanUp(List<CleanupRequest> requests) throws IOException;
  }

  private final Region region;
  private final RegionOutcomes outcomes;
  private final AdoptedOutcomes adoptions;
  private final BooleanSupplier isServed;
  private final long patienceMillis;
  private final Rows rows;

  /**
   * That of a region.
   *
   * @param isServed whether the server hands it requests
   * @param patienceMillis {@link #patience}
   */
  public ReplayCleanup(
      Region region,
      RegionOutcomes outcomes,
      AdoptedOutcomes adoptions,
      BooleanSupplier isServed,
      long patienceMillis) {
    this(region, outcomes, adoptions, isServed, patienceMillis, of -> cleanUp(region, of));
  }

  private ReplayCleanup(
      Region region,
      RegionOutcomes outcomes,
      AdoptedOutcomes adoptions,
      BooleanSupplier isServed,
      long patienceMillis,
      Rows rows) {
    this.region = region;
    this.isServed = isServed;
    this.outcomes = outcomes;
    this.adoptions = adoptions;
    this.patienceMillis = patienceMillis;
    this.rows = rows;
  }

  /**
   * That of a region in which no transactions work, as the settings of its table or server are
   * wrong: to be carried out before it closes, since it may be split. There no other thread writes
   * or cleans up for transactions, so the rows are changed as they are read.
   */
  public static ReplayCleanup ofRefused(Region region, ObserverMetrics metrics) {
    RegionOutcomes outcomes = new RegionOutcomes(region, false);
    SharedMemory memory = new SharedMemory();
    RegionMarks none = new RegionMarks(region, false, false, outcomes, memory, 0);
    RowCleaner cleaner = new RowCleaner(region, none, outcomes, metrics);
    return new ReplayCleanup(
        region,
        outcomes,
        new AdoptedOutcomes(region, false, outcomes, memory),
        () -> false,
        PATIENCE_MILLIS,
        requests -> cleanUp(region, cleaner, requests));
  }

  /**
   * How long a region that closes goes on without success, in milliseconds.
   *
   * @throws IllegalArgumentException if its configuration does not say so in a number
   */
  public static long patience(Region region) {
    return RegionSettings.millis(region.getReadOnlyConfiguration(), PATIENCE, PATIENCE_MILLIS);
  }

  /** Begins to work in the background, until all is done. */
  public void begin() {
    Background.run(this::attempt, DELAY_MILLIS);
  }

  private void attempt() {
    if (region.isClosed() || region.isReadOnly()) {
      return;
    }
    try {
      if (isServed.getAsBoolean() && !region.isClosing()) {
        cleanUp(0); // this thread has other regions to work for
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("{}: its adopted rows are cleaned up later", region, e);
    }
    if (!adoptions.isReplayDone()) {
      Background.run(this::attempt, RETRY_MILLIS);
    }
  }

  /**
   * Cleans up all of them, unless the region is read-only.
   *
   * @throws IOException if one cannot be cleaned up
   */
  public void cleanUp() throws IOException {
    cleanUp(patienceMillis);
  }

  private synchronized void cleanUp(long millis) throws IOException {
    if (!region.isReadOnly()) {
      repeatPass(millis);
    }
  }

  /**
   * Repeats passes until nothing is left. What fails is tried again: rows that another process is
   * cleaning up, a memory that is full until it is flushed. If a region could not close for such a
   * reason, HBase would stop its server.
   *
   * @param millis for which no pass may have any success
   * @throws IOException if none had for that long; its cause is why the last one failed
   */
  private void repeatPass(long millis) throws IOException {
    IOException last = null;
    long begun = System.nanoTime();
    for (int cleaned = 0; cleaned != NOTHING_LEFT; ) {
      try {
        cleaned = pass();
      } catch (InterruptedIOException e) {
        throw e;
      } catch (IOException e) {
        last = e;
        cleaned = 0;
      }
      if (cleaned > 0) {
        begun = System.nanoTime();
      } else if (cleaned == 0) {
        if (TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun) >= millis) {
          throw new IOException(
              "for " + millis + " ms no row of an adopted transaction could be cleaned up", last);
        }
        pause();
      }
    }
  }

  private static void pause() throws InterruptedIOException {
    try {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while rows were to be cleaned up");
    }
  }

  /**
   * From the first row to the last: outcomes are forgotten when there is no mark of them.
   *
   * @return how many rows were cleaned up, or {@link #NOTHING_LEFT}
   */
  private int pass() throws IOException {
    adoptions.load();
    if (adoptions.isReplayDone()) {
      return NOTHING_LEFT;
    }
    boolean hasMarks = false;
    int cleaned = 0;
    IOException failed = null;
    byte[] last = HConstants.EMPTY_START_ROW;
    for (List<CleanupRequest> next = behind(last); !next.isEmpty(); next = behind(last)) {
      hasMarks = true;
      last = next.get(next.size() - 1).row();
      try {
        cleaned += rows.cleanUp(next);
      } catch (InterruptedIOException e) {
        throw e;
      } catch (IOException e) {
        failed = e; // the next rows may do better
      }
    }
    if (!hasMarks) {
      adoptions.replayDone();
      return NOTHING_LEFT;
    }
    if (cleaned == 0 && failed != null) {
      throw failed;
    }
    return cleaned;
  }

  /** The cleanups of the next rows with such marks. */
  private List<CleanupRequest> behind(byte[] row) throws IOException {
    List<CleanupRequest> requests = new ArrayList<>();
    LoggedAdoptions.marks(
        region,
        row,
        mark -> {
          long start = PendingWrite.startOf(mark);
          if (adoptions.isFound(start)) {
            assert outcomes.isKnown(start) : "it left before its last mark: " + start;
            byte[] marked = CellUtil.cloneRow(mark);
            requests.add(new CleanupRequest(marked, start, outcomes.outcomeOf(start)));
          }
          return requests.size() < ROWS_MAX;
        });
    return requests;
  }

  private static int cleanUp(Region region, List<CleanupRequest> requests) throws IOException {
    int cleaned = 0;
    Mutation[] puts = requests.stream().map(CleanupRequest::toPut).toArray(Mutation[]::new);
    for (OperationStatus status : region.batchMutate(puts)) {
      cleaned += status.getOperationStatusCode() == OperationStatusCode.SUCCESS ? 1 : 0;
    }
    return cleaned;
  }

  private static int cleanUp(Region region, RowCleaner cleaner, List<CleanupRequest> requests)
      throws IOException {
    int cleaned = 0;
    for (CleanupRequest request : requests) {
      RowCleaner.Written written = cleaner.read(request);
      if (written != null) {
        Put changes = new Put(request.row());
        cleaner.cleanUp(changes, request, request.outcome(), written);
        region.batchMutate(new Mutation[] {changes});
        cleaned++;
      }
    }
    return cleaned;
  }
}
