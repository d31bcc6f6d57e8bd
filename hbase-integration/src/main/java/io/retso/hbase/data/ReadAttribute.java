package io.retso.hbase.data;

import java.util.Arrays;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.OperationWithAttributes;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The attribute that makes a get or scan a snapshot read on the region server: the reader's start
 * timestamp, 8 bytes big-endian. Reads without it are plain reads of raw cells.
 *
 * <p>With a ninth byte, 1, a get is <em>watchful</em>: if what it looks at may have changed since
 * that timestamp, the answer is {@link ChangedRow} instead.
 */
public final class ReadAttribute {
  /** Name of the attribute. */
  public static final String NAME = "retso.read";

  private static final byte[] WATCHFUL = {1};
  private static final int WATCHFUL_BYTES = Long.BYTES + WATCHFUL.length;

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
   * Sets the attribute, of a watchful read.
   *
   * @throws IllegalArgumentException if {@code readTimestamp} does not have the form of a stamp
   */
  public static void setWatchful(Get read, long readTimestamp) {
    byte[] stamp = Bytes.toBytes(CellVersion.checkStamp(readTimestamp));
    read.setAttribute(NAME, Bytes.add(stamp, WATCHFUL));
  }

  /** Whether the read is watchful. */
  public static boolean isWatchful(OperationWithAttributes read) {
    byte[] value = read.getAttribute(NAME);
    return value != null && value.length == WATCHFUL_BYTES && value[Long.BYTES] == WATCHFUL[0];
  }

  /**
   * The read timestamp, or 0 if this is a plain read.
   *
   * @throws IllegalArgumentException if the attribute is there and malformed
   */
  public static long of(OperationWithAttributes read) {
    byte[] value = read.getAttribute(NAME);
    if (value == null) {
      return 0;
    }
    byte[] stamp = isWatchful(read) ? Arrays.copyOf(value, Long.BYTES) : value;
    return CellVersion.checkStamp(decode(NAME, stamp));
  }

  static long decode(String name, byte[] value) {
    if (value.length != Long.BYTES) {
      throw new IllegalArgumentException(
          "attribute " + name + " has " + value.length + " bytes instead of " + Long.BYTES);
    }
    return Bytes.toLong(value);
  }
}
