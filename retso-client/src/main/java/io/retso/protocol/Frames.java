package io.retso.protocol;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Encoding and decoding of frames on {@link ByteBuf}s, encode beside decode. The layouts are drawn
 * in the package's description and in {@link FrameType}.
 *
 * <p>Stateless and thread-safe; a buffer belongs to one thread at a time.
 */
public final class Frames {
  /** Bytes of the length field. */
  public static final int LENGTH_BYTES = 4;

  /** Bytes of the header, length field included. */
  public static final int HEADER_BYTES = 12;

  /** Bytes of a start timestamp and its ticket, with which the requests of their owner begin. */
  public static final int TICKET_BYTES = 16;

  /** Bytes of a commit request without its rows. */
  public static final int COMMIT_FIXED_BYTES = TICKET_BYTES + 4;

  /** Bytes of a COMMIT_READS request without its ids. */
  public static final int COMMIT_READS_FIXED_BYTES = TICKET_BYTES + 20;

  /** Bytes of a status query. */
  public static final int STATUS_BYTES = 16;

  /** Bytes by which the outcome of a commit is explained. */
  public static final int REFUSAL_BYTES = FrameType.REFUSAL_NUMBERS * Long.BYTES;

  private static final int ERROR_FIXED_BYTES = 4;

  /** Where a header has its flags. */
  static final int FLAGS_OFFSET = 5;

  private static final int TYPE_OFFSET = 4;
  private static final int COUNT_OFFSET = 6;
  private static final int ID_OFFSET = 8;
  private static final int LENGTH_MIN = HEADER_BYTES - LENGTH_BYTES;

  private Frames() {}

  /** Writes the header of a request with a body of {@code bodyBytes}. */
  public static void writeHeader(
      ByteBuf out, FrameType type, int count, int frameId, int bodyBytes) {
    writeHeader(out, type.request(), count, frameId, bodyBytes);
  }

  /** Writes the header of the reply to {@code count} requests; the answers follow it. */
  public static void writeReplyHeader(ByteBuf out, FrameType type, int count, int frameId) {
    writeReplyHeader(out, type, count, 0, frameId);
  }

  /**
   * Writes the header of the reply to {@code count} requests, of which the outcomes of so many are
   * explained; the answers follow it, and then {@link FrameType#REFUSAL_NUMBERS} for each of these.
   */
  public static void writeReplyHeader(
      ByteBuf out, FrameType type, int count, int explained, int frameId) {
    int numbers = type.answersTo(count) + explained * FrameType.REFUSAL_NUMBERS;
    writeHeader(out, type.reply(), count, frameId, numbers * Long.BYTES);
  }

  /** Writes a header with any type byte. */
  public static void writeHeader(ByteBuf out, int typeByte, int count, int frameId, int bodyBytes) {
    out.writeInt(LENGTH_MIN + bodyBytes);
    out.writeByte(typeByte);
    out.writeByte(0);
    out.writeShort(count);
    out.writeInt(frameId);
  }

  /**
   * Sets length and count of a header written at {@code headerIndex} once the body behind it is
   * complete, that is, reaches to the writer index.
   */
  public static void finishFrame(ByteBuf out, int headerIndex, int count) {
    out.setInt(headerIndex, out.writerIndex() - headerIndex - LENGTH_BYTES);
    out.setShort(headerIndex + COUNT_OFFSET, count);
  }

  /**
   * The size of the frame at {@code index}, length field included, or 0 if fewer than {@link
   * #LENGTH_BYTES} bytes are there to say so.
   *
   * @throws FrameException if the length is impossible
   */
  public static int frameBytes(ByteBuf in, int index) throws FrameException {
    if (in.writerIndex() - index < LENGTH_BYTES) {
      return 0;
    }
    int length = in.getInt(index);
    if (length < LENGTH_MIN) {
      throw new FrameException(
          ErrorCode.MALFORMED_FRAME, "a frame of length " + length + " is too short");
    }
    if (length > Limits.FRAME_BYTES_MAX) {
      throw new FrameException(
          ErrorCode.TOO_LARGE,
          "a frame of length " + length + " exceeds the limit of " + Limits.FRAME_BYTES_MAX);
    }
    return LENGTH_BYTES + length;
  }

  /** The type byte of the frame at {@code index}. */
  public static int typeByte(ByteBuf in, int index) {
    return in.getUnsignedByte(index + TYPE_OFFSET);
  }

  /** The type of the request at {@code index}; {@code null} if it is none. */
  public static FrameType requestType(ByteBuf in, int index) {
    return FrameType.ofRequest(typeByte(in, index));
  }

