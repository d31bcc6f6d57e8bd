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
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Clients that run one program after the other without think time, or as many in a second as they
 * are asked for. A program that is refused is counted and not repeated: the next one is another.
 */
public final class ClosedLoop {
  private static final double NANOS = 1e9;

  private ClosedLoop() {}

  /**
   * How a workload is run.
   *
   * @param clients threads, the multiprogramming level
   * @param perSecond programs that all clients begin together: at instants of a fixed distance, of
   *     which a client that is free takes the next one. Times count from these instants, so that a
   *     store that stalls does not hide it by keeping its clients waiting. 0 for no think time
   * @param warmUp time before what is counted
   */
  public record Plan(
      int clients, double perSecond, long seed, Duration warmUp, Duration measured) {}

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
    return run(workload, store, new Plan(clients, 0, seed, warmUp, measured), begins);
  }

  /** Runs a workload as planned; otherwise like the others. */
  public static LoadCounts run(Workload workload, Store store, Plan plan, Runnable begins)
      throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom(plan.seed);
    ExecutorService executor = Executors.newFixedThreadPool(plan.clients);
    try {
      long begin = System.nanoTime();
      long from = begin + plan.warmUp.toNanos();
      long until = from + plan.measured.toNanos();
      Pace pace = plan.perSecond > 0 ? new Pace(begin, NANOS / plan.perSecond) : null;
      List<Future<LoadCounts>> parts = new ArrayList<>();
      for (int i = 0; i < plan.clients; i++) {
        SplittableRandom own = random.split();
        parts.add(
            executor.submit(
                () ->
                    pace == null
                        ? work(workload, store, own, from, until)
                        : work(workload, store, own, from, until, pace)));
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

  /** When the programs of all clients are due. */
  private static final class Pace {
    private final long begin;
    private final double nanos;
    private final AtomicLong taken = new AtomicLong();

    Pace(long begin, double nanos) {
      this.begin = begin;
      this.nanos = nanos;
    }

    /** Takes the next instant. */
    long next() {
      return begin + (long) (taken.getAndIncrement() * nanos);
    }
  }

  /** What is due before the end, and was not begun until then, is left out. */
  private static LoadCounts work(
      Workload workload, Store store, SplittableRandom random, long from, long until, Pace pace)
      throws IOException {
    LoadCounts counts = new LoadCounts();
    long now = System.nanoTime();
    long due = pace.next();
    while (due < until && now < until && !Thread.currentThread().isInterrupted()) {
      if (due > now) {
        LockSupport.parkNanos(due - now);
        now = System.nanoTime();
        continue;
      }
      Program program = workload.next(random);
      LoadCounts.Ending ending = once(program, store);
      now = System.nanoTime();
      if (due >= from) {
        counts.count(program.options().name(), ending, now - due);
      }
      due = pace.next();
    }
    counts.ran(Math.max(now, until) - from);
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
