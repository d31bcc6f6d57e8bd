package io.retso.sequencer;

import io.retso.protocol.Timestamps;

/**
 * The timestamps that the log has reserved: a successor begins above them, so those that are issued
 * need no entry of their own. The next range is reserved when half of the current one is used, so
 * that nobody ever waits for it. If the log is so slow that a range is used up before the next is
 * durable, start timestamps wait ({@link #positionOfStarts}); commits wait for their own entry,
 * which is behind the reservation.
 *
 * <p>Of the sequencer's thread.
 */
final class Reservation {
  private final long span;

  /** The end of the newest reservation. Invariant: next timestamp &lt;= end. */
  private long end;

  /** The position of the newest reservation's entry. */
  private long position;

  /** Start timestamps below this may leave: their reservation is durable. At most {@link #end}. */
  private long durableEnd;

  /**
   * Nothing is reserved.
   *
   * @param timestamps reserved ahead at a time
   */
  Reservation(int timestamps) {
    span = (long) timestamps << Timestamps.GAP_BITS;
  }

  /** All time is reserved: there is no log, and so no successor. */
  void everything() {
    end = Long.MAX_VALUE;
    durableEnd = Long.MAX_VALUE;
  }

  /** Whether the next range must be reserved. */
  boolean isDue(long next) {
    return next + (span >>> 1) > end;
  }

  /**
   * Reserves a range from the next timestamp on.
   *
   * @param entryPosition of the entry to which the caller adds the reservation
   * @return the end of the range, to be logged
   */
  long renew(long next, long entryPosition) {
    assert next + span >= end : "a reservation to " + end + " was taken back to " + (next + span);
    assert entryPosition >= position
        : "a reservation at " + position + " moved to an earlier entry";
    end = next + span;
    position = entryPosition;
    return end;
  }

  /** Everything up to a position of the log is durable. */
  void durable(long durablePosition) {
    if (position <= durablePosition) {
      durableEnd = end;
    }
    assert durableEnd <= end;
  }

  /** Where start timestamps below {@code next} may leave: 0 at once, or with their reservation. */
  long positionOfStarts(long next) {
    assert covers(next);
    return next <= durableEnd ? 0 : position;
  }

  /** Whether all timestamps below {@code next} are reserved, if not yet durably. */
  boolean covers(long next) {
    return next <= end;
  }
}
