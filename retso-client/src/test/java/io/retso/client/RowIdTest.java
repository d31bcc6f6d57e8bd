package io.retso.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
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
    return XxHash64.hash(utf8(text), 0, utf8(text).length, 0);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