  /**
   * The request that the frame at {@code index} replies to; {@code null} if it is no such frame.
   */
  public static FrameType replyType(ByteBuf in, int index) {
    return FrameType.ofReply(typeByte(in, index));
  }

  /** Whether the frame at {@code index} is a PING: the one request that a server may make, too. */
  public static boolean isPing(ByteBuf in, int index) {
    return typeByte(in, index) == FrameType.PING.request();
  }

  /** Whether the frame at {@code index} is an ERROR. */
  public static boolean isError(ByteBuf in, int index) {
    return typeByte(in, index) == FrameType.ERROR;
  }

  /** Whether the frame at {@code index} is a ROLE. */
  public static boolean isRole(ByteBuf in, int index) {
    return typeByte(in, index) == FrameType.ROLE;
  }

  /** The count of the frame at {@code index}. */
  public static int count(ByteBuf in, int index) {
    return in.getUnsignedShort(index + COUNT_OFFSET);
  }

  /** The id of the frame at {@code index}. */
  public static int frameId(ByteBuf in, int index) {
    return in.getInt(index + ID_OFFSET);
  }

  /**
   * Checks that a complete request frame at {@code index} is well formed: known type, a count above
   * zero where requests are expected, and a body of exactly the size that its contents ask for.
   * Code that reads the frame afterwards needs no further checks of bounds.
   *
   * @param frameBytes its size, from {@link #frameBytes}
   */
  public static void checkRequest(ByteBuf in, int index, int frameBytes) throws FrameException {
    FrameType type = requestType(in, index);
    int count = count(in, index);
    int bodyBytes = frameBytes - HEADER_BYTES;
    if (type == null) {
      throw malformed(typeByte(in, index), "is not a request");
    }
    checkFlags(in, index, type);
    boolean takesTimestamps = type == FrameType.BEGIN || type.isCommit();
    int countMax = takesTimestamps ? Limits.FRAME_TIMESTAMPS_MAX : Limits.FRAME_REQUESTS_MAX;
    countMax = type.isAboutHolds() ? Limits.HOLDS_MAX : countMax;
    if (count > countMax) {
      throw new FrameException(
          ErrorCode.TOO_LARGE,
          "a frame "
              + type
              + " has "
              + count
              + " requests; the limit is "
              + countMax
              + ", send several frames");
    }
    switch (type.body()) {
      case COUNT -> checkBody(type.request(), count, bodyBytes, 0);
      case TICKETS -> checkBody(type.request(), count, bodyBytes, TICKET_BYTES);
      case PAIRS -> checkBody(type.request(), count, bodyBytes, STATUS_BYTES);
      case ROWS -> checkRows(in, index, count, bodyBytes);
      case READS -> checkReads(in, index, count, bodyBytes);
      case HOLD -> {
        checkBody(type.request(), count, bodyBytes, Holding.REQUEST_BYTES);
        Holding.checkRequests(in, index + HEADER_BYTES, count);
      }
      case SNAPSHOT -> checkBody(type.request(), count, bodyBytes, Long.BYTES);
      case EMPTY -> checkEmpty(type.request(), bodyBytes);
      case OWN -> {} // Handshake checks it
    }
  }

  private static void checkFlags(ByteBuf in, int index, FrameType type) throws FrameException {
    if ((in.getByte(index + FLAGS_OFFSET) & ~Steps.flagsOf(type)) != 0) {
      throw malformed(typeByte(in, index), "has unknown flags");
    }
  }

  private static void checkEmpty(int type, int bodyBytes) throws FrameException {
    if (bodyBytes != 0) {
      throw malformed(type, "has a body");
    }
  }

  private static void checkBody(int type, int count, int bodyBytes, int requestBytes)
      throws FrameException {
    if (count == 0) {
      throw malformed(type, "has no requests");
    }
    if (bodyBytes != count * requestBytes) {
      throw malformed(type, "announces " + count + " requests but has " + bodyBytes + " bytes");
    }
  }

  /** Checks a frame whose requests list rows. */
  private static void checkRows(ByteBuf in, int frameIndex, int count, int bodyBytes)
      throws FrameException {
    int type = typeByte(in, frameIndex);
    if (count == 0) {
      throw malformed(type, "has no requests");
    }
    int index = frameIndex + HEADER_BYTES;
    int end = index + bodyBytes;
    for (int i = 0; i < count; i++) {
      if (end - index < COMMIT_FIXED_BYTES) {
        throw malformed(type, "ends within request " + i);
      }
      int word = in.getInt(index + TICKET_BYTES);
      int rows = word & FrameType.ROWS_MASK;
      if ((word & ~FrameType.ROWS_MASK & ~FrameType.REPEAT_FLAG) != 0) {
        throw malformed(type, "has unknown flags in request " + i);
      }
      checkSize(rows, "rows", Limits.TRANSACTION_ROWS_MAX);
      index += COMMIT_FIXED_BYTES;
      if (end - index < rows * Long.BYTES) {
        throw malformed(type, "ends within the rows of request " + i);
      }
      index += rows * Long.BYTES;
    }
    if (index != end) {
      throw malformed(type, "has " + (end - index) + " bytes too many");
    }
  }

