package io.retso.hbase;

import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.protocol.Timestamps;
import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sweeps in the background when the low watermark stood still for an interval although transactions
 * began: somebody died, or a transaction is very long. After a sweep that changed nothing the next
 * one waits longer, up to {@value #INTERVALS_MAX} intervals. The intervals are jittered, so that
 * the managers of a cluster do not sweep together; the first one lets the watermark move for all.
 *
 * <p>Owns one daemon thread.
 */
final class SweepSchedule {
  /** A sweep of the manager. */
  interface Sweep {
    SweepResult run() throws IOException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(SweepSchedule.class);
  private static final int INTERVALS_MAX = 16;

  private final OracleClient oracle;
  private final long intervalMillis;
  private final Sweep sweep;
  private final ScheduledExecutorService thread;

  /** On the thread, as all below. */
  private long lastWatermark = -1;

  private int intervals = 1;

  SweepSchedule(OracleClient oracle, long intervalMillis, Sweep sweep) {
    this.oracle = oracle;
    this.intervalMillis = intervalMillis;
    this.sweep = sweep;
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "retso-sweep");
              thread.setDaemon(true);
              return thread;
            });
    if (intervalMillis > 0) {
      next();
    }
  }

  private void next() {
    long longest = intervalMillis * intervals;
    long millis = longest + ThreadLocalRandom.current().nextLong(longest / 2 + 1);
    try {
      thread.schedule(this::check, millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // closed
    }
  }

  private void check() {
    try {
      long watermark = oracle.lowWatermark();
      if (watermark != lastWatermark) {
        lastWatermark = watermark;
        intervals = 1;
      } else if (isBehind(watermark)) {
        SweepResult result = sweep.run();
        LOG.debug("{}", result);
        intervals = result.cleaned() > 0 ? 1 : Math.min(INTERVALS_MAX, 2 * intervals);
      }
    } catch (IOException | OracleException | IllegalStateException e) {
      LOG.debug("no sweep this time", e); // counted by the manager; the next one tries again
      intervals = Math.min(INTERVALS_MAX, 2 * intervals);
    } catch (RuntimeException e) {
      LOG.warn("a sweep failed for a reason that is unknown; the next one tries again", e);
      intervals = Math.min(INTERVALS_MAX, 2 * intervals);
    } finally {
      next();
    }
  }

  /**
   * Whether transactions below a new one are not settled. If all are, the watermark is just idle.
   */
  private boolean isBehind(long watermark) {
    long now = oracle.begin();
    oracle.abortAsync(now);
    return now > watermark + Timestamps.GAP;
  }

  void close() {
    thread.shutdownNow();
  }
}
