package io.retso.oracle.rows;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class GranuleWritesTest {
  private static final int LINES = 1 << 4;
  private static final int GRANULES = 120;
  private static final long WRAP = 1L << 31;

  /** Five of a line are told apart. */
  private static final int NAMED = 5;

  private final GranuleStripes stripes = new GranuleStripes(LINES);
  private final GranuleWrites writes = stripes.writes();

  /** All in one line. */
  private void write(long id, int commit) {
    writes.wrote(new long[] {id}, new int[] {3}, 0, 1, commit);
  }

  private int newest(long id) {
    return writes.newest(writes.find(id, 3));
  }

  private int previous(long id) {
    return writes.previous(writes.find(id, 3));
  }

  @Test
  void theNewestTwoCommitsAreKept() {
    for (int commit : new int[] {10, 20, 20, 30, 30}) { // twice: one transaction names it twice
      write(7, commit);
    }
    assertEquals(30, newest(7));
    assertEquals(20, previous(7));
  }

  @Test
  void theOneThatWasNotWrittenForTheLongestTimeGivesWay() {
    for (int id = 1; id <= NAMED; id++) {
      write(id, 10 * id);
    }
    write(1, 60);
    assertEquals(0, newest(6), "never written");
    write(6, 70);
    assertEquals(0, previous(6));
    assertEquals(20, newest(2), "among the others");
    assertEquals(20, previous(2));
    assertEquals(20, newest(8));
    assertEquals(60, newest(1));
    assertEquals(10, previous(1));
    write(2, 80); // in place of 3
    assertEquals(80, newest(2));
    assertEquals(20, previous(2));
    assertEquals(30, newest(3));
  }

  /** New lines have the name 0 five times, and those that are forgotten some other one. */
  @Test
  void namesOfNewLinesAreNames() {
    stripes.clear(7);
    write(7, 20);
    write(0, 21);
    for (int id = 100; id < 103; id++) {
      write(id, id);
    }
    assertEquals(20, newest(7));
    assertEquals(21, newest(0));
    assertEquals(7, previous(7));
    write(103, 103);
    assertEquals(20, newest(7), "it was the last to be written");
    assertEquals(20, newest(8));
  }

  /** Beside a model that remembers all: over several times 2^32 sequences. */
  @Test
  void noCommitIsEverTakenForAnOlderOne() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    long[] last = new long[GRANULES];
    long[] before = new long[GRANULES];
    int[] line = new int[1];
    long now = 1;
    long exact = 0;
    for (int i = 0; i < 2_000_000; i++) {
      now += random.nextInt(50_000) == 0 ? 1 + random.nextInt(1 << 30) : 1 + random.nextInt(10);
      stripes.age((int) now);
      int id = random.nextInt(random.nextBoolean() ? 10 : GRANULES);
      long[] granule = {id};
      stripes.locate(granule, 0, 1, line);
      if (random.nextInt(4) == 0) {
        writes.wrote(granule, line, 0, 1, (int) now);
        before[id] = last[id];
        last[id] = now;
        continue;
      }
      int place = writes.find(id, line[0]);
      assertTrue((int) now - writes.newest(place) <= now - last[id], "newest");
      assertTrue((int) now - writes.previous(place) <= now - before[id], "previous");
      assertTrue((int) now - writes.newest(place) >= 0, "it is not in the future");
      boolean young = now - last[id] < CommittedMap.AGE_MAX;
      exact += young && (int) last[id] == writes.newest(place) ? 1 : 0;
    }
    assertTrue(now > 4 * WRAP);
    assertTrue(exact > 500_000, exact + " times the commit was that of the granule");
  }
}
