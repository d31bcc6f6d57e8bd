package io.retso.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.oracle.rows.CommittedMap;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The paper, sections 2 and 3, line by line; and the four holes that it leaves. */
class PaperTest {
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
    return commit(start, false, rows);
  }

  private long commit(long start, boolean repeat, long... rows) {
    CommitBatch batch = new CommitBatch(16);
    int at = batch.add(start, repeat, rows.length);
    System.arraycopy(rows, 0, batch.rows(), at, rows.length);
    oracle.commit(batch);
    return batch.outcome(0);
  }

  private long status(long writer) {
    return oracle.status(writer, begin());
  }

  /** Lets so much time pass that everything so far leaves the window. */
  private void passWindow() {
    oracle.begin(WINDOW);
  }

  /** Section 2: timestamps, snapshots and conflicts. */
  @Nested
  class Section2 {
    @Test
    void timestampsAreUniqueAndIncreaseWithRoomBetween() {
      long previous = 0;
      for (int i = 0; i < 100; i++) {
        long start = begin();
        assertTrue(start > previous);
        assertTrue(Timestamps.isWellFormed(start));
        previous = commit(start, i);
        assertTrue(previous >= start + Timestamps.GAP, "Tc is a timestamp of its own, above Ts");
      }
    }

    /** Condition 1: both write into the same row. */
    @Test
    void concurrentTransactionsOnDifferentRowsBothCommit() {
      long a = begin();
      long b = begin();
      assertTrue(commit(a, 1) > 0);
      assertTrue(commit(b, 2) > 0);
    }

    /** Condition 2: each started before the other committed. */
    @Test
    void ofTwoConcurrentTransactionsOnOneRowTheSecondAborts() {
      long a = begin();
      long b = begin();
      assertTrue(commit(b, 7) > 0, "the order of commits counts, not that of starts");
      assertEquals(Outcome.ABORTED_CONFLICT, commit(a, 7));
    }

    @Test
    void oneAfterTheOtherIsNoConflict() {
      for (int i = 0; i < 10; i++) {
        assertTrue(commit(begin(), 7) > 0);
      }
    }

    /** A write-write conflict is what counts: no row in common, whatever else was read. */
    @Test
    void readOnlyTransactionsAlwaysCommit() {
      long reader = begin();
      commit(begin(), 1, 2, 3);
      assertTrue(commit(reader) > 0);
    }
  }

  /** Algorithm 3: the commit request. */
  @Nested
  class Algorithm3 {
    @Test
    void line1AnyRowOfTheSetCounts() {
      long start = begin();
      commit(begin(), 5);
      assertEquals(Outcome.ABORTED_CONFLICT, commit(start, 1, 2, 3, 4, 5));
    }

    @Test
    void line3TheRowsLastCommitIsComparedWithTheStart() {
      commit(begin(), 7);
      long between = begin();
      assertTrue(commit(between, 7) > 0, "an earlier commit is no obstacle");
    }

    @Test
    void line4AbortLeavesNoTraceOnTheRows() {
      long loser = begin();
      commit(begin(), 1);
      long other = begin();
      assertEquals(Outcome.ABORTED_CONFLICT, commit(loser, 1, 2));
      assertTrue(commit(other, 2) > 0, "row 2 was not committed by the aborted one");
    }

    @Test
    void line8AbortsWhenARowMayHaveBeenCommittedByAnEvictedEntry() {
      oracle = oracle(5); // one line: T_max of the line is T_max
      long start = begin();
      commit(begin(), 1);
      commit(begin(), 2, 3, 4, 5, 6);
      assertEquals(Outcome.ABORTED_TOO_OLD, commit(start, 99));
      assertTrue(commit(begin(), 99) > 0, "a later start is above T_max");
    }

    @Test
    void line7ARowThatIsInMemoryIsNotJudgedByTmax() {
      oracle = oracle(5);
      commit(begin(), 2);
      long start = begin();
      commit(begin(), 1);
      commit(begin(), 3, 4, 5);
      commit(begin(), 2);
      long later = begin();
      commit(begin(), 6, 7); // evicts 1 and another; T_max is below the start of later
      assertTrue(commit(later, 2) > 0);
      assertNotEquals(0, oracle.counters().mapEvictions);
      assertTrue(Outcome.isAborted(commit(start, 1)));
    }

    @Test
    void line13TheCommittedRowsAreRemembered() {
      long first = begin();
      long second = begin();
      commit(first, 1, 2, 3);
      for (long row = 1; row <= 3; row++) {
        assertEquals(row == 1 ? Outcome.ABORTED_CONFLICT : Outcome.ABORTED, commit(second, row));
      }
    }

    @Test
    void line15ACommitReturnsItsTimestampAndARepeatTheSame() {
      long start = begin();
      long commit = commit(start, 1);
      assertTrue(commit > start);
      assertEquals(commit, commit(start, true, 1));
      assertEquals(Outcome.ALREADY_COMMITTED, commit(start, 2), "another request");
      assertEquals(commit, oracle.abort(start), "too late to abort");
      assertEquals(List.of("committed " + start), log, "decided once");
    }
  }

  /** Algorithm 4: the status query, in the order of its lines. */
  @Nested
  class Algorithm4 {
    @Test
    void line2TellsTheCommitTimestampToCompare() {
      long writer = begin();
      long before = begin();
      long commit = commit(writer, 1);
      long after = begin();
      assertEquals(commit, oracle.status(writer, before));
      assertEquals(commit, oracle.status(writer, after));
      assertTrue(before < commit && commit < after, "committed for the one, not for the other");
    }

    @Test
    void line4HalfAbortedIsAborted() {
      long byConflict = begin();
      commit(begin(), 1);
      commit(byConflict, 1);
      assertEquals(Outcome.ABORTED, status(byConflict));
      long byRequest = begin();
      assertEquals(Outcome.ABORTED, oracle.abort(byRequest));
      assertEquals(Outcome.ABORTED, status(byRequest));
    }

    @Test
    void line6RetryOnlyForWhatIsMissingInMemory() {
      long cleaned = begin();
      commit(cleaned, 1);
      oracle.cleaned(cleaned);
      long aborted = begin();
      oracle.abort(aborted);
      passWindow();
      assertEquals(Outcome.RETRY, status(cleaned));
      assertEquals(Outcome.RETRY, status(aborted));
    }

    @Test
    void nothingIsCommittedWithATimestampThatIsNoStart() {
      long writer = begin();
      long commit = commit(writer, 1);
      assertEquals(Outcome.ABORTED, status(commit));
      assertEquals(Outcome.OPEN, status(oracle.nextTimestamp() + Timestamps.GAP));
      assertEquals(Outcome.INVALID_TIMESTAMP, status(writer + 1));
      assertEquals(Outcome.INVALID_TIMESTAMP, status(0));
      assertEquals(Outcome.INVALID_TIMESTAMP, status(-writer));
    }
  }

  /** Section 3.1: the lists of open and of half-aborted transactions. */
  @Nested
  class Section31 {
    @Test
    void anOpenTransactionThatMemoryMovedPastIsForcedToAbort() {
      long start = begin();
      passWindow();
      assertEquals(Outcome.ABORTED_TOO_OLD, commit(start, 1));
      assertEquals(1, oracle.counters().outOfWindow);
    }

    @Test
    void aCleanedUpRequestTakesItOffTheHalfAbortedList() {
      long start = begin();
      oracle.abort(start);
      assertEquals(1, oracle.counters().halfAborted);
      assertEquals(Outcome.DONE, oracle.cleaned(start));
      assertEquals(0, oracle.counters().halfAborted);
      assertEquals(Outcome.ABORTED, commit(start, 1), "it stays aborted");
    }

    @Test
    void startsAreListedAndLeaveTheListWhenDecided() {
      long a = begin();
      long b = begin();
      long c = begin();
      assertEquals(3, oracle.counters().open);
      commit(a, 1);
      oracle.abort(b);
      oracle.cleaned(c); // it wrote nothing
      assertEquals(0, oracle.counters().open);
      assertEquals(List.of("committed " + a, "aborted " + b, "aborted " + c, "cleaned " + c), log);
    }
  }

  /** (a) Algorithm 3 asks the rows alone: a swept transaction commits if they are in memory. */
  @Nested
  class HoleA {
    @Test
    void theListIsCheckedBeforeTheRows() {
      long swept = begin();
      passWindow();
      assertEquals(Outcome.RETRY, status(swept), "readers conclude that it aborted");
      long outcome = commit(swept, 1);
      assertFalse(Outcome.isCommitted(outcome), "it committed after all");
    }
  }

  /** (b) "Not committed" about an open transaction must stay true for the one who asked. */
  @Nested
  class HoleB {
    @Test
    void openIsAnAnswerOfItsOwn() {
      long writer = begin();
      long reader = begin();
      long answer = oracle.status(writer, reader);
      assertFalse(Outcome.isAborted(answer) || answer == Outcome.RETRY, "it can still commit");
      long commit = commit(writer, 1);
      assertTrue(commit > reader, "so not committed for this reader, for ever");
      assertEquals(Outcome.OPEN, status(begin()));
    }

    @Test
    void aReaderOfTheFutureIsRefused() {
      long writer = begin();
      long future = oracle.nextTimestamp();
      assertEquals(Outcome.INVALID_TIMESTAMP, oracle.status(writer, future));
      assertEquals(future, commit(writer, 1), "open for it would have been a lie");
    }
  }

  /** (c) A client dies between commit and cleanup: its marks must find the commit timestamp. */
  @Nested
  class HoleC {
    @Test
    void uncleanedCommitsAreKeptForAsLongAsItTakes() {
      long dead = begin();
      long commit = commit(dead, 1, 2);
      passWindow();
      passWindow();
      assertEquals(commit, status(dead));
      assertEquals(commit, commit(dead, true, 1, 2));
      assertEquals(Outcome.DONE, oracle.cleaned(dead));
      assertEquals(Outcome.RETRY, status(dead), "no mark is left: the row has the outcome");
      assertEquals(Outcome.UNKNOWN, commit(dead, true, 1, 2));
    }

    @Test
    void atTheLimitCommitsAreRefusedAndNothingIsForgotten() {
      oracle = new StatusOracle(1000, WINDOW, 3, new ChangesInWords(log));
      long[] starts = {begin(), begin(), begin(), begin()};
      long first = commit(starts[0], 1);
      commit(starts[1], 2);
      commit(starts[2], 3);
      assertEquals(Outcome.REFUSED_UNCLEANED, commit(starts[3], 4));
      assertTrue(commit(begin()) > 0, "one without rows leaves nothing to clean");
      assertEquals(first, status(starts[0]));
      assertEquals(Outcome.OPEN, status(starts[3]), "refused is not decided");
      oracle.cleaned(starts[1]);
      assertTrue(commit(starts[3], 4) > 0);
    }
  }

  /** (d) What dead clients abandoned must not pin memory. */
  @Nested
  class HoleD {
    @Test
    void abandonedTransactionsLeaveWithTheWindow() {
      for (int i = 0; i < 100 * WINDOW; i++) {
        long abandoned = begin();
        if (i % 3 == 0) {
          oracle.abort(abandoned); // and never cleaned up
        }
        OracleCounters counters = oracle.counters();
        assertTrue(counters.open + counters.halfAborted < WINDOW);
        assertTrue(counters.windowLag < WINDOW);
        assertEquals(0, counters.uncleaned);
      }
      assertTrue(commit(begin(), 1) > 0, "and nobody is held up");
    }
  }

  /** Readers alone make time pass too: their timestamps must not age the map's unseen. */
  @Test
  void beginsAloneDoNotMakeOldCommitsLookYoung() {
    oracle = new StatusOracle(5, WINDOW, 100, new ChangesInWords(log));
    commit(begin(), 1);
    commit(begin(), 2, 3, 4, 5, 6, 7);
    // Together more than 2^31, within which timestamps can be compared; the first half is skipped.
    long skipped = (long) CommittedMap.AGE_MAX << Timestamps.GAP_BITS;
    oracle.replay().time(oracle.nextTimestamp() + skipped);
    oracle.begin(1 << 29);
    oracle.begin((1 << 29) + 100);
    long a = begin();
    long b = begin();
    assertTrue(commit(a, 1) > 0, "T_max of long ago looks young");
    assertEquals(Outcome.ABORTED_CONFLICT, commit(b, 1));
  }
}
