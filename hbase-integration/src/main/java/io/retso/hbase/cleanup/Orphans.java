package io.retso.hbase.cleanup;

import io.retso.hbase.futures.Futures;
import io.retso.hbase.futures.Timers;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.trace.BackgroundTrace;
import io.retso.hbase.trace.Tracing;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Rows with marks of decided transactions that reads came across: usually their own client is about
 * to clean them up, so this one waits a little before it does. Rows beyond the bound are dropped,
 * as another read or a sweep will meet them again. Thread-safe.
 */
public final class Orphans {
  private static final int ROWS_MAX = 10_000;

  private record Key(TableName table, String row, long start) {}

  private record Found(PreparedTable table, CleanupRequest request) {}

  private final long delayMillis;
  private final Counters counters;
  private final Tracing tracing;
  private final Map<Key, Found> waiting = new LinkedHashMap<>();
  private boolean scheduled;
  private boolean closed;

  /** What was sent and is not answered. */
  private CompletableFuture<Void> underWay = CompletableFuture.completedFuture(null);

  /** Cleans up {@code delayMillis} after a row was found. */
  public Orphans(long delayMillis, Counters counters, Tracing tracing) {
    this.delayMillis = delayMillis;
    this.counters = counters;
    this.tracing = tracing;
  }

  /** Rows of one table in which a read met decided transactions. */
  public synchronized void offer(PreparedTable table, List<CleanupRequest> requests) {
    for (CleanupRequest request : requests) {
      Key key = new Key(table.name(), Bytes.toStringBinary(request.row()), request.start());
      if (closed || waiting.size() >= ROWS_MAX && !waiting.containsKey(key)) {
        counters.orphansDropped.increment();
      } else {
        waiting.put(key, new Found(table, request));
      }
    }
    if (!scheduled && !waiting.isEmpty()) {
      scheduled = true;
      Timers.after(delayMillis, TimeUnit.MILLISECONDS, this::clean);
    }
  }

  private void clean() {
    Map<PreparedTable, List<CleanupRequest>> tables = new LinkedHashMap<>();
    CompletableFuture<Void> answered = new CompletableFuture<>();
    synchronized (this) {
      scheduled = false;
      if (!closed) {
        for (Found found : waiting.values()) {
          tables.computeIfAbsent(found.table, table -> new ArrayList<>()).add(found.request);
        }
      }
      waiting.clear();
      underWay = CompletableFuture.allOf(underWay, answered); // before it is, for close()
    }
    int rows = tables.values().stream().mapToInt(List::size).sum();
    BackgroundTrace trace = rows == 0 ? BackgroundTrace.NONE : tracing.cleanup(rows, Stream::empty);
    List<CompletableFuture<Void>> sent = trace.context().call(() -> sent(tables));
    sent.forEach(row -> row.thenRun(counters.orphansCleaned::increment));
    Futures.all(sent)
        .whenComplete(
            (done, failure) -> {
              trace.end(null); // a row that failed is left to the next reader
              answered.complete(null);
            });
  }

  /** Not tried again, nor for long: the next reader of the row will. */
  private List<CompletableFuture<Void>> sent(Map<PreparedTable, List<CleanupRequest>> tables) {
    List<CompletableFuture<Void>> sent = new ArrayList<>();
    tables.forEach(
        (table, requests) ->
            sent.addAll(RowCleanup.send(table, table.shortTimeout(), requests, this::isOpen)));
    return sent;
  }

  /** Completes, once it is closed, when nothing is on its way to HBase any more: in seconds. */
  public synchronized CompletableFuture<Void> drained() {
    return underWay;
  }

  private synchronized boolean isOpen() {
    return !closed;
  }

  public synchronized void close() {
    closed = true;
    waiting.clear();
  }
}
