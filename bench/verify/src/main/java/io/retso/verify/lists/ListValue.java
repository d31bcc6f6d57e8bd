package io.retso.verify.lists;

import java.util.Arrays;
import org.apache.hadoop.hbase.util.Bytes;

/** Lists as values of cells: 8 bytes, big-endian, for each number. */
public final class ListValue {
  private ListValue() {}

  /**
   * The list in a cell.
   *
   * @param value null for a cell that is not there: an empty list
   */
  public static long[] decode(byte[] value) throws ListStore.Violation {
    if (value == null) {
      return new long[0];
    }
    if (value.length % Long.BYTES != 0) {
      throw new ListStore.Violation(
          "a value is no list of numbers: " + Bytes.toStringBinary(value));
    }
    long[] list = new long[value.length / Long.BYTES];
    Arrays.setAll(list, i -> Bytes.toLong(value, i * Long.BYTES));
    return list;
  }

  /** The value with one more number; {@code before} may be null. */
  public static byte[] with(byte[] before, long number) {
    return before == null ? Bytes.toBytes(number) : Bytes.add(before, Bytes.toBytes(number));
  }
}
