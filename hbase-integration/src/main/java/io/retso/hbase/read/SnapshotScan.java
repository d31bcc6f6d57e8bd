package io.retso.hbase.read;

import io.retso.hbase.futures.Callbacks;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.resolve.RowFilter;
import io.retso.hbase.trace.TraceContext;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
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
    /**
     * Whether it is code of the application, which must not run where others rely on the thread.
     */
    default boolean isOfApplication() {
      return false;
    }

    /** Takes what counts HBase's own scan while it goes on. Called first, if the scan wants it. */
    default void measured(ScanMetrics metrics) {}

    /** Takes a row; returns whether more are wanted. The scan fails with what it throws. */
    boolean next(Result row);

    /** Ends a page. Completes when there is room for more rows. */
    CompletableFuture<Void> room();

    /**
     * There are no more rows. Called once, unless {@link #failed} was.
     *
     * @param exhausted whether the range has no more; otherwise a limit, or the consumer that takes
     *     them, ended the scan behind the last row
     */
    void completed(boolean exhausted);

    void failed(Throwable failure);
  }

  private final ScanOwner owner;
  private final Scan scan;
  private final Sink sink;
  private final RowFilter filter;

  /** Set by {@link #open}, as those that follow. */
  private TableReader reader;

  private long timestamp;
  private TableReader.Pages pages;

  /** Whether own writes may be among what is read. */
  private boolean readsOwn;

  /** Rows that may still be delivered. */
  private int rowsLeft;

  private volatile boolean ended;

  /** Since when a sink of the application waits for rows. */
  private long waitsSinceNanos;

  /** Where the scan was called; pages are taken there, and HBase's scanner goes on there. */
  private TraceContext trace = TraceContext.NONE;

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

  public void open(TableReader opened, long snapshot) {
    trace = TraceContext.current();
    waitsSinceNanos = System.nanoTime();
    reader = opened;
    timestamp = snapshot;
    readsOwn = owner.hasSent(reader.table(), scan);
    pages = reader.pages(scan, filter, snapshot);
    reader.table().raw().scan(pages.request(), this);
  }

  @Override
  public void onScanMetricsCreated(ScanMetrics created) {
    sink.measured(created);
  }

  @Override
  public void onNext(Result[] results, ScanController controller) {
    trace.run(() -> take(results, controller));
  }

  private void take(Result[] results, ScanController controller) {
    if (isOver()) {
      controller.terminate();
      return;
    }
    CompletableFuture<Void> page =
        forSink(pages.visible(results).thenCompose(this::confirmed)).thenCompose(this::deliver);
    if (page.isDone() && !page.isCompletedExceptionally()) {
      if (ended) {
        controller.terminate();
      }
      return;
    }
    ScanResumer resumer = controller.suspend();
    TraceContext.keep(page)
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                fail(Futures.unwrap(failure));
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

  /** Whether no more is wanted; so it is when the transaction has ended. */
  private boolean isOver() {
    if (!ended && !owner.isOpen()) {
      fail(owner.endOfScans());
    }
    return ended;
  }

  @Override
  public void onError(Throwable error) {
    waited();
    trace.run(() -> fail(reader.failed(error, timestamp)));
  }

  @Override
  public void onComplete() {
    trace.run(this::end);
  }

  private void end() {
    forSink(confirmed(List.of()))
        .whenComplete(
            (rows, failure) -> {
              waited();
              if (failure != null) {
                fail(Futures.unwrap(failure));
              } else if (owner.isOpen()) {
                complete(true);
              } else {
                fail(owner.endOfScans());
              }
            });
  }

  /** What was read, or not found, once it is certain that own writes were in place. */
  private CompletableFuture<List<Result>> confirmed(List<Result> rows) {
    return readsOwn && owner.isOpen() // otherwise it fails anyway, and says why
        ? reader.confirmOpen(timestamp).thenApply(open -> rows)
        : CompletableFuture.completedFuture(rows);
  }

  private <T> CompletableFuture<T> forSink(CompletableFuture<T> answer) {
    return sink.isOfApplication() ? Callbacks.leave(answer) : answer;
  }

  /** It waits no more for now; a sink that is not of the application counts this itself. */
  private void waited() {
    if (sink.isOfApplication()) {
      owner.waited(System.nanoTime() - waitsSinceNanos);
    }
  }

  private void complete(boolean exhausted) {
    if (!ended) {
      ended = true;
      sink.completed(exhausted);
    }
  }

  private void fail(Throwable failure) {
    if (!ended) {
      ended = true;
      sink.failed(failure);
    }
  }

  private CompletableFuture<Void> deliver(List<Result> rows) {
    waited();
    CompletableFuture<Void> room = give(rows);
    waitsSinceNanos = System.nanoTime();
    return room;
  }

  private CompletableFuture<Void> give(List<Result> rows) {
    if (!owner.isOpen()) {
      // Its own writes are moved then: what comes, or does not come, may lack them.
      return Futures.failed(owner.endOfScans());
    }
    // A filter that wants no more may have looked at rows behind the last one that passed.
    boolean isFiltered = pages.isDone() && rows.size() < rowsLeft;
    if (isFiltered) {
      rowsLeft = rows.size();
    }
    for (Result row : rows) {
      if (ended) {
        break;
      }
      boolean more = rowsLeft > 0 && sink.next(row);
      rowsLeft--;
      if (!more || rowsLeft <= 0) {
        complete(more && isFiltered);
      }
    }
    if (rowsLeft <= 0) {
      complete(isFiltered);
    }
    return ended ? CompletableFuture.completedFuture(null) : sink.room();
  }
}
