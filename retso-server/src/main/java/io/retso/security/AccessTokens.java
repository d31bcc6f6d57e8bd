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

/**
 * Makes and reads tokens: texts by which their bearers identify themselves. One is {@code retso1.},
 * what it says, and a dot and the HMAC-SHA-256 of what stands before it, both in base64 for URLs.
 * Nothing is kept of them: a person that has the servers' secret makes them, without a server, and
 * every server of the log reads them. Thread-safe.
 */
public final class AccessTokens {
  /** What their keys are for: see {@link ClusterSecret#keys}. */
  private static final String PURPOSE = "token";

  /** Clocks may differ by so much. */
  public static final long SLACK_MILLIS = 300_000;

  private static final String PREFIX = "retso1.";
  static final int CHARS_MAX = 512;
  private static final int ID_BYTES = 8;

  /** Stands before the name in a token for which a region server vouches; no name begins so. */
  private static final char VOUCHED = 1;

  private static final int FIXED_BYTES = ID_BYTES + 2 * Long.BYTES;
  private static final String HMAC = "HmacSHA256";

  /** The first one makes tokens; all check them. */
  private final List<byte[]> keys;

  /**
   * What a token says.
   *
   * @param id by which it can be revoked: 16 digits of base 16
   * @param issuedMillis since 1970
   * @param expiresMillis since 1970
   * @param vouched whether it was made because a region server vouches for its bearer, which is an
   *     application then, and nothing else
   */
  public record Token(
      String id, String principal, long issuedMillis, long expiresMillis, boolean vouched) {
    /** A new one. */
    public static Token of(String principal, long issuedMillis, long lifeMillis) {
      return of(principal, issuedMillis, lifeMillis, false);
    }

    /** A new one for whose bearer a region server vouches. */
    static Token vouched(String principal, long issuedMillis, long lifeMillis) {
      return of(principal, issuedMillis, lifeMillis, true);
    }

    private static Token of(String principal, long issuedMillis, long lifeMillis, boolean vouched) {
      byte[] id = new byte[ID_BYTES];
      new SecureRandom().nextBytes(id);
      String hex = HexFormat.of().formatHex(id);
      return new Token(hex, principal, issuedMillis, issuedMillis + lifeMillis, vouched);
    }
  }

  /** Makes and reads those of servers that share a secret. */
  public AccessTokens(ClusterSecret secret) {
    keys = secret.keys(PURPOSE, ""); // for no log: a token is made where no server can be asked
  }

  /** The text of a token. */
  public String make(Token token) {
    if (!Authentication.isPrincipal(token.principal)) {
      throw new IllegalArgumentException(
          "a principal has 1 to 128 printable characters of ASCII without blanks");
    }
    String marked = token.vouched ? VOUCHED + token.principal : token.principal;
    byte[] name = marked.getBytes(StandardCharsets.US_ASCII);
    ByteBuffer said = ByteBuffer.allocate(FIXED_BYTES + name.length);
    said.put(HexFormat.of().parseHex(token.id));
    said.putLong(token.issuedMillis).putLong(token.expiresMillis).put(name);
    String text = PREFIX + encoded(said.array());
    return text + "." + encoded(mac(keys.get(0), text));
  }

  private static String encoded(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static byte[] mac(byte[] key, String text) {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(new SecretKeySpec(key, HMAC));
      return mac.doFinal(text.getBytes(StandardCharsets.ISO_8859_1));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no " + HMAC, e);
    }
  }

  /**
   * What a token says that counts now.
   *
   * @throws AccessException if it was not made with this secret, or does not count yet or any more
   */
  public Token read(String text, long nowMillis) throws AccessException {
    int dot = text.lastIndexOf('.');
    if (text.length() > CHARS_MAX || dot < PREFIX.length() || !isGenuine(text, dot)) {
      throw new AccessException(
          "the token is not of this oracle, or was altered: have another one made by retso token"
              + " create, with the secret of this oracle's servers");
    }
    Token token = parse(text);
    if (token.expiresMillis + SLACK_MILLIS < nowMillis) {
      throw new AccessException(
          ofWhom(token)
              + " ended at "
              + Instant.ofEpochMilli(token.expiresMillis)
              + ": have another one made by retso token create");
    }
    if (token.issuedMillis - SLACK_MILLIS > nowMillis) {
      throw new AccessException(
          ofWhom(token)
              + " was made at "
              + Instant.ofEpochMilli(token.issuedMillis)
              + ", which is in the future: set the clocks of both machines right");
    }
    return token;
  }

  private static String ofWhom(Token token) {
    return "token " + token.id + " of " + token.principal;
  }

  private boolean isGenuine(String text, int dot) {
    try {
      byte[] brought = Base64.getUrlDecoder().decode(text.substring(dot + 1));
      String said = text.substring(0, dot);
      boolean genuine = false;
      for (byte[] key : keys) {
        genuine |= MessageDigest.isEqual(mac(key, said), brought);
      }
      return genuine;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /**
   * What a token says, whether it counts or not.
   *
   * @throws AccessException if it is none
   */
  public static Token parse(String text) throws AccessException {
    int dot = text.lastIndexOf('.');
    if (text.startsWith(PREFIX) && dot >= PREFIX.length() && text.length() <= CHARS_MAX) {
      try {
        ByteBuffer said =
            ByteBuffer.wrap(Base64.getUrlDecoder().decode(text.substring(PREFIX.length(), dot)));
        byte[] id = new byte[ID_BYTES];
        said.get(id);
        long issued = said.getLong();
        long expires = said.getLong();
        String marked = StandardCharsets.ISO_8859_1.decode(said).toString();
        boolean vouched = marked.indexOf(VOUCHED) == 0;
        String principal = vouched ? marked.substring(1) : marked;
        if (Authentication.isPrincipal(principal)) {
          return new Token(HexFormat.of().formatHex(id), principal, issued, expires, vouched);
        }
      } catch (IllegalArgumentException | BufferUnderflowException e) {
        // Reported below.
      }
    }
    throw new AccessException("this is no token: one begins with " + PREFIX);
  }
}
