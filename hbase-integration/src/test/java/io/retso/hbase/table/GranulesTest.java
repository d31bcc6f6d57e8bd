package io.retso.hbase.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.RowId;
import io.retso.hbase.layout.TableSettings;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
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

  private static long group(int size, int... key) {
    return RowId.groupGranule(TABLE, size, bytes(key));
  }

  private static long shortKeys(int... key) {
    return RowId.rowGranule(TABLE, bytes(key));
  }

  private static void expect(Granules of, byte[] row, long... expected) {
    IdSet all = new IdSet();
    of.addAll(row, all);
    assertArrayEquals(sorted(expected), sorted(all.toArray()));
  }

  private static long[] sorted(long... ids) {
    return LongStream.of(ids).sorted().toArray();
  }

  private void expectCover(int max, byte[] low, byte[] high, boolean withHigh, long... expected) {
    assertArrayEquals(sorted(expected), sorted(granules.cover(low, high, withHigh, max)));
  }

  @Test
  void aRowHasOneOfEachSizeUpToItsLength() {
    long whole = granules.whole();
    long[] one = {whole, group(0, 7), granule(1, 7), shortKeys(7)};
    expect(granules, bytes(7), one);
    long[] two = {
      whole, group(0, 7), granule(1, 7), group(1, 7, 8), granule(2, 7, 8), shortKeys(7, 8)
    };
    expect(granules, bytes(7, 8), two);
    long[] longer = {
      whole, group(0, 7), granule(1, 7), group(1, 7, 8), granule(2, 7, 8), granule(4, 7, 8, 9, 0)
    };
    expect(granules, bytes(7, 8, 9), longer);
    expect(granules, bytes(7, 8, 9, 0, 1), longer);
    Granules sparse = new Granules(TABLE, false, List.of(3, 6));
    expect(sparse, bytes(7), sparse.whole(), granule(3, 7, 0, 0), shortKeys(7, 0, 0));
    Granules byCell = new Granules(TABLE, true, List.of());
    expect(byCell, bytes(7), byCell.whole(), RowId.rowGranule(TABLE, bytes(7)));
    assertNotEquals(whole, granules.bulk());
    long[] digits = {whole, granule(1, '1'), granule(2, '1', '2'), shortKeys('1', '2')};
    expect(granules, bytes('1', '2'), digits);
  }

  @Test
  void aRowOfShortKeysHasOneForAllLargerSizes() {
    assertEquals(shortKeys(7, 8), granules.of(bytes(7, 8), 0));
    assertEquals(granule(2, 7, 8), granules.of(bytes(7, 8), 1));
    assertEquals(granule(4, 7, 8, 9, 0), granules.of(bytes(7, 8, 9), 0));
    assertEquals(granules.whole(), granules.of(bytes(7, 8, 9), 3));
  }

  @Test
  void aRangeIsCoveredByCoarseOnesBetweenFinerOnesAtItsEnds() {
    expectCover(
        9,
        bytes(1, 254),
        bytes(4, 1),
        true,
        granule(2, 1, 254),
        granule(2, 1, 255),
        granule(1, 2),
        granule(1, 3),
        shortKeys(4),
        granule(2, 4, 0),
        shortKeys(4, 1));
    expectCover(
        6,
        bytes(1, 254),
        bytes(4, 1),
        true,
        granule(2, 1, 254),
        granule(2, 1, 255),
        granule(1, 2),
        granule(1, 3),
        shortKeys(4),
        group(1, 4, 1));
    expectCover(
        5,
        bytes(1, 254),
        bytes(4, 1),
        true,
        group(1, 1, 254),
        granule(1, 2),
        granule(1, 3),
        shortKeys(4),
        group(1, 4, 1));
    expectCover(
        4,
        bytes(1, 254),
        bytes(4, 1),
        true,
        group(1, 1, 254),
        granule(1, 2),
        granule(1, 3),
        granule(1, 4));
    expectCover(3, bytes(1, 254), bytes(4, 1), true, group(0, 1));
    expectCover(1, bytes(1, 254), bytes(64, 1), true, granules.whole());
    expectCover(9, bytes(1, 2), bytes(1, 3), false, granule(2, 1, 2));
    expectCover(1, bytes(1, 2, 3, 4, 5), bytes(1, 2, 3, 4, 6), false, granule(4, 1, 2, 3, 4));
    expectCover(9, bytes(1, 2), bytes(1, 2), true, shortKeys(1, 2));
    expectCover(9, bytes(1), bytes(1, 0), true, shortKeys(1), shortKeys(1, 0));
  }

  @Test
  void aRangeToTheEndIsCoveredByWhatBeginsSo() {
    expectCover(
        9,
        bytes(250),
        NONE,
        false,
        LongStream.rangeClosed(250, 255).map(i -> granule(1, (int) i)).toArray());
    expectCover(64, NONE, NONE, false, granules.whole());
    expectCover(9, NONE, bytes(0), false, shortKeys(0));
  }

  private static boolean meets(long[] cover, Granules of, String row) {
    IdSet written = new IdSet();
    of.addAll(Bytes.toBytes(row), written);
    return Arrays.stream(cover).anyMatch(written::contains);
  }

  /** Numbers tell digits behind the first one in which the ends differ; and so do words letters. */
  @Test
  void rangesOfTextAreCoveredFinelyAtBothEnds() {
    Granules text = new Granules(TABLE, false, TableSettings.GRANULES_DEFAULT);
    byte[] low = Bytes.toBytes("g/006001");
    long[] cover = text.cover(low, Bytes.toBytes("g/899999"), false, Granules.COVER_MAX);
    for (String within : List.of("g/006001", "g/4", "g/899998", "g/01x", "g/7~")) {
      assertTrue(meets(cover, text, within), within);
    }
    for (String beside : List.of("g/000050", "g/004999", "g/9", "g/90", "g:0", "f/5", "g/0")) {
      assertFalse(meets(cover, text, beside), beside);
    }
    long[] names =
        text.cover(Bytes.toBytes("baker"), Bytes.toBytes("smith"), true, Granules.COVER_MAX);
    for (String within : List.of("baker", "bakery", "miller", "smit", "smith")) {
      assertTrue(meets(names, text, within), within);
    }
    for (String beside : List.of("adams", "a", "t", "taylor", "Miller", "0")) {
      assertFalse(meets(names, text, beside), beside);
    }
  }

  /** Small alphabet: many keys that are prefixes of each other; the ends of groups. */
  private static byte[] key(Random random, int lengths) {
    byte[] key = new byte[random.nextInt(lengths)];
    for (int i = 0; i < key.length; i++) {
      key[i] =
          (byte) new int[] {0, 1, '0', '9', ':', 'a', 'f', 'g', 0xfe, 0xff}[random.nextInt(10)];
    }
    return key;
  }

  /** Another one, or the same, cut off, or with zeros or something else behind. */
  private static byte[] near(Random random, byte[] key) {
    byte[] near = Arrays.copyOf(key, random.nextInt(8));
    if (near.length > 0 && random.nextInt(3) == 0) {
      near[near.length - 1]++;
    }
    return random.nextInt(3) == 0 ? key(random, 8) : near;
  }

  private static Granules random(Random random) {
    return new Granules(
        TABLE, false, random.ints(random.nextInt(6), 0, 8).distinct().boxed().toList());
  }

  /** The row is filled up with zeros to where the end of the range is, and yet lies before it. */
  @Test
  void aRowThatTheEndOfTheRangeBeginsWithHasTheLastGranule() {
    Granules some = new Granules(TABLE, false, List.of(1, 4));
    IdSet written = new IdSet();
    some.addAll(new byte[] {5, 7}, written);
    long[] cover =
        some.cover(new byte[] {5, 6, -1, -16}, new byte[] {5, 7, 0}, false, Granules.COVER_MAX);
    assertTrue(Arrays.stream(cover).anyMatch(written::contains));
  }

  @Test
  void whoWritesIntoARangeNamesAGranuleOfIt() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int within = 0;
    for (int i = 0; i < 60_000; i++) {
      Granules some = random(random);
      byte[] low = key(random, 8);
      byte[] high = random.nextBoolean() ? key(random, 8) : near(random, low);
      byte[] row = near(random, random.nextBoolean() ? low : high);
      boolean withHigh = random.nextBoolean();
      int max = 1 + random.nextInt(Granules.COVER_MAX);
      int toHigh = high.length == 0 ? -1 : Bytes.compareTo(row, high);
      if (row.length == 0 || Bytes.compareTo(low, row) > 0 || toHigh > (withHigh ? 0 : -1)) {
        continue;
      }
      within++;
      IdSet written = new IdSet();
      some.addAll(row, written);
      long[] cover = some.cover(low, high, withHigh, max);
      assertTrue(
          cover.length <= max && Arrays.stream(cover).anyMatch(written::contains),
          () ->
              String.format(
                  "seed %d: %s in %s to %s",
                  seed,
                  Bytes.toStringBinary(row),
                  Bytes.toStringBinary(low),
                  Bytes.toStringBinary(high)));
    }
    assertTrue(within > 3_000, "too few rows were within their range: " + within);
  }

  @Test
  void aRowIsFoundByEachGranuleThatStandsForIt() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 10_000; i++) {
      Granules some = random(random);
      byte[] row = key(random, 8);
      IdSet written = new IdSet();
      some.addAll(row, written);
      for (int size = 0; size < some.sizes(); size++) {
        assertTrue(written.contains(some.of(row, size)), () -> "seed " + seed);
      }
    }
  }
}
