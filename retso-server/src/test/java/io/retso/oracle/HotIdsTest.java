package io.retso.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.oracle.HotIds.Hot;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The ids of most refusals, beside exact counts. */
class HotIdsTest {
  private static final long HALF_LIFE = HotIds.HALF_LIFE_NANOS;

  private final HotIds hot = new HotIds();

  @Test
  void thoseWithManyRefusalsAreKnownAmongThousandsOfOthers() {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      HotIds some = new HotIds();
      Map<Long, Long> exact = new HashMap<>();
      int all = 20_000;
      for (int i = 1; i <= all; i++) {
        long id = random.nextInt(3) == 0 ? random.nextInt(5) : 100 + random.nextInt(5_000);
        some.refused(id, i);
        exact.merge(id, 1L, Long::sum);
      }
      List<Hot> top = some.top();
      assertEquals(HotIds.IDS, top.size());
      assertEquals(all, top.stream().mapToLong(Hot::refusals).sum(), "each is counted once");
      for (Hot one : top) {
        long count = exact.get(one.id());
        boolean right = one.refusals() >= count && one.refusals() - one.surplus() <= count;
        assertTrue(right, "seed " + seed + ": " + one + " has " + count);
      }
      for (long id = 0; id < 5; id++) {
        long wanted = id;
        assertTrue(top.stream().limit(5).anyMatch(one -> one.id() == wanted), "seed " + seed);
      }
    }
  }

  @Test
  void whatIsOverIsForgotten() {
    hot.age(7);
    for (int i = 0; i < 4; i++) {
      hot.refused(1, 16);
    }
    hot.refused(2, 32);
    hot.age(7 + HALF_LIFE - 1);
    assertEquals(List.of(new Hot(1, 4, 0, 16), new Hot(2, 1, 0, 32)), hot.top());
    hot.age(7 + HALF_LIFE);
    assertEquals(List.of(new Hot(1, 2, 0, 16)), hot.top());
    hot.refused(1, 48);
    hot.age(7 + 100 * HALF_LIFE);
    assertEquals(List.of(), hot.top());
  }

  /** An oracle fills them. */
  @Test
  void refusedCommitsCount() {
    StatusOracle oracle = new StatusOracle(1000, 1 << 10, 1 << 10, Changes.NONE, 0);
    CommitBatch batch = new CommitBatch(10);
    long first = oracle.begin(2);
    for (int i = 0; i < 2; i++) {
      batch.rows()[batch.add(first + 16L * i, false, 1)] = 77;
    }
    oracle.commit(batch);
    assertEquals(List.of(new Hot(77, 1, 0, batch.outcome(0))), oracle.hot().top());
  }
}
