package io.retso.oracle.rows;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CommittedMapTest {
  /** Transactions that started longer ago are aborted before anybody looks here. */
  private static final int WINDOW_MAX = 1 << 28;

  /** Places where the low 32 bits of a sequence wrap, as a sign and as a whole. */
  private static final long[] BEGINNINGS = {
    1, (1L << 31) - 20_000, (1L << 32) - 20_000, 3 * (1L << 31) - 5, (1L << 40) - 20_000
  };

  private final int[] lines = new int[64];

  private boolean conflicts(CommittedMap map, long row, long start) {
    long[] rows = {row};
    map.locate(rows, 0, 1, lines);
    return map.newestSince(rows, 0, 1, lines, (int) start) > 0;
  }

  private boolean conflictsCertainly(CommittedMap map, long row, long start) {
    long[] rows = {row};
    map.locate(rows, 0, 1, lines);
    return map.conflictsCertainly(rows, 0, 1, lines, (int) start);
  }

  private void put(CommittedMap map, long commit, long... rows) {
    long[] copy = rows.clone();
    map.locate(copy, 0, copy.length, lines);
    map.put(copy, 0, copy.length, lines, (int) commit);
  }

  @Test
  void theLastCommitOfARowDecides() {
    CommittedMap map = new CommittedMap(100);
    put(map, 10, 7);
    assertTrue(conflicts(map, 7, 9));
    assertFalse(conflicts(map, 7, 11));
    put(map, 20, 7);
    assertTrue(conflicts(map, 7, 19));
    assertFalse(conflicts(map, 7, 21));
    assertEquals(1, map.occupied(), "one entry a row");
  }

  @Test
  void rowZeroIsARowLikeAnyOther() {
    CommittedMap map = new CommittedMap(5);
    assertFalse(conflicts(map, 0, 5));
    put(map, 10, 0);
    assertTrue(conflicts(map, 0, 9));
    assertTrue(conflictsCertainly(map, 0, 9));
    assertFalse(conflicts(map, 1, 9), "vacant places hold no row");
    assertEquals(1, map.occupied());
  }

  @Test
  void duplicatesInAWriteSetAreOneRow() {
    CommittedMap map = new CommittedMap(5);
    put(map, 10, 3, 3, 3, 4, 3);
    assertEquals(2, map.occupied());
    assertEquals(0, map.evictions());
  }

  @Test
  void aFullLineEvictsItsOldestRowAndRaisesItsTmaxToIt() {
    CommittedMap map = new CommittedMap(CommittedMap.WAYS); // one line
    for (int i = 1; i <= 5; i++) {
      put(map, 10L * i, i);
    }
    put(map, 51, 1); // row 1 is the youngest now, row 2 the oldest
    assertEquals(0, map.evictions());
    put(map, 60, 6);
    assertEquals(1, map.evictions());
    assertEquals(20, map.newestEvicted());
    assertTrue(conflicts(map, 2, 19), "absent, and T_max is 20");
    assertFalse(conflictsCertainly(map, 2, 19), "nobody knows that it conflicts");
    assertFalse(conflicts(map, 2, 21));
    assertTrue(conflicts(map, 99, 19), "line 8: any absent row of the line");
    assertFalse(conflicts(map, 99, 21));
    assertTrue(conflicts(map, 1, 50));
    int[] followers = {30, 40, 50, 51}; // rows 3, 4, 5 and 1 in the order of their commits
    for (int i = 0; i < followers.length; i++) {
      put(map, 70 + i, 7 + i);
      assertEquals(followers[i], map.newestEvicted());
    }
    assertTrue(conflicts(map, 1, 50));
    assertFalse(conflicts(map, 1, 52));
  }

  @Test
  void aWriteSetLargerThanItsLineCoversItselfByTmax() {
    CommittedMap map = new CommittedMap(CommittedMap.WAYS);
    long[] rows = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    put(map, 10, rows);
    for (long row : rows) {
      assertTrue(conflicts(map, row, 9), () -> "row " + row);
      assertFalse(conflicts(map, row, 11), () -> "row " + row);
    }
  }

  @Test
  void whatOneLineForgetsHarmsNoOther() {
    CommittedMap map = new CommittedMap(50_000);
    long[] victim = {1};
    map.locate(victim, 0, 1, lines);
    int line = lines[0];
    int filled = 0;
    int elsewhere = 0;
    for (long row = 2; filled < 6; row++) {
      long[] rows = {row};
      map.locate(rows, 0, 1, lines);
      if (lines[0] == line) {
        put(map, 100 + filled++, row);
      }
    }
    assertTrue(map.evictions() > 0);
    assertTrue(conflicts(map, 1, 50));
    for (long row = 1_000_000; row < 1_001_000; row++) {
      long[] rows = {row};
      map.locate(rows, 0, 1, lines);
      elsewhere += lines[0] != line && conflicts(map, row, 50) ? 1 : 0;
    }
    assertEquals(0, elsewhere);
  }

  /**
   * Against a map that forgets nothing: no conflict is missed, none is invented, and a miss is
   * judged by nothing newer than what its own line forgot; across every wrap of the timestamps.
   */
  @Test
  void neverMissesAConflictAndNamesOnlyRealOnes() {
    for (long beginning : BEGINNINGS) {
      for (int capacity : new int[] {5, 17, 400, 5_000}) {
        new Comparison(beginning, capacity, capacity + beginning).run(30_000);
      }
    }
  }

  private final class Comparison {
    final Random random;
    final CommittedMap map;
    final Map<Long, Long> unbounded = new HashMap<>();
    final int rowRange;
    long now;

    Comparison(long beginning, int capacity, long seed) {
      random = new Random(seed);
      map = new CommittedMap(capacity);
      rowRange = 3 * capacity;
      now = beginning;
      if (beginning > 1) {
        map.clear((int) beginning);
      }
    }

    void run(int operations) {
      for (int i = 0; i < operations; i++) {
        now += random.nextInt(200) == 0 ? jump() : 1 + random.nextInt(3);
        map.advance((int) now);
        long row = random.nextInt(10) == 0 ? random.nextInt(3) : random.nextInt(rowRange);
        if (random.nextBoolean()) {
          put(map, now, row);
          unbounded.put(row, now);
        } else {
          long start = now - 1 - random.nextInt(random.nextBoolean() ? 20 : 100_000);
          check(row, Math.max(1, start));
        }
      }
    }

    private long jump() {
      return random.nextInt(4) > 0 ? random.nextInt(1 << 28) : 1L << 31 - random.nextInt(2);
    }

    private void check(long row, long start) {
      boolean conflict = conflicts(map, row, start);
      boolean certain = conflictsCertainly(map, row, start);
      long last = unbounded.getOrDefault(row, Long.MIN_VALUE);
      String what = "row " + row + " at " + last + ", start " + start + ", now " + now;
      assertTrue(conflict || last <= start, () -> "missed: " + what);
      assertTrue(!certain || last > start, () -> "invented: " + what);
      assertTrue(
          !conflict || certain || map.evictions() > 0, () -> "no reason for an abort: " + what);
      // The newest row that was ever evicted bounds T_max of every line.
      int newestEvicted = map.newestEvicted();
      assertTrue(
          !conflict || certain || (int) start - newestEvicted < 0, () -> "T_max too high: " + what);
    }
  }

  @Test
  void timestampsAgeWithoutCommitsToTheirRows() {
    CommittedMap map = new CommittedMap(40);
    for (int row = 1; row <= 60; row++) {
      put(map, row, row);
    }
    long now = 100;
    for (int step = 0; step < 400; step++) { // through 2^32 six times
      long before = now;
      put(map, before, 99);
      now += (1L << 26) + step;
      map.advance((int) now);
      assertTrue(conflictsCertainly(map, 99, before - 1), "a row is lost");
      for (int row = 1; row <= 60; row++) {
        assertFalse(conflicts(map, row, now - 1), "an old commit looks young");
        long oldest = Math.max(61, now - WINDOW_MAX);
        assertFalse(conflicts(map, row, oldest), "for the oldest start of any window");
      }
    }
  }

  @Test
  void aLineIsDueWheneverItsShareOfThePeriodHasPassed() {
    CommittedMap map = new CommittedMap(8 * CommittedMap.WAYS);
    int share = 1 << 26; // of 2^29
    assertFalse(map.isDue(share - 1));
    assertTrue(map.isDue(share));
    map.advance(share);
    assertFalse(map.isDue(2 * share - 1));
    assertTrue(map.isDue(2 * share));
  }

  @Test
  void aJumpOfTimeIsSurvived() {
    for (long jump : new long[] {1L << 29, 1L << 30, 1L << 31, (1L << 31) + (1L << 30)}) {
      CommittedMap map = new CommittedMap(10);
      for (int row = 1; row <= 30; row++) {
        put(map, row, row);
      }
      long now = 31 + jump;
      map.advance((int) now);
      put(map, now, 99);
      for (int row = 1; row <= 30; row++) {
        assertFalse(conflicts(map, row, now - 1), "after a jump of " + jump);
      }
      assertTrue(conflicts(map, 99, now - 1));
    }
  }

  @Test
  void clearForgetsEverythingAtAnyTime() {
    for (long beginning : BEGINNINGS) {
      CommittedMap map = new CommittedMap(10);
      put(map, 5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
      map.clear((int) beginning);
      assertEquals(0, map.occupied());
      for (int row = 1; row <= 12; row++) {
        assertFalse(conflicts(map, row, beginning));
        assertFalse(conflicts(map, row, beginning - WINDOW_MAX));
      }
      put(map, beginning + 1, 12);
      assertEquals(1, map.occupied());
      assertEquals(0, map.evictions());
    }
  }

  @Test
  void refusesCapacitiesThatNoArrayHolds() {
    assertThrows(IllegalArgumentException.class, () -> new CommittedMap(0));
    assertThrows(
        IllegalArgumentException.class, () -> new CommittedMap(CommittedMap.CAPACITY_MAX + 1));
    assertEquals(5, new CommittedMap(1).capacity());
  }
}
