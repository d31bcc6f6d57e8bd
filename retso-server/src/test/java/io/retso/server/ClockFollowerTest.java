package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.protocol.Timestamps;
import io.retso.sequencer.Sequencer;
import io.retso.sequencer.SmallSequencer;
import org.junit.jupiter.api.Test;

class ClockFollowerTest {
  private final Sequencer sequencer = SmallSequencer.start();
  private final ClockFollower follower = new ClockFollower(sequencer);
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

  @Test
  void aLongWayTakesManyTicks() {
    long now = first + 10L * 24 * 3600 * 1000;
    int ticks = 0;
    while (sequencer.oracle().nextTimestamp() < now) {
      follower.tick(now);
      ticks++;
      assertTrue(ticks < 1_000_000, "it gets nowhere");
    }
    assertTrue(ticks > 10, ticks + " ticks: requests wait for each");
    assertTrue(sequencer.oracle().nextTimestamp() < now + 2 * ClockFollower.PERIOD_MILLIS);
  }

  @Test
  void aClockThatIsBehindOrFarAheadIsNotFollowed() {
    long start = sequencer.begin(10);
    long next = sequencer.oracle().nextTimestamp();
    follower.tick(start - 1_000);
    follower.tick(Long.MIN_VALUE / 2);
    follower.tick(next + 400L * 24 * 3600 * 1000);
    follower.tick(Long.MAX_VALUE / 2);
    assertEquals(next, sequencer.oracle().nextTimestamp());
  }
}
