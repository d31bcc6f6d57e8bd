package io.retso.security;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.SecretKeySpec;

/**
 * Makes and checks tickets: the proof that a client began a transaction. A ticket is the first half
 * of AES-CMAC (RFC 4493) of the start timestamp and its owner, of 8 bytes each: exactly one block,
 * so that all tickets of a frame are one call of the cipher. Nothing is kept for a transaction, and
 * every server that has the secret comes to the same ticket.
 *
 * <p>A forger who does not know the key must ask a server for each guess of 64 bits: at a million a
 * second that takes 290,000 years for one transaction. One key is good for far more tickets than an
 * oracle issues: a block cipher's permutation is told from chance after some 2^64 of them.
 *
 * <p>Of one thread. Allocates nothing after construction.
 */
public final class Tickets {
  /** An owner that has not said who it is: then the ticket is its bearer's. */
  public static final long ANYBODY = 0;

  /** What their keys are for: see {@link ClusterSecret#keys}. */
  public static final String PURPOSE = "ticket";

  private static final int BLOCK_BYTES = 16;

  /** Blocks of one call of the cipher: they fit into the first-level cache. */
  private static final int BLOCKS_MAX = 256;

  /** From the polynomial of RFC 4493, section 2.3. */
  private static final int REDUCTION = 0x87;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** AES, and the subkey that a whole block is mixed with. */
  private record Mac(Cipher cipher, long subkeyHigh, long subkeyLow) {}

  /** The first one makes tickets; all check them. */
  private final Mac[] macs;

  private final byte[] blocks = new byte[BLOCKS_MAX * BLOCK_BYTES];
  private final byte[] encrypted = new byte[BLOCKS_MAX * BLOCK_BYTES];
  private long refused;

  /**
   * Makes one for keys of 16 bytes each.
   *
   * @param keys the first makes tickets, all check them; at least one
   */
  public Tickets(List<byte[]> keys) {
    if (keys.isEmpty()) {
      throw new IllegalArgumentException("tickets need a key");
    }
    macs = keys.stream().map(Tickets::mac).toArray(Mac[]::new);
  }

  private static Mac mac(byte[] key) {
    try {
      Cipher aes = Cipher.getInstance("AES/ECB/NoPadding");
      aes.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"));
      byte[] zero = aes.doFinal(new byte[BLOCK_BYTES]);
      long high = (long) LONG.get(zero, 0);
      long low = (long) LONG.get(zero, Long.BYTES);
      long carry = high < 0 ? REDUCTION : 0;
      return new Mac(aes, high << 1 | low >>> (Long.SIZE - 1), low << 1 ^ carry);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no AES", e);
    }
  }

  /**
   * Makes the tickets of neighbouring start timestamps.
   *
   * @param first start timestamp
   * @param step to the next one
   * @param owner who began them
   * @param tickets has them from {@code from} on, {@code count} of them
   */
  public void make(long first, long step, long owner, long[] tickets, int from, int count) {
    for (int done = 0; done < count; done += BLOCKS_MAX) {
      int some = Math.min(BLOCKS_MAX, count - done);
      for (int i = 0; i < some; i++) {
        put(macs[0], i, first + (done + i) * step, owner);
      }
      encrypt(macs[0], some);
      for (int i = 0; i < some; i++) {
        tickets[from + done + i] = ticket(i);
      }
    }
  }

  /**
   * Looks whether tickets are those of their start timestamps. One that was made for {@link
   * #ANYBODY} is its bearer's, also if that has said who it is since.
   *
   * @param owner who is to have begun them
   * @param wrong has for each of them whether its ticket is wrong
   * @return how many are wrong
   */
  public int check(long[] starts, long[] tickets, long owner, boolean[] wrong, int count) {
    int wrongs = 0;
    for (int done = 0; done < count; done += BLOCKS_MAX) {
      int some = Math.min(BLOCKS_MAX, count - done);
      Arrays.fill(wrong, done, done + some, true);
      int right = find(starts, tickets, owner, wrong, done, some);
      if (right < some && owner != ANYBODY) {
        right += find(starts, tickets, ANYBODY, wrong, done, some);
      }
      wrongs += some - right;
    }
    refused += wrongs;
    return wrongs;
  }

  /** How many were wrong since the start. */
  public long refused() {
    return refused;
  }

  /** Finds those that are right, of those that were wrong so far; returns how many. */
  private int find(
      long[] starts, long[] tickets, long owner, boolean[] wrong, int from, int count) {
    int found = 0;
    for (int key = 0; key < macs.length && found < count; key++) {
      for (int i = 0; i < count; i++) {
        put(macs[key], i, starts[from + i], owner);
      }
      encrypt(macs[key], count);
      for (int i = 0; i < count; i++) {
        // One comparison of all bits at once: it takes as long wherever they differ.
        if (wrong[from + i] && tickets[from + i] == ticket(i)) {
          wrong[from + i] = false;
          found++;
        }
      }
    }
    return found;
  }

  private void put(Mac mac, int block, long start, long owner) {
    LONG.set(blocks, block * BLOCK_BYTES, start ^ mac.subkeyHigh);
    LONG.set(blocks, block * BLOCK_BYTES + Long.BYTES, owner ^ mac.subkeyLow);
  }

  private void encrypt(Mac mac, int count) {
    try {
      mac.cipher.update(blocks, 0, count * BLOCK_BYTES, encrypted, 0);
    } catch (ShortBufferException e) {
      throw new AssertionError(e); // it writes as much as it reads
    }
  }

  private long ticket(int block) {
    return (long) LONG.get(encrypted, block * BLOCK_BYTES);
  }
}
