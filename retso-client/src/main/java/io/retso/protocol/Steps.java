package io.retso.protocol;

import io.netty.buffer.ByteBuf;

/**
 * How long the steps of a frame of commits took: a client asks for it by a flag of the header, and
 * the reply has the flag, too, and {@link #NUMBERS} at its end. Stateless.
 */
public final class Steps {
  /** Numbers of a reply: until the decision, until that is durable, until the reply leaves. */
  public static final int NUMBERS = 3;

  /** Bytes of these. */
  public static final int BYTES = NUMBERS * Long.BYTES;

  private static final int FLAG = 1;

  private Steps() {}

  /** Marks the frame of commits at {@code index}: its reply is to say how long the steps took. */
  public static void ask(ByteBuf out, int index) {
    out.setByte(index + Frames.FLAGS_OFFSET, FLAG);
  }

  /** Whether the frame at {@code index} asks how long the steps took, or says it. */
  public static boolean areIn(ByteBuf in, int index) {
    return (in.getByte(index + Frames.FLAGS_OFFSET) & FLAG) != 0;
  }

  /** The flags that a frame may have. */
  static int flagsOf(FrameType type) {
    return type != null && type.isCommit() ? FLAG : 0;
  }

  /**
   * Adds room for the numbers, all 0, to the complete reply at {@code index}, which ends at the
   * writer index.
   */
  public static void add(ByteBuf out, int index) {
    ask(out, index);
    out.writeZero(BYTES);
    out.setInt(index, out.writerIndex() - index - Frames.LENGTH_BYTES);
  }

  /** Sets a number, from 0 on, of the frame at {@code index}, which has them. */
  public static void set(ByteBuf out, int index, int number, long value) {
    out.setLong(start(out, index) + number * Long.BYTES, value);
  }

  /** A number, from 0 on, of the frame at {@code index}, which has them: microseconds. */
  public static long get(ByteBuf in, int index, int number) {
    return in.getLong(start(in, index) + number * Long.BYTES);
  }

  /** Nanoseconds as a number of a reply: microseconds, of what is possible the nearest. */
  public static long micros(long nanos) {
    return Math.min(Math.max(nanos / 1_000, 0), Limits.STEP_MICROS_MAX);
  }

  /** Where the numbers of the frame at {@code index} begin, which has them. */
  static int start(ByteBuf in, int index) {
    return index + Frames.LENGTH_BYTES + in.getInt(index) - BYTES;
  }

  /** Checks what the reply at {@code index} says; returns how many bytes it says it in. */
  static int check(ByteBuf in, int index, int bodyBytes) throws FrameException {
    if (!areIn(in, index)) {
      return 0;
    }
    if (bodyBytes < BYTES) {
      throw new FrameException(ErrorCode.MALFORMED_FRAME, "a reply ends before its steps");
    }
    for (int i = 0; i < NUMBERS; i++) {
      long micros = get(in, index, i);
      if (micros < 0 || micros > Limits.STEP_MICROS_MAX) {
        throw new FrameException(
            ErrorCode.MALFORMED_FRAME, "a step of a commit took " + micros + " us");
      }
    }
    return BYTES;
  }
}
