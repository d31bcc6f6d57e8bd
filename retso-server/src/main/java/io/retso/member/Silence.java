package io.retso.member;

import java.util.concurrent.TimeUnit;

/**
 * For how long a leader has given no sign of life, as far as this process could have noticed one.
 * There are two signs: its log goes on, and its process answers pings. One that answers gets twice
 * the time, since its log may only be slow, as on a machine with too much to do; but not more,
 * since it may be cut off from a log that this member can reach. One that answers and has appended
 * nothing yet is still taking over, which takes as long as bookies and ZooKeeper do: another
 * take-over would begin from the start, and wait for the same. So it gets twice that time again.
 * Time is handed in; nothing rests on its being right.
 */
final class Silence {
  /** A leader that is not heard at all for so long is gone. An idle one appends each 100 ms. */
  static final long NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** A leader that answers, and whose log does not go on, is gone after this. */
  static final long NANOS_OF_LOG = 2 * NANOS;

  /**
   * A leader that answers, and has appended nothing since it began its epoch, is gone after this.
   */
  static final long NANOS_OF_TAKE_OVER = 2 * NANOS_OF_LOG;

  /** If nothing happened in this process for so long, others are not to blame for their silence. */
  static final long STOOD_STILL_NANOS = NANOS / 2;

  /** Ticks that are further apart are late: this process lacks the time to hear others, too. */
  static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

  private static final long NEVER = Long.MIN_VALUE;

  private long lastTick = NEVER;

  /** Time that has passed, where late ticks count half: silence lasts twice as long at most. */
  private long attended;

  private long logAt;
  private long answeredAt;

  /** Another leader is followed, or this one from now on. */
  void begin() {
    logAt = attended;
    answeredAt = attended;
  }

  /**
   * Time passes.
   *
   * @param logWentOn whether the log has shown something since the last tick
   * @param answered whether the leader's process has sent something since then
   */
  void tick(long now, boolean logWentOn, boolean answered) {
    long passed = lastTick == NEVER ? 0 : now - lastTick;
    lastTick = now;
    if (passed > STOOD_STILL_NANOS) {
      begin();
    } else {
      attended += Math.max(Math.min(passed, LATE_NANOS), passed / 2);
    }
    logAt = logWentOn ? attended : logAt;
    answeredAt = answered ? attended : answeredAt;
  }

  /** For how long there was no sign, for people. */
  @Override
  public String toString() {
    return "its log has shown nothing for "
        + TimeUnit.NANOSECONDS.toMillis(attended - logAt)
        + " ms, and its leader has sent nothing for "
        + TimeUnit.NANOSECONDS.toMillis(attended - answeredAt)
        + " ms";
  }

  /**
   * Whether the leader seems to be gone.
   *
   * @param hasAppended whether it has, since it began its epoch
   */
  boolean isTooLong(boolean hasAppended) {
    long log = attended - logAt;
    return log > (hasAppended ? NANOS_OF_LOG : NANOS_OF_TAKE_OVER)
        || log > NANOS && attended - answeredAt > NANOS;
  }
}
