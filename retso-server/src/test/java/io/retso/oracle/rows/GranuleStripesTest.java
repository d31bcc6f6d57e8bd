package io.retso.oracle.rows;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class GranuleStripesTest {
  private static final int STRIPES = 1 << 10;

  @Test
  void positionsGrowOnly() {
    GranuleStripes stripes = new GranuleStripes(STRIPES);
    stripes.setRead(new int[] {7, 7, 7}, 0, 1, 20);
    stripes.setRead(new int[] {8, 7}, 1, 2, 10);
    assertEquals(20, stripes.read(7));
  }

  @Test
  void theNewestTwoCommitsAreKept() {
    GranuleStripes stripes = new GranuleStripes(STRIPES);
    for (int commit : new int[] {10, 20, 20, 30, 30}) { // twice: two ids of one transaction
      stripes.past().add(7, commit);
    }
    assertEquals(30, stripes.past().newest(7));
    assertEquals(20, stripes.past().previous(7));
  }

  @Test
  void whatIsForgottenCountsAsNow() {
    GranuleStripes stripes = new GranuleStripes(STRIPES);
    stripes.setRead(new int[] {7}, 0, 1, 20);
    stripes.clear(-5);
    for (int id = 0; id < 10; id++) {
      assertEquals(-5, stripes.read(id));
      assertEquals(-5, stripes.past().previous(id));
      assertEquals(-5, stripes.past().newest(id));
      int place = stripes.writes().find(id, id);
      assertEquals(-5, stripes.writes().newest(place));
      assertEquals(-5, stripes.writes().previous(place));
    }
  }

  /** Over several times 2^32 sequences nothing old ever looks younger than it is by 2^30. */
  @Test
  void nothingOldBecomesYoungAgain() {
    GranuleStripes stripes = new GranuleStripes(STRIPES);
    Random random = new Random(1);
    int now = 1;
    int[] stripe = new int[1];
    long[] readAt = new long[STRIPES];
    long time = 1;
    for (int i = 0; i < 200_000; i++) {
      int step = 1 + random.nextInt(1 << 17);
      time += step;
      now += step;
      stripes.age(now);
      if (i % 64 == 0) {
        stripe[0] = random.nextInt(8);
        stripes.setRead(stripe, 0, 1, now - 1);
        stripes.past().add(stripe[0] + 100, now - 1);
        readAt[stripe[0]] = time - 1;
      }
      if (i % 1024 == 1) {
        checkAges(stripes, now, time, readAt);
      }
    }
    assertTrue(time > 2L << 32);
  }

  private static void checkAges(GranuleStripes stripes, int now, long time, long[] readAt) {
    for (int id = 0; id < 8; id++) {
      long age = time - readAt[id];
      long held = Math.min(age, CommittedMap.AGE_MAX);
      assertTrue(now - stripes.read(id) >= held, "read");
      assertTrue(now - stripes.past().newest(id + 100) >= held, "past");
      assertTrue(now - stripes.past().previous(id + 100) >= held, "past before");
      assertTrue(now - stripes.read(id + 200) > 0, "never read");
      assertTrue(now - stripes.past().newest(id + 200) > 0, "never written in the past");
      assertTrue(now - stripes.past().previous(id + 200) > 0, "nor before");
    }
  }
}
