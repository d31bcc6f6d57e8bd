package io.retso.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ReadStripesTest {
  private static final int STRIPES = 1 << 10;

  @Test
  void positionsGrowOnly() {
    ReadStripes stripes = ReadStripes.ofRows(STRIPES);
    stripes.setRead(new int[] {7, 7, 7}, 0, 1, 20);
    stripes.setRead(new int[] {8, 7, -1}, 1, 3, 10);
    assertEquals(20, stripes.read(7));
  }

  @Test
  void theNewestTwoCommitsAreKept() {
    ReadStripes stripes = ReadStripes.ofGranules(STRIPES);
    for (int commit : new int[] {10, 20, 20, 30, 30}) { // twice: two ids of one transaction
      stripes.setPast(7, commit);
      stripes.setLast(7, commit + 1);
    }
    assertEquals(30, stripes.past(7));
    assertEquals(20, stripes.pastBefore(7));
    assertEquals(31, stripes.last(7));
    assertEquals(21, stripes.previous(7));
  }

  @Test
  void whatIsForgottenCountsAsNow() {
    ReadStripes stripes = ReadStripes.ofGranules(STRIPES);
    stripes.setRead(new int[] {7}, 0, 1, 20);
    stripes.clear(-5);
    for (int id = 0; id < 10; id++) {
      assertEquals(-5, stripes.read(id));
      assertEquals(-5, stripes.pastBefore(id));
      assertEquals(-5, stripes.past(id));
      assertEquals(-5, stripes.last(id));
      assertEquals(-5, stripes.previous(id));
    }
  }

  /** Over several times 2^32 sequences nothing old ever looks younger than it is by 2^30. */
  @Test
  void nothingOldBecomesYoungAgain() {
    ReadStripes stripes = ReadStripes.ofGranules(STRIPES);
    Random random = new Random(1);
    int now = 1;
    int[] stripe = new int[1];
    long[] readAt = new long[STRIPES];
    long time = 1;
    for (int i = 0; i < 200_000; i++) {
      int step = 1 + random.nextInt(1 << 17);
      time += step;
      now += step;
      if (stripes.isDue(now)) {
        stripes.advance(now);
      }
      if (i % 64 == 0) {
        stripe[0] = random.nextInt(8);
        stripes.setRead(stripe, 0, 1, now - 1);
        stripes.setPast(stripe[0] + 100, now - 1);
        stripes.setLast(stripe[0] + 100, now - 1);
        readAt[stripe[0]] = time - 1;
      }
      if (i % 1024 == 1) {
        checkAges(stripes, now, time, readAt);
      }
    }
    assertTrue(time > 2L << 32);
  }

  private static void checkAges(ReadStripes stripes, int now, long time, long[] readAt) {
    for (int id = 0; id < 8; id++) {
      long age = time - readAt[id];
      long held = Math.min(age, CommittedMap.AGE_MAX);
      assertTrue(now - stripes.read(id) >= held, "read");
      assertTrue(now - stripes.past(id + 100) >= held, "past");
      assertTrue(now - stripes.last(id + 100) >= held, "last");
      assertTrue(now - stripes.pastBefore(id + 100) >= held, "past before");
      assertTrue(now - stripes.previous(id + 100) >= held, "previous");
      assertTrue(now - stripes.read(id + 200) > 0, "never read");
    }
  }
}
