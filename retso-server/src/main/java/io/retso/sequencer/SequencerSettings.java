package io.retso.sequencer;

import io.retso.protocol.Limits;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Sizes of the sequencer.
 *
 * @param entriesInFlight appends outstanding at a time, at least 1
 * @param reservationTimestamps timestamps reserved ahead at a time, at most: twice what is used
 *     within the slowest append
 * @param durable whether there is a log to write; without one replies wait for nothing
 */
public record SequencerSettings(
    int entriesInFlight,
    int reservationTimestamps,
    boolean durable,
    EntryBytes entryBytes,
    Timing timing) {
  /** Without a log. */
  public static SequencerSettings withoutLog(int entriesInFlight, int reservationTimestamps) {
    Timing none = new Timing(() -> 0, () -> 0, 1, 0);
    return new SequencerSettings(
        entriesInFlight, reservationTimestamps, false, EntryBytes.USUAL, none);
  }

  /**
   * Clocks and durations of the lease; see {@link Lease}.
   *
   * @param nanoClock monotonic time
   * @param wallClock time of day in milliseconds
   * @param leaseNanos for how long after it was sent an entry proves that timestamps may be
   *     answered; whole milliseconds
   * @param heartbeatNanos an idle server appends an empty entry after this time, which confirms
   *     what is before it to readers; then one each {@value LogWriter#IDLE_FACTOR} times that, to
   *     keep its lease. To be far below that part of {@code leaseNanos}
   */
  public record Timing(
      LongSupplier nanoClock, LongSupplier wallClock, long leaseNanos, long heartbeatNanos) {
    /** What a server uses. */
    public static Timing usual(LongSupplier nanoClock, LongSupplier wallClock) {
      return new Timing(
          nanoClock,
          wallClock,
          TimeUnit.MILLISECONDS.toNanos(150),
          TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  /**
   * Bytes of entries; a simulator gives small ones, so that every path is taken often.
   *
   * @param enough records after which an entry is closed
   * @param worthwhile while another entry is outstanding, a smaller one waits for company
   * @param frameMax the largest frame of requests
   */
  public record EntryBytes(int enough, int worthwhile, int frameMax) {
    /** What a server uses. */
    public static final EntryBytes USUAL =
        new EntryBytes(512 * 1024, 32 * 1024, Limits.FRAME_BYTES_MAX);

    /** A frame of requests becomes at most twice its bytes of records. */
    int capacity() {
      return enough + 2 * frameMax + 8 * Long.BYTES;
    }
  }
}
