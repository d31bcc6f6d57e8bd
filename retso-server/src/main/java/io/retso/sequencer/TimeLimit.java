package io.retso.sequencer;

/**
 * The time limit of transactions: dead clients would otherwise hold the low watermark back for as
 * long as a window lasts. It reads no clock; its owner, which has one, calls {@link #tick} from
 * time to time, on the sequencer's thread.
 *
 * <p>It remembers which timestamp was next at which time, a {@value #STEPS}th of the limit apart. A
 * timestamp below one that was next before the limit began is older than the limit. So a
 * transaction is aborted when it is older than the limit by at most a step and the time between two
 * ticks; never before. Timestamps that were issued before a restart count as issued at the first
 * tick.
 *
 * <p>While the process stands still (stopped, suspended, a long collection of garbage) no client
 * can commit. A gap between two ticks of more than a quarter of the limit therefore counts as a
 * quarter: otherwise the first tick afterwards would abort whatever was open before the clients'
 * requests, which wait in their sockets, are read.
 *
 * <p>Allocates nothing after construction. Single-threaded.
 */
public final class TimeLimit {
  /** Steps that a limit is divided into. */
  public static final int STEPS = 32;

  private static final int GAPS_PER_LIMIT = 4;

  /** Those younger than the limit, more than a {@value #STEPS}th apart, and one just noted. */
  private static final int RING = STEPS + 2;

  private final Sequencer sequencer;
  private final long limitNanos;
  private final long stepNanos;

  /** When {@link #timestamps} of the same index was the next one. */
  private final long[] times = new long[RING];

  private final long[] timestamps = new long[RING];

  /** A longer gap between two ticks counts as one of this length. */
  private final long gapNanosMax;

  /** The time of the tick before, and by how much this limit's time is behind it. */
  private long lastTickNanos;

  private long stoodStillNanos;
  private boolean ticked;

  /** Notes that were taken and removed; their differences are what the ring holds. */
  private long noted;

  private long removed;

  /** What started below this timestamp is too old; 0 if nothing is. */
  private long tooOld;

  /**
   * Makes the limit of one sequencer.
   *
   * @param limitNanos at least {@value #STEPS}
   */
  public TimeLimit(Sequencer sequencer, long limitNanos) {
    if (limitNanos < STEPS) {
      throw new IllegalArgumentException("a limit of " + limitNanos + " ns is no limit");
    }
    this.sequencer = sequencer;
    this.limitNanos = limitNanos;
    this.stepNanos = limitNanos / STEPS + 1;
    this.gapNanosMax = limitNanos / GAPS_PER_LIMIT;
  }

  /**
   * Aborts what is too old by now. If the log is behind, or there is a great deal of it, the next
   * tick goes on.
   *
   * @param nowNanos monotonic time
   */
  public void tick(long nowNanos) {
    long gap = nowNanos - lastTickNanos;
    if (ticked && gap > gapNanosMax) {
      stoodStillNanos += gap - gapNanosMax;
    }
    ticked = true;
    lastTickNanos = nowNanos;
    tickRunning(nowNanos - stoodStillNanos);
  }

  /** Ticks by the time during which the process ran. */
  private void tickRunning(long nowNanos) {
    while (removed < noted && nowNanos - times[index(removed)] >= limitNanos) {
      tooOld = timestamps[index(removed++)];
    }
    if (noted == removed || nowNanos - times[index(noted - 1)] >= stepNanos) {
      times[index(noted)] = nowNanos;
      timestamps[index(noted++)] = sequencer.oracle().nextTimestamp();
    }
    if (tooOld > sequencer.oracle().windowLow()) {
      sequencer.expireBelow(tooOld);
      sequencer.flush();
    }
  }

  /**
   * A timestamp that was the next one the limit ago, or earlier: every transaction that started
   * below it is too old. Until the first limit is over it is the one at which the limit began.
   */
  public long tooOldBelow() {
    if (tooOld > 0 || noted == 0) {
      return tooOld;
    }
    return timestamps[index(0)];
  }

  private static int index(long note) {
    return (int) (note % RING);
  }
}
