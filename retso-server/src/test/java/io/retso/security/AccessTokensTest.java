package io.retso.security;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.security.AccessTokens.Token;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccessTokensTest {
  private static final AccessTokens TOKENS = new AccessTokens(ClusterSecret.random());
  private static final long NOW = 1_800_000_000_000L;

  private static String refusal(AccessTokens tokens, String text, long now) {
    return assertThrows(AccessException.class, () -> tokens.read(text, now)).getMessage();
  }

  @Property(tries = 300)
  void whatWasSaidIsRead(
      @ForAll("principals") String principal,
      @ForAll @LongRange(min = 1, max = 1L << 40) long lifeMillis)
      throws AccessException {
    Token token = Token.of(principal, NOW, lifeMillis);
    String text = TOKENS.make(token);
    assertEquals(token, TOKENS.read(text, NOW));
    assertEquals(token, AccessTokens.parse(text));
    assertTrue(text.matches("retso1[.][A-Za-z0-9_-]+[.][A-Za-z0-9_-]{43}"), text);
  }

  @Provide
  Arbitrary<String> principals() {
    return Arbitraries.strings().withCharRange('!', '~').ofMinLength(1).ofMaxLength(128);
  }

  /** Whatever is changed, it is refused; of its text nothing is told. */
  @Test
  void eachCharacterCounts() {
    String text = TOKENS.make(Token.of("some-principal", NOW, 60_000));
    for (int i = 0; i < text.length(); i++) {
      char other = text.charAt(i) == 'A' ? 'B' : 'A';
      String altered = text.substring(0, i) + other + text.substring(i + 1);
      if (i == text.length() - 1 && isSameByte(text, altered)) {
        continue; // the last two bits of base64 stand for nothing
      }
      String why = refusal(TOKENS, altered, NOW);
      assertTrue(why.contains("altered") && !why.contains(text.substring(8, 16)), why);
      refusal(TOKENS, text.substring(0, i), NOW);
    }
    refusal(TOKENS, text + "A", NOW);
    refusal(TOKENS, text + ".", NOW);
    refusal(new AccessTokens(ClusterSecret.random()), text, NOW);
  }

  private static boolean isSameByte(String one, String other) {
    var base64 = Base64.getUrlDecoder();
    return Arrays.equals(
        base64.decode(one.substring(one.lastIndexOf('.') + 1)),
        base64.decode(other.substring(other.lastIndexOf('.') + 1)));
  }

  @Test
  void itCountsForItsTimeAlone() throws AccessException {
    String text = TOKENS.make(Token.of("p", NOW, 60_000));
    long slack = AccessTokens.SLACK_MILLIS;
    TOKENS.read(text, NOW - slack);
    assertTrue(refusal(TOKENS, text, NOW - slack - 1).contains("set the clocks"));
    TOKENS.read(text, NOW + 60_000 + slack);
    String ended = refusal(TOKENS, text, NOW + 60_001 + slack);
    assertTrue(ended.matches("token [0-9a-f]{16} of p ended at 2027-01-15T08:01:00Z: .*"), ended);
  }

  @Test
  void bothLinesOfASecretCheckAndTheFirstMakes(@TempDir Path directory) throws Exception {
    Path first = directory.resolve("first");
    Path second = directory.resolve("second");
    ClusterSecret.make(first);
    ClusterSecret.make(second);
    AccessTokens before = new AccessTokens(ClusterSecret.read(first));
    AccessTokens after = new AccessTokens(ClusterSecret.read(second));
    String old = before.make(Token.of("p", NOW, 60_000));
    Files.writeString(first, Files.readString(second) + Files.readString(first));
    AccessTokens both = new AccessTokens(ClusterSecret.read(first));
    assertEquals("p", both.read(old, NOW).principal());
    assertEquals("p", after.read(both.make(Token.of("p", NOW, 60_000)), NOW).principal());
    refusal(after, old, NOW);
  }

  @Test
  void namesThatAreNoneAreNotMade() {
    for (String bad : new String[] {"", "a b", "a\n", "\u00e9", "x".repeat(129)}) {
      Token token = Token.of(bad, NOW, 1);
      assertThrows(IllegalArgumentException.class, () -> TOKENS.make(token));
    }
  }

  @Property(tries = 1_000)
  void noTextDoesHarm(@ForAll String text) {
    refusal(TOKENS, text, NOW);
    refusal(TOKENS, "retso1." + text, NOW);
    assertThrows(AccessException.class, () -> AccessTokens.parse("retso1." + text));
    assertFalse(text.isEmpty() && refusal(TOKENS, "", NOW).isEmpty());
  }
}
