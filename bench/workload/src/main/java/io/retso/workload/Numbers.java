package io.retso.workload;

import java.nio.ByteBuffer;

/** Numbers as the values of rows. */
public final class Numbers {
  private Numbers() {}

  /** A number as eight bytes. */
  public static byte[] bytes(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  /** The number that these bytes are. */
  public static long number(byte[] value) {
    return ByteBuffer.wrap(value).getLong();
  }
}
