package io.retso.security;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/** AES-CMAC of messages of any length, as RFC 4493 says it step by step. */
final class ReferenceCmac {
  private static final int BLOCK = 16;
  private static final BigInteger R = BigInteger.valueOf(0x87);

  private ReferenceCmac() {}

  static byte[] mac(byte[] key, byte[] message) throws GeneralSecurityException {
    BigInteger subkey1 = doubled(new BigInteger(1, aes(key, new byte[BLOCK])));
    BigInteger subkey2 = doubled(subkey1);
    int blocks = Math.max(1, (message.length + BLOCK - 1) / BLOCK);
    boolean isWhole = message.length == blocks * BLOCK;
    byte[] padded = Arrays.copyOf(message, blocks * BLOCK);
    if (!isWhole) {
      padded[message.length] = (byte) 0x80;
    }
    BigInteger state = BigInteger.ZERO;
    for (int i = 0; i < blocks; i++) {
      BigInteger block = new BigInteger(1, Arrays.copyOfRange(padded, i * BLOCK, (i + 1) * BLOCK));
      if (i == blocks - 1) {
        block = block.xor(isWhole ? subkey1 : subkey2);
      }
      state = new BigInteger(1, aes(key, bytes(state.xor(block))));
    }
    return bytes(state);
  }

  private static BigInteger doubled(BigInteger number) {
    BigInteger shifted = number.shiftLeft(1).clearBit(8 * BLOCK);
    return number.testBit(8 * BLOCK - 1) ? shifted.xor(R) : shifted;
  }

  private static byte[] bytes(BigInteger number) {
    byte[] bytes = new byte[BLOCK];
    for (int i = 0; i < BLOCK; i++) {
      bytes[i] = number.shiftRight(8 * (BLOCK - 1 - i)).byteValue();
    }
    return bytes;
  }

  private static byte[] aes(byte[] key, byte[] block) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/ECB/NoPadding");
    cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"));
    return cipher.doFinal(block);
  }
}
