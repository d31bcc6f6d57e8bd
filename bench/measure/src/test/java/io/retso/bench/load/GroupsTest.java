package io.retso.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;

class GroupsTest {
  private record Expected(long first, int count, long began, long[] committed) {}

  @Test
  void isAQueueThatGrowsAndTimestampsWhatWasAdded() {
    Random random = new Random(3);
    Groups groups = new Groups(2);
    ArrayDeque<Expected> expected = new ArrayDeque<>();
    for (int step = 1; step <= 10_000; step++) {
      if (random.nextInt(100) < 52) {
        Expected added = new Expected(step * 16L, random.nextInt(100), step, new long[] {0});
        groups.add(added.first, added.count, added.began);
        expected.add(added);
      } else if (random.nextBoolean()) {
        groups.sent(step);
        for (Expected e : expected) {
          e.committed[0] = e.committed[0] == 0 ? step : e.committed[0];
        }
      } else if (!expected.isEmpty() && expected.peek().committed[0] != 0) {
        Expected head = expected.poll();
        assertEquals(head.first, groups.first());
        assertEquals(head.count, groups.count());
        assertEquals(head.began, groups.began());
        assertEquals(head.committed[0], groups.committed());
        groups.remove();
      }
      assertEquals(expected.isEmpty(), groups.isEmpty());
    }
    assertTrue(expected.size() > 100, "the queue grew");
  }
}
