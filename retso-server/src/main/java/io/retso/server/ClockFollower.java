package io.retso.server;

import io.retso.protocol.Timestamps;
import io.retso.sequencer.Sequencer;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps timestamps from falling behind the clock, as they do while less than one in {@value
 * Timestamps#GAP} ms is issued. HBase gives plain cells and deletes the milliseconds of its clock:
 * a plain delete above the timestamps of transactions to come would swallow what they write.
 *
 * <p>Nothing rests on the clock: stamps only rise, and those that are passed over are nobody's
 * ({@link Sequencer#passTo}). If it is set back, or timestamps are ahead of it because many are
 * issued, or because a restart skipped reserved ones, nothing happens until it has caught up.
 *
 * <p>Single-threaded, as the sequencer is.
 */
final class ClockFollower {
  /** Time between two ticks. */
  static final long PERIOD_MILLIS = 20;

  /** No oracle was left alone for so long: such a clock is wrong, and stamps do not come back. */
  private static final long AHEAD_MILLIS_MAX = TimeUnit.DAYS.toMillis(366);

  private static final Logger LOG = LoggerFactory.getLogger(ClockFollower.class);

  private final Sequencer sequencer;
  private boolean warned;

  ClockFollower(Sequencer sequencer) {
    this.sequencer = sequencer;
  }

  /** Goes on to where the clock will be at the next tick, some of the way if it is far. */
  void tick(long nowMillis) {
    long next = sequencer.oracle().nextTimestamp();
    if (nowMillis - next > AHEAD_MILLIS_MAX) {
      if (!warned) {
        warned = true;
        LOG.warn(
            "the clock is {} days ahead of the timestamps, which do not follow it so far: if it is"
                + " right, start a new oracle",
            TimeUnit.MILLISECONDS.toDays(nowMillis - next));
      }
      return;
    }
    sequencer.passTo(Timestamps.atLeast(nowMillis + PERIOD_MILLIS));
    sequencer.flush();
  }
}
