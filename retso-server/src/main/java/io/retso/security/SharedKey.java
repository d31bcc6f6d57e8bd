package io.retso.security;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * How two sides of a connection prove to each other that they know one key, without saying it: each
 * draws a number, and answers both of them with the key. Immutable, thread-safe; has no text.
 */
public final class SharedKey {
  /** Bytes of a number that a side draws. */
  public static final int NUMBER_BYTES = 32;

  /** Bytes of a proof. */
  public static final int PROOF_BYTES = 32;

  private static final String HMAC = "HmacSHA256";

  private final byte[] key;

  /** Makes it of a key, as {@link ClusterSecret#keys} gives them. */
  public SharedKey(byte[] key) {
    this.key = key.clone();
  }

  /** Draws a number, for one connection. */
  public static byte[] number() {
    byte[] number = new byte[NUMBER_BYTES];
    new SecureRandom().nextBytes(number);
    return number;
  }

  /**
   * What a side shows that knows the key.
   *
   * @param side its name, so that no side can send back what the other one has said
   * @param caller the number of the side that connected
   * @param called that of the other one
   */
  public byte[] proof(String side, byte[] caller, byte[] called) {
    try {
      Mac hmac = Mac.getInstance(HMAC);
      hmac.init(new SecretKeySpec(key, HMAC));
      hmac.update((side + "|").getBytes(StandardCharsets.UTF_8));
      hmac.update(caller);
      return hmac.doFinal(called);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no " + HMAC, e);
    }
  }

  /** Whether that is what a side shows that knows the key. */
  public boolean isProof(byte[] shown, String side, byte[] caller, byte[] called) {
    return MessageDigest.isEqual(shown, proof(side, caller, called));
  }
}
