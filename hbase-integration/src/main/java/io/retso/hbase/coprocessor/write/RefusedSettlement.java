package io.retso.hbase.coprocessor.write;

import io.retso.hbase.coprocessor.region.LoggedDecisions;
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
import org.apache.hadoop.hbase.regionserver.HRegion;

/**
 * What {@link Settlement} does, in a region in which no transactions work, as the settings of its
 * table or server are wrong: before it closes, since it may be split. There nobody else writes or
 * cleans up for transactions, so the rows are changed as they are read. Of one thread.
 */
public final class RefusedSettlement {
  private static final int ROWS_MAX = 200;

  private final HRegion region;
  private final RowCleaner cleaner;

  public RefusedSettlement(HRegion region, ObserverMetrics metrics) {
    this.region = region;
    RegionOutcomes outcomes = new RegionOutcomes(region, false);
    RegionMarks none = new RegionMarks(region, false, false, outcomes, new SharedMemory());
    this.cleaner = new RowCleaner(region, none, outcomes, metrics);
  }

  /**
   * Cleans up all rows with marks of decided transactions.
   *
   * @throws IOException if one cannot be cleaned up
   */
  public void settle() throws IOException {
    Map<Long, Long> logged = LoggedDecisions.read(region);
    List<Cell> marks = next(logged);
    while (!marks.isEmpty()) {
      for (Cell mark : marks) {
        long start = PendingWrite.startOf(mark);
        cleanUp(new CleanupRequest(CellUtil.cloneRow(mark), start, logged.get(start)));
      }
      marks = next(logged);
    }
  }

  /** Those that were cleaned up are not among them any more. */
  private List<Cell> next(Map<Long, Long> logged) throws IOException {
    return logged.isEmpty()
        ? List.of()
        : LoggedDecisions.marks(region, HConstants.EMPTY_START_ROW, logged::containsKey, ROWS_MAX);
  }

  private void cleanUp(CleanupRequest request) throws IOException {
    Put changes = new Put(request.row());
    long moveTo = request.isCommitted() ? request.commitTimestamp() : 0;
    cleaner.cleanUp(changes, request, moveTo, cleaner.read(request));
    region.batchMutate(new Mutation[] {changes});
  }
}
