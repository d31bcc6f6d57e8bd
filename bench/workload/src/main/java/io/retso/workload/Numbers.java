package io.retso.workload;

import java.nio.ByteBuffer;

/** Numbers as the values of rows. */
public final class Numbers {
  private Numbers() {}

  /** Numbers as eight bytes each. */
  public static byte[] bytes(long... numbers) {
    ByteBuffer bytes = ByteBuffer.allocate(numbers.length * Long.BYTES);
    for (long number : numbers) {
      bytes.putLong(number);
    }
    return bytes.array();
  }

  /** The first number in these bytes. */
  public static long number(byte[] value) {
    return ByteBuffer.wrap(value).getLong();
  }
}
