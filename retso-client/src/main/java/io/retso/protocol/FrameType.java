package io.retso.protocol;

/**
 * Kinds of frames and the layout of their bodies. {@code n} is the frame's count.
 *
 * <pre>
 *   request    body                                         reply body
 *   HELLO      magic u32, version min u16, version max u16, version u16, mode u8, 0 u8,
 *              mode u8, name length u8, name (UTF-8)        frame bytes max u32, rows max u32,
 *                                                           stamp gap u32, epoch i64
 *   BEGIN      empty; n start timestamps are wanted         first i64; the others follow in steps
 *                                                           of the stamp gap
 *   COMMIT     n x (start i64, flags and rows u32,          n x outcome i64
 *                   rows x row id i64)
 *   STATUS     n x (writer's start i64, reader's start i64) n x outcome i64
 *   ABORT      n x start i64                                n x outcome i64
 *   CLEANED    n x start i64                                n x outcome i64
 *   PING       empty                                        empty
 *   WATERMARK  empty; n calls share the frame               low watermark i64, the same for all n
 *   SWEPT      n x timestamp i64                            n x outcome i64
 *   EXTEND     n x (snapshot i64, rows u32,                 n x answer i64
 *                   rows x row id i64)
 *   -          -                                            ERROR: code u16, length u16, text (UTF-8)
 * </pre>
 *
 * <p>The {@code flags and rows} word of a commit holds the number of rows in its lower 24 bits and
 * {@link #REPEAT_FLAG} above. Outcomes are the numbers of {@link Outcome}.
 *
 * <p>The answers to a frame {@code EXTEND} share one fresh timestamp L: an answer is L if the
 * request's rows are at L what they were at its snapshot, {@code L | }{@link #CHANGED_FLAG} if one
 * of them changed or may have changed, or {@link Outcome#INVALID_TIMESTAMP}.
 */
public final class FrameType {
  public static final int HELLO = 1;
  public static final int BEGIN = 2;
  public static final int COMMIT = 3;
  public static final int STATUS = 4;
  public static final int ABORT = 5;
  public static final int CLEANED = 6;
  public static final int PING = 7;
  public static final int WATERMARK = 8;
  public static final int SWEPT = 9;
  public static final int EXTEND = 10;

  /** The largest type of a request; the smallest is {@link #HELLO}. */
  public static final int REQUEST_MAX = EXTEND;

  /** Set in the type of every reply. */
  public static final int REPLY = 0x80;

  /** The reply to a frame that cannot be answered; the connection is closed behind it. */
  public static final int ERROR = 0xff;

  /**
   * Set on a commit that was sent before and whose reply was lost. Only then can a commit that is
   * older than everything the oracle remembers be {@link Outcome#UNKNOWN}; a first request of that
   * age is certainly aborted.
   */
  public static final int REPEAT_FLAG = 1 << 31;

  /** The bits of a commit's or an extension's second word that count its rows. */
  public static final int ROWS_MASK = (1 << 24) - 1;

  /** Set in the answer to an extension if rows changed; no timestamp has this bit. */
  public static final long CHANGED_FLAG = 1;

  private FrameType() {}

  /** The name of a request or reply type, for messages. */
  public static String nameOf(int type) {
    return switch (type & ~REPLY) {
      case HELLO -> "HELLO";
      case BEGIN -> "BEGIN";
      case COMMIT -> "COMMIT";
      case STATUS -> "STATUS";
      case ABORT -> "ABORT";
      case CLEANED -> "CLEANED";
      case PING -> "PING";
      case WATERMARK -> "WATERMARK";
      case SWEPT -> "SWEPT";
      case EXTEND -> "EXTEND";
      case ERROR & ~REPLY -> "ERROR";
      default -> "type " + type;
    };
  }
}
