package io.retso.member;

import io.retso.log.TakeOverTimes;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How long the steps of one take-over took, for one line of the log. Of the member's thread. */
final class TakeOverSteps {
  private static final Logger LOG = LoggerFactory.getLogger(Member.class);

  private final long epochBefore;
  private final long begunNanos;
  private TakeOverTimes times;
  private long ledNanos;
  private long durableNanos;
  private boolean hasDurable;
  private boolean over;

  /** Steps of a take-over that begins now. */
  TakeOverSteps(long epochBefore, long nowNanos) {
    this.epochBefore = epochBefore;
    this.begunNanos = nowNanos;
  }

  /** The member leads. */
  void led(TakeOverTimes taken, long nowNanos) {
    times = taken;
    ledNanos = nowNanos;
  }

  /**
   * An entry of the leader became durable, or what waited for the lease before may leave.
   *
   * @param isReleased whether decisions may leave
   */
  void durable(boolean isReleased, long nowNanos) {
    if (!hasDurable) {
      hasDurable = true;
      durableNanos = nowNanos;
    }
    if (isReleased) {
      over = true;
      LOG.info(
          "took over from epoch {}; ms since it began to: entered {}, leader ended {}, fenced {},"
              + " read {}, led {}, first entry durable {}, decisions leave {}",
          epochBefore,
          millis(times.enteredNanos()),
          millis(times.endedNanos()),
          millis(times.fencedNanos()),
          millis(times.readNanos()),
          millis(ledNanos),
          millis(durableNanos),
          millis(nowNanos));
    }
  }

  private long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos - begunNanos);
  }

  /** Whether the line was written. */
  boolean areOver() {
    return over;
  }
}
