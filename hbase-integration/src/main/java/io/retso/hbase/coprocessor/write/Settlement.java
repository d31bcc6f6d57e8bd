package io.retso.hbase.coprocessor.write;

import io.retso.hbase.coprocessor.region.Background;
import io.retso.hbase.coprocessor.region.LoggedDecisions;
import io.retso.hbase.coprocessor.region.RegionDecisions;
import io.retso.hbase.coprocessor.region.RegionOutcomes;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.PendingWrite;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cleans up the rows with marks of transactions that were decided before the region opened ({@link
 * RegionDecisions}), in the background, and before the region closes at the latest: of two regions
 * that come of a split, only one would find the decisions.
 *
 * <p>It begins when the region is served: HBase numbers what is written before as if it were of the
 * past. Needs no oracle: the outcomes are here.
 *
 * <p>In a table that is set read-only nothing is written, and the region closes as it is: the next
 * one finds the decisions where they were. (If it is split then, only the first half does.)
 *
 * <p>Thread-safe.
 */
public final class Settlement {
  private static final int ROWS_MAX = 200;

  /** Passes over all marks: in each a row may be found that somebody else is cleaning up. */
  private static final int PASSES_MAX = 100;

  private static final long DELAY_MILLIS = 200;
  private static final long RETRY_MILLIS = 2_000;
  private static final Logger LOG = LoggerFactory.getLogger(Settlement.class);

  private final HRegion region;
  private final RegionOutcomes outcomes;
  private final RegionDecisions decisions;
  private final BooleanSupplier isServed;

  /**
   * Of a region.
   *
   * @param isServed whether the server hands it requests
   */
  public Settlement(
      HRegion region,
      RegionOutcomes outcomes,
      RegionDecisions decisions,
      BooleanSupplier isServed) {
    this.region = region;
    this.isServed = isServed;
    this.outcomes = outcomes;
    this.decisions = decisions;
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
        settle();
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("{}: its decided rows are cleaned up later", region, e);
    }
    if (!decisions.isSettled()) {
      Background.run(this::attempt, RETRY_MILLIS);
    }
  }

  /**
   * Cleans up all of them, unless the region is read-only.
   *
   * @throws IOException if one cannot be cleaned up
   */
  public synchronized void settle() throws IOException {
    if (region.isReadOnly()) {
      return;
    }
    decisions.load();
    byte[] first = HConstants.EMPTY_START_ROW;
    boolean isClean = true;
    for (int passes = 0; !decisions.isSettled(); ) {
      List<Cell> found = LoggedDecisions.marks(region, first, decisions::isFound, ROWS_MAX);
      if (!found.isEmpty()) {
        isClean = false;
        cleanUp(found);
        byte[] last = CellUtil.cloneRow(found.get(found.size() - 1));
        first = Arrays.copyOf(last, last.length + 1);
      } else if (isClean) {
        decisions.settled(); // none in a pass from the first row to the last
      } else if (passes++ < PASSES_MAX) {
        first = HConstants.EMPTY_START_ROW;
        isClean = true;
      } else {
        throw new RegionTooBusyException("rows of decided transactions could not be cleaned up");
      }
    }
  }

  private void cleanUp(List<Cell> marks) throws IOException {
    Mutation[] cleanups = new Mutation[marks.size()];
    for (int i = 0; i < cleanups.length; i++) {
      byte[] row = CellUtil.cloneRow(marks.get(i));
      long start = PendingWrite.startOf(marks.get(i));
      cleanups[i] = new CleanupRequest(row, start, outcomes.outcomeOf(start)).toPut();
    }
    try {
      region.batchMutate(cleanups);
    } catch (RegionTooBusyException e) {
      LOG.debug("{}: some rows are being cleaned up by others", region, e);
    }
  }
}
