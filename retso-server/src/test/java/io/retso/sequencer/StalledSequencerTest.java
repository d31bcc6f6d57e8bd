package io.retso.sequencer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.log.CommitLog;
import io.retso.log.LogException;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Timestamps;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A sequencer whose log stalls and goes on when the test says so. */
class StalledSequencerTest {
  private static final int IN_FLIGHT = 3;
  private static final long LEASE = 150_000_000;

  private static final LogException CAUSE =
      new LogException(LogException.Reason.UNAVAILABLE, "too few bookies");

  /** What was appended. */
  private record Appended(long position, ByteBuffer bytes) {}

  private final List<Appended> appended = new ArrayList<>();
  private int proceeded;
  private boolean ready;
  private int segments;
  private long clock = 1_000;
  private long heard;

  private final CommitLog log =
      new CommitLog() {
        @Override
        public void append(long position, ByteBuffer entry) {
          ByteBuffer copy = ByteBuffer.allocate(entry.remaining()).put(entry.duplicate()).flip();
          appended.add(new Appended(position, copy));
        }

        @Override
        public void prepareSegment() {}

        @Override
        public boolean isSegmentReady() {
          return ready;
        }

        @Override
        public void startSegment(long startTimestamp, long windowStart) {
          segments++;
          ready = false;
        }

        @Override
        public long segmentBytes() {
          return 0;
        }

        @Override
        public void proceed() {
          proceeded++;
        }

        @Override
        public void close() {}
      };

  private final Sequencer sequencer =
      new Sequencer(
          new SequencerSettings(
              IN_FLIGHT,
              1000,
              true,
              new SequencerSettings.EntryBytes(1000, 1, 1000),
              new SequencerSettings.Timing(() -> clock, () -> 0, LEASE, 10_000_000)),
          changes -> new StatusOracle(1000, 1024, 1000, changes),
          new Sequencer.Replies() {
            @Override
            public void durable(long position) {
              heard = position;
            }

            @Override
            public void failed(LogException cause) {
              throw new AssertionError(cause);
            }
          });

  @BeforeEach
  void start() {
    sequencer.start(log, 0);
    sequencer.durable(1);
  }

  /** Two appends of which it is not known what became of them, and a third entry that is filled. */
  private long[] stall() {
    long[] starts = {sequencer.begin(1), sequencer.begin(1), sequencer.begin(1)};
    for (int i = 0; i < 2; i++) {
      sequencer.abort(starts[i]);
      sequencer.flush();
    }
    sequencer.abort(starts[2]);
    sequencer.stalled(CAUSE);
    sequencer.flush();
    assertEquals(3, appended.size(), "nothing is appended while it is stalled");
    return starts;
  }

  @Test
  void nothingIsTakenSentOrAnsweredMeanwhile() {
    long[] starts = stall();
    assertFalse(sequencer.canTake(16));
    assertFalse(sequencer.passTo(starts[2] + 100 * Timestamps.GAP));
    assertFalse(sequencer.expireBelow(starts[1]));
    assertEquals(Long.MAX_VALUE, sequencer.finish());
    clock += 100 * LEASE;
    sequencer.tick();
    sequencer.tick();
    assertEquals(2, proceeded, "time passes for the log");
    assertEquals(3, appended.size());
    assertEquals(1, heard);
    assertTrue(sequencer.isStalled());
    assertEquals("too few bookies", sequencer.counters().stalledBy);
  }

  @Test
  void whatIsNotDurableIsAppendedAgainAsItWas() {
    stall();
    sequencer.resumed(2);
    assertEquals(2, heard);
    assertEquals(appended.get(2), appended.get(3), "the entry at 3");
    assertEquals(4, appended.get(4).position, "what was being filled comes behind it");
    assertEquals(5, appended.size());
    assertTrue(sequencer.canTake(16));
    sequencer.durable(4);
    assertEquals(4, heard);
    assertEquals("", sequencer.counters().stalledBy);
    assertEquals(1, sequencer.counters().stalls);
  }

  @Test
  void allOrNothingMayHaveSurvived() {
    stall();
    sequencer.resumed(1);
    assertEquals(List.of(1L, 2L, 3L, 2L, 3L), positions().subList(0, 5));
    sequencer.stalled(CAUSE);
    sequencer.resumed(3);
    assertEquals(3, heard);
    sequencer.durable(4);
    assertEquals(4, heard);
  }

  private List<Long> positions() {
    return appended.stream().map(Appended::position).toList();
  }

  /** The segment that was ready goes on with the one before. */
  @Test
  void aSegmentThatWasToBeginIsPreparedAnew() {
    ready = true;
    sequencer.begin(400); // more than a part of the window: the log is to roll
    sequencer.flush();
    long[] more = {sequencer.begin(1)};
    assertFalse(sequencer.canTake(16), "it rolls");
    sequencer.stalled(CAUSE);
    ready = false;
    sequencer.resumed(sequencer.durable());
    assertEquals(1, segments);
    sequencer.durable(appended.get(appended.size() - 1).position);
    assertEquals(1, segments, "none is ready");
    assertTrue(sequencer.canTake(16));
    ready = true;
    sequencer.abort(more[0]);
    sequencer.flush();
    sequencer.durable(appended.get(appended.size() - 1).position);
    assertEquals(2, segments);
  }

  /** What was sent long ago and turns out to be durable proves nothing about now. */
  @Test
  void theLeaseCountsFromWhenAnEntryWasSentAgain() {
    stall();
    clock += 10 * LEASE;
    sequencer.resumed(2);
    sequencer.begin(1);
    assertEquals(3, sequencer.replyPosition(), "the entry that was sent again is on its way");
    sequencer.durable(3);
    sequencer.begin(1);
    assertEquals(0, sequencer.replyPosition(), "the lease goes on");
    clock += LEASE;
    sequencer.begin(1);
    assertTrue(sequencer.replyPosition() > 3);
  }
}
