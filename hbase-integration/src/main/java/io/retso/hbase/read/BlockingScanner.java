package io.retso.hbase.read;

import io.retso.hbase.futures.Futures;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;

/**
 * The blocking side of a scan: rows wait here, some 4 MB of them at most (and one page), until the
 * application takes them, or the transaction ends. Thread-safe, though its transaction is not for
 * two threads.
 */
public final class BlockingScanner implements ResultScanner, SnapshotScan.Sink {
  private static final long BYTES_MAX = 4 << 20;

  private final ScanOwner owner;
  private final Deque<Result> rows = new ArrayDeque<>();
  private long bytes;
  private CompletableFuture<Void> room = CompletableFuture.completedFuture(null);
  private boolean completed;
  private boolean exhausted;
  private boolean closed;
  private Throwable failure;
  private volatile ScanMetrics metrics;

  /** The application's own, which gets the metrics in the end. */
  private final Scan scan;

  private final ScanRange range;

  /**
   * The scanner of a scan that is about to begin.
   *
   * @param range learns what the application takes, before it has it
   */
  public BlockingScanner(ScanOwner owner, Scan scan, ScanRange range) {
    this.owner = owner;
    this.scan = scan;
    this.range = range;
  }

  @Override
  public void measured(ScanMetrics created) {
    metrics = created;
  }

  @Override
  public synchronized boolean next(Result row) {
    rows.add(row);
    bytes += Result.getTotalSizeOfCells(row);
    return !closed; // a waiting reader is woken when the page is in place, not by a row
  }

  @Override
  public synchronized CompletableFuture<Void> room() {
    notifyAll();
    if (bytes > BYTES_MAX && room.isDone() && !closed && owner.waiting().add(this)) {
      room = new CompletableFuture<>();
    }
    return room;
  }

  @Override
  public synchronized void completed(boolean isExhausted) {
    completed = true;
    exhausted = isExhausted;
    notifyAll();
  }

  @Override
  public synchronized void failed(Throwable cause) {
    failure = cause;
    notifyAll();
  }

  @Override
  public Result next() throws IOException {
    return owner.exclusive(this::take);
  }

  private Result take() throws IOException {
    Result row;
    CompletableFuture<Void> hasRoom = null;
    synchronized (this) {
      awaitRow();
      row = closed ? null : rows.poll();
      if (row == null) {
        range.ended(exhausted && !closed);
      } else {
        range.reached(row);
      }
      owner.checkOpen(); // not before: a commit that begins after this reports what was noted
      if (row != null) {
        bytes -= Result.getTotalSizeOfCells(row);
        if (bytes <= BYTES_MAX / 2 && !room.isDone()) {
          owner.waiting().remove(this);
          hasRoom = room;
        }
      }
    }
    if (hasRoom != null) {
      hasRoom.complete(null); // not under the lock: the next page may be delivered by this thread
    } else if (row == null) {
      publishMetrics();
      if (failure != null && !closed) {
        return Futures.await(Futures.failed(failure));
      }
    }
    return row;
  }

  private void awaitRow() throws IOException {
    assert Thread.holdsLock(this);
    long begun = isWaiting() ? System.nanoTime() : 0;
    while (isWaiting()) {
      try {
        wait();
      } catch (InterruptedException e) {
        throw Futures.interrupted("interrupted in a scan", e);
      }
    }
    if (begun != 0) {
      owner.waited(System.nanoTime() - begun);
    }
  }

  private boolean isWaiting() {
    return rows.isEmpty() && !completed && failure == null && !closed;
  }

  /** For {@link Scan#getScanMetrics}, by the thread that scans, as HBase does it. */
  @SuppressWarnings("deprecation") // HBase's interface has it, and code still uses it
  private void publishMetrics() {
    ScanMetrics measured = metrics;
    if (measured != null) {
      byte[] bytes = ProtobufUtil.toScanMetrics(measured, false).toByteArray();
      scan.setAttribute(Scan.SCAN_ATTRIBUTES_METRICS_DATA, bytes);
    }
  }

  @Override
  public void close() {
    publishMetrics();
    CompletableFuture<Void> waiting;
    synchronized (this) {
      closed = true;
      rows.clear();
      bytes = 0;
      waiting = room;
      range.ended(false);
      owner.waiting().remove(this);
      notifyAll();
    }
    waiting.complete(null);
  }

  /** Leases are renewed while HBase's scanner waits. */
  @Override
  public boolean renewLease() {
    return true;
  }

  /** Those of HBase's own scan; null if the scan does not want them, and before it is open. */
  @Override
  public ScanMetrics getScanMetrics() {
    return metrics;
  }
}
