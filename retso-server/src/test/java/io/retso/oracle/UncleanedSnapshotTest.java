package io.retso.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.protocol.Timestamps;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * A list that is made in steps, with anything that changes the oracle in between, and the changes
 * since it began tell all uncleaned commits.
 */
class UncleanedSnapshotTest {
  private static final int WINDOW = 64;
  private static final int CAPACITY = 24;

  /** What a successor would know. */
  private final Map<Long, Long> known = new TreeMap<>();

  /** Start and commit of every commit that is not cleaned up. */
  private final Map<Long, Long> uncleaned = new TreeMap<>();

  private final List<Long> open = new ArrayList<>();
  private final Changes changes =
      new ForwardedChanges() {
        @Override
        protected Changes target() {
          return Changes.NONE;
        }

        @Override
        public void committed(long start, long commit, long[] rows, int from, int to) {
          uncleaned.put(start, commit);
          known.put(start, commit);
        }

        @Override
        public void cleaned(long start) {
          uncleaned.remove(start);
          known.remove(start);
        }

        @Override
        public void swept(long below) {
          uncleaned.values().removeIf(commit -> commit < below);
          known.values().removeIf(commit -> commit < below);
        }
      };

  @Test
  void theListAndTheChangesTellAllUncleanedCommits() {
    int removals = 0;
    int repeated = 0;
    for (int seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      known.clear();
      uncleaned.clear();
      open.clear();
      StatusOracle oracle = new StatusOracle(1000, WINDOW, CAPACITY, changes, random.nextLong());
      for (int i = 0; i < 200; i++) {
        change(oracle, random);
      }
      known.clear();
      oracle.beginSnapshot();
      int placesMax = 1 + random.nextInt(30);
      int[] shown = {0, 0};
      int pace = random.nextInt(4);
      while (!oracle.snapshotOn(
          placesMax,
          1 + random.nextInt(4),
          (start, commit) -> {
            assertEquals(uncleaned.get(start), commit, "it is not uncleaned");
            shown[1] += known.put(start, commit) == null ? 0 : 1;
            shown[0]++;
          })) {
        int before = uncleaned.size();
        for (int i = random.nextInt(1 + 2 * pace); i > 0; i--) {
          change(oracle, random);
        }
        removals += Math.max(0, before - uncleaned.size());
      }
      repeated += shown[1];
      assertTrue(pace > 0 || shown[1] == 0, "shown twice, and nothing had moved, seed " + seed);
      assertEquals(uncleaned, known, "seed " + seed);
      assertEquals(uncleaned.keySet(), statuses(oracle), "seed " + seed);
    }
    System.out.println(removals + " removals, " + repeated + " shown twice");
    assertTrue(removals > 1000 && repeated > 100, removals + ", " + repeated);
  }

  /**
   * Those starts, of all that are or were uncleaned, about which the oracle still knows a commit.
   */
  private Set<Long> statuses(StatusOracle oracle) {
    long reader = oracle.nextTimestamp() - Timestamps.GAP;
    Map<Long, Long> told = new TreeMap<>(uncleaned);
    told.entrySet().removeIf(commit -> oracle.status(commit.getKey(), reader) != commit.getValue());
    return told.keySet();
  }

  private void change(StatusOracle oracle, Random random) {
    int kind = random.nextInt(100);
    if (kind < 40) {
      open.add(oracle.begin(1));
    } else if (kind < 70 && !open.isEmpty()) {
      CommitBatch batch = new CommitBatch(1);
      batch.rows()[batch.add(open.remove(random.nextInt(open.size())), false, 1)] =
          random.nextLong();
      oracle.commit(batch);
    } else if (kind < 94 && !uncleaned.isEmpty()) {
      List<Long> starts = new ArrayList<>(uncleaned.keySet());
      oracle.cleaned(starts.get(random.nextInt(starts.size())));
    } else if (kind == 95 && random.nextInt(10) == 0) {
      oracle.swept(oracle.nextTimestamp() - (1 + random.nextInt(WINDOW)) * Timestamps.GAP);
      oracle.sweepOn();
    } else if (kind == 96) {
      oracle.pass(random.nextInt(WINDOW));
    } else if (kind == 97) {
      oracle.expire(oracle.windowLow() + random.nextInt(WINDOW) * Timestamps.GAP);
    }
  }
}
