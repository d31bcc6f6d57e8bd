package io.retso.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.protocol.Outcome;
import org.junit.jupiter.api.Test;

/** What a report of a sweep costs: a client may send 65,535 of them in one frame. */
class SweepTest {
  private final StatusOracle oracle = new StatusOracle(1000, 1 << 12, 100, Changes.NONE);
  private final CommitBatch batch = new CommitBatch(10);

  private void commit(long row) {
    batch.clear();
    int to = batch.add(oracle.begin(1), false, 1);
    batch.rows()[to] = row;
    oracle.commit(batch);
    assertTrue(Outcome.isCommitted(batch.outcome(0)));
  }

  @Test
  void reportsWalkOverNothingAndTheWalkIsOneForAllOfThem() {
    commit(1);
    long earlier = oracle.begin(1);
    commit(2);
    long later = oracle.begin(1);
    assertEquals(Outcome.DONE, oracle.swept(earlier));
    assertEquals(Outcome.DONE, oracle.swept(later));
    assertEquals(2, oracle.uncleanedCommits(), "a report alone has looked at every place");
    oracle.sweepOn();
    assertEquals(0, oracle.uncleanedCommits());
  }
}
