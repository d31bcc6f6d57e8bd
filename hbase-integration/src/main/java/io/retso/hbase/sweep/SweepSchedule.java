package io.retso.hbase.sweep;

import io.retso.client.OracleException;
import io.retso.hbase.admin.SweepResult;
import io.retso.protocol.Timestamps;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sweeps in the background when the low watermark stood still for an interval although transactions
 * began: a client died, or a transaction is very long. After a sweep that changed nothing the next
 * one waits longer, up to {@value #INTERVALS_MAX} intervals. The intervals are jittered, so that
 * the managers of a cluster do not sweep together; the first one lets the watermark move for all.
 *
 * <p>An aborted transaction does not hold the watermark, and what a dead client's has left does no
 * harm; region servers remove it when they come across its marks. With client reads they do not
 * look at marks. So a manager that uses such tables sweeps every {@value #INTERVALS_MAX} intervals
 * or so in any case: what is not read does not stay for ever.
 *
 * <p>Where the oracle does not let this client report sweeps, the first one is the last, and its
 * thread ends: {@code ./retso hbase sweep} is to be run where it does.
 *
 * <p>Owns one daemon thread.
 */
public final class SweepSchedule {
  /** A sweep of the manager. */
  public interface Sweep {
    /** Sweeps once, and waits for the end. */
    SweepResult run() throws IOException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(SweepSchedule.class);

  /** The longest pause, in intervals. */
  public static final int INTERVALS_MAX = 16;

  private final LongSupplier lowWatermark;
  private final LongSupplier timestamp;
  private final long intervalMillis;
  private final BooleanSupplier hasClientReads;
  private final Sweep sweep;
  private final ScheduledExecutorService thread;

  /** On the thread, as all below. */
  private long lastWatermark = -1;

  private int intervals = 1;

  /** Until a sweep that does not depend on the watermark. */
  private int intervalsLeft = patience();

  /**
   * Begins.
   *
   * @param lowWatermark what the oracle says: everything below is decided and cleaned up
   * @param timestamp a new one of the oracle's, of no transaction: it does not hold the watermark
   * @param hasClientReads whether the manager has used tables with client reads
   */
  public SweepSchedule(
      LongSupplier lowWatermark,
      LongSupplier timestamp,
      long intervalMillis,
      BooleanSupplier hasClientReads,
      Sweep sweep) {
    this(lowWatermark, timestamp, intervalMillis, hasClientReads, sweep, daemon());
  }

  /** Begins, on this thread; it is shut down at the end. */
  SweepSchedule(
      LongSupplier lowWatermark,
      LongSupplier timestamp,
      long intervalMillis,
      BooleanSupplier hasClientReads,
      Sweep sweep,
      ScheduledExecutorService thread) {
    this.lowWatermark = lowWatermark;
    this.timestamp = timestamp;
    this.intervalMillis = intervalMillis;
    this.hasClientReads = hasClientReads;
    this.sweep = sweep;
    this.thread = thread;
    if (intervalMillis > 0) {
      next();
    }
  }

  private static ScheduledExecutorService daemon() {
    return Executors.newSingleThreadScheduledExecutor(
        task -> {
          Thread thread = new Thread(task, "retso-sweep");
          thread.setDaemon(true);
          return thread;
        });
  }

  /** Up to half more at random, besides the jitter of each interval, which evens out. */
  private static int patience() {
    return INTERVALS_MAX + ThreadLocalRandom.current().nextInt(INTERVALS_MAX / 2 + 1);
  }

  private void next() {
    long longest = intervalMillis * intervals;
    long millis = longest + ThreadLocalRandom.current().nextLong(longest / 2 + 1);
    try {
      thread.schedule(this::check, millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // closed, or sweeps are refused
    }
  }

  private void check() {
    intervalsLeft -= intervals;
    try {
      long watermark = lowWatermark.getAsLong();
      boolean hasMoved = watermark != lastWatermark;
      lastWatermark = watermark;
      if (!hasMoved && isBehind(watermark)) {
        intervals = sweep() > 0 ? 1 : Math.min(INTERVALS_MAX, 2 * intervals);
      } else {
        intervals = hasMoved ? 1 : intervals;
        if (intervalsLeft <= 0 && hasClientReads.getAsBoolean()) {
          sweep();
        }
      }
    } catch (IOException | OracleException | IllegalStateException e) {
      if (isRefused(e)) {
        thread.shutdown();
        LOG.info("this manager sweeps no more: {}", ErrorText.of(e));
        return;
      }
      LOG.debug("no sweep this time", e); // counted by the manager; the next one tries again
      intervals = Math.min(INTERVALS_MAX, 2 * intervals);
    } catch (RuntimeException e) {
      LOG.warn("a sweep failed for a reason that is unknown; the next one tries again", e);
      intervals = Math.min(INTERVALS_MAX, 2 * intervals);
    } finally {
      next();
    }
  }

  /** Whether the oracle takes no reports of sweeps from this client: others have to sweep. */
  private static boolean isRefused(Exception e) {
    return e instanceof OracleException oracle
        && oracle.category() == OracleException.Category.NOT_PERMITTED;
  }

  /** How many rows it cleaned up. */
  private long sweep() throws IOException {
    intervalsLeft = patience(); // if it fails, too: it takes a scan of all tables' marks
    SweepResult result = sweep.run();
    LOG.debug("{}", result);
    return result.cleaned();
  }

  /**
   * Whether transactions below a new timestamp are not over. If all are, the watermark is just
   * idle. It only decides whether to sweep: an oracle that was superseded without knowing may issue
   * one that is too low, and then the sweep waits for the next interval. What the sweep reports is
   * a start timestamp of its own.
   */
  private boolean isBehind(long watermark) {
    return timestamp.getAsLong() > watermark + Timestamps.GAP;
  }

  /** Sweeps no more. A sweep that goes on is interrupted, and not waited for. */
  public void close() {
    thread.shutdownNow();
  }
}
