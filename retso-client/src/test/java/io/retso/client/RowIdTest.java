package io.retso.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class RowIdTest {
  private static final long PRIME_32 = 2654435761L;

  /** XSUM_XXH64_testdata in cli/xsum_sanity_check.c of the xxHash project: length, seed, hash. */
  private static final long[][] OFFICIAL = {
    {0, 0, 0xEF46DB3751D8E999L},
    {0, PRIME_32, 0xAC75FDA2929B17EFL},
    {1, 0, 0xE934A84ADB052768L},
    {1, PRIME_32, 0x5014607643A9B4C3L},
    {4, 0, 0x9136A0DCA57457EEL},
    {14, 0, 0x8282DCC4994E35C8L},
    {14, PRIME_32, 0xC3BD6BF63DEB6DF0L},
    {222, 0, 0xB641AE8CB691C174L},
    {222, PRIME_32, 0x20CB8AB7AE10C14AL},
  };

  @Test
  void hashIsThatOfTheOfficialVectors() {
    byte[] buffer = new byte[222];
    long generator = PRIME_32;
    for (int i = 0; i < buffer.length; i++) {
      buffer[i] = (byte) (generator >>> 56);
      generator *= 0x9E37_79B1_85EB_CA8DL;
    }
    for (long[] vector : OFFICIAL) {
      assertEquals(
          vector[2],
          XxHash64.hash(buffer, 0, (int) vector[0], vector[1]),
          () -> "length " + vector[0] + ", seed " + vector[1]);
    }
  }

  @Test
  void hashIsThatOfWellKnownTexts() {
    assertEquals(0xD24EC4F1A98C6E5BL, hash("a"));
    assertEquals(0x44BC2CF5AD770999L, hash("abc"));
    assertEquals(0xFBCEA83C8A378BF1L, hash("Nobody inspects the spammish repetition"));
  }

  @Test
  void hashStartsAtTheOffset() {
    byte[] bytes = utf8("....Nobody inspects the spammish repetition...");
    assertEquals(0xFBCEA83C8A378BF1L, XxHash64.hash(bytes, 4, bytes.length - 7, 0));
  }

  /** These are in RowId's description; they never change, or old and new clients would disagree. */
  @Test
  void rowIdsArePinned() {
    assertEquals(0xCAD233352A73B2DEL, RowId.of(utf8("t"), utf8("r")));
    assertEquals(0x34C96ACDCADB1BBBL, RowId.of(utf8(""), utf8("")));
    assertEquals(0x780A1475BBAD75E5L, RowId.of(utf8("accounts"), utf8("alice")));
    assertEquals(
        0x5D061C8F26A3F075L, RowId.of(utf8("accounts"), utf8("alice"), utf8("f"), utf8("sum")));
  }

  /** These are in RowId's description, too. */
  @Test
  void granulesArePinned() {
    byte[] table = utf8("accounts");
    byte[] key = utf8("alice");
    assertEquals(0x8F22B1CB9FCE9C05L, RowId.granule(table, 0, key));
    assertEquals(0x01F696F78670ED22L, RowId.granule(table, 4, key));
    assertEquals(0x4485808F3ADBD88FL, RowId.granule(table, 8, key));
    assertEquals(0x0343B8C86E64FD06L, RowId.rowGranule(table, key));
    assertEquals(0xF8C052937B9741FDL, RowId.groupGranule(table, 4, key));
  }

  /** Computed here as the description says, byte by byte. */
  @Property
  void granulesAreThoseOfTheDescription(
      @ForAll @Size(max = 20) byte[] table,
      @ForAll @Size(max = 20) byte[] key,
      @ForAll @IntRange(max = 20) int prefixBytes) {
    ByteBuffer prefix = ByteBuffer.allocate(12 + table.length + prefixBytes);
    prefix.putInt(-1).putInt(table.length).put(table).putInt(prefixBytes);
    prefix.put(Arrays.copyOf(key, prefixBytes));
    assertEquals(hash(prefix.array()), RowId.granule(table, prefixBytes, key));
    ByteBuffer row = ByteBuffer.allocate(12 + table.length + key.length);
    row.putInt(-2).putInt(table.length).put(table).putInt(key.length).put(key);
    assertEquals(hash(row.array()), RowId.rowGranule(table, key));
    if (prefixBytes < key.length && !ByteGroup.isAlone(key[prefixBytes])) {
      ByteBuffer group = ByteBuffer.allocate(13 + table.length + prefixBytes);
      group.putInt(-3).putInt(table.length).put(table).putInt(prefixBytes);
      group.put(key, 0, prefixBytes).put((byte) ByteGroup.first(key[prefixBytes]));
      assertEquals(hash(group.array()), RowId.groupGranule(table, prefixBytes, key));
    }
  }

  @Property
  void keysThatBeginAlikeLieInOneGranule(
      @ForAll byte[] table,
      @ForAll @Size(max = 12) byte[] one,
      @ForAll @Size(max = 12) byte[] other,
      @ForAll @IntRange(max = 16) int prefixBytes) {
    boolean alike =
        Arrays.equals(Arrays.copyOf(one, prefixBytes), Arrays.copyOf(other, prefixBytes));
    assertEquals(
        alike, RowId.granule(table, prefixBytes, one) == RowId.granule(table, prefixBytes, other));
    assertEquals(RowId.granule(table, 0, one), RowId.granule(table, 0, other));
  }

  @Property
  void granulesOfOtherSizesAndRowsHaveOtherIds(
      @ForAll byte[] table, @ForAll @Size(min = 4, max = 12) byte[] key) {
    long[] ids = {
      RowId.of(table, key),
      RowId.rowGranule(table, key),
      RowId.groupGranule(table, 0, key),
      RowId.granule(table, 0, key),
      RowId.granule(table, 4, key),
      RowId.granule(table, 8, key),
      RowId.granule(table, 16, key)
    };
    assertEquals(ids.length, Arrays.stream(ids).distinct().count());
  }

  @Test
  void groupsAreRangesOfBytes() {
    int groups = 0;
    for (int value = 0; value <= 0xff; value++) {
      byte member = (byte) value;
      int first = ByteGroup.first(member);
      int last = ByteGroup.last(member);
      assertTrue(first <= value && value <= last);
      assertEquals(first, ByteGroup.first((byte) last));
      assertEquals(value >= '0' && value <= '9', ByteGroup.isAlone(member));
      groups += first == value ? 1 : 0;
    }
    assertEquals(23, groups, "with more of them, fewer steps fit into the cover of a range");
  }

  @Test
  void granulesOfGroupsAreThoseOfTheirFirstBytes() {
    byte[] table = utf8("accounts");
    long group = RowId.groupGranule(table, 0, utf8("bob"));
    assertEquals(group, RowId.groupGranule(table, 0, utf8("f")));
    assertNotEquals(group, RowId.groupGranule(table, 0, utf8("g")));
    assertEquals(
        RowId.groupGranule(table, 4, utf8("alice")), RowId.groupGranule(table, 4, utf8("alicd")));
    assertNotEquals(
        RowId.groupGranule(table, 4, utf8("alice")), RowId.groupGranule(table, 4, utf8("blice")));
    assertEquals(RowId.granule(table, 3, utf8("ab7")), RowId.groupGranule(table, 2, utf8("ab78")));
    assertThrows(IllegalArgumentException.class, () -> RowId.groupGranule(table, 3, utf8("bob")));
    assertThrows(IllegalArgumentException.class, () -> RowId.groupGranule(table, -1, utf8("bob")));
  }

  @Test
  void granulesOfImpossibleSizesAreRefused() {
    byte[] none = {};
    for (int bytes : new int[] {-1, Integer.MIN_VALUE, RowId.PREFIX_BYTES_MAX + 1}) {
      assertThrows(IllegalArgumentException.class, () -> RowId.granule(none, bytes, none));
    }
    RowId.granule(none, RowId.PREFIX_BYTES_MAX, none);
    assertThrows(NullPointerException.class, () -> RowId.granule(null, 4, none));
    assertThrows(NullPointerException.class, () -> RowId.granule(none, 0, null));
    assertThrows(NullPointerException.class, () -> RowId.rowGranule(none, null));
  }

  @Property
  void samePartsGiveTheSameId(@ForAll byte[] table, @ForAll byte[] row) {
    assertEquals(RowId.of(table, row), RowId.of(table.clone(), row.clone()));
  }

  @Property
  void everySplitOfTheSameBytesHasAnotherId(@ForAll @Size(max = 60) byte[] bytes) {
    long[] ids = new long[bytes.length + 1];
    for (int i = 0; i <= bytes.length; i++) {
      ids[i] = RowId.of(Arrays.copyOf(bytes, i), Arrays.copyOfRange(bytes, i, bytes.length));
    }
    assertEquals(ids.length, Arrays.stream(ids).distinct().count());
  }

  @Property
  void cellsDifferFromTheirRowAndFromOtherSplits(
      @ForAll byte[] table, @ForAll byte[] row, @ForAll @Size(min = 1, max = 40) byte[] column) {
    byte[] none = {};
    long family = RowId.of(table, row, column, none);
    long qualifier = RowId.of(table, row, none, column);
    assertNotEquals(family, qualifier);
    assertNotEquals(RowId.of(table, row), family);
    assertNotEquals(RowId.of(table, row), RowId.of(table, row, none, none));
  }

  @Test
  void nullPartsAreRefused() {
    assertThrows(NullPointerException.class, () -> RowId.of(null, new byte[0]));
    assertThrows(NullPointerException.class, () -> RowId.of(new byte[0], null));
  }

  private static long hash(String text) {
    return hash(utf8(text));
  }

  private static long hash(byte[] bytes) {
    return XxHash64.hash(bytes, 0, bytes.length, 0);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
