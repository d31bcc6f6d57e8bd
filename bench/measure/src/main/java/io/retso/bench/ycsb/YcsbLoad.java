package io.retso.bench.ycsb;

import io.retso.text.ErrorText;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import site.ycsb.DBException;
import site.ycsb.Workload;
import site.ycsb.WorkloadException;

/**
 * Threads that do what those of YCSB's client do, but count from the end of a warm-up on: YCSB
 * counts the first calls of a JVM, too, which matter in runs of seconds.
 */
final class YcsbLoad {
  private static final double NANOS = 1e9;

  private final Properties properties;
  private final Workload workload;
  private final Binding binding;
  private final int clients;

  /**
   * What threads did, and how long it took.
   *
   * @param operations of the workload
   * @param calls of the binding, as an operation that reads and writes has two
   * @param conflicts transactions that were refused
   * @param errors calls that failed otherwise
   * @param nanos of all threads
   * @param clients threads
   */
  record Counts(long operations, long calls, long conflicts, long errors, long nanos, int clients) {
    Counts add(Counts other) {
      return new Counts(
          operations + other.operations,
          calls + other.calls,
          conflicts + other.conflicts,
          errors + other.errors,
          nanos + other.nanos,
          clients + other.clients);
    }

    /** Operations a second, those of refused transactions included. */
    double perSecond() {
      return nanos == 0 ? 0 : operations * NANOS * clients / nanos;
    }

    /** Share of the transactions that were refused, of 1. */
    double refusedShare(int callsOfOne) {
      return calls == 0 ? 0 : Math.min(1, (double) conflicts * callsOfOne / calls);
    }
  }

  /** What a thread does with a binding that is open. */
  private interface Task {
    /** Returns how many operations it has done, and how long that took. */
    Counts run(CountedDb db, Object state) throws IOException;
  }

  YcsbLoad(Properties properties, Workload workload, Binding binding, int clients) {
    this.properties = properties;
    this.workload = workload;
    this.binding = binding;
    this.clients = clients;
  }

  /** Inserts records, as many as are divisible by the number of threads, or a few more. */
  void insert(int records) throws IOException, InterruptedException {
    int share = (records + clients - 1) / clients;
    run(
        (db, state) -> {
          for (int i = 0; i < share && !Thread.currentThread().isInterrupted(); i++) {
            if (!workload.doInsert(db, state)) {
              throw new IOException("a record cannot be inserted; lines above say why");
            }
          }
          return new Counts(share, db.calls(), db.conflicts(), db.errors(), 0, 1);
        });
  }

  /** Runs the workload for some time. */
  Counts run(Duration warmUp, Duration measured) throws IOException, InterruptedException {
    return run(
        (db, state) -> {
          long begun = System.nanoTime();
          long from = begun + warmUp.toNanos();
          long until = from + measured.toNanos();
          long operations = 0;
          boolean isCounted = false;
          long now = begun;
          while (now < until && !Thread.currentThread().isInterrupted()) {
            if (!isCounted && now >= from) {
              isCounted = true;
              begun = now;
              operations = 0;
              db.forget();
            }
            workload.doTransaction(db, state);
            operations++;
            now = System.nanoTime();
          }
          return new Counts(operations, db.calls(), db.conflicts(), db.errors(), now - begun, 1);
        });
  }

  private Counts run(Task task) throws IOException, InterruptedException {
    ExecutorService executor = Executors.newFixedThreadPool(clients);
    try {
      List<Future<Counts>> parts = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        int thread = i;
        parts.add(executor.submit(() -> work(task, thread)));
      }
      Counts all = new Counts(0, 0, 0, 0, 0, 0);
      for (Future<Counts> part : parts) {
        all = all.add(part.get());
      }
      return all;
    } catch (ExecutionException e) {
      throw new IOException("a client failed: " + ErrorText.of(e.getCause()), e.getCause());
    } finally {
      executor.shutdownNow();
      executor.awaitTermination(1, TimeUnit.MINUTES);
    }
  }

  private Counts work(Task task, int thread) throws IOException, DBException, WorkloadException {
    CountedDb db = new CountedDb(binding.client());
    db.setProperties(properties);
    db.init();
    try {
      return task.run(db, workload.initThread(properties, thread, clients));
    } finally {
      db.cleanup();
    }
  }
}
