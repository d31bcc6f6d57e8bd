package io.retso.security;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class TicketsTest {
  private static final byte[] KEY = hex("2b7e151628aed2a6abf7158809cf4f3c");

  private static byte[] hex(String digits) {
    return HexFormat.of().parseHex(digits);
  }

  private static long[] made(Tickets tickets, long first, long step, long owner, int count) {
    long[] made = new long[count];
    tickets.make(first, step, owner, made, 0, count);
    return made;
  }

  private static long ticket(Tickets tickets, long start, long owner) {
    return made(tickets, start, 0, owner, 1)[0];
  }

  private static boolean isRight(Tickets tickets, long start, long ticket, long owner) {
    boolean[] wrong = new boolean[1];
    int wrongs = tickets.check(new long[] {start}, new long[] {ticket}, owner, wrong, 1);
    assertEquals(wrong[0] ? 1 : 0, wrongs);
    return !wrong[0];
  }

  /** The examples of RFC 4493, section 4. */
  @Test
  void theReferenceIsThatOfTheStandard() throws GeneralSecurityException {
    byte[] message =
        hex(
            "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
                + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710");
    String[] macs = {
      "bb1d6929e95937287fa37d129b756746",
      "070a16b46b4d4144f79bdd9dd04a287c",
      "dfa66747de9ae63030ca32611497c827",
      "51f0bebf7e3b9d92fc49741779363cfe"
    };
    int[] lengths = {0, 16, 40, 64};
    for (int i = 0; i < macs.length; i++) {
      byte[] some = java.util.Arrays.copyOf(message, lengths[i]);
      assertArrayEquals(hex(macs[i]), ReferenceCmac.mac(KEY, some));
    }
  }

  @Test
  void aTicketIsHalfOfTheMacOfOneBlock() {
    Tickets tickets = new Tickets(List.of(KEY));
    long ticket = ticket(tickets, 0x6bc1bee22e409f96L, 0xe93d7e117393172aL);
    assertEquals(0x070a16b46b4d4144L, ticket);
  }

  @Property(tries = 300)
  void ticketsAreThoseOfTheReference(
      @ForAll @Size(16) byte[] key,
      @ForAll long first,
      @ForAll long owner,
      @ForAll @IntRange(min = 1, max = 600) int count)
      throws GeneralSecurityException {
    long[] made = made(new Tickets(List.of(key)), first, 16, owner, count);
    for (int i = 0; i < count; i++) {
      byte[] block = ByteBuffer.allocate(16).putLong(first + 16L * i).putLong(owner).array();
      assertEquals(ByteBuffer.wrap(ReferenceCmac.mac(key, block)).getLong(), made[i]);
    }
  }

  /** A forger changes a bit. */
  @Property(tries = 300)
  void eachBitCounts(
      @ForAll long start,
      @ForAll @LongRange(min = 1, max = Long.MAX_VALUE) long owner,
      @ForAll @IntRange(max = 63) int bit) {
    Tickets tickets = new Tickets(List.of(KEY));
    long ticket = ticket(tickets, start, owner);
    assertTrue(isRight(tickets, start, ticket, owner));
    assertFalse(isRight(tickets, start ^ 1L << bit, ticket, owner));
    assertFalse(isRight(tickets, start, ticket ^ 1L << bit, owner));
    assertFalse(isRight(tickets, start, ticket, owner ^ 1L << bit));
  }

  /** It was begun in clear: a client that bears it may have said since who it is. */
  @Property(tries = 100)
  void aTicketOfNobodyIsItsBearers(@ForAll long start, @ForAll long owner) {
    Tickets tickets = new Tickets(List.of(KEY));
    long ticket = ticket(tickets, start, Tickets.ANYBODY);
    assertTrue(isRight(tickets, start, ticket, owner));
    assertFalse(isRight(tickets, start, ticket ^ 1, owner));
  }

  /** Among many each is judged by itself, in whatever part of the frame it is. */
  @Property(tries = 100)
  void oneWrongTicketAmongMany(
      @ForAll @IntRange(min = 1, max = 1_000) int count, @ForAll @IntRange(max = 999) int at) {
    Tickets tickets = new Tickets(List.of(KEY));
    long[] made = made(tickets, 160, 16, 7, count);
    long[] starts = new long[count];
    for (int i = 0; i < count; i++) {
      starts[i] = 160 + 16L * i;
    }
    int changed = at % count;
    made[changed]++;
    boolean[] wrong = new boolean[count];
    long before = tickets.refused();
    assertEquals(1, tickets.check(starts, made, 7, wrong, count));
    assertEquals(1, tickets.refused() - before);
    for (int i = 0; i < count; i++) {
      assertEquals(i == changed, wrong[i]);
    }
  }

  /** The secret is replaced: what was made with the old one serves until that is dropped. */
  @Test
  void twoSecretsAreGoodAndTheFirstMakes() {
    byte[] next = hex("000102030405060708090a0b0c0d0e0f");
    Tickets old = new Tickets(List.of(KEY));
    Tickets both = new Tickets(List.of(next, KEY));
    Tickets replaced = new Tickets(List.of(next));
    long before = ticket(old, 16, 0);
    long after = ticket(both, 16, 0);
    assertEquals(after, ticket(replaced, 16, 0));
    assertTrue(isRight(both, 16, before, 0));
    assertTrue(isRight(both, 16, after, 0));
    assertFalse(isRight(replaced, 16, before, 0));
    assertFalse(isRight(old, 16, after, 0));
    boolean[] wrong = new boolean[3];
    long[] mixed = {before, after, 0};
    assertEquals(1, both.check(new long[] {16, 16, 16}, mixed, 0, wrong, 3));
    assertTrue(wrong[2]);
  }

  @Test
  void withoutAKeyThereAreNone() {
    assertThrows(IllegalArgumentException.class, () -> new Tickets(List.of()));
  }
}
