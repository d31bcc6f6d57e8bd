package io.retso.protocol;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * HOLD and HOLDS: snapshots that are held beyond the window and the time limit of transactions. A
 * name has {@value Limits#HOLD_NAME_CHARS_MAX} bytes on the wire, with zeros behind it. Stateless.
 */
public final class Holding {
  /** Bytes of a name. */
  public static final int NAME_BYTES = Limits.HOLD_NAME_CHARS_MAX;

  /** Bytes of a request: the number of the call, the time in milliseconds, the name. */
  public static final int REQUEST_BYTES = 2 * Long.BYTES + NAME_BYTES;

  /** Bytes of a report. */
  public static final int REPORT_BYTES = 4 * Long.BYTES + NAME_BYTES;

  private static final Pattern NAME = Pattern.compile("[!-~]{1," + NAME_BYTES + "}");

  private Holding() {}

  /**
   * A snapshot that is held.
   *
   * @param ttlMillis for how long it lasts if it is not renewed
   * @param sinceMillis when it was taken, by the wall clock of the server that led then
   * @param leftMillis how long it will last if it is not renewed, 0 or more
   */
  public record Report(
      String name, long timestamp, long ttlMillis, long sinceMillis, long leftMillis) {}

  /** Whether a text is a name: 1 to 64 printable characters of ASCII, none of them a blank. */
  public static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }

  /** Whether a snapshot may last for so many milliseconds. */
  public static boolean isTtl(long millis) {
    return millis >= Limits.HOLD_MILLIS_MIN && millis <= Limits.HOLD_MILLIS_MAX;
  }

  /**
   * Writes a request.
   *
   * @param call a number that tells this call from others; its repetitions have the same
   */
  public static void writeRequest(ByteBuf out, long call, long ttlMillis, String name) {
    out.writeLong(call).writeLong(ttlMillis);
    writeName(out, name);
  }

  /** Checks so many requests at {@code index}, whose bytes are there. */
  static void checkRequests(ByteBuf in, int index, int count) throws FrameException {
    for (int i = 0, at = index; i < count; i++, at += REQUEST_BYTES) {
      if (!isTtl(ttlMillis(in, at))) {
        throw malformed("HOLD asks for " + ttlMillis(in, at) + " ms, not 1 s to 30 days");
      }
      checkName(in, at + 2 * Long.BYTES, "HOLD");
    }
  }

  /** The number of the call of the checked request at {@code index}. */
  public static long call(ByteBuf in, int index) {
    return in.getLong(index);
  }

  /** For how many milliseconds the snapshot of the request at {@code index} is to last. */
  public static long ttlMillis(ByteBuf in, int index) {
    return in.getLong(index + Long.BYTES);
  }

  /** The name in the checked request at {@code index}. */
  public static String name(ByteBuf in, int index) {
    return readName(in, index + 2 * Long.BYTES);
  }

  /** Writes the complete reply to so many calls of HOLDS. */
  public static void writeReports(ByteBuf out, int count, int frameId, List<Report> reports) {
    Frames.writeHeader(out, FrameType.HOLDS.reply(), count, frameId, reports.size() * REPORT_BYTES);
    for (Report report : reports) {
      out.writeLong(report.timestamp).writeLong(report.ttlMillis);
      out.writeLong(report.sinceMillis).writeLong(report.leftMillis);
      writeName(out, report.name);
    }
  }

  static void checkReports(ByteBuf in, int index, int count, int bodyBytes) throws FrameException {
    if (count == 0
        || bodyBytes % REPORT_BYTES != 0
        || bodyBytes > Limits.HOLDS_MAX * REPORT_BYTES) {
      throw malformed("HOLDS is answered to " + count + " requests in " + bodyBytes + " bytes");
    }
    for (int at = index; at < index + bodyBytes; at += REPORT_BYTES) {
      checkName(in, at + 4 * Long.BYTES, "a reply to HOLDS");
    }
  }

  /** The reports in the checked reply at {@code index}, its header included. */
  public static List<Report> reports(ByteBuf in, int index) {
    int end = index + Frames.LENGTH_BYTES + in.getInt(index);
    List<Report> reports = new ArrayList<>();
    for (int at = index + Frames.HEADER_BYTES; at < end; at += REPORT_BYTES) {
      reports.add(
          new Report(
              readName(in, at + 4 * Long.BYTES),
              in.getLong(at),
              in.getLong(at + Long.BYTES),
              in.getLong(at + 2 * Long.BYTES),
              in.getLong(at + 3 * Long.BYTES)));
    }
    return reports;
  }

  private static void writeName(ByteBuf out, String name) {
    out.writeCharSequence(name, StandardCharsets.US_ASCII);
    out.writeZero(NAME_BYTES - name.length());
  }

  private static void checkName(ByteBuf in, int index, String where) throws FrameException {
    String name = readName(in, index);
    for (int at = index + name.length(); at < index + NAME_BYTES; at++) {
      if (in.getByte(at) != 0) {
        throw malformed(where + " has a name with something behind its end");
      }
    }
    if (!isName(name)) {
      throw malformed(where + " has a name that is none: 1 to 64 printable characters of ASCII");
    }
  }

  private static String readName(ByteBuf in, int index) {
    int length = 0;
    while (length < NAME_BYTES && in.getByte(index + length) != 0) {
      length++;
    }
    return in.toString(index, length, StandardCharsets.US_ASCII);
  }

  private static FrameException malformed(String what) {
    return new FrameException(ErrorCode.MALFORMED_FRAME, what);
  }
}
