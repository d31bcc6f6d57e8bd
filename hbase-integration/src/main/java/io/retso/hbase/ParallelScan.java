package io.retso.hbase;

import io.retso.hbase.futures.Workers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * Reads a table in one snapshot by several threads of one process, a region each at a time.
 *
 * <pre>{@code
 * ParallelScan.of(manager, snapshot.token()).rows(accounts, new Scan(), 8, row -> ...);
 * }</pre>
 *
 * <p>Thread-safe; it has no state but what it was made of.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class ParallelScan {
  /** Threads of one scan, at most. */
  public static final int THREADS_MAX = 256;

  private final TransactionManager manager;
  private final TransactionOptions options;

  private ParallelScan(TransactionManager manager, TransactionOptions options) {
    this.manager = manager;
    this.options = options;
  }

  /** Scans of a held snapshot. */
  public static ParallelScan of(TransactionManager manager, SnapshotToken token) {
    Objects.requireNonNull(manager, "the manager is null");
    return new ParallelScan(manager, TransactionOptions.DEFAULT.at(token));
  }

  /**
   * Gives each row that the scan finds to the consumer, once, and returns behind the last one. Rows
   * of a region come in their order, on one thread; those of several come at the same time.
   *
   * @param scan what a transaction's scan may be, in ascending order and without a limit
   * @param threads 1 to {@value #THREADS_MAX}, which end with this call
   * @param consumer is called by many threads; what it throws ends the scan, and is thrown
   * @throws IOException if a part of the table cannot be read; the consumer has had some rows
   * @throws IllegalArgumentException if the scan or the number of threads is another
   */
  public void rows(TableName table, Scan scan, int threads, Consumer<? super Result> consumer)
      throws IOException {
    if (threads < 1 || threads > THREADS_MAX) {
      throw new IllegalArgumentException(threads + " threads are not 1 to " + THREADS_MAX);
    }
    if (scan.isReversed() || scan.getLimit() > 0) {
      throw new IllegalArgumentException(
          "parts of a table have no common order and limit: leave out setReversed and setLimit, or"
              + " use a scan of a transaction");
    }
    List<Callable<Void>> reads = new ArrayList<>();
    for (Scan part : parts(table, scan)) {
      reads.add(() -> read(table, part, consumer));
    }
    Workers.run(threads, reads, "a parallel scan of " + table);
  }

  /** The scan cut at the bounds of the regions of this moment; they may split later. */
  private List<Scan> parts(TableName table, Scan scan) throws IOException {
    List<Scan> parts = new ArrayList<>();
    try (ReadTransaction tx = manager.beginReadOnly(options)) {
      for (HRegionLocation region : tx.table(table).getRegionLocator().getAllRegionLocations()) {
        Scan part = cut(scan, region.getRegion().getStartKey(), region.getRegion().getEndKey());
        if (part != null) {
          parts.add(part);
        }
      }
    }
    return parts;
  }

  /** The part of a scan from a row on, up to another one; empty rows are no bounds. */
  private static Scan cut(Scan scan, byte[] from, byte[] to) throws IOException {
    byte[] start = scan.getStartRow();
    byte[] stop = scan.getStopRow();
    int stopAgainstFrom = stop.length == 0 ? 1 : Bytes.compareTo(stop, from);
    boolean endsBefore =
        stopAgainstFrom < 0 || stopAgainstFrom == 0 && from.length > 0 && !scan.includeStopRow();
    boolean beginsBehind = to.length > 0 && Bytes.compareTo(start, to) >= 0;
    if (endsBefore || beginsBehind) {
      return null;
    }
    Scan part = new Scan(scan);
    if (Bytes.compareTo(from, start) > 0) {
      part.withStartRow(from, true);
    }
    if (to.length > 0 && (stop.length == 0 || Bytes.compareTo(to, stop) <= 0)) {
      part.withStopRow(to, false);
    }
    return part;
  }

  private Void read(TableName table, Scan part, Consumer<? super Result> consumer)
      throws IOException {
    try (ReadTransaction tx = manager.beginReadOnly(options);
        ResultScanner rows = tx.table(table).getScanner(part)) {
      Result row;
      while ((row = rows.next()) != null) {
        consumer.accept(row);
      }
    }
    return null;
  }
}
