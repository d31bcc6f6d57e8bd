package io.retso.workload;

import java.nio.ByteBuffer;

/** Numbers as the values of rows. */
public final class Numbers {
  private Numbers() {}

  /** Numbers, as eight bytes each. */
  public static byte[] bytes(long... numbers) {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES * numbers.length);
    bytes.asLongBuffer().put(numbers);
    return bytes.array();
  }

  /** The first number in these bytes. */
  public static long number(byte[] value) {
    return ByteBuffer.wrap(value).getLong();
  }

  /** The numbers that these bytes are. */
  public static long[] numbers(byte[] value) {
    long[] numbers = new long[value.length / Long.BYTES];
    ByteBuffer.wrap(value).asLongBuffer().get(numbers);
    return numbers;
  }
}
