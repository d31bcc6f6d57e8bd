package io.retso.sequencer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.log.CommitLog;
import io.retso.log.LogEntry;
import io.retso.log.LogException;
import io.retso.log.OneSegmentLog;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Holding;
import io.retso.protocol.Limits;
import io.retso.protocol.Outcome;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HeldSnapshotsTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long TICK = SECOND / 10;
  private static final int WINDOW = 1 << 12;

  private final Sequencer sequencer = SmallSequencer.start();

  private long hold(String name, long nowNanos) {
    return sequencer.hold(name, name.hashCode(), 1_000, nowNanos);
  }

  /** Ticks as often as a server does. */
  private void tick(long from, long to) {
    for (long now = from; now < to; now += TICK) {
      sequencer.expireHeld(now);
    }
    sequencer.expireHeld(to);
  }

  private boolean isHeld(long snapshot) {
    return sequencer.oracle().holds().has(snapshot);
  }

  /** No slot of the window holds it, so the window goes on without it. */
  @Test
  void theWatermarkDoesNotPassItWhateverTheWindowDoes() {
    long held = hold("a", 0);
    for (int i = 0; i < 5 * WINDOW; i++) {
      sequencer.abort(sequencer.begin(1));
    }
    assertTrue(sequencer.oracle().windowLow() > held);
    assertEquals(held, sequencer.lowWatermark());
    assertEquals(Outcome.DONE, sequencer.releaseHeld(held));
    assertTrue(sequencer.lowWatermark() > held);
    assertEquals(Outcome.NOT_HELD, sequencer.releaseHeld(held));
  }

  @Test
  void theTimeLimitOfTransactionsDoesNotEndIt() {
    long held = hold("a", 0);
    long end = sequencer.begin(1);
    sequencer.expireBelow(end);
    assertEquals(held, sequencer.lowWatermark());
  }

  @Test
  void itLastsForItsTimeSinceItWasRenewedLast() {
    long held = hold("a", 0);
    tick(0, SECOND - 1);
    assertTrue(isHeld(held));
    assertEquals(Outcome.DONE, sequencer.renewHeld(held, SECOND - 1));
    tick(SECOND, 2 * SECOND - 2);
    assertTrue(isHeld(held));
    tick(2 * SECOND - 2, 2 * SECOND - 1);
    assertTrue(!isHeld(held));
    assertEquals(Outcome.NOT_HELD, sequencer.renewHeld(held, 2 * SECOND));
  }

  /** Those who would renew it may have stood still, too. */
  @Test
  void aPauseCountsAsAQuarterOfASecond() {
    long held = hold("a", 0);
    sequencer.expireHeld(0);
    long pause = 1_000 * SECOND;
    sequencer.expireHeld(pause);
    tick(pause, pause + 3 * SECOND / 4 - 1);
    assertTrue(isHeld(held));
    sequencer.expireHeld(pause + 3 * SECOND / 4);
    assertTrue(!isHeld(held));
  }

  /** Its predecessor promised what its clock cannot know. */
  @Test
  void withANewLeaderItsTimeBeginsAnew() {
    StatusOracle oracle = sequencer.oracle();
    long held = hold("a", 0);
    tick(0, SECOND - 1);
    HeldSnapshots next = new HeldSnapshots(oracle);
    for (long now = 50 * SECOND; now < 51 * SECOND; now += TICK) {
      assertEquals(0, next.expired(now));
    }
    assertEquals(held, next.expired(51 * SECOND));
  }

  @Test
  void aNameIsTakenOnce() {
    long held = hold("a", 0);
    assertEquals(held, sequencer.hold("a", "a".hashCode(), 1_000, 5), "the call is repeated");
    assertEquals(Outcome.HOLD_NAME_TAKEN, sequencer.hold("a", 7, 1_000, 5));
    sequencer.releaseHeld(held);
    assertTrue(sequencer.hold("a", 7, 1_000, 5) > held);
  }

  @Test
  void theirNumberIsBounded() {
    for (int i = 0; i < Limits.HOLDS_MAX; i++) {
      assertTrue(hold("n" + i, 0) > 0);
    }
    assertEquals(Outcome.HOLDS_FULL, hold("more", 0));
    List<Holding.Report> all = sequencer.heldSnapshots(SECOND / 4);
    assertEquals(Limits.HOLDS_MAX, all.size());
    assertEquals("n0", all.get(0).name());
    assertEquals(750, all.get(0).leftMillis());
    tick(SECOND / 4, SECOND);
    assertEquals(List.of(), sequencer.heldSnapshots(SECOND));
    assertTrue(hold("more", SECOND) > 0);
  }

  /** What is held shows among the figures. */
  @Test
  void theOracleCountsThem() {
    assertEquals(0, sequencer.oracle().counters().holdLag);
    hold("a", 0);
    sequencer.begin(9);
    hold("b", 0);
    assertEquals(2, sequencer.oracle().counters().holds);
    assertEquals(11, sequencer.oracle().counters().holdLag);
  }

  /** An older server could not take over from such a log. */
  @Test
  void noneIsTakenWhileAServerWouldNotUnderstandTheLog() {
    CommitLog older =
        new ForwardedLog(new OneSegmentLog((position, entry) -> {})) {
          @Override
          public int version() {
            return LogEntry.HOLDS_VERSION - 1;
          }
        };
    Sequencer ofOlder =
        new Sequencer(
            new SequencerSettings(
                2,
                1 << 10,
                true,
                new SequencerSettings.EntryBytes(1000, 200, 1000),
                new SequencerSettings.Timing(() -> 0, () -> 0, 1_000_000, 0)),
            changes -> new StatusOracle(100, WINDOW, 100, changes),
            new Sequencer.Replies() {
              @Override
              public void durable(long position) {}

              @Override
              public void failed(LogException cause) {
                throw new AssertionError(cause);
              }
            });
    ofOlder.start(older, 0);
    assertEquals(Outcome.HOLDS_NOT_UNDERSTOOD, ofOlder.hold("a", 1, 1_000, 0));
    assertEquals(0, ofOlder.oracle().holds().size());
  }

  /** A log that is another's in all but what a test changes. */
  private static class ForwardedLog implements CommitLog {
    private final CommitLog log;

    ForwardedLog(CommitLog log) {
      this.log = log;
    }

    @Override
    public void append(long position, ByteBuffer entry) {
      log.append(position, entry);
    }

    @Override
    public void prepareSegment() {
      log.prepareSegment();
    }

    @Override
    public boolean isSegmentReady() {
      return log.isSegmentReady();
    }

    @Override
    public void startSegment(long startTimestamp, long windowStart) {
      log.startSegment(startTimestamp, windowStart);
    }

    @Override
    public long segmentBytes() {
      return log.segmentBytes();
    }

    @Override
    public void close() {
      log.close();
    }
  }
}
