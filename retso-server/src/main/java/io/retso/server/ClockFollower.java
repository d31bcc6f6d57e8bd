package io.retso.server;

import io.retso.protocol.Timestamps;
import io.retso.sequencer.Sequencer;
import io.retso.sequencer.TimeLimit;
import io.retso.server.observe.Health;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps timestamps from falling behind the clock, as they do while less than one in {@value
 * Timestamps#GAP} ms is issued. HBase gives plain cells and deletes the milliseconds of its clock:
 * a plain delete above the timestamps of transactions to come would swallow what they write.
 *
 * <p>Nothing rests on the clock: timestamps only rise, and those that are passed over belong to no
 * transaction ({@link Sequencer#passTo}). If it is set back, or timestamps are ahead of it because
 * many are issued, or because a restart skipped reserved ones, nothing happens until it has caught
 * up.
 *
 * <p>A clock that is set forward, or that of another host which is hours ahead, must not push the
 * window over transactions that are not too old yet. So what is passed over leaves half of the
 * window to those: the next timestamp goes no further than that above the one that was next a time
 * limit ago ({@link TimeLimit#tooOldBelow}). With the usual settings that is 18 hours of the clock
 * in 10 minutes. As fast as the clock itself goes, it is followed in any case. Meanwhile the lag is
 * reported.
 *
 * <p>Single-threaded, as the sequencer is.
 */
public final class ClockFollower {
  /** Time between two ticks. */
  static final long PERIOD_MILLIS = 20;

  /**
   * No oracle was left alone for so long: such a clock is wrong, and timestamps do not come back.
   */
  private static final long AHEAD_MILLIS_MAX = TimeUnit.DAYS.toMillis(366);

  private static final Logger LOG = LoggerFactory.getLogger(ClockFollower.class);

  /** The part of the window that may be passed over within a time limit. */
  private static final int WINDOW_SHARE = 2;

  private final Sequencer sequencer;
  private final TimeLimit limit;
  private boolean warned;
  private long lagMillis;

  /** Makes the follower of one sequencer, whose transactions have a limit. */
  public ClockFollower(Sequencer sequencer, TimeLimit limit) {
    this.sequencer = sequencer;
    this.limit = limit;
  }

  /** How far timestamps were behind the clock at the last tick; 0 if they were not. */
  long lagMillis() {
    return lagMillis;
  }

  /**
   * Goes on to where the clock will be at the next tick, some of the way if it is far.
   *
   * @param nowMillis of the clock, which may be anything
   */
  public void tick(long nowMillis) {
    long next = sequencer.oracle().nextTimestamp();
    boolean isAbsurd = nowMillis - next > AHEAD_MILLIS_MAX;
    if (!isAbsurd) {
      long share = sequencer.oracle().windowTimestamps() / WINDOW_SHARE;
      long tolerable = limit.tooOldBelow() + (share << Timestamps.GAP_BITS);
      long asTheClock = next + PERIOD_MILLIS + Timestamps.GAP;
      long wanted = Timestamps.atLeast(nowMillis + PERIOD_MILLIS);
      sequencer.passTo(Math.min(wanted, Math.max(tolerable, asTheClock)));
      sequencer.flush();
    }
    report(nowMillis, isAbsurd);
  }

  private void report(long nowMillis, boolean isAbsurd) {
    long next = sequencer.oracle().nextTimestamp();
    lagMillis = nowMillis < next ? 0 : nowMillis - next;
    if (lagMillis <= Health.CLOCK_LAG_MILLIS_MAX) {
      warned = false;
    } else if (!warned) {
      warned = true;
      LOG.warn(
          "the clock is {} minutes ahead of the timestamps, which {}. If the clock is wrong, set it"
              + " right: timestamps never go back. {}",
          TimeUnit.MILLISECONDS.toMinutes(lagMillis),
          isAbsurd
              ? "do not follow it so far"
              : "follow it as fast as open transactions allow (transaction.timeout,"
                  + " window.timestamps)",
          isAbsurd ? "If it is right, start a new oracle" : "");
    }
  }
}
