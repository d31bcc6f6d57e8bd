package io.retso.workload.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.retso.workload.Isolation;
import io.retso.workload.Options;
import io.retso.workload.Range;
import io.retso.workload.Row;
import io.retso.workload.Store;
import io.retso.workload.StoreTransaction;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What every store promises of ranges, of rows that are taken away, and of many at once. */
final class Ranges {
  private static final Options READS = new Options("r", Isolation.SNAPSHOT, true);

  private Ranges() {}

  /** Tries all of it on a table, with rows that begin in a way of their own. */
  static void check(Store store, String table, String begin) throws IOException {
    try (StoreTransaction tx = store.begin(Options.ALONE)) {
      for (String end : List.of("a", "b1", "b2", "b3", "c")) {
        tx.insert(new Row(table, begin + end), new byte[] {1});
      }
      tx.commit();
    }
    Range b = Range.prefix(table, begin + "b");
    assertScan(store, b, StoreTransaction.NO_LIMIT, begin + "b1", begin + "b2", begin + "b3");
    assertScan(store, b, 2, begin + "b1", begin + "b2");
    assertScan(store, new Range(table, begin + "b2", begin + "c"), 9, begin + "b2", begin + "b3");
    assertScan(store, b.after(begin + "b1"), 1, begin + "b2");
    assertScan(store, b.upTo(begin + "b1"), 9, begin + "b1");
    assertScan(store, Range.prefix(table, begin + "b9"), 1);
    Row first = new Row(table, begin + "b1");
    try (StoreTransaction tx = store.begin(Options.ALONE)) {
      tx.delete(first);
      assertNull(tx.get(first));
      tx.put(new Row(table, begin + "b3"), new byte[] {2});
      List<byte[]> values = tx.getAll(table, List.of(begin + "b3", begin + "b1", begin + "b2"));
      assertArrayEquals(new byte[] {2}, values.get(0));
      assertNull(values.get(1));
      assertArrayEquals(new byte[] {1}, values.get(2));
      tx.commit();
    }
    try (StoreTransaction tx = store.begin(READS)) {
      assertNull(tx.get(first));
      assertNull(tx.getAll(table, List.of(first.key())).get(0));
    }
    assertScan(store, b, 1, begin + "b2");
    assertScan(store, b, 9, begin + "b2", begin + "b3");
  }

  private static void assertScan(Store store, Range range, int limit, String... keys)
      throws IOException {
    List<String> found = new ArrayList<>();
    try (StoreTransaction tx = store.begin(READS)) {
      tx.scan(range, limit, (key, value) -> found.add(key));
      tx.commit();
    }
    assertEquals(List.of(keys), found, range + ", " + limit);
  }
}
