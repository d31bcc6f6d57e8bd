package io.retso.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
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
