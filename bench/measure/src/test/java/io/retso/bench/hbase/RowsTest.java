package io.retso.bench.hbase;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class RowsTest {
  @Test
  void aBatchHasDifferentRows() {
    Rows rows = new Rows(20, 10, 1, Rows.Draw.UNIFORM);
    for (int i = 0; i < 100; i++) {
      Set<String> keys = new HashSet<>();
      rows.next(10).forEach(key -> keys.add(Bytes.toString(key)));
      assertEquals(10, keys.size());
    }
  }

  @Test
  void theSameSeedDrawsTheSameRows() {
    Rows one = new Rows(1000, 10, 7, Rows.Draw.SKEWED);
    Rows other = new Rows(1000, 10, 7, Rows.Draw.SKEWED);
    for (int i = 0; i < 100; i++) {
      assertArrayEquals(one.next(), other.next());
    }
  }

  /** The most popular of n rows has a share of 1 in the sum of i^-0.99: 13 % of 1000 rows. */
  @Test
  void skewedRowsHaveAPopularOne() {
    Rows rows = new Rows(1000, 10, 7, Rows.Draw.SKEWED);
    Map<String, Integer> counts = new HashMap<>();
    for (int i = 0; i < 10_000; i++) {
      counts.merge(Bytes.toString(rows.next()), 1, Integer::sum);
    }
    int most = counts.values().stream().mapToInt(Integer::intValue).max().orElseThrow();
    assertTrue(most > 1100 && most < 1500, () -> "10,000 draws, " + most + " of one row");
  }

  @Test
  void wideRowsLieBetweenThoseThatWereLoadedAndHardlyMeet() {
    Rows rows = new Rows(100, 10, 7, Rows.Draw.WIDE);
    Set<String> keys = new HashSet<>();
    Map<String, Integer> before = new HashMap<>();
    for (byte[] key : rows.next(1000)) {
      keys.add(Bytes.toString(key));
      before.merge(Bytes.toString(key, 0, Rows.key(0).length), 1, Integer::sum);
      rows.next(10).forEach(other -> keys.add(Bytes.toString(other)));
    }
    assertEquals(100, before.size(), "each row that was loaded has some behind it");
    assertTrue(before.containsKey(Bytes.toString(Rows.key(99))), before::toString);
    assertTrue(keys.size() > 10_000, () -> "of 11,000 keys, different: " + keys.size());
  }
}
