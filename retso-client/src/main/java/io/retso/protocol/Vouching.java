package io.retso.protocol;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** VOUCH: a region server asks for a token of a user whom HBase has verified. Stateless. */
public final class Vouching {
  /** Characters of a user's name, at most; printable ASCII without blanks. */
  public static final int USER_CHARS_MAX = 255;

  private static final Pattern USER = Pattern.compile("[!-~]{1," + USER_CHARS_MAX + "}");

  private Vouching() {}

  /** Whether a text can be asked about. */
  public static boolean isUser(String text) {
    return USER.matcher(text).matches();
  }

  /** Bytes of the body of a request. */
  public static int bodyBytes(String user) {
    return 1 + user.length();
  }

  /** Writes the body of a request. */
  public static void writeUser(ByteBuf out, String user) {
    Handshake.writeText(out, user);
  }

  /** Reads the body of a request: all readable bytes of the buffer. */
  public static String readUser(ByteBuf body) throws FrameException {
    String user = Handshake.readText(body);
    Handshake.checkEnd(body);
    if (!isUser(user)) {
      throw new FrameException(ErrorCode.MALFORMED_FRAME, "VOUCH names no user");
    }
    return user;
  }

  /** Writes the body of a reply, with a token in ASCII. */
  public static void writeToken(ByteBuf out, String token, long lastsMillis) {
    out.writeLong(lastsMillis);
    out.writeShort(token.length());
    out.writeCharSequence(token, StandardCharsets.US_ASCII);
  }

  /** Bytes of the body of a reply. */
  public static int bodyBytesOfReply(String token) {
    return Long.BYTES + Short.BYTES + token.length();
  }

  /** Reads the time in milliseconds for which a token counts. */
  public static long readLastsMillis(ByteBuf body) throws FrameException {
    Handshake.need(body, Long.BYTES + Short.BYTES);
    return body.readLong();
  }

  /** Reads the token behind that. */
  public static byte[] readToken(ByteBuf body) throws FrameException {
    byte[] token = Authentication.readBytes(body);
    Handshake.checkEnd(body);
    return token;
  }
}
