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
    Rows rows = new Rows(20, 10, 1, false);
    for (int i = 0; i < 100; i++) {
      Set<String> keys = new HashSet<>();
      rows.next(10).forEach(key -> keys.add(Bytes.toString(key)));
      assertEquals(10, keys.size());
    }
  }

  @Test
  void theSameSeedDrawsTheSameRows() {
    Rows one = new Rows(1000, 10, 7, true);
    Rows other = new Rows(1000, 10, 7, true);
    for (int i = 0; i < 100; i++) {
      assertArrayEquals(one.next(), other.next());
    }
  }

  /** The most popular of n rows has a share of 1 in the sum of i^-0.99: 13 % of 1000 rows. */
  @Test
  void skewedRowsHaveAPopularOne() {
    Rows rows = new Rows(1000, 10, 7, true);
    Map<String, Integer> counts = new HashMap<>();
    for (int i = 0; i < 10_000; i++) {
      counts.merge(Bytes.toString(rows.next()), 1, Integer::sum);
    }
    int most = counts.values().stream().mapToInt(Integer::intValue).max().orElseThrow();
    assertTrue(most > 1100 && most < 1500, () -> "10,000 draws, " + most + " of one row");
  }
}
