package io.retso.hbase.cleanup;

import io.retso.client.OracleClient;
import io.retso.hbase.futures.Timers;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.trace.Tracing;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cleans up behind the replies (section 2.2 of the paper, "Single-row cleanup"): many transactions
 * at a time, their rows in common batches ({@link CleanupBatches}), then each is reported to the
 * oracle.
 *
 * <p><strong>Bounds.</strong> Rows that wait are limited ({@link CleanupAdmission}). Beyond it
 * {@link #offer} completes late, which holds back the replies to the commits themselves; {@link
 * #offerOrDrop}, which has no reply to hold back, leaves the rows to readers and sweeps. So are
 * those of a row that fails a few times in a row. What is left is not reported.
 *
 * <p><strong>What is reported</strong> as cleaned up: only a transaction that is decided, and of
 * which every row that may bear its mark was acknowledged as cleaned up.
 *
 * <p><strong>Regions that hang.</strong> A row is tried again only within seconds of its first
 * attempt, and HBase's client forgets each attempt after that time: so the row is given up, which
 * makes room. Rows on their way are bounded all the same, as they are among those that wait.
 *
 * <p>A request of a row that was given up may reach its region later, or go on there. It does no
 * harm: it names what was decided for good, and changes nothing unless the mark is there. Then it
 * does what a reader or a sweep would do, once, whichever comes first. Its transaction is not
 * reported, so the oracle remembers the outcome for readers until a sweep has found no mark.
 *
 * <p>Thread-safe.
 */
public final class Cleaner {
  private static final Logger LOG = LoggerFactory.getLogger(Cleaner.class);
  private static final int ATTEMPTS_MAX = 8;
  private static final long PAUSE_MIN_MS = 20;
  private static final long PAUSE_MAX_MS = 5000;

  /**
   * Bounds of the cleanup.
   *
   * @param rowsMax rows that may wait
   * @param delayMillis how long a batch that is not full collects
   * @param timeoutMillis how long a row's cleanup may take, in HBase and until it is given up
   * @param alive which transactions are cleaned up: all, unless a test lets their client die
   */
  public record Options(long rowsMax, long delayMillis, long timeoutMillis, LongPredicate alive) {}

  private final OracleClient oracle;
  private final Counters counters;
  private final long timeoutNanos;
  private final LongSupplier nanoClock;
  private final LongPredicate alive;
  private final CleanupAdmission admission;
  private final CleanupBatches batches;

  /** Whether the log has been warned of a row that is left to others. */
  private final AtomicBoolean warned = new AtomicBoolean();

  public Cleaner(OracleClient oracle, Counters counters, Options options, Tracing tracing) {
    this(oracle, counters, options, tracing, System::nanoTime);
  }

  Cleaner(
      OracleClient oracle,
      Counters counters,
      Options options,
      Tracing tracing,
      LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.oracle = oracle;
    this.counters = counters;
    this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(options.timeoutMillis());
    this.alive = options.alive();
    this.admission = new CleanupAdmission(options.rowsMax());
    this.batches = new CleanupBatches(options.delayMillis(), new Answers(), tracing);
  }

  /**
   * Takes a transaction over. Nothing of it is on its way to HBase any more.
   *
   * @return completes when there is room for it: at once, unless very much waits already
   */
  public CompletableFuture<Void> offer(CleanupJob job) {
    return take(job, true);
  }

  /**
   * Takes a transaction over that its client gave up, if there is room. If there is none, it is
   * aborted at the oracle, and its rows are left to others.
   */
  public void offerOrDrop(CleanupJob job) {
    take(job, false);
  }

  private CompletableFuture<Void> take(CleanupJob job, boolean mayWait) {
    if (!alive.test(job.start())) {
      return CompletableFuture.completedFuture(null);
    }
    switch (admission.offer(job, mayWait)) {
      case WAITS -> {
        return job.admitted;
      }
      case ADMITTED -> begin(job);
      case FULL -> {
        counters.cleanupsFailed.increment();
        oracle.abortAsync(job.handle); // if that fails, the oracle's time limit does it
      }
      case CLOSED -> counters.cleanupsFailed.increment();
    }
    return CompletableFuture.completedFuture(null);
  }

  /** Rows that wait, or are on their way. */
  public long rows() {
    return admission.rows();
  }

  private void begin(CleanupJob job) {
    if (Outcome.isKnown(job.outcome())) {
      enqueue(job);
      return;
    }
    // Its client gave it up, or does not know: abort says how it is decided, and decides it if not.
    oracle
        .abortAsync(job.handle)
        .whenComplete(
            (result, failure) -> {
              if (failure == null) {
                job.resolved(result);
                enqueue(job);
                return;
              }
              int failures = job.resolveFailed();
              if (failures < ATTEMPTS_MAX && !admission.isClosed()) {
                later(failures, () -> begin(job));
              } else {
                LOG.debug("{} was not resolved", job, failure);
                fail(job);
              }
            });
  }

  private void enqueue(CleanupJob job) {
    if (job.size == 0) {
      report(job);
    } else {
      enqueue(job.parts());
    }
  }

  private void enqueue(List<CleanupPart> parts) {
    if (!batches.add(parts)) {
      parts.forEach(part -> done(part, true));
    }
  }

  private final class Answers implements CleanupAnswers {
    @Override
    public void ended(CleanupPart part, long sent, Throwable failure) {
      if (failure == null) {
        counters.rowsCleaned.add(part.size());
        if (!part.byRows()) {
          counters.rowsAdopted.add(part.size());
        }
      } else if (repeated(part.again(sent))) {
        return;
      } else {
        warn(part, failure);
      }
      done(part, failure != null);
    }

    @Override
    public long nanoTime() {
      return nanoClock.getAsLong();
    }

    @Override
    public void rowByRow(List<CleanupPart> parts) {
      enqueue(parts);
    }
  }

  /** Nothing more is done about some of its rows. */
  private void done(CleanupPart part, boolean failed) {
    CleanupJob job = part.job();
    if (!job.rowsDone(part.size(), failed)) {
      return;
    }
    if (job.hasFailed()) {
      fail(job);
    } else {
      report(job);
    }
  }

  /** Tries rows again later, unless they are to be given up. */
  private boolean repeated(CleanupPart part) {
    boolean isOverdue = nanoClock.getAsLong() - part.begun() >= timeoutNanos;
    if (isOverdue || part.attempt() > ATTEMPTS_MAX || admission.isClosed()) {
      return false;
    }
    later(part.attempt() - 1, () -> enqueue(List.of(part)));
    return true;
  }

  /**
   * The first one aloud: if it is for want of a right, it is so every time. {@link #close} has
   * counted those that are still on their way at its end: nothing is said of them.
   */
  private void warn(CleanupPart part, Throwable failure) {
    if (batches.isStopped()) {
      return;
    }
    String message = "{}: {} in table {} failed and is left to readers and sweeps";
    if (warned.compareAndSet(false, true)) {
      LOG.warn(
          message + "; others will be at level DEBUG",
          part.job(),
          part,
          part.table().name(),
          failure);
    } else {
      LOG.debug(message, part.job(), part, part.table().name(), failure);
    }
  }

  private void report(CleanupJob job) {
    oracle
        .cleanedUpLater(job.handle)
        .whenComplete(
            (done, failure) -> {
              // If the report was lost, the next sweep says the same.
              (failure == null ? counters.cleanedUp : counters.cleanupsFailed).increment();
              finished(job);
            });
  }

  private void fail(CleanupJob job) {
    counters.cleanupsFailed.increment();
    finished(job);
  }

  private void finished(CleanupJob job) {
    for (CleanupJob next : admission.finished(job)) {
      begin(next);
      next.admitted.complete(null);
    }
  }

  private static void later(int failures, Runnable task) {
    long millis = Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS << Math.min(failures, 16));
    Timers.after(millis, TimeUnit.MILLISECONDS, task);
  }

  /**
   * Takes no more, and waits for what was taken; what takes longer is left to readers and sweeps.
   * Commits that still wait for room then are answered. No batch is sent after it returned.
   */
  public void close(long millisMax) throws InterruptedException {
    admission.close();
    batches.close();
    try {
      admission.drained().get(millisMax, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.warn(
          "{} rows were not cleaned up within {} ms; readers and sweeps will", rows(), millisMax);
    } catch (ExecutionException e) {
      throw new AssertionError(e); // it is never completed so
    } finally {
      stop();
    }
  }

  /** Completes when it is closed, and nothing is on its way to HBase any more: in seconds. */
  public CompletableFuture<Void> drained() {
    return admission.drained();
  }

  /**
   * Leaves to others what is not on its way. Nothing of it is reported, so the oracle remembers the
   * outcomes until a sweep.
   */
  private void stop() {
    // In this order: no job is admitted any more whose rows the batches would then refuse.
    List<CleanupJob> unadmitted = admission.stop();
    List<CleanupPart> unsent = batches.stop();
    for (CleanupJob job : unadmitted) {
      counters.cleanupsFailed.increment();
      job.admitted.complete(null);
    }
    unsent.forEach(part -> done(part, true));
  }
}
