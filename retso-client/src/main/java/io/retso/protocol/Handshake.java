package io.retso.protocol;

import io.netty.buffer.ByteBuf;
import io.retso.text.ErrorText;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/**
 * The first frame of a connection and its reply: versions and limits, and the server's role, which
 * it sends again whenever that changes.
 */
public final class Handshake {
  /** "RTSO". */
  public static final int MAGIC = 0x5254534f;

  /** The protocol versions that this build speaks. */
  public static final int VERSION_MIN = 1;

  public static final int VERSION_MAX = 4;

  /** From this version on replies to commits say why a transaction was refused. */
  public static final int EXPLAINS = 2;

  /** From this version on snapshots can be held. */
  public static final int HOLDS = 3;

  /** From this version on a client may ask how long the steps of its commits took. */
  public static final int STEPS = 4;

  private static final int HELLO_FIXED_BYTES = 10;
  private static final int WELCOME_FIXED_BYTES = 40;

  private Handshake() {}

  /** What a connection is for. */
  public enum Mode {
    /** Requests go to the oracle. */
    ORACLE,
    /**
     * Requests are decoded, checked and answered at once with replies of the right size, touching
     * no state: the network's ceiling for a benchmark of the same frames.
     */
    ECHO
  }

  /** A client's hello. */
  public record Hello(int versionMin, int versionMax, Mode mode, String clientName) {}

  /**
   * The server's answer.
   *
   * @param version the version that both sides speak from here on
   * @param frameBytesMax the largest frame (behind its length field) that the server takes
   * @param rowsMax the most rows that one transaction may write; ids that it may name in all are
   *     {@link Limits#TRANSACTION_IDS_MAX}, but no more than this where it is below {@link
   *     Limits#TRANSACTION_ROWS_MAX}
   * @param timestampGap the distance of neighbouring timestamps
   * @param oracle which oracle it is
   * @param role of the server, and its epoch. A client that sees a leader's epoch shrink talks to
   *     one that was deposed
   * @param offer what the client may, or must, say of itself
   */
  public record Welcome(
      int version,
      Mode mode,
      int frameBytesMax,
      int rowsMax,
      int timestampGap,
      OracleIdentity oracle,
      ServerRole role,
      Authentication.Offer offer) {}

  /** Writes a complete HELLO frame. */
  public static void writeHello(ByteBuf out, int frameId, Hello hello) {
    byte[] name = hello.clientName().getBytes(StandardCharsets.UTF_8);
    int nameBytes = Frames.utf8Prefix(name, Limits.CLIENT_NAME_BYTES_MAX);
    Frames.writeHeader(out, FrameType.HELLO, 0, frameId, HELLO_FIXED_BYTES + nameBytes);
    out.writeInt(MAGIC);
    out.writeShort(hello.versionMin());
    out.writeShort(hello.versionMax());
    out.writeByte(hello.mode().ordinal());
    out.writeByte(nameBytes);
    out.writeBytes(name, 0, nameBytes);
  }

  /** Reads the body of a HELLO frame of {@code bodyBytes} at the buffer's reader index. */
  public static Hello readHello(ByteBuf in, int bodyBytes) throws FrameException {
    if (bodyBytes < HELLO_FIXED_BYTES) {
      throw new FrameException(ErrorCode.MALFORMED_FRAME, "HELLO is too short");
    }
    int magic = in.readInt();
    if (magic != MAGIC) {
      throw new FrameException(
          ErrorCode.MALFORMED_FRAME,
          String.format(Locale.ROOT, "HELLO does not begin with RTSO but with 0x%08x", magic));
    }
    int min = in.readUnsignedShort();
    int max = in.readUnsignedShort();
    Mode mode = mode(in.readUnsignedByte());
    int nameBytes = in.readUnsignedByte();
    if (nameBytes > Limits.CLIENT_NAME_BYTES_MAX || nameBytes != bodyBytes - HELLO_FIXED_BYTES) {
      throw new FrameException(ErrorCode.MALFORMED_FRAME, "HELLO has a client name of wrong size");
    }
    return new Hello(min, max, mode, in.readCharSequence(nameBytes, StandardCharsets.UTF_8) + "");
  }

  /** Writes a complete reply to HELLO. */
  public static void writeWelcome(ByteBuf out, int frameId, Welcome welcome) {
    int headerIndex = out.writerIndex();
    Frames.writeHeader(out, FrameType.HELLO.reply(), 0, frameId, 0);
    out.writeShort(welcome.version());
    out.writeByte(welcome.mode().ordinal());
    out.writeByte(0);
    out.writeInt(welcome.frameBytesMax());
    out.writeInt(welcome.rowsMax());
    out.writeInt(welcome.timestampGap());
    out.writeLong(welcome.role().epoch());
    out.writeLong(welcome.oracle().id().getMostSignificantBits());
    out.writeLong(welcome.oracle().id().getLeastSignificantBits());
    writeText(out, welcome.oracle().name());
    writeRole(out, welcome.role());
    Authentication.writeOffer(out, welcome.offer());
    Frames.finishFrame(out, headerIndex, 0);
  }

