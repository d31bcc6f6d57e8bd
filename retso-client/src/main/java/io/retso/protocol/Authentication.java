package io.retso.protocol;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * How a client identifies itself: what the server offers with its welcome, and AUTH, which a client
 * may send again at any time, before what it has proved so far ends. Stateless.
 */
public final class Authentication {
  /** A bearer token: the bytes are its text. */
  public static final String TOKEN = "TOKEN";

  /** Kerberos, in several rounds, as RFC 4752 has it for SASL. */
  public static final String KERBEROS = "GSSAPI";

  private static final Pattern PRINCIPAL =
      Pattern.compile("[!-~]{1," + Limits.PRINCIPAL_CHARS_MAX + "}");

  private Authentication() {}

  /** What a server asks of its clients. */
  public enum Level {
    /** Nothing. */
    OFF,
    /** A client may identify itself. */
    OPTIONAL,
    /** A client must identify itself before it asks for anything. */
    REQUIRED
  }

  /**
   * What the server says of it in its welcome.
   *
   * @param principal the client's name in its certificate; empty if that is not known
   * @param mechanisms of AUTH
   */
  public record Offer(Level level, String principal, List<String> mechanisms) {
    /** Nothing is asked, and nothing can be said. */
    public static final Offer NONE = new Offer(Level.OFF, "", List.of());

    /** Whether the client must send AUTH before anything else. */
    public boolean isDue() {
      return level == Level.REQUIRED && principal.isEmpty();
    }
  }

  /** What a client sends. Has no text: the bytes may be all that another one needs. */
  public static final class Attempt {
    private final String mechanism;
    private final byte[] bytes;

    public Attempt(String mechanism, byte[] bytes) {
      this.mechanism = mechanism;
      this.bytes = bytes;
    }

    public String mechanism() {
      return mechanism;
    }

    public byte[] bytes() {
      return bytes;
    }
  }

  /**
   * What the server answers.
   *
   * @param done whether the client has proved its identity; otherwise {@code bytes} ask for more
   * @param principal the client's name
   * @param lastsMillis for how long that counts, as clocks may differ; 0 for ever
   */
  public record Reply(boolean done, String principal, long lastsMillis, byte[] bytes) {
    /** The client is known. */
    public static Reply known(String principal, long lastsMillis) {
      return new Reply(true, principal, lastsMillis, new byte[0]);
    }

    /** The client is to go on. */
    public static Reply more(byte[] challenge) {
      return new Reply(false, "", 0, challenge);
    }
  }

  /** Whether a text may be a client's name: printable ASCII without blanks. */
  public static boolean isPrincipal(String text) {
    return PRINCIPAL.matcher(text).matches();
  }

  /** Writes a complete AUTH frame. */
  public static void writeAttempt(ByteBuf out, int frameId, Attempt attempt) {
    int headerIndex = out.writerIndex();
    Frames.writeHeader(out, FrameType.AUTH, 0, frameId, 0);
    Handshake.writeText(out, attempt.mechanism);
    out.writeShort(attempt.bytes.length);
    out.writeBytes(attempt.bytes);
    Frames.finishFrame(out, headerIndex, 0);
  }

  /** Reads the body of an AUTH frame: all readable bytes of the buffer. */
  public static Attempt readAttempt(ByteBuf body) throws FrameException {
    Attempt attempt = new Attempt(Handshake.readText(body), readBytes(body));
    Handshake.checkEnd(body);
    return attempt;
  }

  /** Writes a complete reply to AUTH. */
  public static void writeReply(ByteBuf out, int frameId, Reply reply) {
    int headerIndex = out.writerIndex();
    Frames.writeHeader(out, FrameType.AUTH.reply(), 0, frameId, 0);
    out.writeByte(reply.done() ? 1 : 0);
    Handshake.writeText(out, reply.principal());
    out.writeLong(reply.lastsMillis());
    out.writeShort(reply.bytes().length);
    out.writeBytes(reply.bytes());
    Frames.finishFrame(out, headerIndex, 0);
  }

  /** Reads the body of a reply to AUTH: all readable bytes of the buffer. */
  public static Reply readReply(ByteBuf body) throws FrameException {
    Handshake.need(body, 1);
    int done = body.readUnsignedByte();
    if (done > 1) {
      throw new FrameException(ErrorCode.MALFORMED_FRAME, "unknown state of AUTH " + done);
    }
    String principal = Handshake.readText(body);
    if (done == 1 && !isPrincipal(principal)) {
      throw new FrameException(ErrorCode.MALFORMED_FRAME, "AUTH names a malformed principal");
    }
    Handshake.need(body, Long.BYTES);
    long lasts = body.readLong();
    byte[] bytes = readBytes(body);
    Handshake.checkEnd(body);
    return new Reply(done == 1, principal, lasts, bytes);
  }

  static byte[] readBytes(ByteBuf in) throws FrameException {
    Handshake.need(in, Short.BYTES);
    int length = in.readUnsignedShort();
    if (length > Limits.CREDENTIAL_BYTES_MAX) {
      throw new FrameException(
          ErrorCode.TOO_LARGE,
          "AUTH has " + length + " bytes; the limit is " + Limits.CREDENTIAL_BYTES_MAX);
    }
    Handshake.need(in, length);
    byte[] bytes = new byte[length];
    in.readBytes(bytes);
    return bytes;
  }

  static void writeOffer(ByteBuf out, Offer offer) {
    out.writeByte(offer.level().ordinal());
    Handshake.writeText(out, offer.principal());
    out.writeByte(offer.mechanisms().size());
    offer.mechanisms().forEach(mechanism -> Handshake.writeText(out, mechanism));
  }

  static Offer readOffer(ByteBuf in) throws FrameException {
    Handshake.need(in, 1);
    int level = in.readUnsignedByte();
    if (level >= Level.values().length) {
      throw new FrameException(ErrorCode.MALFORMED_FRAME, "unknown security " + level);
    }
    String principal = Handshake.readText(in);
    if (!principal.isEmpty() && !isPrincipal(principal)) {
      throw new FrameException(ErrorCode.MALFORMED_FRAME, "it names a malformed principal");
    }
    Handshake.need(in, 1);
    int count = in.readUnsignedByte();
    if (count > Limits.MECHANISMS_MAX) {
      throw new FrameException(ErrorCode.TOO_LARGE, "it offers " + count + " mechanisms");
    }
    List<String> mechanisms = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      mechanisms.add(Handshake.readText(in));
    }
    return new Offer(Level.values()[level], principal, List.copyOf(mechanisms));
  }
}
