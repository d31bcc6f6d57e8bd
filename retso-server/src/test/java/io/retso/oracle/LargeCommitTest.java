package io.retso.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A commit whose rows are judged and written in pieces is one decision all the same. */
class LargeCommitTest {
  private static final int ROWS = 3 * CommitBatch.ROWS_ENOUGH + 7;

  private StatusOracle oracle = oracle(100_000);

  private static StatusOracle oracle(long rows) {
    StatusOracle oracle = new StatusOracle(rows, 1 << 16, 10_000, Changes.NONE);
    oracle.replay().start(Timestamps.GAP);
    return oracle;
  }

  private long commit(long start, long... rows) {
    CommitBatch batch = new CommitBatch(ROWS);
    int at = batch.add(start, false, rows.length);
    System.arraycopy(rows, 0, batch.rows(), at, rows.length);
    oracle.commit(batch);
    return batch.outcome(0);
  }

  private long[] begin(int transactions) {
    long[] starts = new long[transactions];
    for (int i = 0; i < transactions; i++) {
      starts[i] = oracle.begin(1);
    }
    return starts;
  }

  private static long[] rows() {
    long[] rows = new long[ROWS];
    for (int i = 0; i < ROWS; i++) {
      rows[i] = 1000 + i;
    }
    return rows;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 511, 512, 513, 1023, 1024, 1535, 1536, ROWS - 1})
  void aConflictInAnyPieceAbortsAllOfIt(int conflicting) {
    long large = oracle.begin(1);
    long[] rows = rows();
    assertTrue(commit(oracle.begin(1), rows[conflicting]) > 0);
    long[] beside = begin(ROWS);
    assertEquals(Outcome.ABORTED_CONFLICT, commit(large, rows));
    for (int i = 0; i < ROWS; i++) { // nothing of it was written
      assertTrue(commit(beside[i], rows[i]) > 0, "row " + i);
    }
  }

  @Test
  void allRowsOfACommitConflictWithWhatRanBesideIt() {
    long[] beside = begin(ROWS);
    long[] rows = rows();
    assertTrue(commit(oracle.begin(1), rows) > 0);
    for (int i = 0; i < ROWS; i++) {
      assertEquals(Outcome.ABORTED_CONFLICT, commit(beside[i], rows[i]), "row " + i);
    }
  }

  @Test
  void allRowsOfAReplayedCommitConflictWithWhatRanBesideIt() {
    long[] beside = begin(ROWS);
    long start = oracle.begin(1);
    long[] rows = rows();
    long commit = commit(start, rows);
    oracle = oracle(100_000);
    CommitBatch logged = new CommitBatch(ROWS);
    logged.addLogged(start, commit, rows, 0, ROWS);
    oracle.replay().committed(logged);
    oracle.replay().end();
    for (int i = 0; i < ROWS; i++) {
      assertEquals(Outcome.ABORTED_CONFLICT, commit(beside[i], rows[i]), "row " + i);
    }
    assertTrue(commit(oracle.begin(1), rows[0]) > commit);
  }

  @Test
  void aCertainConflictInALaterPieceIsToldBeforeAnUncertainOneInAnEarlier() {
    oracle = oracle(1); // one line of five rows
    long[] rows = rows();
    long large = oracle.begin(1);
    long other = oracle.begin(1);
    for (long row = 1; row <= 6; row++) {
      assertTrue(commit(oracle.begin(1), row) > 0); // the sixth evicts the first
    }
    assertEquals(Outcome.ABORTED_TOO_OLD, commit(other, rows));
    rows[ROWS - 1] = 6;
    assertEquals(Outcome.ABORTED_CONFLICT, commit(large, rows));
  }

  @Test
  void aBatchTakesSoManyRequestsAndRowsOrOneLargeRequest() {
    CommitBatch batch = new CommitBatch(ROWS);
    assertTrue(batch.hasRoomFor(ROWS));
    batch.add(Timestamps.GAP, false, CommitBatch.ROWS_ENOUGH - 2);
    assertTrue(batch.hasRoomFor(2));
    assertFalse(batch.hasRoomFor(3));
    batch.clear();
    for (int i = 0; i < CommitBatch.COMMITS_MAX; i++) {
      assertTrue(batch.hasRoomFor(1));
      batch.add(Timestamps.GAP, false, 1);
    }
    assertFalse(batch.hasRoomFor(0));
  }

  @Test
  void aBatchCountsWhatItCommitsAnew() {
    long[] starts = begin(4);
    assertTrue(commit(starts[0], 1) > 0);
    CommitBatch batch = new CommitBatch(ROWS);
    batch.add(starts[0], true, 2); // a repeat
    batch.add(starts[1], false, 0);
    batch.rows()[batch.add(starts[2], false, 1)] = 1; // a conflict
    int at = batch.add(starts[3], false, 3);
    Arrays.setAll(batch.rows(), i -> i < at ? batch.rows()[i] : 100 + i);
    oracle.commit(batch);
    assertEquals(Outcome.ABORTED_CONFLICT, batch.outcome(2));
    assertEquals(1, batch.newCommits());
    assertEquals(3, batch.newRows());
    batch.clear();
    assertEquals(0, batch.newCommits() + batch.newRows());
  }

  @Test
  void aReplayedCommitKnowsAllItsRows() {
    long start = (ROWS + 1L) << Timestamps.GAP_BITS;
    CommitBatch batch = new CommitBatch(ROWS);
    long[] rows = rows();
    batch.addLogged(start, start + Timestamps.GAP, rows, 0, ROWS);
    oracle.replay().committed(batch);
    oracle.replay().end();
    for (int i = 0; i < ROWS; i++) { // by clients that began before the crash
      assertEquals(
          Outcome.ABORTED_CONFLICT, commit((i + 1L) << Timestamps.GAP_BITS, rows[i]), "row " + i);
    }
  }
}