  /** Writes a complete ROLE frame. */
  public static void writeRoleFrame(ByteBuf out, ServerRole role) {
    int headerIndex = out.writerIndex();
    Frames.writeHeader(out, FrameType.ROLE, 0, 0, 0);
    out.writeLong(role.epoch());
    writeRole(out, role);
    Frames.finishFrame(out, headerIndex, 0);
  }

  private static void writeRole(ByteBuf out, ServerRole role) {
    out.writeByte(role.leads() ? 1 : 0);
    writeText(out, role.leader());
    writeText(out, role.leaderAddress());
    out.writeByte(role.members().size());
    role.members().forEach(address -> writeText(out, address));
  }

  static void writeText(ByteBuf out, String text) {
    out.writeByte(text.length());
    out.writeCharSequence(text, StandardCharsets.US_ASCII);
  }

  /** Reads the body of a ROLE frame: all readable bytes of the buffer. */
  public static ServerRole readRole(ByteBuf body) throws FrameException {
    need(body, Long.BYTES);
    long epoch = body.readLong();
    ServerRole role = readRole(body, epoch);
    checkEnd(body);
    return role;
  }

  private static ServerRole readRole(ByteBuf in, long epoch) throws FrameException {
    need(in, 1);
    int leads = in.readUnsignedByte();
    if (leads > 1) {
      throw new FrameException(ErrorCode.MALFORMED_FRAME, "unknown role " + leads);
    }
    String leader = readText(in);
    String leaderAddress = readText(in);
    need(in, 1);
    int members = in.readUnsignedByte();
    if (members > Limits.MEMBERS_MAX) {
      throw new FrameException(ErrorCode.TOO_LARGE, "a role names " + members + " members");
    }
    String[] addresses = new String[members];
    for (int i = 0; i < members; i++) {
      addresses[i] = readText(in);
    }
    try {
      return new ServerRole(leads == 1, epoch, leader, leaderAddress, List.of(addresses));
    } catch (IllegalArgumentException e) {
      throw new FrameException(ErrorCode.MALFORMED_FRAME, "a role is wrong: " + ErrorText.of(e));
    }
  }

  static String readText(ByteBuf in) throws FrameException {
    need(in, 1);
    int bytes = in.readUnsignedByte();
    need(in, bytes);
    return in.readCharSequence(bytes, StandardCharsets.US_ASCII).toString();
  }

  static void need(ByteBuf in, int bytes) throws FrameException {
    if (in.readableBytes() < bytes) {
      throw new FrameException(ErrorCode.MALFORMED_FRAME, "a text or a role ends too early");
    }
  }

  static void checkEnd(ByteBuf in) throws FrameException {
    if (in.isReadable()) {
      throw new FrameException(
          ErrorCode.MALFORMED_FRAME, in.readableBytes() + " bytes too many behind a role or name");
    }
  }

  /** Reads the body of the reply to HELLO: all readable bytes of the buffer. */
  public static Welcome readWelcome(ByteBuf body) throws FrameException {
    need(body, WELCOME_FIXED_BYTES);
    int version = body.readUnsignedShort();
    Mode mode = mode(body.readUnsignedByte());
    body.skipBytes(1);
    int frameBytesMax = body.readInt();
    int rowsMax = body.readInt();
    int timestampGap = body.readInt();
    long epoch = body.readLong();
    UUID id = new UUID(body.readLong(), body.readLong());
    String name = readText(body);
    if (!OracleIdentity.isName(name)) {
      throw new FrameException(ErrorCode.MALFORMED_FRAME, "the oracle has a malformed name");
    }
    ServerRole role = readRole(body, epoch);
    Authentication.Offer offer = Authentication.readOffer(body);
    checkEnd(body);
    OracleIdentity oracle = new OracleIdentity(id, name);
    return new Welcome(version, mode, frameBytesMax, rowsMax, timestampGap, oracle, role, offer);
  }

  /**
   * The version to speak with a client that speaks {@code min..max}.
   *
   * @throws FrameException {@link ErrorCode#UNSUPPORTED_VERSION} if there is none
   */
  public static int chooseVersion(int min, int max) throws FrameException {
    int version = Math.min(max, VERSION_MAX);
    if (version < min || version < VERSION_MIN) {
      throw new FrameException(
          ErrorCode.UNSUPPORTED_VERSION,
          String.format(
              Locale.ROOT,
              "this server speaks protocol versions %d to %d, the client %d to %d;"
                  + " upgrade the older side",
              VERSION_MIN,
              VERSION_MAX,
              min,
              max));
    }
    return version;
  }

  private static Mode mode(int number) throws FrameException {
    if (number >= Mode.values().length) {
      throw new FrameException(ErrorCode.MALFORMED_FRAME, "unknown connection mode " + number);
    }
    return Mode.values()[number];
  }
}