  /** Checks a frame whose requests have five lists of ids. */
  private static void checkReads(ByteBuf in, int frameIndex, int count, int bodyBytes)
      throws FrameException {
    int type = typeByte(in, frameIndex);
    if (count == 0) {
      throw malformed(type, "has no requests");
    }
    int index = frameIndex + HEADER_BYTES;
    int end = index + bodyBytes;
    for (int i = 0; i < count; i++) {
      if (end - index < COMMIT_READS_FIXED_BYTES) {
        throw malformed(type, "ends within request " + i);
      }
      int unknown = ~FrameType.ROWS_MASK & ~FrameType.REPEAT_FLAG & ~FrameType.SERIALIZABLE_FLAG;
      if ((in.getInt(index + TICKET_BYTES) & unknown) != 0) {
        throw malformed(type, "has unknown flags in request " + i);
      }
      long ids = idsOfReads(in, index);
      checkSize(ids, "rows and granules", Limits.TRANSACTION_IDS_MAX);
      int written = in.getInt(index + TICKET_BYTES) & FrameType.ROWS_MASK;
      checkSize(written, "written rows", Limits.TRANSACTION_ROWS_MAX);
      index += COMMIT_READS_FIXED_BYTES;
      if (end - index < ids * Long.BYTES) {
        throw malformed(type, "ends within the ids of request " + i);
      }
      index += (int) ids * Long.BYTES;
    }
    if (index != end) {
      throw malformed(type, "has " + (end - index) + " bytes too many");
    }
  }

  private static void checkSize(long ids, String what, int max) throws FrameException {
    if (ids > max) {
      throw new FrameException(
          ErrorCode.TOO_LARGE,
          "a transaction of " + ids + " " + what + " exceeds the limit of " + max + "; split it");
    }
  }

  /**
   * The bytes of the checked request at {@code index}, which begins with a start timestamp and its
   * ticket.
   */
  public static int ownedBytes(FrameType type, ByteBuf in, int index) {
    return switch (type.body()) {
      case ROWS ->
          COMMIT_FIXED_BYTES + (in.getInt(index + TICKET_BYTES) & FrameType.ROWS_MASK) * Long.BYTES;
      case READS -> COMMIT_READS_FIXED_BYTES + (int) idsOfReads(in, index) * Long.BYTES;
      case TICKETS -> TICKET_BYTES;
      case OWN, EMPTY, COUNT, PAIRS, HOLD, SNAPSHOT ->
          throw new IllegalArgumentException(type + " is about no transaction of its client");
    };
  }

  /**
   * How many ids follow the fixed part of the COMMIT_READS request at {@code index}, of its five
   * lists; each is counted by 32 bits without a sign, so the sum may be larger than an int.
   */
  public static long idsOfReads(ByteBuf in, int index) {
    int at = index + TICKET_BYTES;
    return (in.getInt(at) & FrameType.ROWS_MASK)
        + in.getUnsignedInt(at + Integer.BYTES)
        + in.getUnsignedInt(at + 2 * Integer.BYTES)
        + in.getUnsignedInt(at + 3 * Integer.BYTES)
        + in.getUnsignedInt(at + 4 * Integer.BYTES);
  }

  /**
   * Checks that a complete reply frame at {@code index} is well formed: a reply, a role or an
   * error, with a body of exactly the size that its type and count ask for (the reply to HELLO and
   * ROLE are left to {@link Handshake}). Code that reads the frame afterwards needs no further
   * checks of bounds.
   *
   * @param frameBytes its size, from {@link #frameBytes}
   */
  public static void checkReply(ByteBuf in, int index, int frameBytes) throws FrameException {
    int typeByte = typeByte(in, index);
    int count = count(in, index);
    int bodyBytes = frameBytes - HEADER_BYTES;
    FrameType type = replyType(in, index);
    if (type == null && typeByte != FrameType.ERROR && typeByte != FrameType.ROLE) {
      throw malformed(typeByte, "is not a reply");
    }
    checkFlags(in, index, type);
    if (type == null) {
      if (typeByte == FrameType.ERROR) {
        checkError(in, index, bodyBytes);
      }
      return;
    }
    switch (type.answers()) {
      case ONE, KEYS -> {
        if (count == 0 || bodyBytes != type.answersTo(count) * Long.BYTES) {
          throw malformed(typeByte, "answers " + count + " requests in " + bodyBytes + " bytes");
        }
      }
      case TICKETS -> checkBody(typeByte, count, bodyBytes - Long.BYTES, Long.BYTES);
      case EACH -> checkBody(typeByte, count, bodyBytes, Long.BYTES);
      case RECEIPTS -> checkBody(typeByte, count, bodyBytes, 2 * Long.BYTES);
      case COMMITS -> checkCommits(in, index, count, bodyBytes - Steps.check(in, index, bodyBytes));
      case HOLDS -> Holding.checkReports(in, index + HEADER_BYTES, count, bodyBytes);
      case NONE -> checkEmpty(typeByte, bodyBytes);
      case OWN -> {} // Handshake checks it
    }
  }

