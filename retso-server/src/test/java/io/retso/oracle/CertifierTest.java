package io.retso.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import org.junit.jupiter.api.Test;

/** Requests with reads, one after the other, at an oracle. */
class CertifierTest {
  private static final long[] NONE = {};

  private final StatusOracle oracle = new StatusOracle(100_000, 1 << 16, 1 << 16, Changes.NONE, 0);
  private final CommitBatch batch = new CommitBatch(10_000);

  private long commit(
      long start,
      boolean serializable,
      long[] writes,
      long[] validated,
      long[] reads,
      long[] rangeReads,
      long[] rangeWrites) {
    batch.clear();
    int at =
        batch.add(
            start,
            false,
            serializable,
            writes.length,
            validated.length,
            reads.length,
            rangeReads.length,
            rangeWrites.length);
    for (long[] ids : new long[][] {writes, validated, reads, rangeReads, rangeWrites}) {
      System.arraycopy(ids, 0, batch.rows(), at, ids.length);
      at += ids.length;
    }
    oracle.commit(batch);
    return batch.outcome(0);
  }

  private long write(long start, long... rows) {
    return commit(start, false, rows, NONE, NONE, NONE, NONE);
  }

  private long serializable(long start, long[] writes, long... reads) {
    return commit(start, true, writes, NONE, reads, NONE, NONE);
  }

  private static long[] ids(long... ids) {
    return ids;
  }

  private static long[] range(int from, int count) {
    long[] ids = new long[count];
    for (int i = 0; i < count; i++) {
      ids[i] = from + i;
    }
    return ids;
  }

  /** A leader that was deposed may have issued snapshots that its log does not know. */
  @Test
  void safeSnapshotsGoBackWithTheOracle() {
    oracle.begin(100);
    long before = oracle.safeSnapshot();
    oracle.replay().restart();
    oracle.replay().end();
    long snapshot = oracle.safeSnapshot();
    assertTrue(snapshot < before, snapshot + " after " + before);
  }

  @Test
  void writeSkewIsRefused() {
    long a = oracle.begin(1);
    long b = oracle.begin(1);
    assertTrue(serializable(a, ids(1), 2) > 0);
    assertEquals(Outcome.ABORTED_PIVOT, serializable(b, ids(2), 1));
    assertEquals(1, oracle.counters().pivots);
    assertEquals(Outcome.ABORTED, oracle.abort(b), "decided once");
  }

  @Test
  void underSnapshotIsolationItHappens() {
    long a = oracle.begin(1);
    long b = oracle.begin(1);
    assertTrue(write(a, 1) > 0);
    assertTrue(write(b, 2) > 0);
  }

  /**
   * An eighth of the window after the last certification it is not told what is written any more.
   */
  @Test
  void whatWasWrittenWhileNobodyWasCertifiedIsNoticed() {
    long early = oracle.begin(1);
    assertTrue(serializable(early, ids(1), 2) > 0);
    oracle.pass(1 << 13);
    long reader = oracle.begin(1);
    long pivot = oracle.begin(1);
    long late = oracle.begin(1);
    assertTrue(write(oracle.begin(1), 5) > 0);
    assertTrue(serializable(reader, ids(6), 7) > 0, "from here on it is told");
    assertTrue(write(oracle.begin(1), 8) > 0);
    assertEquals(Outcome.ABORTED_PIVOT, serializable(pivot, ids(7), 5));
    assertTrue(serializable(oracle.begin(1), ids(10), 9) > 0);
    assertEquals(Outcome.ABORTED_PIVOT, serializable(late, ids(9), 8));
  }

  /** The map has another name for row 0. */
  @Test
  void rowZeroIsARowLikeOthers() {
    assertTrue(serializable(oracle.begin(1), ids(3), 4) > 0, "from here on it is told");
    long a = oracle.begin(1);
    long b = oracle.begin(1);
    long c = oracle.begin(1);
    long d = oracle.begin(1);
    assertTrue(serializable(a, ids(1), 0) > 0);
    assertTrue(serializable(b, ids(0), 2) > 0);
    assertEquals(Outcome.ABORTED_PIVOT, serializable(c, ids(2), 0), "b has written it");
    assertTrue(serializable(oracle.begin(1), ids(9)) > 0);
    assertEquals(Outcome.ABORTED_CONFLICT, serializable(d, ids(0), 9));
  }

