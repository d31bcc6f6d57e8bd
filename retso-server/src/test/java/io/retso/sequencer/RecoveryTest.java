package io.retso.sequencer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.log.LogEntry;
import io.retso.log.LogException;
import io.retso.oracle.Changes;
import io.retso.oracle.CommitBatch;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Outcome;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Records of one entry are applied in their order, although commits are applied in batches. */
class RecoveryTest {
  private static final long[] ROWS = {1};

  private final StatusOracle oracle = new StatusOracle(100, 64, 10, Changes.NONE);
  private final Recovery recovery = new Recovery(oracle);
  private final LogEntry entry = new LogEntry(1_000);

  RecoveryTest() {
    entry.segment(16);
    entry.window(64);
    entry.continued();
    entry.committed(16, 48, ROWS, 0, 1);
  }

  private void recover() throws LogException {
    entry.reserved(160);
    recovery.entry(entry.seal(1));
    recovery.finish(16);
  }

  @Test
  void aCleanupFollowsItsCommit() throws LogException {
    entry.cleaned(16);
    recover();
    assertEquals(48, oracle.status(16, 64));
    assertEquals(0, oracle.uncleanedCommits());
  }

  /** A standby that was too slow reads the log anew, into the same memory. */
  @Test
  void nothingIsLeftOfWhatWasReadBeforeARestart() throws LogException {
    LogEntry old = new LogEntry(1_000);
    old.segment(1600);
    old.window(64);
    old.uncleaned(160, 176);
    old.uncleaned(320, 336);
    old.continued();
    old.committed(1600, 1632, ROWS, 0, 1);
    old.aborted(1616);
    old.swept(1632);
    old.reserved(3200);
    recovery.entry(old.seal(7));
    recovery.restart();
    entry.reserved(160);
    ByteBuffer sealed = entry.seal(1);
    recovery.entry(sealed.duplicate());
    recovery.finish(16);
    StatusOracle other = new StatusOracle(100, 64, 10, Changes.NONE);
    Recovery fresh = new Recovery(other);
    fresh.entry(sealed.duplicate());
    fresh.finish(16);
    assertEquals(other.nextTimestamp(), oracle.nextTimestamp());
    assertEquals(other.windowLow(), oracle.windowLow());
    assertEquals(other.uncleanedCommits(), oracle.uncleanedCommits());
    assertEquals(other.lowWatermark(), oracle.lowWatermark());
    assertEquals(fresh.lastPosition(), recovery.lastPosition());
    assertEquals(fresh.transactions(), recovery.transactions());
    for (long start = 16; start < 160; start += 16) {
      assertEquals(other.status(start, 144), oracle.status(start, 144));
    }
    CommitBatch batch = new CommitBatch(2);
    batch.rows()[batch.add(64, false, 1)] = 1; // it began after the commit of row 1 at 48
    oracle.commit(batch);
    assertEquals(160, batch.outcome(0));
  }

  /** Changes stand among the records of a list that was written while requests went on. */
  @Test
  void aCommitThatIsAlsoListedIsOneCommit() throws LogException {
    LogEntry head = new LogEntry(1_000);
    head.segment(16);
    head.window(64);
    head.committed(16, 48, ROWS, 0, 1);
    head.uncleaned(16, 48);
    head.continued();
    head.cleaned(16);
    head.reserved(160);
    recovery.entry(head.seal(1));
    recovery.finish(16);
    assertEquals(48, oracle.status(16, 64));
    assertEquals(0, oracle.uncleanedCommits());
  }

  @Test
  void anAbortFollowsCommits() throws LogException {
    entry.aborted(64);
    recover();
    assertEquals(Outcome.ABORTED, oracle.status(64, 64));
    assertEquals(48, oracle.status(16, 64));
  }

  @Test
  void anExpiryAboveACommitFollowsIt() throws LogException {
    entry.expired(96);
    recover();
    assertEquals(48, oracle.status(16, 96));
    assertEquals(96, oracle.windowLow());
  }

  @Test
  void aSweepFollowsItsCommits() throws LogException {
    entry.swept(64);
    recover();
    assertEquals(0, oracle.uncleanedCommits());
  }

  @Test
  void aWatermarkFollowsCommits() throws LogException {
    entry.cleaned(16);
    entry.watermark(80);
    recover();
    assertEquals(80, oracle.lowWatermark());
    assertEquals(48, oracle.status(16, 80));
  }

  /** The entry is intact, and no oracle can have written it. */
  @ParameterizedTest
  @CsvSource({"32, 48", "64, 64"}) // a commit timestamp again; a start that is none
  void commitsThatCannotBeAreDamage(long start, long commit) {
    entry.committed(start, commit, ROWS, 0, 1);
    LogException e = assertThrows(LogException.class, this::recover);
    assertEquals(LogException.Reason.CORRUPT, e.reason());
    assertTrue(e.getMessage().contains("does not fit"), e.getMessage());
  }

  @Test
  void moreUncleanedCommitsThanFitAreNoDamageOfTheLog() {
    StatusOracle small = new StatusOracle(100, 64, 2, Changes.NONE);
    LogEntry head = new LogEntry(1_000);
    head.segment(1_600);
    head.window(64);
    for (long start = 16; start <= 80; start += 32) {
      head.uncleaned(start, start + 16);
    }
    head.continued();
    ByteBuffer first = head.seal(1);
    for (Executable found :
        List.<Executable>of(
            () -> new Recovery(small).look(first.duplicate()),
            () -> new Recovery(small).entry(first.duplicate()))) {
      LogException e = assertThrows(LogException.class, found);
      assertEquals(LogException.Reason.TOO_LARGE, e.reason());
      assertTrue(e.getMessage().contains("uncleaned.max = 2"), e.getMessage());
    }
  }

  /** They leave it for the timestamps that were reserved, after the last entry. */
  @Test
  void moreUncleanedCommitsThanFitMayShowAtTheEnd() throws LogException {
    StatusOracle small = new StatusOracle(100, 64, 2, Changes.NONE);
    LogEntry head = new LogEntry(1_000);
    head.segment(0);
    head.window(64);
    head.continued();
    for (long start = 16; start <= 80; start += 32) {
      head.committed(start, start + 16, new long[] {start}, 0, 1);
    }
    head.reserved(64_000);
    Recovery recovery = new Recovery(small);
    recovery.entry(head.seal(1));
    LogException e = assertThrows(LogException.class, () -> recovery.finish(16));
    assertEquals(LogException.Reason.TOO_LARGE, e.reason());
  }

  @Test
  void commitsOfTheWindowMayNeedNoRoomOutsideOfIt() throws LogException {
    StatusOracle small = new StatusOracle(100, 64, 2, Changes.NONE);
    LogEntry head = new LogEntry(1_000);
    head.segment(1_600);
    head.window(64);
    for (long start = 1_104; start <= 1_168; start += 32) {
      head.uncleaned(start, start + 16);
    }
    head.continued();
    assertFalse(new Recovery(small).look(head.seal(1)), "the head is complete, and not refused");
  }

  /** Attempts to take over may fail behind it, one after the other. */
  @Test
  void eachLookCountsAnew() throws LogException {
    StatusOracle small = new StatusOracle(100, 64, 2, Changes.NONE);
    LogEntry head = new LogEntry(1_000);
    head.segment(1_600);
    head.window(64);
    head.uncleaned(16, 32);
    ByteBuffer first = head.seal(1);
    Recovery recovery = new Recovery(small);
    for (int i = 0; i < 10; i++) {
      assertTrue(recovery.look(first.duplicate()), "the head is not complete");
    }
  }
}
