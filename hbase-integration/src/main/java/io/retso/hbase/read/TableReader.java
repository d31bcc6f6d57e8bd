package io.retso.hbase.read;

import io.retso.hbase.errors.Failures;
import io.retso.hbase.errors.SnapshotTooOldException;
import io.retso.hbase.resolve.RowFilter;
import io.retso.hbase.table.PreparedTable;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;

/**
 * Reads rows of one table in the snapshot of one transaction, whose own writes are in the table
 * already. There is one kind for each place where rows are decided: {@link RegionTableReader} and
 * {@link ClientTableReader}; {@link TableReaders} makes the one that the table was prepared for.
 *
 * <p>Thread-safe.
 */
public abstract class TableReader {
  /** The rows of one scan, page after page: each page once the last one has completed. */
  interface Pages {
    /** What HBase is asked for. */
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
  final long start;
  final TableReaders context;

  TableReader(PreparedTable table, long start, TableReaders context) {
    this.table = table;
    this.start = start;
    this.context = context;
  }

  PreparedTable table() {
    return table;
  }

  /** After reads of own writes: see {@link OracleQueries#confirmOpen}. */
  public CompletableFuture<Void> confirmOpen() {
    return context.queries().confirmOpen(start);
  }

  /**
   * What a failure of HBase means to whoever reads. A snapshot that is too old serves no others.
   */
  Throwable failed(Throwable failure) {
    table.learnFrom(Failures.unwrap(failure));
    Throwable cause = Failures.ofStore(failure, start);
    if (cause instanceof SnapshotTooOldException) {
      context.snapshots().tooOld(start);
    }
    return cause;
  }

  /** Reads rows; the answers are in the order of the gets, which were checked. */
  abstract CompletableFuture<List<Result>> getAll(List<Get> gets);

  /**
   * A scan that is about to begin.
   *
   * @param scan checked, and not changed by others any more
   * @param filter that of the scan, for whoever decides the rows
   */
  abstract Pages pages(Scan scan, RowFilter filter);
}
