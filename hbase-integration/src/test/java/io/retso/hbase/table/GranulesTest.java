package io.retso.hbase.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.RowId;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

public class GranulesTest {
  private static final byte[] TABLE = Bytes.toBytes("t");
  private static final byte[] NONE = {};
  private static final List<Integer> SIZES = List.of(0, 1, 2, 4);

  private final Granules granules = new Granules(TABLE, false, SIZES);

  private static byte[] bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return bytes;
  }

  private static long granule(int size, int... key) {
    return RowId.granule(TABLE, size, bytes(key));
  }

  @Test
  void aRowHasOneOfEachSize() {
    IdSet all = new IdSet();
    granules.addAll(bytes(7, 8), all);
    assertEquals(4, all.size());
    assertTrue(all.contains(granules.whole()));
    assertTrue(all.contains(granule(1, 7)));
    assertTrue(all.contains(granule(2, 7, 8)));
    assertTrue(all.contains(granule(4, 7, 8, 0, 0)), "short keys are filled up with zeros");
    assertFalse(all.contains(granules.bulk()));
    assertNotEquals(granules.whole(), new Granules(TABLE, false, List.of(5)).bulk());
    IdSet byCell = new IdSet();
    new Granules(TABLE, true, List.of()).addAll(bytes(7), byCell);
    assertEquals(2, byCell.size());
    assertTrue(byCell.contains(RowId.rowGranule(TABLE, bytes(7))), "the row, and the table");
  }

  @Test
  void aRangeIsCoveredByTheFinestOfWhichAFewAreEnough() {
    assertArrayEquals(
        new long[] {granule(4, 1, 2, 0, 9), granule(4, 1, 2, 0, 10)},
        granules.cover(bytes(1, 2, 0, 9, 5), bytes(1, 2, 0, 10), true));
    assertArrayEquals(
        new long[] {granule(4, 1, 2, 0, 9)},
        granules.cover(bytes(1, 2, 0, 9, 5), bytes(1, 2, 0, 10), false),
        "nothing below the end lies in its granule");
    assertEquals(
        2,
        granules.cover(bytes(1, 2, 0, 9), bytes(1, 2, 0, 10, 0), false).length,
        "the row without the zero does");
    assertEquals(16, granules.cover(bytes(1, 0, 0, 0), bytes(1, 0, 0, 15, 3), true).length);
    assertArrayEquals(
        new long[] {granule(2, 1, 0)},
        granules.cover(bytes(1, 0, 0, 0), bytes(1, 0, 0, 16), true),
        "17 are too many");
    assertArrayEquals(
        new long[] {granule(1, 250), granule(1, 251)},
        granules.cover(bytes(250), bytes(251, 200), true));
    assertArrayEquals(
        new long[] {granule(1, 0xfe), granule(1, 0xff)},
        granules.cover(bytes(0xfe), NONE, false),
        "to the end of the table");
    assertArrayEquals(new long[] {granules.whole()}, granules.cover(NONE, NONE, false));
    assertArrayEquals(new long[] {granules.whole()}, granules.cover(bytes(1), bytes(100), true));
  }

  /** Small alphabet: many keys that are prefixes of each other, with zeros and 0xff. */
  private static byte[] key(Random random) {
    byte[] key = new byte[random.nextInt(6)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) new int[] {0, 1, 2, 0xfe, 0xff}[random.nextInt(5)];
    }
    return key;
  }

  @Test
  void whoWritesIntoARangeNamesAGranuleOfIt() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int within = 0;
    for (int i = 0; i < 200_000; i++) {
      byte[] low = key(random);
      byte[] high = key(random);
      byte[] row = key(random);
      boolean withHigh = random.nextBoolean();
      int toHigh = high.length == 0 ? -1 : Bytes.compareTo(row, high);
      if (row.length == 0 || Bytes.compareTo(low, row) > 0 || toHigh > (withHigh ? 0 : -1)) {
        continue;
      }
      within++;
      IdSet written = new IdSet();
      granules.addAll(row, written);
      assertTrue(
          Arrays.stream(granules.cover(low, high, withHigh)).anyMatch(written::contains),
          () ->
              String.format(
                  "seed %d: %s in %s to %s",
                  seed,
                  Bytes.toStringBinary(row),
                  Bytes.toStringBinary(low),
                  Bytes.toStringBinary(high)));
    }
    assertTrue(within > 10_000, "too few rows were within their range: " + within);
  }
}