  /** T_max of a line is no change of a row of it that was not written lately. */
  @Test
  void anEvictionIsNoChange() {
    StatusOracle small = new StatusOracle(5, 1 << 12, 1 << 12, Changes.NONE, 0);
    assertTrue(at(small, small.begin(1), ids(1), ids(2), NONE) > 0);
    long reader = small.begin(1);
    for (int row = 10; row < 30; row++) {
      assertTrue(at(small, small.begin(1), ids(row), NONE, NONE) > 0);
    }
    assertTrue(small.counters().mapEvictions > 0);
    assertTrue(at(small, reader, NONE, ids(2), NONE) > 0);
  }

  /** Many rows, in pieces: the first of one, the last of the other. */
  @Test
  void largeRequestsAreJudgedAsSmallOnes() {
    long a = oracle.begin(1);
    long b = oracle.begin(1);
    long c = oracle.begin(1);
    assertTrue(serializable(a, range(1, 4000), range(10_000, 4000)) > 0);
    assertEquals(
        Outcome.ABORTED_PIVOT, serializable(b, range(13_999, 2000), range(20_000, 3000, 4000)));
    assertTrue(serializable(c, range(30_000, 2000), range(20_000, 3000)) > 0);
  }

  private static long[] range(int from, int count, long last) {
    long[] ids = range(from, count);
    ids[count - 1] = last;
    return ids;
  }

  @Test
  void validatedRowsConflictButAreNotWritten() {
    long a = oracle.begin(1);
    long b = oracle.begin(1);
    long c = oracle.begin(1);
    long d = oracle.begin(1);
    assertTrue(commit(a, false, ids(1), ids(9), NONE, NONE, NONE) > 0);
    assertTrue(commit(b, false, ids(2), ids(9), NONE, NONE, NONE) > 0, "two may validate a row");
    assertTrue(write(c, 9) > 0, "and who writes it later is not refused");
    assertEquals(
        Outcome.ABORTED_CONFLICT, commit(d, false, ids(3), ids(9), NONE, NONE, NONE), "it was");
  }

  @Test
  void aValidatedRowIsReadToo() {
    long reader = oracle.begin(1);
    long pivot = oracle.begin(1);
    assertTrue(serializable(oracle.begin(1), ids(1)) > 0);
    assertTrue(commit(reader, true, ids(3), ids(2), NONE, NONE, NONE) > 0);
    assertEquals(Outcome.ABORTED_PIVOT, serializable(pivot, ids(2), 1), "before row 1's writer");
  }

  @Test
  void aScanConflictsWithWhatIsWrittenIntoItsRange() {
    long a = oracle.begin(1);
    long b = oracle.begin(1);
    assertTrue(commit(a, true, ids(1), NONE, NONE, ids(77), ids(78)) > 0);
    assertEquals(
        Outcome.ABORTED_PIVOT, commit(b, true, ids(2), NONE, NONE, ids(78), ids(77)), "a phantom");
  }

  @Test
  void writersOfSnapshotIsolationNameTheirRangesToo() {
    long reader = oracle.begin(1);
    long pivot = oracle.begin(1);
    assertTrue(commit(oracle.begin(1), false, ids(5), NONE, NONE, NONE, ids(77)) > 0);
    assertTrue(serializable(reader, ids(1), 2) > 0);
    assertEquals(Outcome.ABORTED_PIVOT, commit(pivot, true, ids(2), NONE, NONE, ids(77), NONE));
  }

