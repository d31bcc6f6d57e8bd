package io.retso.hbase;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SnapshotTokenTest {
  private static final UUID ORACLE = UUID.fromString("0c9a1b2c-0000-4000-8000-00000000abcd");

  private static void assertIsNone(String text, String reason) {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> SnapshotToken.parse(text), text);
    assertTrue(e.getMessage().contains(reason), e.getMessage());
  }

  @Test
  void itsTextNamesTheSameSnapshot() {
    SnapshotToken token = new SnapshotToken(ORACLE, 1_600);
    assertEquals("retso1:" + ORACLE + ":1600", token.toString());
    assertEquals(token, SnapshotToken.parse(token.toString()));
  }

  @Test
  void otherTextsAreRefusedWithAReason() {
    assertIsNone("", "it looks like retso1:");
    assertIsNone("1600", "it looks like retso1:");
    assertIsNone("retso1:" + ORACLE, "it looks like retso1:");
    assertIsNone("retso1:" + ORACLE + ":1600 ", "it looks like retso1:");
    assertIsNone("retso1:" + ORACLE + ":-16", "it looks like retso1:");
    assertIsNone("retso2:" + ORACLE + ":1600", "another version");
    assertIsNone("retso1:" + ORACLE + ":1601", "no timestamp");
    assertIsNone("retso1:" + ORACLE + ":0", "no timestamp");
    assertIsNone("retso1:" + ORACLE + ":9999999999999999999", "no timestamp");
  }

  @Test
  void wrongOptionsAreRefused() {
    HoldOptions options = HoldOptions.named("nightly");
    assertEquals(Duration.ofHours(1), options.ttl());
    assertEquals(Duration.ofHours(6), options.ttl(Duration.ofHours(6)).ttl());
    assertThrows(IllegalArgumentException.class, () -> HoldOptions.named("two words"));
    assertThrows(IllegalArgumentException.class, () -> HoldOptions.named(""));
    assertThrows(IllegalArgumentException.class, () -> options.ttl(Duration.ofMillis(999)));
    assertThrows(IllegalArgumentException.class, () -> options.ttl(Duration.ofDays(31)));
  }
}
