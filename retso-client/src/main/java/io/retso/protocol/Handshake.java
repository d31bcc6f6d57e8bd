package io.retso.protocol;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** The first frame of a connection and its reply: versions and limits. */
public final class Handshake {
  /** "RTSO". */
  public static final int MAGIC = 0x5254534f;

  /** The protocol versions that this build speaks. */
  public static final int VERSION_MIN = 1;

  public static final int VERSION_MAX = 2;

  private static final int HELLO_FIXED_BYTES = 10;
  private static final int WELCOME_FIXED_BYTES = 41;

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
   * @param rowsMax the most rows that one transaction may write, and ids that it may name in all
   * @param timestampGap the distance of neighbouring timestamps
   * @param epoch grows with every leader of the log; a client that sees it shrink talks to a server
   *     that was deposed
   * @param oracle which oracle it is
   */
  public record Welcome(
      int version,
      Mode mode,
      int frameBytesMax,
      int rowsMax,
      int timestampGap,
      long epoch,
      OracleIdentity oracle) {}

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
          String.format("HELLO does not begin with RTSO but with 0x%08x", magic));
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
    byte[] name = welcome.oracle().name().getBytes(StandardCharsets.US_ASCII);
    int bodyBytes = WELCOME_FIXED_BYTES + name.length;
    Frames.writeHeader(out, FrameType.HELLO.reply(), 0, frameId, bodyBytes);
    out.writeShort(welcome.version());
    out.writeByte(welcome.mode().ordinal());
    out.writeByte(0);
    out.writeInt(welcome.frameBytesMax());
    out.writeInt(welcome.rowsMax());
    out.writeInt(welcome.timestampGap());
    out.writeLong(welcome.epoch());
    out.writeLong(welcome.oracle().id().getMostSignificantBits());
    out.writeLong(welcome.oracle().id().getLeastSignificantBits());
    out.writeByte(name.length);
    out.writeBytes(name);
  }

  /** Reads the body of the reply to HELLO. */
  public static Welcome readWelcome(ByteBuf in, int bodyBytes) throws FrameException {
    int nameBytes = bodyBytes - WELCOME_FIXED_BYTES;
    if (nameBytes < 0
        || in.getUnsignedByte(in.readerIndex() + WELCOME_FIXED_BYTES - 1) != nameBytes) {
      throw new FrameException(ErrorCode.MALFORMED_FRAME, "the reply to HELLO has a wrong size");
    }
    int version = in.readUnsignedShort();
    Mode mode = mode(in.readUnsignedByte());
    in.skipBytes(1);
    int frameBytesMax = in.readInt();
    int rowsMax = in.readInt();
    int timestampGap = in.readInt();
    long epoch = in.readLong();
    UUID id = new UUID(in.readLong(), in.readLong());
    in.skipBytes(1);
    String name = in.readCharSequence(nameBytes, StandardCharsets.US_ASCII).toString();
    if (!OracleIdentity.isName(name)) {
      throw new FrameException(ErrorCode.MALFORMED_FRAME, "the oracle has a malformed name");
    }
    return new Welcome(
        version, mode, frameBytesMax, rowsMax, timestampGap, epoch, new OracleIdentity(id, name));
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
              "this server speaks protocol versions %d to %d, the client %d to %d;"
                  + " upgrade the older side",
              VERSION_MIN, VERSION_MAX, min, max));
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
