package io.retso.proof;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.SecretKeySpec;

/**
 * Codes that prove pairs of numbers to those that have the key: the first half of AES-CMAC (RFC
 * 4493) of the two, of 8 bytes each. That is exactly one block, so the pairs of a frame are one
 * call of the cipher.
 *
 * <p>A forger who does not know the key must ask for each guess of 64 bits: at a million a second
 * that takes 290,000 years for one pair. One key is good for far more codes than an oracle makes: a
 * block cipher's permutation is told from chance after some 2^64 of them.
 *
 * <p>Of one thread. Allocates nothing after construction.
 */
public final class PairMac {
  /** Bytes of a key. */
  public static final int KEY_BYTES = 16;

  /** Pairs of one call: their blocks fit into the first-level cache. */
  public static final int PAIRS_MAX = 256;

  private static final int BLOCK_BYTES = 16;

  /** From the polynomial of RFC 4493, section 2.3. */
  private static final int REDUCTION = 0x87;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final Cipher aes;

  /** The subkey that a whole block is mixed with. */
  private final long subkeyHigh;

  private final long subkeyLow;
  private final byte[] blocks = new byte[PAIRS_MAX * BLOCK_BYTES];
  private final byte[] encrypted = new byte[PAIRS_MAX * BLOCK_BYTES];

  /** Codes by a key of {@value #KEY_BYTES} bytes. */
  public PairMac(byte[] key) {
    try {
      aes = Cipher.getInstance("AES/ECB/NoPadding");
      aes.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"));
      byte[] zero = aes.doFinal(new byte[BLOCK_BYTES]);
      long high = (long) LONG.get(zero, 0);
      long low = (long) LONG.get(zero, Long.BYTES);
      long carry = high < 0 ? REDUCTION : 0;
      subkeyHigh = high << 1 | low >>> (Long.SIZE - 1);
      subkeyLow = low << 1 ^ carry;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no AES", e);
    }
  }

  /** Puts the i-th pair of the next call, below {@value #PAIRS_MAX}. */
  public void put(int i, long first, long second) {
    LONG.set(blocks, i * BLOCK_BYTES, first ^ subkeyHigh);
    LONG.set(blocks, i * BLOCK_BYTES + Long.BYTES, second ^ subkeyLow);
  }

  /** Makes the codes of the first {@code count} pairs. */
  public void make(int count) {
    try {
      aes.update(blocks, 0, count * BLOCK_BYTES, encrypted, 0);
    } catch (ShortBufferException e) {
      throw new AssertionError(e); // it writes as much as it reads
    }
  }

  /** The code of the i-th pair. To compare it as a whole takes as long wherever bits differ. */
  public long code(int i) {
    return (long) LONG.get(encrypted, i * BLOCK_BYTES);
  }
}
