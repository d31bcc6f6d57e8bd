package io.retso.hbase.coprocessor.write;

import io.retso.hbase.coprocessor.region.AdoptedOutcomes;
import io.retso.hbase.coprocessor.region.Background;
import io.retso.hbase.coprocessor.region.LoggedAdoptions;
import io.retso.hbase.coprocessor.region.RegionOutcomes;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.client.Mutation;
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
  static final int ROWS_MAX = 200;

  /** For which a region that closes goes on without success, as others have the rows. */
  static final long PATIENCE_MILLIS = 30_000;

  /** Property of servers and tables: the same in milliseconds. */
  private static final String PATIENCE = "retso.close.timeout";

  private static final long DELAY_MILLIS = 200;
  private static final long RETRY_MILLIS = 2_000;
  private static final Logger LOG = LoggerFactory.getLogger(ReplayCleanup.class);

  private final Region region;
  private final RegionOutcomes outcomes;
  private final AdoptedOutcomes adoptions;
  private final BooleanSupplier isServed;
  private final long patienceMillis;

  /**
   * Of a region.
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
    this.region = region;
    this.isServed = isServed;
    this.outcomes = outcomes;
    this.adoptions = adoptions;
    this.patienceMillis = patienceMillis;
  }

  /**
   * How long a region that closes goes on without success, in milliseconds.
   *
   * @throws IllegalArgumentException if its configuration does not say so in a number
   */
  public static long patience(Region region) {
    try {
      return region.getReadOnlyConfiguration().getLong(PATIENCE, PATIENCE_MILLIS);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          PATIENCE
              + " of the table, or of the region server, is no number of milliseconds ("
              + ErrorText.of(e)
              + "): correct it",
          e);
    }
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
      Passes.repeat(this::pass, millis);
    }
  }

  /** From the first row to the last: outcomes are forgotten when there is no mark of them. */
  private Passes.Result pass() throws IOException {
    adoptions.load();
    if (adoptions.isReplayDone()) {
      return Passes.Result.DONE;
    }
    boolean hasMarks = false;
    int cleaned = 0;
    IOException failed = null;
    byte[] last = HConstants.EMPTY_START_ROW;
    for (List<Cell> found = marksBehind(last); !found.isEmpty(); found = marksBehind(last)) {
      hasMarks = true;
      last = CellUtil.cloneRow(found.get(found.size() - 1));
      try {
        cleaned += cleanUpRows(found);
      } catch (InterruptedIOException e) {
        throw e;
      } catch (IOException e) {
        failed = e; // the next rows may do better
      }
    }
    if (!hasMarks) {
      adoptions.replayDone();
      return Passes.Result.DONE;
    }
    if (cleaned == 0 && failed != null) {
      throw failed;
    }
    return cleaned > 0 ? Passes.Result.SOME : Passes.Result.NOTHING;
  }

  private List<Cell> marksBehind(byte[] row) throws IOException {
    return LoggedAdoptions.marks(region, row, adoptions::isFound, ROWS_MAX);
  }

  /** How many were cleaned up: others may have the rows. */
  private int cleanUpRows(List<Cell> marks) throws IOException {
    Mutation[] cleanups = new Mutation[marks.size()];
    for (int i = 0; i < cleanups.length; i++) {
      byte[] row = CellUtil.cloneRow(marks.get(i));
      long start = PendingWrite.startOf(marks.get(i));
      long outcome = outcomes.outcomeOf(start);
      assert Outcome.isKnown(outcome) : "it left before its last mark: " + start;
      cleanups[i] = new CleanupRequest(row, start, outcome).toPut();
    }
    int cleaned = 0;
    for (OperationStatus status : region.batchMutate(cleanups)) {
      cleaned += status.getOperationStatusCode() == OperationStatusCode.SUCCESS ? 1 : 0;
    }
    return cleaned;
  }
}
