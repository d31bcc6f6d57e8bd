package io.retso.bench.workload;

import io.retso.workload.Isolation;
import io.retso.workload.Options;
import io.retso.workload.RefusedException;
import io.retso.workload.Row;
import io.retso.workload.Store;
import io.retso.workload.StoreTransaction;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * What runs beside the programs of a bank: writers that take up to a second, readers on safe
 * snapshots at a rate that managers share, and one probe that waits for deferred snapshots. Until
 * it is closed.
 */
final class ReadersLoad implements AutoCloseable {
  /** Reads of all managers together, a second. */
  static final int READS_PER_SECOND = 500;

  private static final int READERS = 4;
  private static final int SLOW = 5;
  private static final long SLOW_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);
  private static final long PROBE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final Options READ = new Options("reader", Isolation.SERIALIZABLE, true);
  private static final Options DEFERRED =
      new Options("deferred", Isolation.SERIALIZABLE, true, true);
  private static final Options WRITE = new Options("slow", Isolation.SERIALIZABLE, false);

  /** The first read of deferred readers, and of others; nanoseconds. */
  final Histogram deferred = new ConcurrentHistogram(TimeUnit.HOURS.toNanos(1), 3);

  final Histogram recent = new ConcurrentHistogram(TimeUnit.HOURS.toNanos(1), 3);
  final LongAdder reads = new LongAdder();

  private final Store store;
  private final List<Row> rows;
  private final AtomicBoolean ends = new AtomicBoolean();
  private final ExecutorService executor = Executors.newCachedThreadPool();
  private final List<Future<?>> parts = new ArrayList<>();

  private interface Part {
    void run() throws IOException;
  }

  /**
   * Begins.
   *
   * @param store of the programs
   * @param managers that read; may be empty
   * @param rows that are there, of which all read
   */
  ReadersLoad(Store store, List<Store> managers, List<Row> rows, long seed) {
    this.store = store;
    this.rows = rows;
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < SLOW; i++) {
      SplittableRandom own = random.split();
      Row written = rows.get(rows.size() - 1 - i);
      start(() -> write(own, written));
    }
    SplittableRandom probes = random.split();
    start(() -> probe(probes));
    for (int i = 0; i < READERS && !managers.isEmpty(); i++) {
      SplittableRandom own = random.split();
      start(() -> read(managers, own));
    }
  }

  private void start(Part part) {
    parts.add(
        executor.submit(
            () -> {
              part.run();
              return null;
            }));
  }

  private Row row(SplittableRandom random) {
    return rows.get(random.nextInt(rows.size()));
  }

  private void awaitUntil(long deadline) {
    long left = deadline - System.nanoTime();
    while (left > 0 && !ends.get()) {
      LockSupport.parkNanos(Math.min(left, PROBE_NANOS));
      left = deadline - System.nanoTime();
    }
  }

  /** Reads a row that hardly any other client does, thinks, and writes it. */
  private void write(SplittableRandom random, Row written) throws IOException {
    while (!ends.get()) {
      try (StoreTransaction tx = store.begin(WRITE)) {
        byte[] value = tx.get(written);
        awaitUntil(System.nanoTime() + random.nextLong(SLOW_NANOS_MAX));
        tx.put(written, value);
        tx.commit();
      } catch (RefusedException e) {
        continue; // another one wrote it
      }
    }
  }

  private void probe(SplittableRandom random) throws IOException {
    while (!ends.get()) {
      first(store, DEFERRED, random, deferred);
      first(store, READ, random, recent);
      awaitUntil(System.nanoTime() + PROBE_NANOS);
    }
  }

  private void first(Store at, Options options, SplittableRandom random, Histogram nanos)
      throws IOException {
    long begun = System.nanoTime();
    try (StoreTransaction tx = at.begin(options)) {
      tx.get(row(random));
      nanos.recordValue(System.nanoTime() - begun);
      tx.commit();
    } catch (RefusedException e) {
      return; // PostgreSQL may refuse readers that do not wait
    }
  }

  private void read(List<Store> managers, SplittableRandom random) throws IOException {
    long period = TimeUnit.SECONDS.toNanos(READERS) / READS_PER_SECOND;
    long next = System.nanoTime() + random.nextLong(period);
    while (!ends.get()) {
      awaitUntil(next);
      try (StoreTransaction tx = managers.get(random.nextInt(managers.size())).begin(READ)) {
        tx.get(row(random));
        tx.commit();
      }
      reads.increment();
      next = Math.max(next + period, System.nanoTime() - period); // what it is late is let go
    }
  }

  /** Ends all, and says what has failed. */
  void end() throws IOException, InterruptedException {
    ends.set(true);
    for (Future<?> part : parts) {
      try {
        part.get();
      } catch (ExecutionException e) {
        throw new IOException("beside the programs: " + e.getCause(), e.getCause());
      }
    }
  }

  @Override
  public void close() {
    ends.set(true);
    executor.shutdownNow();
  }
}
