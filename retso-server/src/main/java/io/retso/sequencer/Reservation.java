package io.retso.sequencer;

import io.retso.protocol.Timestamps;

/**
 * The timestamps that the log has reserved: a successor begins above them, so those that are issued
 * need no entry of their own. The next range is reserved when half of the current one is used, so
 * that no begin ever waits for it. If the log is so slow that a range is used up before the next is
 * durable, start timestamps wait ({@link #positionOfStarts}); commits wait for their own entry,
 * which is behind the reservation.
 *
 * <p>A crash skips what is left of a range. So the first ranges are small, and each that was needed
 * doubles the next: a server that crashes again and again without work skips little, and one at
 * full speed has the whole range after some requests.
 *
 * <p>Of the sequencer's thread.
 */
final class Reservation {
  /** The first range is this part of the largest. */
  private static final int FIRST_PART = 16;

  private final long spanMax;

  /** The length of a range; grows only. */
  private long span;

  /** The end of the newest reservation. Invariant: next timestamp &lt;= end. */
  private long end;

  /** The position of the newest reservation's entry. */
  private long position;

  /** Start timestamps below this may leave: their reservation is durable. At most {@link #end}. */
  private long durableEnd;

  /**
   * Nothing is reserved.
   *
   * @param timestamps reserved ahead at a time, at most
   */
  Reservation(int timestamps) {
    spanMax = (long) timestamps << Timestamps.GAP_BITS;
    // Two timestamps at least: half of it is used before the next is asked for.
    span = Math.min(spanMax, (long) Math.max(2, timestamps / FIRST_PART) << Timestamps.GAP_BITS);
  }

  /** Timestamps of a range. */
  int timestamps() {
    return (int) (span >> Timestamps.GAP_BITS);
  }

  /** A range was needed: the next is larger. */
  void grow() {
    span = Math.min(spanMax, 2 * span);
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
