package io.retso.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.retso.protocol.Timestamps;
import java.util.HexFormat;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A handle comes back from its text, and its ticket is told nowhere else. */
class TransactionHandleTest {
  private static final int GAP = Timestamps.GAP;
  private static final String DIGITS = "0123456789abcdef";

  @Provide
  static Arbitrary<Long> starts() {
    return Arbitraries.longs().between(1, Timestamps.MAX / GAP).map(n -> n * GAP);
  }

  @Property
  void textIsReadBack(@ForAll("starts") long start, @ForAll long ticket) {
    TransactionHandle handle = TransactionHandle.of(start, ticket);
    assertEquals(start, handle.startTimestamp());
    assertEquals(ticket, handle.ticket());
    TransactionHandle read = TransactionHandle.parse(handle.text());
    assertEquals(handle, read);
    assertEquals(start, read.startTimestamp());
    assertEquals(ticket, read.ticket());
    assertEquals(handle.text(), read.text());
  }

  /** As programs keep it: another version must read it. */
  @Test
  void theTextIsStartAndTicket() {
    assertEquals("160:00000000000000ff", TransactionHandle.of(160, 255).text());
    assertEquals("16:ffffffffffffffff", TransactionHandle.of(16, -1).text());
    TransactionHandle read = TransactionHandle.parse("32:" + DIGITS);
    assertEquals(TransactionHandle.of(32, 0x0123456789abcdefL), read);
  }

  @Property
  void theTicketIsNotInToString(@ForAll("starts") long start, @ForAll long ticket) {
    assertEquals(Long.toString(start), TransactionHandle.of(start, ticket).toString());
  }

  @Property
  void handlesAreEqualIfStartAndTicketAre(
      @ForAll("starts") long start,
      @ForAll("starts") long otherStart,
      @ForAll long ticket,
      @ForAll long otherTicket) {
    TransactionHandle handle = TransactionHandle.of(start, ticket);
    TransactionHandle same = TransactionHandle.of(start, ticket);
    assertEquals(handle, same);
    assertEquals(handle.hashCode(), same.hashCode());
    assertEquals(start == otherStart, handle.equals(TransactionHandle.of(otherStart, ticket)));
    assertEquals(ticket == otherTicket, handle.equals(TransactionHandle.of(start, otherTicket)));
    assertNotEquals(handle, TransactionHandle.of(start, ~ticket));
    assertFalse(handle.equals(null));
    assertNotEquals(handle, (Object) start);
    assertNotEquals(handle, (Object) handle.text());
  }

  /** What is wrong with a text is said without the text: it may be a ticket almost right. */
  private static void assertRefused(String text) {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> TransactionHandle.parse(text), text);
    assertNull(e.getCause(), "it would repeat the text");
    int colon = text.lastIndexOf(':');
    for (String secret : new String[] {text, text.substring(colon + 1), DIGITS.substring(1, 9)}) {
      assertFalse(secret.length() > 4 && e.getMessage().contains(secret), e.getMessage());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ":",
        "16",
        "16:",
        DIGITS,
        ":" + DIGITS,
        "16" + DIGITS,
        "16;" + DIGITS,
        "16::" + DIGITS,
        "16:0" + DIGITS,
        "16:0123456789abcde",
        "16:0123456789abcdeg",
        "16:+123456789abcdef",
        "16:0123456789abcde ",
        "16:" + DIGITS + "\n",
        "16 :" + DIGITS,
        " 16:" + DIGITS,
        "0x10:" + DIGITS,
        "16.0:" + DIGITS,
        "0123456789abcdef:0000000000000010",
        "0:" + DIGITS,
        "-16:" + DIGITS,
        "+16:" + DIGITS,
        "016:" + DIGITS,
        "16:ABCDEF0123456789",
        "17:" + DIGITS,
        "1152921504606846976:" + DIGITS,
        "99999999999999999999:" + DIGITS
      })
  void malformedTextsAreRefused(String text) {
    assertRefused(text);
  }

  @Property
  void anythingElseIsRefused(@ForAll @StringLength(max = 60) String text) {
    assertRefused(text);
  }

  /** Every cut and every addition. */
  @Property
  void aTextOfAnotherLengthIsRefused(@ForAll("starts") long start, @ForAll long ticket) {
    String text = TransactionHandle.of(start, ticket).text();
    for (int end = 0; end < text.length(); end++) {
      assertRefused(text.substring(0, end));
    }
    assertRefused(text + "0");
    assertRefused(text + " ");
  }

  @Property
  void onlyStartTimestampsHaveHandles(@ForAll long number, @ForAll long ticket) {
    String text = number + ":" + HexFormat.of().toHexDigits(ticket);
    if (Timestamps.isWellFormed(number)) {
      assertEquals(TransactionHandle.of(number, ticket), TransactionHandle.parse(text));
      return;
    }
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> TransactionHandle.of(number, ticket));
    String made = "start timestamp " + number + " is not a positive multiple of 16";
    assertEquals(0, e.getMessage().indexOf(made), e.getMessage());
    assertRefused(text);
  }

  @Test
  void whatIsMissingIsRefused() {
    assertThrows(NullPointerException.class, () -> TransactionHandle.parse(null));
    for (long start : new long[] {0, 1, GAP + 1, -GAP, Timestamps.MAX + GAP, Long.MIN_VALUE}) {
      assertThrows(IllegalArgumentException.class, () -> TransactionHandle.of(start, 1));
    }
    assertEquals(Timestamps.MAX, TransactionHandle.of(Timestamps.MAX, 0).startTimestamp());
  }
}
