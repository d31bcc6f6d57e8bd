package io.retso.hbase.read;

import io.retso.hbase.errors.SnapshotTooOldException;
import io.retso.hbase.failures.Failures;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.resolve.RowFilter;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.table.RowBatches;
import io.retso.hbase.trace.TraceContext;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;

/**
 * Reads rows of one table in snapshots; own writes of the transaction are in the table already.
 * There is one kind for each place where rows are decided: {@link RegionTableReader} and {@link
 * ClientTableReader}; {@link TableReaders} makes the one that the table was prepared for.
 *
 * <p>Thread-safe.
 */
public abstract class TableReader {
  /** The rows of one scan, page after page: each page once the last one has completed. */
  interface Pages {
    Scan request();

    /** What the snapshot shows of a page that HBase delivered: all of it if regions decide. */
    default CompletableFuture<List<Result>> visible(Result[] page) {
      return CompletableFuture.completedFuture(List.of(page));
    }

    /** Whether the scan's filter, if it is applied here, wants no rows beyond the last page's. */
    default boolean isDone() {
      return false;
    }
  }

  final PreparedTable table;
  final TableReaders context;

  TableReader(PreparedTable table, TableReaders context) {
    this.table = table;
    this.context = context;
  }

  public PreparedTable table() {
    return table;
  }

  /** After reads of own writes: see {@link OracleQueries#confirmOpen}. */
  public CompletableFuture<Void> confirmOpen(long start) {
    return context.queries().confirmOpen(start);
  }

  /** What a failure of HBase means to a reader. A snapshot that is too old serves no others. */
  Throwable failed(Throwable failure, long timestamp) {
    Throwable cause = Futures.unwrap(failure);
    table.learnFrom(cause);
    Throwable meaning = Failures.ofStore(cause, timestamp);
    if (meaning instanceof SnapshotTooOldException) {
      context.snapshots().tooOld(timestamp);
    }
    return meaning;
  }

  /** Reads rows; the answers are in the order of the gets, which were checked. */
  abstract CompletableFuture<List<Result>> getAll(List<Get> gets, long timestamp);

  /** Sends gets, which may be answered by marks and what else there is. */
  CompletableFuture<List<Result>> send(List<Get> gets, long timestamp) {
    return Futures.explained(
        TraceContext.keep(
            gets.size() == 1
                ? table.raw().get(gets.get(0)).thenApply(List::of)
                : RowBatches.all(table, gets)),
        failure -> failed(failure, timestamp));
  }

  /**
   * A scan that is about to begin.
   *
   * @param scan checked, and not changed by others any more
   * @param filter that of the scan, for the code that decides the rows
   */
  abstract Pages pages(Scan scan, RowFilter filter, long timestamp);
}
