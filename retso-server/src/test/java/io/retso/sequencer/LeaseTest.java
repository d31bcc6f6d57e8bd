package io.retso.sequencer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.log.CommitLog;
import io.retso.log.LogException;
import io.retso.log.OneSegmentLog;
import io.retso.oracle.StatusOracle;
import org.junit.jupiter.api.Test;

/** When timestamps may be answered at once, and when decisions may be answered at all. */
class LeaseTest {
  private static final long MILLIS = 1_000_000;
  private static final long D = 150 * MILLIS;

  private long nanos = 77 * MILLIS;
  private long millis = 1_000_000;
  private final SequencerSettings.Timing timing =
      SequencerSettings.Timing.usual(() -> nanos, () -> millis);
  private final Lease lease = new Lease(timing, 4);

  private void pass(long duration) {
    nanos += duration * MILLIS;
    millis += duration;
  }

  @Test
  void anEntryProvesFromTheTimeWhenItWasSent() {
    lease.startBehind(40);
    assertEquals(41, lease.position(), "nothing was sent: an entry must be");
    assertEquals(0, lease.leftNanos());
    lease.sending(41);
    pass(100);
    assertEquals(41, lease.position());
    lease.acknowledged(41);
    assertEquals(0, lease.position());
    assertEquals(49 * MILLIS, lease.leftNanos(), "rounded down, as the wall clock is");
    pass(49);
    assertEquals(0, lease.position());
    pass(1);
    assertEquals(0, lease.leftNanos());
    assertEquals(42, lease.position(), "150 ms after it was sent, not after it was acknowledged");
  }

  /** A successor waits for as long; to the wall clock, which is coarse, this is earlier. */
  @Test
  void itIsOverToTheNanosecond() {
    lease.startBehind(0);
    lease.sending(1);
    lease.acknowledged(1);
    nanos += D - 1;
    assertEquals(0, lease.position());
    nanos++;
    assertEquals(2, lease.position());
  }

  @Test
  void ofEntriesUnderWayTheFirstOneIsWaitedForThatWasSentLately() {
    lease.startBehind(0);
    for (int position = 1; position <= 4; position++) {
      lease.sending(position);
      pass(60);
    }
    // They were sent 240, 180, 120 and 60 ms ago.
    assertEquals(3, lease.position());
    lease.acknowledged(2);
    assertEquals(3, lease.position());
    lease.acknowledged(3);
    assertEquals(0, lease.position());
    pass(90);
    assertEquals(5, lease.position(), "the fourth is too old, too");
  }

  /** A virtual machine that was suspended, and its monotonic clock with it. */
  @Test
  void aWallClockThatRanAheadEndsIt() {
    lease.startBehind(0);
    lease.sending(1);
    lease.acknowledged(1);
    pass(10);
    millis += 139;
    assertEquals(0, lease.position());
    millis += 1;
    assertEquals(2, lease.position(), "it slept for 140 ms, and the entry was sent 150 ms ago");
    lease.sending(2);
    assertEquals(2, lease.position());
    lease.acknowledged(2);
    assertEquals(0, lease.position());
    millis -= 3_600_000;
    assertEquals(0, lease.position(), "set back it says nothing");
  }

  @Test
  void aSuccessorWaitsForAsLongAndOnePercent() {
    assertFalse(lease.held());
    long fenced = nanos;
    pass(60);
    lease.hold(fenced);
    pass(91);
    assertTrue(lease.held());
    pass(2);
    assertFalse(lease.held());
  }

  // Through the sequencer.

  private long appended;
  private long heard;
  private Sequencer sequencer;

  private void start(boolean behind) {
    SequencerSettings settings =
        new SequencerSettings(4, 1000, true, SequencerSettings.EntryBytes.USUAL, timing);
    sequencer =
        new Sequencer(
            settings,
            changes -> new StatusOracle(100, 1 << 12, 100, changes),
            new Sequencer.Replies() {
              @Override
              public void durable(long position) {
                heard = sequencer.released();
              }

              @Override
              public void failed(LogException cause) {
                throw new AssertionError(cause);
              }
            });
    CommitLog log = new OneSegmentLog((position, entry) -> appended = position);
    if (behind) {
      sequencer.startBehind(log, 9, nanos);
    } else {
      sequencer.start(log, 9);
    }
    sequencer.durable(appended);
  }

  @Test
  void timestampsWaitForAnEntryWhenTheLeaseIsOver() {
    start(false);
    sequencer.begin(1);
    assertEquals(0, sequencer.replyPosition());
    pass(150);
    sequencer.begin(1);
    assertEquals(11, sequencer.replyPosition());
    sequencer.timestamp();
    assertEquals(11, sequencer.replyPosition());
    sequencer.safeSnapshot(nanos);
    assertEquals(11, sequencer.replyPosition());
    sequencer.flush();
    assertEquals(11, appended, "an empty entry");
    sequencer.timestamp();
    assertEquals(11, sequencer.replyPosition());
    sequencer.durable(11);
    sequencer.begin(1);
    assertEquals(0, sequencer.replyPosition());
  }

  @Test
  void anIdleServerKeepsItsLeaseAndConfirmsItsLastEntry() {
    start(false);
    sequencer.abort(sequencer.begin(1));
    sequencer.flush();
    assertEquals(11, appended);
    pass(30);
    sequencer.tick();
    assertEquals(11, appended, "one is under way");
    sequencer.durable(11);
    sequencer.tick();
    assertEquals(12, appended, "it confirms the one before");
    sequencer.durable(12);
    for (int ms = 0; ms < 1_000; ms += 10) {
      sequencer.tick();
      sequencer.durable(appended);
      sequencer.begin(1);
      assertEquals(0, sequencer.replyPosition(), "after " + ms + " ms");
      pass(10);
    }
    assertTrue(appended >= 20 && appended <= 26, "entries up to " + appended);
  }

  @Test
  void decisionsAreHeldBehindAWriterThatMayHaveALease() {
    start(true);
    sequencer.begin(1);
    assertEquals(0, sequencer.replyPosition(), "timestamps are not held");
    sequencer.abort(sequencer.begin(1));
    sequencer.flush();
    sequencer.durable(appended);
    assertEquals(11, sequencer.durable());
    assertEquals(0, sequencer.released());
    assertEquals(Long.MAX_VALUE, sequencer.finish(), "its end would tell a successor not to wait");
    pass(150);
    sequencer.tick();
    assertEquals(0, heard);
    pass(3);
    sequencer.tick();
    assertTrue(heard >= 11);
    assertTrue(sequencer.finish() < Long.MAX_VALUE);
  }
}
