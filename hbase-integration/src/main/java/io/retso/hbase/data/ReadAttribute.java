package io.retso.hbase.data;

import org.apache.hadoop.hbase.client.OperationWithAttributes;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The attribute that makes a get or scan a snapshot read on the region server: the reader's start
 * timestamp, 8 bytes big-endian. Reads without it are plain reads of raw cells.
 */
public final class ReadAttribute {
  /** Name of the attribute. */
  public static final String NAME = "retso.read";

  private ReadAttribute() {}

  /**
   * Sets the attribute.
   *
   * @throws IllegalArgumentException if {@code readTimestamp} does not have the form of a stamp
   */
  public static void set(OperationWithAttributes read, long readTimestamp) {
    read.setAttribute(NAME, Bytes.toBytes(CellVersion.checkStamp(readTimestamp)));
  }

  /**
   * The read timestamp, or 0 if this is a plain read.
   *
   * @throws IllegalArgumentException if the attribute is there and malformed
   */
  public static long of(OperationWithAttributes read) {
    byte[] value = read.getAttribute(NAME);
    return value == null ? 0 : CellVersion.checkStamp(decode(NAME, value));
  }

  static long decode(String name, byte[] value) {
    if (value.length != Long.BYTES) {
      throw new IllegalArgumentException(
          "attribute " + name + " has " + value.length + " bytes instead of " + Long.BYTES);
    }
    return Bytes.toLong(value);
  }
}
