package io.retso.sequencer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.oracle.CommitBatch;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TimeLimitTest {
  private static final long LIMIT = 1_000;
  private static final long STEP = LIMIT / TimeLimit.STEPS + 1;

  private final Sequencer sequencer = SmallSequencer.start();
  private final TimeLimit limit = new TimeLimit(sequencer, LIMIT);

  private long commit(long start, long row) {
    return commit(start, false, row);
  }

  private long commit(long start, boolean repeat, long row) {
    CommitBatch batch = new CommitBatch(1);
    batch.rows()[batch.add(start, repeat, 1)] = row;
    sequencer.commit(batch);
    return batch.outcome(0);
  }

  /** Ticks often enough for the time between to count. */
  private void tick(long from, long to) {
    for (long now = from; now < to; now += LIMIT / 10) {
      limit.tick(now);
    }
    limit.tick(to);
  }

  /** A process that was stopped for long gives clients time to go on before it aborts. */
  @Test
  void aPauseCountsAsAQuarterOfTheLimit() {
    long start = sequencer.begin(1);
    tick(0, LIMIT / 2);
    long pause = 100 * LIMIT;
    limit.tick(pause + LIMIT / 2);
    assertEquals(Outcome.OPEN, sequencer.status(start, start));
    tick(pause + LIMIT / 2, pause + 3 * LIMIT / 4 - 1);
    assertEquals(Outcome.OPEN, sequencer.status(start, start));
    limit.tick(pause + 3 * LIMIT / 4);
    assertEquals(Outcome.RETRY, sequencer.status(start, start));
  }

  @Test
  void anOpenTransactionIsAbortedWhenItIsTooOld() {
    long start = sequencer.begin(1);
    tick(0, LIMIT - 1);
    assertEquals(Outcome.OPEN, sequencer.status(start, start));
    assertEquals(start, sequencer.lowWatermark());
    limit.tick(LIMIT);
    assertEquals(Outcome.RETRY, sequencer.status(start, start));
    assertEquals(Outcome.ABORTED_TOO_OLD, commit(start, 1));
    assertEquals(sequencer.oracle().nextTimestamp(), sequencer.lowWatermark());
    assertEquals(1, sequencer.oracle().counters().expired);
  }

  @Test
  void whatIsCommittedStaysSoAndIsStillToBeCleanedUp() {
    long start = sequencer.begin(1);
    long commit = commit(start, 1);
    tick(0, 2 * LIMIT);
    assertEquals(commit, sequencer.status(start, start));
    assertEquals(commit, commit(start, true, 1), "asked again");
    assertEquals(start, sequencer.lowWatermark());
    assertEquals(1, sequencer.oracle().uncleanedCommits());
    sequencer.cleaned(start);
    assertEquals(commit + Timestamps.GAP, sequencer.lowWatermark());
    assertEquals(0, sequencer.oracle().counters().expired);
  }

  /** Whenever ticks come: never before the limit, and at most a step and a tick later. */
  @Test
  void ofRandomTicksEachAbortsWhatIsTooOldAndNothingElse() {
    for (int seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      TimeLimit ofSeed = new TimeLimit(sequencer, LIMIT);
      TreeMap<Long, Long> startedAt = new TreeMap<>();
      long now = random.nextInt();
      long pauseMax = 1 + random.nextInt(200);
      for (int i = 0; i < 3_000; i++) {
        if (random.nextBoolean()) {
          startedAt.put(sequencer.begin(1), now);
        }
        now += random.nextInt((int) pauseMax);
        ofSeed.tick(now);
        long low = sequencer.oracle().windowLow();
        Map.Entry<Long, Long> oldest = startedAt.ceilingEntry(low);
        Map.Entry<Long, Long> aborted = startedAt.lowerEntry(low);
        String at = "seed " + seed + ", tick " + i;
        if (oldest != null) {
          assertTrue(now - oldest.getValue() <= LIMIT + STEP + 2 * pauseMax, at);
        }
        if (aborted != null) {
          assertTrue(now - aborted.getValue() >= LIMIT, at);
        }
        startedAt.headMap(low).clear();
      }
      for (long end = now + 3 * LIMIT; now < end; now += LIMIT / 10) {
        ofSeed.tick(now);
      }
      assertEquals(sequencer.oracle().nextTimestamp(), sequencer.oracle().windowLow());
    }
  }

  @Test
  void aLimitOfNothingIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> new TimeLimit(sequencer, 31));
  }
}
