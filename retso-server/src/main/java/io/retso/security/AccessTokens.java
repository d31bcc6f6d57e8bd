package io.retso.security;

import io.retso.protocol.Authentication;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Bearer tokens. Thread-safe. */
public final class AccessTokens {
  public static final long SLACK_MILLIS = 300_000;
  private static final String PREFIX = "retso1.";
  private final List<byte[]> keys;

  public record Token(String id, String principal, long issuedMillis, long expiresMillis) {}

  public AccessTokens(ClusterSecret secret) {
    keys = secret.keys("token", "");
  }

  public static String newId() {
    byte[] id = new byte[8];
    new SecureRandom().nextBytes(id);
    return HexFormat.of().formatHex(id);
  }

  public String make(Token token) {
    byte[] name = token.principal().getBytes(StandardCharsets.US_ASCII);
    ByteBuffer payload = ByteBuffer.allocate(24 + name.length);
    payload.put(HexFormat.of().parseHex(token.id())).putLong(token.issuedMillis());
    payload.putLong(token.expiresMillis()).put(name);
    String text = PREFIX + encoded(payload.array());
    return text + "." + encoded(mac(keys.get(0), text));
  }

  private static String encoded(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static byte[] mac(byte[] key, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(text.getBytes(StandardCharsets.US_ASCII));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no HmacSHA256", e);
    }
  }

  public Token read(String text, long nowMillis) throws AccessException {
    int dot = text.lastIndexOf('.');
    AccessException forged =
        new AccessException("the token is not of this oracle, or was altered: get another");
    if (!text.startsWith(PREFIX) || dot < PREFIX.length() || text.length() > 512) {
      throw forged;
    }
    try {
      byte[] brought = Base64.getUrlDecoder().decode(text.substring(dot + 1));
      String signed = text.substring(0, dot);
      if (keys.stream().noneMatch(key -> MessageDigest.isEqual(mac(key, signed), brought))) {
        throw forged;
      }
      ByteBuffer payload =
          ByteBuffer.wrap(Base64.getUrlDecoder().decode(signed.substring(PREFIX.length())));
      byte[] id = new byte[8];
      payload.get(id);
      long issued = payload.getLong();
      long expires = payload.getLong();
      String principal = StandardCharsets.US_ASCII.decode(payload).toString();
      if (!Authentication.isPrincipal(principal)) {
        throw forged;
      }
      if (expires + SLACK_MILLIS < nowMillis) {
        throw new AccessException("the token ended at " + Instant.ofEpochMilli(expires));
      }
      return new Token(HexFormat.of().formatHex(id), principal, issued, expires);
    } catch (IllegalArgumentException | BufferUnderflowException e) {
      throw forged;
    }
  }
}
