package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.retso.protocol.Timestamps;
import io.retso.sequencer.Sequencer;
import io.retso.sequencer.SmallSequencer;
import io.retso.sequencer.TimeLimit;
import io.retso.server.observe.Health;
import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;

class ClockFollowerTest {
  private static final long LIMIT = 1_000_000_000;

  private final Sequencer sequencer = SmallSequencer.start();
  private final TimeLimit limit = new TimeLimit(sequencer, LIMIT);
  private final ClockFollower follower = new ClockFollower(sequencer, limit);
  private final long first = sequencer.oracle().nextTimestamp();

  @Test
  void timestampsAreNeverBelowTheClock() {
    for (long now = first; now < first + 10_000; now += ClockFollower.PERIOD_MILLIS) {
      follower.tick(now);
      long ahead = sequencer.oracle().nextTimestamp() - now;
      assertTrue(ahead >= ClockFollower.PERIOD_MILLIS, "until the next tick: " + ahead);
      assertTrue(ahead < ClockFollower.PERIOD_MILLIS + Timestamps.GAP, "no further: " + ahead);
    }
  }

  /**
   * The window is 4096 timestamps, 65 seconds of the clock. Whatever the clock does, a transaction
   * that is younger than the limit stays open; and in the end timestamps get where the clock is.
   */
  @Test
  void aClockThatJumpsAbortsNothingThatIsNotTooOld() {
    long now = first;
    long nanos = 0;
    ArrayDeque<long[]> begun = new ArrayDeque<>(); // start, nanos
    long wayMillis = 10L * 3600 * 1000;
    for (int tick = 0; tick < 100_000; tick++) {
      limit.tick(nanos);
      follower.tick(tick == 100 ? now += wayMillis : now);
      if (tick == 100) {
        assertTrue(follower.lagMillis() > wayMillis / 2, "it is reported: " + follower.lagMillis());
      }
      if (follower.lagMillis() == 0 && tick > 100) {
        assertTrue(tick > 200, tick + " ticks for 10 hours");
        return;
      }
      begun.add(new long[] {sequencer.begin(1), nanos});
      while (nanos - begun.peek()[1] >= LIMIT) {
        begun.poll();
      }
      assertTrue(begun.peek()[0] >= sequencer.oracle().windowLow(), "tick " + tick);
      now += ClockFollower.PERIOD_MILLIS;
      nanos += ClockFollower.PERIOD_MILLIS * 1_000_000;
    }
    fail("it never gets there, and is " + follower.lagMillis() + " ms behind");
  }

  @Test
  void aClockThatIsBehindOrFarAheadIsNotFollowed() {
    long start = sequencer.begin(10);
    long next = sequencer.oracle().nextTimestamp();
    follower.tick(start - 1_000);
    follower.tick(Long.MIN_VALUE / 2);
    follower.tick(next + 400L * 24 * 3600 * 1000);
    follower.tick(Long.MAX_VALUE / 2);
    assertTrue(follower.lagMillis() > Health.CLOCK_LAG_MILLIS_MAX);
    assertEquals(next, sequencer.oracle().nextTimestamp());
  }
}
