package io.retso.hbase.layout;

import io.retso.text.ErrorText;
import java.util.Arrays;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.OperationWithAttributes;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The attribute that makes a get or scan a snapshot read on the region server: the reader's start
 * timestamp, 8 bytes big-endian. Reads without it are plain reads of raw cells.
 *
 * <p>A region without our coprocessor does not know the attribute, and would answer with raw cells.
 * So these reads come with a second one that it does know and cannot read: HBase's flag of raw
 * scans, with a value that is no boolean. It fails when the region opens its scanner, of gets, too.
 * A region with the coprocessor takes the flag away first ({@link #admit}).
 *
 * <p>A get can ask more, by a ninth byte:
 *
 * <pre>
 *   S 1      validating: if what it looks at may have changed since S, the answer is {@link ChangedRow}
 *   S 2 L    which commit, from S up to L, was the first one to change it? {@link FirstChange}
 * </pre>
 */
public final class ReadAttribute {
  /** Name of the attribute. */
  public static final String NAME = "retso.read";

  /** HBase's own attribute, as {@link org.apache.hadoop.hbase.client.Scan#setRaw} sets it. */
  private static final String RAW = "_raw_";

  /** Booleans have one byte. The length shows in HBase's error message. */
  private static final byte[] NO_BOOLEAN = Bytes.toBytes("[RETSO snapshot read]");

  private static final String NOT_ADMITTED = "Array has wrong size: " + NO_BOOLEAN.length;

  private static final byte VALIDATING = 1;
  private static final byte FIRST_CHANGE = 2;

  private ReadAttribute() {}

  /**
   * Sets the attribute.
   *
   * @throws IllegalArgumentException if {@code readTimestamp} does not have the form of a timestamp
   */
  public static void set(OperationWithAttributes read, long readTimestamp) {
    set(read, timestamp(readTimestamp));
  }

  /**
   * Sets the attribute, of a validating get.
   *
   * @throws IllegalArgumentException if {@code readTimestamp} does not have the form of a timestamp
   */
  public static void setValidating(Get get, long readTimestamp) {
    set(get, Bytes.add(timestamp(readTimestamp), new byte[] {VALIDATING}));
  }

  /**
   * Sets the attribute, of a get that asks for the first change.
   *
   * @throws IllegalArgumentException if one of the timestamps does not have the form of a timestamp
   */
  public static void setFirstChange(Get get, long from, long upTo) {
    set(get, Bytes.add(timestamp(from), new byte[] {FIRST_CHANGE}, timestamp(upTo)));
  }

  private static void set(OperationWithAttributes read, byte[] value) {
    read.setAttribute(NAME, value);
    read.setAttribute(RAW, NO_BOOLEAN);
  }

  /** To be called by who answers a snapshot read: HBase may open its scanner from now on. */
  public static void admit(OperationWithAttributes read) {
    if (Arrays.equals(read.getAttribute(RAW), NO_BOOLEAN)) {
      read.setAttribute(RAW, null);
    }
  }

  /** Whether a read failed since nobody admitted it: the region runs no coprocessor of ours. */
  public static boolean isNotAdmitted(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (ErrorText.of(cause).contains(NOT_ADMITTED)) {
        return true;
      }
    }
    return false;
  }

  private static byte[] timestamp(long timestamp) {
    return Bytes.toBytes(CellVersion.checkTimestamp(timestamp));
  }

  /** Whether the get is validating. */
  public static boolean isValidating(OperationWithAttributes read) {
    return has(read.getAttribute(NAME), VALIDATING, Long.BYTES + 1);
  }

  /**
   * Up to which timestamp the get asks for the first change; 0 if it does not ask.
   *
   * @throws IllegalArgumentException if the attribute is malformed
   */
  public static long firstChangeUpTo(OperationWithAttributes read) {
    byte[] value = read.getAttribute(NAME);
    return asksForFirstChange(value)
        ? CellVersion.checkTimestamp(Bytes.toLong(value, Long.BYTES + 1))
        : 0;
  }

  private static boolean asksForFirstChange(byte[] value) {
    return has(value, FIRST_CHANGE, 2 * Long.BYTES + 1);
  }

  private static boolean has(byte[] value, byte question, int length) {
    return value != null && value.length == length && value[Long.BYTES] == question;
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
    boolean asks = isValidating(read) || asksForFirstChange(value);
    return CellVersion.checkTimestamp(
        decode(NAME, asks ? Arrays.copyOf(value, Long.BYTES) : value));
  }

  static long decode(String name, byte[] value) {
    if (value.length != Long.BYTES) {
      throw new IllegalArgumentException(
          "attribute " + name + " has " + value.length + " bytes instead of " + Long.BYTES);
    }
    return Bytes.toLong(value);
  }
}
