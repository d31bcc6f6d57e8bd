package io.retso.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.protocol.FrameType;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the paper does not have: a snapshot becomes a fresh one if its rows did not change. */
class ExtensionTest {
  private static final int WINDOW = 64;

  private final List<String> log = new ArrayList<>();
  private StatusOracle oracle = oracle(1000);

  private StatusOracle oracle(int rows) {
    return new StatusOracle(rows, WINDOW, 100, new ChangesInWords(log));
  }

  private long begin() {
    return oracle.begin(1);
  }

  private long commit(long start, long... rows) {
    CommitBatch batch = new CommitBatch(16);
    int at = batch.add(start, false, rows.length);
    System.arraycopy(rows, 0, batch.rows(), at, rows.length);
    oracle.commit(batch);
    return batch.outcome(0);
  }

  /** One frame: the snapshot, then the rows, of each request; the answers, then the stamp. */
  private long[] extend(long[]... requests) {
    CommitBatch batch = new CommitBatch(16);
    for (long[] request : requests) {
      int at = batch.add(request[0], false, request.length - 1);
      System.arraycopy(request, 1, batch.rows(), at, request.length - 1);
    }
    long[] answers = new long[requests.length + 1];
    long stamp = oracle.extension();
    oracle.extend(batch, stamp);
    for (int i = 0; i < requests.length; i++) {
      answers[i] = batch.outcome(i);
    }
    answers[requests.length] = stamp;
    return answers;
  }

  private void assertExtended(boolean unchanged, long... request) {
    long[] answer = extend(request);
    assertEquals(unchanged ? answer[1] : answer[1] | FrameType.CHANGED_FLAG, answer[0]);
  }

  @Test
  void commitsJustBelowAndAboveTheSnapshotAreToldApart() {
    long writer = begin();
    long later = begin();
    long below = commit(writer, 1);
    long snapshot = begin();
    assertEquals(below + Timestamps.GAP, snapshot, "the very next stamp");
    assertExtended(true, snapshot, 1);
    long next = begin();
    long above = commit(later, 2);
    assertEquals(next + Timestamps.GAP, above);
    assertExtended(false, next, 2);
    assertExtended(true, next, 1);
    assertExtended(false, next, 1, 2, 3);
  }

  /** The snapshot at a commit timestamp is what was committed below it. */
  @Test
  void aCommitTimestampAsSnapshotDoesNotHaveThatCommit() {
    long commit = commit(begin(), 1);
    assertExtended(false, commit, 1);
    assertExtended(true, commit, 2);
  }

  @Test
  void requestsOfAFrameShareAStampAndAreJudgedEachForItself() {
    long old = begin();
    long commit = commit(begin(), 1);
    long young = begin();
    long[] answers =
        extend(new long[] {old, 1}, new long[] {young, 1}, new long[] {old}, new long[] {old, 2});
    long stamp = answers[4];
    assertEquals(commit + 2 * Timestamps.GAP, stamp);
    assertEquals(stamp | FrameType.CHANGED_FLAG, answers[0]);
    assertEquals(stamp, answers[1]);
    assertEquals(stamp, answers[2]);
    assertEquals(stamp, answers[3]);
  }

  @Test
  void theStampIsNobodysAndSeparatesCommits() {
    long start = begin();
    long stamp = extend(new long[] {start, 1})[1];
    assertEquals(stamp + Timestamps.GAP, commit(start, 1));
    assertExtended(false, stamp, 1);
    assertEquals(Outcome.INVALID_TIMESTAMP, commit(stamp, 1));
    assertEquals(Outcome.INVALID_TIMESTAMP, oracle.abort(stamp));
    assertEquals(Outcome.INVALID_TIMESTAMP, oracle.cleaned(stamp));
    assertEquals(Outcome.INVALID_TIMESTAMP, oracle.swept(stamp));
    assertEquals(Outcome.INVALID_TIMESTAMP, oracle.status(stamp, begin()));
    assertEquals(stamp + Timestamps.GAP, oracle.status(start, stamp), "a reader like others");
  }

  @Test
  void theStampHoldsNoWatermarkAndNothingIsLogged() {
    long start = begin();
    oracle.cleaned(start);
    log.clear();
    long stamp = extend(new long[] {start, 1})[1];
    assertEquals(List.of(), log);
    assertEquals(stamp + Timestamps.GAP, oracle.lowWatermark());
    assertEquals(List.of("settled " + oracle.lowWatermark()), log, "once, before it is told");
  }

  @Test
  void whatWasNeverIssuedIsInvalid() {
    long next = oracle.nextTimestamp();
    for (long never : new long[] {next, next + Timestamps.GAP, 0, -Timestamps.GAP, 17}) {
      assertEquals(Outcome.INVALID_TIMESTAMP, extend(new long[] {never})[0], () -> "" + never);
    }
  }

  @Test
  void aSnapshotBelowTheWindowCountsAsChangedWithoutRowsToo() {
    long snapshot = begin();
    assertExtended(true, snapshot);
    oracle.begin(WINDOW);
    assertExtended(false, snapshot);
    assertEquals(1, oracle.counters().extensionsForced);
  }

  /** Line 8: an evicted row was last committed at T_max of its line or before. */
  @Test
  void anEvictedRowCountsAsChangedWhileTmaxIsAboveTheSnapshot() {
    oracle = oracle(1); // one line of five rows
    long snapshot = begin();
    assertExtended(true, snapshot, 99);
    for (int row = 1; row <= 6; row++) {
      assertTrue(commit(begin(), row) > 0);
    }
    assertExtended(false, snapshot, 99);
    assertExtended(false, snapshot, 1);
    assertEquals(2, oracle.counters().extensionsEvicted);
    assertExtended(false, snapshot, 6);
    assertEquals(1, oracle.counters().extensionsChanged);
    assertExtended(true, begin(), 99, 1, 6);
    assertEquals(5, oracle.counters().extensions);
  }
}
