package io.retso.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RowSourceTest {
  private static final int DRAWS = 210_000;

  @Test
  void countsAreUniformFromZeroToTwenty() {
    RowSource source = new RowSource(7, 20_000_000);
    int[] counts = new int[RowSource.ROWS_PER_TRANSACTION_MAX + 1];
    for (int i = 0; i < DRAWS; i++) {
      counts[source.nextCount()]++;
    }
    // 10,000 expected of each, standard deviation 98: five of them.
    for (int count : counts) {
      assertTrue(Math.abs(count - 10_000) < 500, "a number of rows came " + count + " times");
    }
  }

  @Test
  void rowsAreUniformOverTheTable() {
    RowSource source = new RowSource(7, 100);
    Map<Long, Integer> seen = new HashMap<>();
    for (int i = 0; i < DRAWS; i++) {
      seen.merge(source.nextRow(), 1, Integer::sum);
    }
    assertEquals(100, seen.size());
    // 2,100 expected of each, standard deviation 46: six of them.
    seen.values().forEach(n -> assertTrue(Math.abs(n - 2_100) < 276, "a row came " + n + " times"));
  }

  @Test
  void idsOfDifferentRowsDiffer() {
    Set<Long> ids = new HashSet<>();
    for (long row = 0; row < 100_000; row++) {
      ids.add(RowSource.rowId(row));
    }
    assertEquals(100_000, ids.size());
  }

  @Test
  void idsSpreadOverAllBits() {
    int[] ones = new int[Long.SIZE];
    for (long row = 0; row < 100_000; row++) {
      long id = RowSource.rowId(row);
      for (int bit = 0; bit < Long.SIZE; bit++) {
        ones[bit] += (int) (id >>> bit & 1);
      }
    }
    for (int count : ones) {
      assertTrue(Math.abs(count - 50_000) < 1_000, "a bit is set " + count + " times");
    }
  }

  @Test
  void theSameSeedGivesTheSameRowsAndAnotherSeedOthers() {
    RowSource one = new RowSource(1, 1_000_000);
    RowSource same = new RowSource(1, 1_000_000);
    RowSource other = new RowSource(2, 1_000_000);
    int equal = 0;
    for (int i = 0; i < 1000; i++) {
      long row = one.nextRow();
      assertEquals(row, same.nextRow());
      equal += row == other.nextRow() ? 1 : 0;
    }
    assertTrue(equal < 10);
  }

  @Test
  void refusesATableWithoutRows() {
    assertThrows(IllegalArgumentException.class, () -> new RowSource(1, 0));
    assertThrows(IllegalArgumentException.class, () -> new RowSource(1, RowSource.ROWS_MAX + 1));
  }
}
