package io.retso.bench.experiments;

import io.retso.workload.Options;
import io.retso.workload.RefusedException;
import io.retso.workload.Row;
import io.retso.workload.Store;
import io.retso.workload.StoreTransaction;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Begins a deferred reader of one row, waits for its end and for an interval, and begins the next
 * one, until it is ended. For one thread.
 */
final class DeferredProbe implements ExperimentRun.Beside, AutoCloseable {
  private final Store store;
  private final Row row;
  private final Duration interval;
  private final Histogram nanos = new Histogram(TimeUnit.HOURS.toNanos(1), 3);
  private final CountDownLatch ends = new CountDownLatch(1);
  private final ExecutorService executor = Executors.newSingleThreadExecutor();
  private Future<?> running;

  /** A probe that has not begun. */
  DeferredProbe(Store store, Row row, Duration interval) {
    this.store = store;
    this.row = row;
    this.interval = interval;
  }

  @Override
  public void begin() {
    running = executor.submit(this::read);
  }

  private Void read() throws IOException, InterruptedException {
    do {
      long begun = System.nanoTime();
      try (StoreTransaction tx = store.begin(Options.DEFERRED)) {
        tx.get(row);
        tx.commit();
        nanos.recordValue(System.nanoTime() - begun);
      } catch (RefusedException e) {
        throw new IOException("a deferred reader was refused, which is never to be", e);
      }
    } while (!ends.await(interval.toNanos(), TimeUnit.NANOSECONDS));
    return null;
  }

  /** How long each reader took, in nanoseconds; after the end. */
  Histogram nanos() {
    return nanos;
  }

  /** Waits for the end of the last reader. */
  @Override
  public void end() throws IOException, InterruptedException {
    ends.countDown();
    try {
      running.get();
    } catch (ExecutionException e) {
      throw new IOException("the deferred reader failed: " + e.getCause(), e.getCause());
    }
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
