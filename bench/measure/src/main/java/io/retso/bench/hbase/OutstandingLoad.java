package io.retso.bench.hbase;

import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.SerializationException;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.hbase.client.Put;

/**
 * The paper's transactions (section 4), through HBase: each writes 0 to 20 random rows, so many are
 * under way at a time, by the asynchronous clients.
 */
final class OutstandingLoad {
  private static final int ROWS_MAX = 20;

  /** Starts one transaction; fails as {@link #isRefused} says if it was aborted. */
  interface Start {
    CompletableFuture<?> write(List<Put> puts);
  }

  private OutstandingLoad() {}

  /** The plain client: one batch of puts. */
  static Start plain(BenchTables tables) {
    var table = tables.async.getTable(BenchTables.PLAIN);
    return puts -> puts.isEmpty() ? CompletableFuture.completedFuture(null) : table.putAll(puts);
  }

  /** Begin, one batch of puts, commit. */
  static Start transactional(BenchTables tables) {
    TransactionManager manager = tables.manager;
    return puts -> manager.beginAsync().thenCompose(tx -> write(tx, puts));
  }

  private static CompletableFuture<?> write(Transaction tx, List<Put> puts) {
    return tx.asyncTable(BenchTables.TRANSACTIONAL)
        .thenCompose(
            table -> puts.isEmpty() ? CompletableFuture.completedFuture(null) : table.putAll(puts))
        .thenCompose(written -> tx.commitAsync())
        .whenComplete((committed, failure) -> tx.close());
  }

  /** Runs it. */
  static ThreadedLoad.Result run(
      Start start, Rows rows, int outstanding, long warmUpNanos, long measuredNanos)
      throws IOException, InterruptedException {
    Semaphore free = new Semaphore(outstanding);
    Histogram nanos = new ConcurrentHistogram(TimeUnit.HOURS.toNanos(1), 3);
    LongAdder aborted = new LongAdder();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    long from = System.nanoTime() + warmUpNanos;
    long until = from + measuredNanos;
    long operations = 0;
    while (failure.get() == null) {
      free.acquire();
      long begun = System.nanoTime();
      if (begun >= until) {
        free.release();
        break;
      }
      operations++;
      start
          .write(rows.puts(rows.choose(ROWS_MAX + 1)))
          .whenComplete(
              (done, thrown) -> {
                long end = System.nanoTime();
                boolean counts = end >= from && end < until;
                if (thrown == null && counts) {
                  nanos.recordValue(end - begun);
                } else if (thrown != null && isRefused(thrown)) {
                  aborted.add(counts ? 1 : 0);
                } else if (thrown != null) {
                  failure.compareAndSet(null, thrown);
                }
                free.release();
              });
    }
    free.acquire(outstanding);
    if (failure.get() != null) {
      throw new IOException(ErrorText.of(failure.get()), failure.get());
    }
    return ThreadedLoad.Result.of(measuredNanos / 1e9, aborted.sum(), nanos, operations);
  }

  private static boolean isRefused(Throwable thrown) {
    Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
    return cause instanceof ConflictException || cause instanceof SerializationException;
  }
}
