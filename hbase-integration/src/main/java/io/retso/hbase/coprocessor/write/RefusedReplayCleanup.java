package io.retso.hbase.coprocessor.write;

import io.retso.hbase.coprocessor.region.LoggedAdoptions;
import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.coprocessor.region.RegionMarks;
import io.retso.hbase.coprocessor.region.RegionOutcomes;
import io.retso.hbase.coprocessor.region.SharedMemory;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.PendingWrite;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.regionserver.Region;

/**
 * What {@link ReplayCleanup} does, in a region in which no transactions work, as the settings of
 * its table or server are wrong: before it closes, since it may be split. There nobody else writes
 * or cleans up for transactions, so the rows are changed as they are read. Of one thread.
 */
public final class RefusedReplayCleanup {
  private final Region region;
  private final RowCleaner cleaner;

  public RefusedReplayCleanup(Region region, ObserverMetrics metrics) {
    this.region = region;
    RegionOutcomes outcomes = new RegionOutcomes(region, false);
    RegionMarks none = new RegionMarks(region, false, false, outcomes, new SharedMemory());
    this.cleaner = new RowCleaner(region, none, outcomes, metrics);
  }

  /**
   * Cleans up all rows with marks of adopted transactions.
   *
   * @throws IOException if one cannot be cleaned up
   */
  public void cleanUp() throws IOException {
    Passes.repeat(this::pass, ReplayCleanup.PATIENCE_MILLIS);
  }

  /** Those that were cleaned up are not found again. */
  private Passes.Result pass() throws IOException {
    Map<Long, Long> logged = LoggedAdoptions.read(region);
    if (logged.isEmpty()) {
      return Passes.Result.DONE;
    }
    List<Cell> marks =
        LoggedAdoptions.marks(
            region, HConstants.EMPTY_START_ROW, logged::containsKey, ReplayCleanup.ROWS_MAX);
    int cleaned = 0;
    for (Cell mark : marks) {
      long start = PendingWrite.startOf(mark);
      cleaned += cleanUp(new CleanupRequest(CellUtil.cloneRow(mark), start, logged.get(start)));
    }
    if (marks.isEmpty()) {
      return Passes.Result.DONE;
    }
    return cleaned > 0 ? Passes.Result.SOME : Passes.Result.NOTHING;
  }

  /** How many rows were cleaned up. */
  private int cleanUp(CleanupRequest request) throws IOException {
    RowCleaner.Written written = cleaner.read(request);
    if (written == null) {
      return 0;
    }
    Put changes = new Put(request.row());
    cleaner.cleanUp(changes, request, request.outcome(), written);
    region.batchMutate(new Mutation[] {changes});
    return 1;
  }
}
