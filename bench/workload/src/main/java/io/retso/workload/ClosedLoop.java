package io.retso.workload;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Clients that run one program after the other without think time. A program that is refused is
 * counted and not repeated: the next one is another.
 */
public final class ClosedLoop {
  private ClosedLoop() {}

  /**
   * Runs a workload.
   *
   * @param clients threads, the multiprogramming level
   * @param warmUp time before what is counted
   * @throws IOException what a program throws, but for refusals; or because of it
   */
  public static LoadCounts run(
      Workload workload, Store store, int clients, long seed, Duration warmUp, Duration measured)
      throws IOException, InterruptedException {
    return run(workload, store, clients, seed, warmUp, measured, () -> {});
  }

  /** Runs a workload, and says on the thread of the caller when that begins which is counted. */
  public static LoadCounts run(
      Workload workload,
      Store store,
      int clients,
      long seed,
      Duration warmUp,
      Duration measured,
      Runnable begins)
      throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom(seed);
    ExecutorService executor = Executors.newFixedThreadPool(clients);
    try {
      long from = System.nanoTime() + warmUp.toNanos();
      long until = from + measured.toNanos();
      List<Future<LoadCounts>> parts = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        SplittableRandom own = random.split();
        parts.add(executor.submit(() -> work(workload, store, own, from, until)));
      }
      long left = from - System.nanoTime();
      while (left > 0 && !Thread.currentThread().isInterrupted()) {
        LockSupport.parkNanos(left);
        left = from - System.nanoTime();
      }
      begins.run();
      LoadCounts all = new LoadCounts();
      for (Future<LoadCounts> part : parts) {
        all.add(part.get());
      }
      return all;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IOException("a program failed: " + e.getCause(), e.getCause());
    } finally {
      executor.shutdownNow();
      executor.awaitTermination(1, TimeUnit.MINUTES);
    }
  }

  /** The last program counts with the time that it takes, so that slow ones count at all. */
  private static LoadCounts work(
      Workload workload, Store store, SplittableRandom random, long from, long until)
      throws IOException {
    LoadCounts counts = new LoadCounts();
    long first = 0;
    long now = System.nanoTime();
    while (now < until && !Thread.currentThread().isInterrupted()) {
      boolean counted = now >= from;
      if (counted && first == 0) {
        first = now;
      }
      Program program = workload.next(random);
      LoadCounts.Ending ending = once(program, store);
      long end = System.nanoTime();
      if (counted) {
        counts.count(program.options().name(), ending, end - now);
      }
      now = end;
    }
    counts.ran(first == 0 ? 0 : now - first);
    return counts;
  }

  private static LoadCounts.Ending once(Program program, Store store) throws IOException {
    try {
      return program.runOn(store) ? LoadCounts.COMMITTED : LoadCounts.ROLLED_BACK;
    } catch (RefusedException e) {
      return new LoadCounts.Ending(false, e.reason());
    }
  }
}
