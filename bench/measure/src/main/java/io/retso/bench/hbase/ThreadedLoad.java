package io.retso.bench.hbase;

import io.retso.report.Percentiles;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Threads that repeat an operation for a while, a closed loop without think time. */
final class ThreadedLoad {
  private ThreadedLoad() {}

  /**
   * What came of it.
   *
   * @param perSecond operations, aborted ones left out
   * @param abortShare of all
   * @param latency of those that were not aborted, ms
   * @param operations all of them, those of the warm-up included
   */
  record Result(double perSecond, double abortShare, Percentiles latency, long operations) {
    static Result of(double seconds, long aborted, Histogram nanos, long operations) {
      long done = nanos.getTotalCount();
      return new Result(
          done / seconds,
          done + aborted == 0 ? 0 : (double) aborted / (done + aborted),
          Percentiles.of(nanos),
          operations);
    }
  }

  private record Share(Histogram nanos, long aborted, double seconds, long operations) {}

  /**
   * Runs it.
   *
   * @param makeRows the rows of each thread
   * @throws IOException what an operation throws
   */
  static Result run(
      Operation.Maker maker,
      java.util.function.Supplier<Rows> makeRows,
      int threads,
      long warmUpNanos,
      long measuredNanos)
      throws IOException, InterruptedException {
    List<Operation> operations = new ArrayList<>();
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      for (int i = 0; i < threads; i++) {
        operations.add(maker.make(makeRows.get()));
      }
      long from = System.nanoTime() + warmUpNanos;
      List<Future<Share>> shares = new ArrayList<>();
      for (Operation operation : operations) {
        shares.add(executor.submit(() -> repeat(operation, from, from + measuredNanos)));
      }
      Histogram nanos = histogram();
      long aborted = 0;
      double seconds = 0;
      long operationsRun = 0;
      for (Future<Share> share : shares) {
        nanos.add(share.get().nanos());
        aborted += share.get().aborted();
        seconds += share.get().seconds() / threads;
        operationsRun += share.get().operations();
      }
      return Result.of(seconds, aborted, nanos, operationsRun);
    } catch (ExecutionException e) {
      throw new IOException(ErrorText.of(e.getCause()), e.getCause());
    } finally {
      executor.shutdownNow();
      executor.awaitTermination(1, TimeUnit.MINUTES);
      for (Operation operation : operations) {
        operation.close();
      }
    }
  }

  private static Histogram histogram() {
    return new Histogram(TimeUnit.HOURS.toNanos(1), 3);
  }

  /** The last operation counts with the time that it takes, so that slow ones count at all. */
  private static Share repeat(Operation operation, long from, long until) throws IOException {
    Histogram nanos = histogram();
    long aborted = 0;
    long operations = 0;
    long first = 0;
    long now = System.nanoTime();
    while (now < until) {
      boolean counts = now >= from;
      if (counts && first == 0) {
        first = now;
      }
      boolean done = operation.run();
      long end = System.nanoTime();
      operations++;
      if (counts && done) {
        nanos.recordValue(end - now);
      } else if (counts) {
        aborted++;
      }
      now = end;
    }
    return new Share(nanos, aborted, first == 0 ? 1 : (now - first) / 1e9, operations);
  }
}
