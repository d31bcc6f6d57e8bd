package io.retso.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class UncleanedCommitsTest {
  /** Small and full tables, so that clusters are long and wrap around the table's end. */
  @Test
  void isAMap() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      int capacity = 1 + random.nextInt(seed % 3 == 0 ? 200 : 12);
      UncleanedCommits table = new UncleanedCommits(capacity, 0);
      Map<Long, Long> map = new HashMap<>();
      int range = 1 + random.nextInt(3 * capacity);
      for (int i = 0; i < 5_000; i++) {
        long start = 1 + random.nextInt(range) * (seed % 2 == 0 ? 1L : 1L << 32);
        if (random.nextInt(5) < 2) {
          assertEquals(map.remove(start) != null, table.remove(start));
        } else if (map.size() < capacity || map.containsKey(start)) {
          map.put(start, start + i);
          table.put(start, start + i);
        }
        assertEquals(map.size(), table.size());
        long asked = 1 + random.nextInt(range) * (seed % 2 == 0 ? 1L : 1L << 32);
        assertEquals(map.getOrDefault(asked, 0L), table.get(asked));
      }
      assertEquals(map, entries(table));
    }
  }

  /**
   * Passes go in steps of a few places, and anything may happen in between. Starts are random: the
   * homes of consecutive ones are so even that entries hardly ever move.
   */
  @Test
  void findsTheLowestAndDropsWhatWasSwept() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      int capacity = 1 + random.nextInt(seed % 3 == 0 ? 200 : 12);
      UncleanedCommits table = new UncleanedCommits(capacity, 0);
      TreeMap<Long, Long> map = new TreeMap<>();
      int sweeps = 1 + random.nextInt(20);
      int firsts = 2 + random.nextInt(30);
      long time = 1;
      long swept = 0;
      for (int i = 0; i < 5_000; i++) {
        int kind = random.nextInt(1_000);
        if (kind < 400 && table.size() < capacity) {
          long start = 1 + random.nextInt(1 << 30);
          time += 1 + random.nextInt(3);
          if (map.putIfAbsent(start, time) == null) {
            table.put(start, time);
          }
        } else if (kind < 600 && !map.isEmpty()) {
          Long start = map.ceilingKey((long) random.nextInt(1 << 30));
          start = start == null || random.nextInt(firsts) == 0 ? map.firstKey() : start;
          map.remove(start);
          assertTrue(table.remove(start));
        } else if (kind < 600 + sweeps) {
          swept = Math.max(swept, time - random.nextInt(2 * capacity));
          table.sweep(swept);
          long below = swept;
          map.values().removeIf(commit -> commit < below);
        } else if (table.tidy(1 + random.nextInt(4))) {
          assertEquals(map.isEmpty() ? Long.MAX_VALUE : map.firstKey(), table.lowest());
          assertEquals(map.size(), table.size());
        }
        assertTrue(table.size() >= map.size());
        assertTrue(map.isEmpty() || table.lowest() <= map.firstKey(), "seed " + seed);
        assertEquals(map, entries(table), "seed " + seed);
      }
    }
  }

  /** What a removal moves from the part ahead of a pass to the part behind it is not forgotten. */
  @Test
  void aPassMissesNothingThatMoves() {
    for (int seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      UncleanedCommits table = new UncleanedCommits(8, 0);
      TreeMap<Long, Long> map = new TreeMap<>();
      for (int i = 0; i < 8; i++) {
        long start = 1 + random.nextInt(1 << 30);
        long commit = 1 + random.nextInt(10);
        map.put(start, commit);
        table.put(start, commit);
      }
      table.sweep(6);
      map.values().removeIf(commit -> commit < 6);
      table.tidy(random.nextInt(16));
      if (!map.isEmpty()) {
        List<Long> starts = List.copyOf(map.keySet());
        long removed = starts.get(random.nextInt(starts.size()));
        map.remove(removed);
        table.remove(removed);
      }
      while (!table.tidy(16)) {
        // one more pass
      }
      assertEquals(map.isEmpty() ? Long.MAX_VALUE : map.firstKey(), table.lowest(), "seed " + seed);
      assertEquals(map.size(), table.size(), "seed " + seed);
    }
  }

  /** In a replay the steps are not taken. */
  @Test
  void whatWasSweptGivesWay() {
    UncleanedCommits table = new UncleanedCommits(4, 0);
    for (long start = 1; start <= 4; start++) {
      table.put(start, 10 + start);
    }
    table.sweep(13);
    table.put(20, 21);
    assertEquals(3, table.size());
    assertEquals(3, table.lowest());
    table.put(22, 23);
    assertThrows(IllegalStateException.class, () -> table.put(24, 25));
  }

  @Test
  void aRemovalLosesNoneOfItsCluster() {
    UncleanedCommits table = new UncleanedCommits(64, 0);
    List<Long> starts = new ArrayList<>();
    for (long start = 1; start <= 64; start++) {
      table.put(start, 1000 + start);
      starts.add(start);
    }
    Random random = new Random(1);
    while (!starts.isEmpty()) {
      table.remove(starts.remove(random.nextInt(starts.size())));
      for (long start : starts) {
        assertEquals(1000 + start, table.get(start));
      }
    }
    assertEquals(0, table.size());
  }

  @Test
  void holdsItsCapacityAndRefusesMore() {
    for (int capacity : new int[] {1, 2, 3, 7, 8, 9, 1000}) {
      UncleanedCommits table = new UncleanedCommits(capacity, 0);
      for (long start = 1; start <= capacity; start++) {
        table.put(start, start + 1);
      }
      table.put(1, 9);
      assertEquals(9, table.get(1));
      assertThrows(IllegalStateException.class, () -> table.put(capacity + 1L, 5));
    }
    assertThrows(IllegalArgumentException.class, () -> new UncleanedCommits(0, 0));
  }

  /**
   * Otherwise clients could choose them so that every search takes as long as there are entries.
   */
  @Test
  void placesCannotBeForeseen() {
    UncleanedCommits foreseen = new UncleanedCommits(1 << 16, 1);
    UncleanedCommits real = new UncleanedCommits(1 << 16, 2);
    Set<Integer> homes = new HashSet<>();
    int chosen = 0;
    for (long start = 1; chosen < 1000; start++) {
      if (foreseen.home(start) < 100) {
        chosen++;
        homes.add(real.home(start));
      }
    }
    assertTrue(homes.size() > 900, "entries of 100 places have only " + homes.size() + " others");
  }

  /** What is in a table, but for what was swept. */
  static Map<Long, Long> entries(UncleanedCommits table) {
    Map<Long, Long> entries = new TreeMap<>();
    for (int place = 0; place < table.places(); place++) {
      if (table.start(place) != 0 && !table.isSwept(place)) {
        entries.put(table.start(place), table.commit(place));
      }
    }
    return entries;
  }
}