  @Test
  void readersOnASafeSnapshotRestrictWritersInstead() {
    long pivot = oracle.begin(1);
    long batchRow = 1;
    assertTrue(serializable(oracle.begin(1), ids(batchRow)) > 0);
    long snapshot = oracle.safeSnapshot();
    assertEquals(Outcome.INVALID_TIMESTAMP, write(snapshot, 3), "it is nobody's transaction");
    assertEquals(Outcome.INVALID_TIMESTAMP, oracle.abort(snapshot));
    assertEquals(Outcome.INVALID_TIMESTAMP, oracle.cleaned(snapshot));
    assertEquals(Outcome.INVALID_TIMESTAMP, oracle.swept(snapshot));
    // It would have its place before the batch's change, which the reader has seen.
    assertEquals(Outcome.ABORTED_PIVOT, serializable(pivot, ids(2), batchRow));
  }

  @Test
  void aSafeSnapshotHoldsTheLowWatermarkUntilItIsReleased() {
    oracle.cleaned(oracle.begin(1));
    long snapshot = oracle.safeSnapshot();
    oracle.cleaned(oracle.begin(1));
    assertEquals(snapshot, oracle.lowWatermark());
    oracle.release(snapshot);
    assertEquals(oracle.nextTimestamp(), oracle.lowWatermark());
    oracle.release(snapshot); // no harm
    for (int i = 0; i < 1 << 16; i++) {
      oracle.timestamp();
    }
    oracle.release(snapshot); // nor when another has its slot
    assertEquals(1, oracle.counters().safeSnapshots);
  }

  @Test
  void aReaderWithASnapshotOfItsOwnIsRefusedOnlyByAChangeInThePast() {
    long pivot = oracle.begin(1);
    assertTrue(serializable(oracle.begin(1), ids(1)) > 0);
    long reader = oracle.begin(1);
    long late = oracle.begin(1);
    assertTrue(serializable(pivot, ids(2), 1) > 0, "its place is before the one that wrote row 1");
    assertEquals(Outcome.ABORTED_READ_ONLY, serializable(reader, NONE, 1, 2));
    assertTrue(serializable(late, NONE, 1) > 0);
  }

  @Test
  void whoSpansARestartCommitsIfNothingThatItReadHasChanged() {
    long unharmed = oracle.begin(1);
    long harmed = oracle.begin(1);
    long scanner = oracle.begin(1);
    long other = oracle.begin(1);
    long late = oracle.begin(1);
    long pivot = oracle.begin(1);
    long snapshot = oracle.safeSnapshot();
    long commit = write(other, 7);
    StatusOracle successor = new StatusOracle(100_000, 1 << 16, 1 << 16, Changes.NONE, 0);
    successor.replay().start(unharmed);
    batch.clear();
    batch.addLogged(other, commit, ids(7), 0, 1);
    successor.replay().committed(batch);
    successor.replay().time(commit + 100 * Timestamps.GAP);
    successor.replay().end();
    assertTrue(at(successor, unharmed, ids(1), ids(2), NONE) > 0);
    assertEquals(Outcome.ABORTED_UNKNOWN_SUCCESSOR, at(successor, harmed, ids(3), ids(7), NONE));
    assertEquals(Outcome.ABORTED_UNKNOWN_SUCCESSOR, at(successor, scanner, ids(4), NONE, ids(70)));
    long later = successor.begin(1);
    assertTrue(at(successor, later, ids(5), ids(7), ids(70)) > 0);
    assertTrue(successor.lowWatermark() <= snapshot, "its readers go on");
    assertTrue(at(successor, successor.begin(1), ids(8), NONE, NONE) > 0);
    assertTrue(at(successor, late, ids(9), ids(8), NONE) > 0, "what was changed later is known");
    successor.safeSnapshot();
    assertEquals(Outcome.ABORTED_PIVOT, at(successor, pivot, ids(10), ids(8), NONE));
  }

  private long at(
      StatusOracle successor, long start, long[] writes, long[] reads, long[] rangeReads) {
    batch.clear();
    int at = batch.add(start, false, true, writes.length, 0, reads.length, rangeReads.length, 0);
    for (long[] ids : new long[][] {writes, reads, rangeReads}) {
      System.arraycopy(ids, 0, batch.rows(), at, ids.length);
      at += ids.length;
    }
    successor.commit(batch);
    return batch.outcome(0);
  }
}
