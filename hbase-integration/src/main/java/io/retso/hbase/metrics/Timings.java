package io.retso.hbase.metrics;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Supplier;

/**
 * Where the time of one transaction went: sums over what may have run side by side. Thread-safe.
 */
public final class Timings {
  /** What a transaction waits for. */
  public enum Step {
    /** The start timestamp. */
    BEGIN,
    /** Gets and the like, and rows of scans. */
    READ,
    /** Batches of writes, on their way to HBase. */
    WRITE,
    /** The oracle's decision. */
    COMMIT
  }

  /** What transactions share that are not measured. */
  public static final Timings NONE = new Timings(false);

  private final boolean measures;
  private final AtomicLongArray nanos = new AtomicLongArray(Step.values().length);
  private volatile int attempt = 1;

  private Timings(boolean measures) {
    this.measures = measures;
  }

  /** Those of a transaction that begins. */
  public static Timings measured() {
    return new Timings(true);
  }

  /** Carries out a step, and adds the time until its future completes, in whatever way. */
  public <T> CompletableFuture<T> of(Step step, Supplier<CompletableFuture<T>> what) {
    if (!measures) {
      return what.get();
    }
    long begun = System.nanoTime();
    return what.get().whenComplete((answer, failure) -> add(step, System.nanoTime() - begun));
  }

  /** Adds time that was spent. */
  public void add(Step step, long spentNanos) {
    if (measures) {
      nanos.addAndGet(step.ordinal(), spentNanos);
    }
  }

  /** It is this attempt of {@code run} or its like, from 1 on. */
  public void attempt(int number) {
    if (measures) {
      attempt = number;
    }
  }

  int attempt() {
    return attempt;
  }

  long nanos(Step step) {
    return nanos.get(step.ordinal());
  }
}
