package io.retso.hbase.cleanup;

import io.retso.hbase.futures.Futures;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.table.RegionAnswers;
import io.retso.hbase.table.RowBatches;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.filter.ColumnCountGetFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.NullComparator;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.io.TimeRange;

/**
 * Finds out whether HBase hides cells from this user. Its reads leave out what the user may not see
 * (other families, cells with visibility labels) without a word, and what looks like nothing may be
 * a mark. But the condition of a mutation is evaluated by the region on what is there: so it is the
 * region that says whether all was seen, in the very operation that relies on it.
 *
 * <p>Stateless.
 */
public final class HiddenCells {
  /** No cell has this version: a delete of it changes nothing. */
  private static final long NO_VERSION = 1;

  private HiddenCells() {}

  /**
   * The condition that the row bears the mark that was read, number included, and no more cells of
   * the transaction than were read with it.
   *
   * <p>All cells of the transaction in the row were there when this mark was put, and only the
   * transaction and its cleanups change them. So those that were read are still there, and as many
   * as were read are all.
   *
   * @param read what the user was shown of the row at the transaction's version, mark included
   */
  static CheckAndMutate.Builder noneAmong(CleanupRequest request, Result read, byte[] mark) {
    // The counter includes that many cells, each with the advice to go to the next column; a filter
    // that passes nothing takes that away. A row with a cell that is not simply included is
    // skipped.
    Filter passesNothing = new ValueFilter(CompareOperator.NO_OP, new NullComparator());
    Filter noMore =
        new FilterList(
            FilterList.Operator.MUST_PASS_ONE,
            new ColumnCountGetFilter(read.size()),
            passesNothing);
    SingleColumnValueFilter sameMark =
        new SingleColumnValueFilter(
            PendingWrite.family(),
            PendingWrite.qualifier(request.start()),
            CompareOperator.EQUAL,
            mark);
    sameMark.setFilterIfMissing(true);
    return CheckAndMutate.newBuilder(request.row())
        .ifMatches(new FilterList(new SkipFilter(noMore), sameMark))
        .timeRange(TimeRange.at(request.start()));
  }

  /** Succeeds if the row bears the mark, and changes nothing; for a row that seems to have none. */
  static CheckAndMutate mark(CleanupRequest request) {
    return markIn(request.row(), PendingWrite.qualifier(request.start()));
  }

  private static CheckAndMutate markIn(byte[] row, byte[] qualifier) {
    return CheckAndMutate.newBuilder(row)
        .ifMatches(PendingWrite.family(), qualifier, CompareOperator.NOT_EQUAL, null)
        .build(new Delete(row).addColumn(PendingWrite.family(), qualifier, NO_VERSION));
  }

  /**
   * Fails unless this user may read (and clean up) the marks of a table in all of its regions. Each
   * is asked for a mark that is never put; HBase denies such conditions to a user that it would
   * show a part of the marks or none. Rights may change, so it is asked before and after a scan: a
   * region that granted it at both times hid nothing in between, unless the right was taken away
   * and given back meanwhile, or the region moved in the moment of the grant to a server that had
   * not heard of it.
   */
  public static void requireNoMarksAmong(AsyncConnection hbase, PreparedTable table)
      throws IOException {
    List<HRegionLocation> regions =
        Futures.await(hbase.getRegionLocator(table.name()).getAllRegionLocations());
    List<CheckAndMutate> questions =
        RegionAnswers.rows(regions).keySet().stream()
            .map(row -> markIn(row, HConstants.EMPTY_BYTE_ARRAY))
            .toList();
    for (CompletableFuture<CheckAndMutateResult> answer :
        RowBatches.inParts(table.raw(), questions, 1, table.raw()::checkAndMutate)) {
      Futures.await(answer);
    }
  }
}
