package io.retso.hbase.read;

import io.retso.hbase.errors.Failures;
import io.retso.hbase.resolve.RowFilter;
import io.retso.hbase.resolve.SnapshotRequests;
import io.retso.hbase.resolve.WriterStatuses;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;

/**
 * A scan in a snapshot. HBase delivers page after page; each is decided as a whole, with one round
 * of questions to the oracle, while HBase's scanner waits.
 *
 * <p>HBase calls it for one page after the other, on threads of its own.
 */
public final class SnapshotScan implements AdvancedScanResultConsumer {
  /** Where rows go. Called in the order of the rows, never by two threads at once. */
  public interface Sink {
    /** Takes what counts HBase's own scan while it goes on. Called first, if the scan wants it. */
    default void measured(ScanMetrics metrics) {}

    /** Takes a row; returns whether more are wanted. */
    boolean next(Result row);

    /** Ends a page. Completes when there is room for more rows. */
    CompletableFuture<Void> room();

    /** There are no more rows. Called once, unless {@link #failed} was. */
    void completed();

    /** The scan cannot go on. */
    void failed(Throwable failure);
  }

  private final ScanOwner owner;
  private final Scan scan;
  private final Sink sink;
  private final RowFilter filter;

  /** Set by {@link #open}, as those that follow. */
  private TableReader reader;

  private WriterStatuses statuses;

  /**
   * From before the scanner was opened. Later pages were read after later answers of the oracle,
   * but in the view of a scanner that may be older than those: they keep this moment.
   */
  private long moment;

  /** Whether own writes may be among what is read. */
  private boolean readsOwn;

  /** Rows that may still be delivered. */
  private int rowsLeft;

  private volatile boolean ended;

  /**
   * A scan that begins with {@link #open}.
   *
   * @param scan checked, and not changed by others any more
   */
  public SnapshotScan(ScanOwner owner, Scan scan, Sink sink) throws IOException {
    this.owner = owner;
    this.scan = scan;
    this.sink = sink;
    this.filter = RowFilter.of(scan);
    this.rowsLeft = scan.getLimit() > 0 ? scan.getLimit() : Integer.MAX_VALUE;
  }

  /** Begins to read. */
  public void open(TableReader opened) {
    reader = opened;
    readsOwn = owner.hasSent(reader.table(), scan);
    statuses = reader.statuses();
    moment = statuses.moment();
    Scan sent =
        reader.table().isServerReads()
            ? SnapshotRequests.atServer(scan, reader.start())
            : SnapshotRequests.raw(scan, reader.start(), 1);
    reader.table().raw().scan(sent, this);
  }

  @Override
  public void onScanMetricsCreated(ScanMetrics created) {
    sink.measured(created);
  }

  @Override
  public void onNext(Result[] results, ScanController controller) {
    if (isOver()) {
      controller.terminate();
      return;
    }
    CompletableFuture<List<Result>> rows =
        reader.table().isServerReads()
            ? CompletableFuture.completedFuture(List.of(results))
            : decide(results);
    CompletableFuture<Void> page = rows.thenCompose(this::confirmed).thenCompose(this::deliver);
    if (page.isDone() && !page.isCompletedExceptionally()) {
      if (ended) {
        controller.terminate();
      }
      return;
    }
    ScanResumer resumer = controller.suspend();
    page.whenComplete(
        (done, failure) -> {
          if (failure != null) {
            end(Failures.unwrap(failure));
          }
          resumer.resume(); // if it has ended, the next call terminates it
        });
  }

  @Override
  public void onHeartbeat(ScanController controller) {
    if (isOver()) {
      controller.terminate();
    }
  }

  /** Whether nobody wants more; so it is when the transaction has ended. */
  private boolean isOver() {
    if (!ended && !owner.isOpen()) {
      end(owner.ended());
    }
    return ended;
  }

  @Override
  public void onError(Throwable error) {
    end(reader.failed(error));
  }

  @Override
  public void onComplete() {
    confirmed(List.of())
        .whenComplete(
            (rows, failure) -> {
              if (failure != null) {
                end(Failures.unwrap(failure));
              } else {
                end(owner.isOpen() ? null : owner.ended());
              }
            });
  }

  /** What was read, or not found, once it is certain that own writes were in place. */
  private CompletableFuture<List<Result>> confirmed(List<Result> rows) {
    return readsOwn && owner.isOpen() // otherwise it fails anyway, and says why
        ? reader.confirmOpen().thenApply(open -> rows)
        : CompletableFuture.completedFuture(rows);
  }

  private void end(Throwable failure) {
    if (!ended) {
      ended = true;
      if (failure == null) {
        sink.completed();
      } else {
        sink.failed(failure);
      }
    }
  }

  private CompletableFuture<List<Result>> decide(Result[] results) {
    List<TableReader.Pending> rows = new ArrayList<>(results.length);
    for (Result result : results) {
      TableReader.Pending row =
          new TableReader.Pending(versions -> rawGet(result.getRow(), versions));
      reader.take(row, result, moment);
      rows.add(row);
    }
    return reader.decide(rows, statuses).thenCompose(done -> visible(rows));
  }

  private CompletableFuture<List<Result>> visible(List<TableReader.Pending> rows) {
    List<Result> found = new ArrayList<>(rows.size());
    try {
      for (TableReader.Pending row : rows) {
        if (filter.isDone()) {
          break;
        }
        List<Cell> cells = filter.apply(row.row.visible());
        if (!cells.isEmpty()) {
          found.add(Result.create(cells));
        }
      }
      if (filter.isDone()) {
        rowsLeft = Math.min(rowsLeft, found.size());
      }
    } catch (IOException e) {
      return Failures.failed(e);
    }
    reader.finish(rows, statuses);
    statuses.trim();
    return CompletableFuture.completedFuture(found);
  }

  /** The columns of the scan in one row; what its reader may see of them is in the attributes. */
  private Get rawGet(byte[] row, int versions) {
    Get get = new Get(row).setCacheBlocks(scan.getCacheBlocks()).setPriority(scan.getPriority());
    scan.getAttributesMap().forEach(get::setAttribute);
    for (Map.Entry<byte[], NavigableSet<byte[]>> family : scan.getFamilyMap().entrySet()) {
      if (family.getValue() == null || family.getValue().isEmpty()) {
        get.addFamily(family.getKey());
      } else {
        family.getValue().forEach(qualifier -> get.addColumn(family.getKey(), qualifier));
      }
    }
    return SnapshotRequests.raw(get, reader.start(), versions);
  }

  private CompletableFuture<Void> deliver(List<Result> rows) {
    if (!owner.isOpen()) {
      // Its own writes are moved then: what comes, or does not come, may lack them.
      return Failures.failed(owner.ended());
    }
    for (Result row : rows) {
      if (ended) {
        break;
      }
      boolean more = rowsLeft > 0 && sink.next(row);
      rowsLeft--;
      if (!more || rowsLeft <= 0) {
        end(null);
      }
    }
    if (rowsLeft <= 0) {
      end(null);
    }
    return ended ? CompletableFuture.completedFuture(null) : sink.room();
  }
}
