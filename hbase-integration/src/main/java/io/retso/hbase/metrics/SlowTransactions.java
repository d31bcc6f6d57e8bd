package io.retso.hbase.metrics;

import io.retso.hbase.metrics.Timings.Step;
import io.retso.text.Text;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs transactions that took long, and where their time went: {@value #LINES_PER_SECOND} lines a
 * second at most, by the logger {@value #LOGGER}, as warnings. Thread-safe.
 */
public final class SlowTransactions {
  /** The name of the logger. */
  public static final String LOGGER = "io.retso.slow";

  static final int LINES_PER_SECOND = 10;

  private static final Logger LOG = LoggerFactory.getLogger(LOGGER);

  private final long thresholdNanos;
  private final LongSupplier nanoClock;

  /** Guarded by this, as all below. */
  private long secondBegan;

  private int lines;
  private long left;

  /** Logs those that take as long as this, or longer. */
  public SlowTransactions(Duration threshold) {
    this(threshold, System::nanoTime);
  }

  SlowTransactions(Duration threshold, LongSupplier nanoClock) {
    this.thresholdNanos = threshold.toNanos();
    this.nanoClock = nanoClock;
    this.secondBegan = nanoClock.getAsLong();
  }

  /**
   * A transaction has ended.
   *
   * @param label what messages call it
   * @param name from its options; empty if it has none
   * @param nanos from the moment when it had begun to its end
   * @param why it ended so; empty if there is no more to say
   */
  public void ended(
      String label,
      String name,
      ManagerMeters.Outcome outcome,
      long nanos,
      Timings timings,
      String why) {
    long all = timings.nanos(Step.BEGIN) + nanos;
    if (all < thresholdNanos || !LOG.isWarnEnabled()) {
      return;
    }
    long before = take();
    if (before < 0) {
      return;
    }
    LOG.warn(
        "{}",
        Text.of(
            "%s%s took %,d ms, attempt %d, %s: begin %,d ms, reads %,d ms, writes %,d ms, commit"
                + " %,d ms%s%s",
            name.isEmpty() ? "" : "[" + name + "] ",
            label,
            millis(all),
            timings.attempt(),
            outcome.name().toLowerCase(Locale.ROOT),
            millis(timings.nanos(Step.BEGIN)),
            millis(timings.nanos(Step.READ)),
            millis(timings.nanos(Step.WRITE)),
            millis(timings.nanos(Step.COMMIT)),
            why.isEmpty() ? "" : "; " + why,
            before == 0 ? "" : "; " + before + " more were slow, and are not logged"));
  }

  private static long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }

  /** Takes a line; how many were left out before it, or less than 0 if there is none to take. */
  private synchronized long take() {
    long now = nanoClock.getAsLong();
    if (now - secondBegan >= TimeUnit.SECONDS.toNanos(1)) {
      secondBegan = now;
      lines = 0;
    }
    if (lines == LINES_PER_SECOND) {
      left++;
      return -1;
    }
    lines++;
    long before = left;
    left = 0;
    return before;
  }
}