  private static void checkCommits(ByteBuf in, int frameIndex, int count, int bodyBytes)
      throws FrameException {
    int answersBytes = count * 2 * Long.BYTES;
    if (count == 0 || bodyBytes <= answersBytes) {
      checkBody(typeByte(in, frameIndex), count, bodyBytes, 2 * Long.BYTES);
      return;
    }
    int explained = 0;
    for (int i = 0, at = frameIndex + HEADER_BYTES; i < count; i++, at += Long.BYTES) {
      explained += Outcome.isExplained(in.getLong(at)) ? 1 : 0;
    }
    checkBody(
        typeByte(in, frameIndex), count, bodyBytes - explained * REFUSAL_BYTES, 2 * Long.BYTES);
  }

  /**
   * Where the checked reply to commits at {@code index} explains its first outcome, of {@link
   * #REFUSAL_BYTES}; 0 if it explains none, as servers of version 1 do.
   */
  public static int refusals(ByteBuf in, int index) {
    int answersBytes = count(in, index) * 2 * Long.BYTES;
    int end =
        Steps.areIn(in, index) ? Steps.start(in, index) : index + LENGTH_BYTES + in.getInt(index);
    int at = index + HEADER_BYTES + answersBytes;
    return at < end ? at : 0;
  }

  /** The first number of an explanation: two places among the ids of a request. */
  public static long refusal(int offending, int alsoRead) {
    return (long) offending << Integer.SIZE | alsoRead & 0xffff_ffffL;
  }

  /** The place of the id that met a commit, of {@link #refusal}; or {@link FrameType#NO_ID}. */
  public static int offending(long refusal) {
    return (int) (refusal >> Integer.SIZE);
  }

  /** The place of the id that others read, of {@link #refusal}; or {@link FrameType#NO_ID}. */
  public static int alsoRead(long refusal) {
    return (int) refusal;
  }

  private static void checkError(ByteBuf in, int index, int bodyBytes) throws FrameException {
    if (bodyBytes < ERROR_FIXED_BYTES
        || bodyBytes - ERROR_FIXED_BYTES
            != in.getUnsignedShort(index + HEADER_BYTES + Short.BYTES)) {
      throw malformed(FrameType.ERROR, "has a text of wrong size");
    }
  }

  /** Writes a complete ERROR frame. */
  public static void writeError(ByteBuf out, int frameId, ErrorCode code, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int textBytes = utf8Prefix(bytes, Limits.ERROR_TEXT_BYTES_MAX);
    writeHeader(out, FrameType.ERROR, 0, frameId, ERROR_FIXED_BYTES + textBytes);
    out.writeShort(code.number());
    out.writeShort(textBytes);
    out.writeBytes(bytes, 0, textBytes);
  }

  /**
   * The code of the checked ERROR frame at {@code index}; {@code null} if this version does not
   * know it.
   */
  public static ErrorCode errorCode(ByteBuf in, int index) {
    return ErrorCode.of(in.getUnsignedShort(index + HEADER_BYTES));
  }

  /** The text of the checked ERROR frame at {@code index}. */
  public static String errorText(ByteBuf in, int index) {
    int textBytes = in.getUnsignedShort(index + HEADER_BYTES + 2);
    return in.toString(index + HEADER_BYTES + ERROR_FIXED_BYTES, textBytes, StandardCharsets.UTF_8);
  }

  /** The most bytes, up to {@code bytesMax}, that end with a whole character of UTF-8. */
  static int utf8Prefix(byte[] utf8, int bytesMax) {
    if (utf8.length <= bytesMax) {
      return utf8.length;
    }
    int end = bytesMax;
    while (end > 0 && (utf8[end] & 0xC0) == 0x80) {
      end--; // the byte at the cut continues a character: leave out all of it
    }
    return end;
  }

  private static FrameException malformed(int type, String what) {
    return new FrameException(
        ErrorCode.MALFORMED_FRAME, "a frame " + FrameType.nameOf(type) + " " + what);
  }
}
