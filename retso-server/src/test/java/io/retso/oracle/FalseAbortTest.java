package io.retso.oracle;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.oracle.rows.CommittedMap;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * What T_max costs (line 8 of Algorithm 3): a transaction that lives for 100,000 others, on a map
 * of 8M rows, n uniform in 0..20 rows of 20M, is falsely aborted less than once in 1,000 times.
 * Deterministic: the rows come from a seed.
 */
class FalseAbortTest {
  private static final int CAPACITY = 8_000_000;
  private static final int ROW_RANGE = 20_000_000;
  private static final int LIFETIME = 100_000;
  private static final int WARM_UP = 2_000_000;
  private static final int SAMPLES = 300_000;

  private final SplittableRandom random = new SplittableRandom(8);
  private final int[] lines = new int[32];
  private final long[] rows = new long[32];

  private int fillRows() {
    int count = random.nextInt(21);
    for (int i = 0; i < count; i++) {
      rows[i] = 1 + random.nextInt(ROW_RANGE);
    }
    return count;
  }

  @Test
  void aLongLivedTransactionIsHardlyEverAbortedForNothing() {
    CommittedMap map = new CommittedMap(CAPACITY);
    int now = 1;
    int falsely = 0;
    for (int i = 0; i < WARM_UP + SAMPLES; i++) {
      now += 2; // a start and a commit
      int count = fillRows();
      map.locate(rows, 0, count, lines);
      if (i >= WARM_UP) {
        // Its rows are those of one that began 100,000 transactions ago.
        int start = now - 2 * LIFETIME;
        boolean aborted = map.newestSince(rows, 0, count, lines, start) > 0;
        boolean rightly = map.conflictsCertainly(rows, 0, count, lines, start);
        falsely += aborted && !rightly ? 1 : 0;
      }
      map.put(rows, 0, count, lines, now);
    }
    double probability = (double) falsely / SAMPLES;
    assertTrue(map.occupied() > CAPACITY * 0.9, "the map is not full");
    assertTrue(probability < 0.001, () -> "false aborts of a transaction: " + probability);
  }
}
