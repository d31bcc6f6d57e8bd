package io.retso.hbase.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class IdSetTest {
  private static long[] sorted(long[] ids) {
    return LongStream.of(ids).sorted().toArray();
  }

  private static long[] sorted(Set<Long> ids) {
    return ids.stream().mapToLong(Long::longValue).sorted().toArray();
  }

  /** Few different ids with equal low bits, and 0 among them: long probes, and many repetitions. */
  @Test
  void itIsASet() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      IdSet ids = new IdSet();
      IdSet others = new IdSet();
      Set<Long> model = new HashSet<>();
      Set<Long> otherModel = new HashSet<>();
      for (int i = random.nextInt(500); i > 0; i--) {
        long id = (long) random.nextInt(100) << random.nextInt(3) * 20;
        assertEquals(model.add(id), ids.add(id), () -> "seed " + seed);
        if (random.nextBoolean()) {
          others.add(id + 1);
          otherModel.add(id + 1);
        }
      }
      assertEquals(model.size(), ids.size(), () -> "seed " + seed);
      assertEquals(model.isEmpty(), ids.isEmpty());
      assertArrayEquals(sorted(model), sorted(ids.toArray()), () -> "seed " + seed);
      assertTrue(model.stream().allMatch(ids::contains), () -> "seed " + seed);
      Set<Long> difference = new HashSet<>(model);
      difference.removeAll(otherModel);
      assertArrayEquals(sorted(difference), sorted(ids.without(others)), () -> "seed " + seed);
    }
  }
}
