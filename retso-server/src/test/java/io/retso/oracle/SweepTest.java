package io.retso.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What sweeps and the time limit cost at a time, however much there is to do. */
class SweepTest {
  private final StatusOracle oracle = new StatusOracle(1000, 1 << 12, 100, Changes.NONE);
  private final CommitBatch batch = new CommitBatch(10);

  private void commit(StatusOracle to, long row) {
    batch.clear();
    int place = batch.add(to.begin(1), false, 1);
    batch.rows()[place] = row;
    to.commit(batch);
    assertTrue(Outcome.isCommitted(batch.outcome(0)));
  }

  /** A client may send 16,384 of them in one frame. */
  @Test
  void reportsWalkOverNothingAndTheWalkIsOneForAllOfThem() {
    commit(oracle, 1);
    long earlier = oracle.begin(1);
    commit(oracle, 2);
    long later = oracle.begin(1);
    assertEquals(Outcome.DONE, oracle.swept(earlier));
    assertEquals(Outcome.DONE, oracle.swept(later));
    assertEquals(2, oracle.uncleanedCommits(), "a report alone has looked at every place");
    oracle.sweepOn();
    assertEquals(0, oracle.uncleanedCommits());
  }

  /** The writer took a report of cleanup before its sweep got there; a standby's got there. */
  @Test
  void whatWasSweptAndThenReportedRemainsCommitted() {
    Replay replay = oracle.replay();
    long start = Timestamps.GAP;
    long commit = 2 * Timestamps.GAP;
    batch.addLogged(start, commit, new long[] {7}, 0, 1);
    replay.committed(batch);
    replay.swept(commit + Timestamps.GAP);
    replay.sweepOn(100);
    replay.cleaned(start);
    replay.end();
    assertEquals(commit, oracle.status(start, commit));
  }

  @Test
  void whateverFollowsTakesTheSlotsOfASweep() {
    List<Consumer<StatusOracle>> requests =
        List.of(
            follower -> follower.begin(1),
            StatusOracle::timestamp,
            follower -> follower.pass(1),
            follower -> follower.commit(new CommitBatch(1)));
    for (Consumer<StatusOracle> request : requests) {
      commit(oracle, 1);
      oracle.swept(oracle.begin(1));
      assertEquals(1, oracle.uncleanedCommits());
      request.accept(oracle);
      assertEquals(0, oracle.uncleanedCommits());
    }
  }

  /** Moving a commit to the table costs a load from memory; half a million of them 100 ms. */
  @Test
  void theTimeLimitMovesSoManyCommitsAtOnce() {
    StatusOracle large = new StatusOracle(1000, 1 << 18, 100_000, Changes.NONE);
    int commits = Watermark.MOVES_MAX + 100;
    for (int i = 0; i < commits; i++) {
      commit(large, i);
    }
    long all = large.nextTimestamp();
    assertFalse(large.expire(all));
    assertTrue(large.windowLow() < all);
    assertTrue(large.expire(all));
    assertEquals(all, large.windowLow());
    assertEquals(commits, large.uncleanedCommits());
  }

  /** Time that passes moves so many at once, too. */
  @Test
  void timePassesOverSoManyCommitsAtOnce() {
    int window = 1 << 16;
    StatusOracle large = new StatusOracle(1000, window, 100_000, Changes.NONE);
    for (int i = 0; i < window / 2 - 1; i++) {
      commit(large, i);
    }
    int passed = large.pass(window);
    assertTrue(passed < window, "all of them");
    assertEquals(Watermark.MOVES_MAX, large.moves());
    for (int times = 1; passed < window; times++) {
      assertTrue(times < 2 + window / 2 / Watermark.MOVES_MAX, "it takes too many calls");
      passed += large.pass(window - passed);
    }
    assertEquals(window / 2 - 1, large.uncleanedCommits());
  }
}
