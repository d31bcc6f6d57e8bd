package io.retso.hbase.layout;

import io.retso.text.ErrorText;
import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.OperationWithAttributes;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.FilterProtos;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The attribute that makes a get or scan a snapshot read on the region server: the fingerprint of
 * the table's settings ({@link TableSettings#fingerprint}) and the reader's start timestamp, 8
 * bytes each, big-endian. Reads without it are plain reads of raw cells.
 *
 * <p>A region without our coprocessor does not know the attribute, and would answer with raw cells.
 * So these reads come with a second one that it does know and cannot read: HBase's flag of raw
 * scans, with a value that is no boolean. It fails when the region opens its scanner, of gets, too.
 * A region with the coprocessor takes the flag away first ({@link #admit}).
 *
 * <p>A get can ask more, by another byte:
 *
 * <pre>
 *   S 1      validating: if what it looks at may have changed since S, the answer is {@link ChangedRow}
 *   S 2 L    which commit, from S up to L, was the first one to change it? {@link FirstChange}
 * </pre>
 *
 * <p>And a scan:
 *
 * <pre>
 *   S 3 B    changes: of what S shows only what B, which is older, does not; and tombstones, too
 * </pre>
 *
 * <p>The application's filter of such a get travels apart from it. What a region finds in the get
 * is then what other coprocessors have put there, for rights and visibility labels: that one is
 * true of single versions, and what it hides has not changed to this user.
 */
public final class ReadAttribute {
  public static final String NAME = "retso.read";

  private static final String FILTER = "retso.filter";

  /** HBase's own attribute, as {@link org.apache.hadoop.hbase.client.Scan#setRaw} sets it. */
  private static final String RAW = "_raw_";

  /** Booleans have one byte. The length shows in HBase's error message. */
  private static final byte[] NO_BOOLEAN = Bytes.toBytes("[RETSO snapshot read]");

  private static final String NOT_ADMITTED = "Array has wrong size: " + NO_BOOLEAN.length;

  /** Where things are in the value, behind the fingerprint. */
  private static final int TIMESTAMP = Long.BYTES;

  private static final int QUESTION = 2 * Long.BYTES;
  private static final byte VALIDATING = 1;
  private static final byte FIRST_CHANGE = 2;
  private static final byte CHANGES = 3;

  private ReadAttribute() {}

  /**
   * Sets the attribute.
   *
   * @throws IllegalArgumentException if {@code readTimestamp} does not have the form of a timestamp
   */
  public static void set(OperationWithAttributes read, long fingerprint, long readTimestamp) {
    set(read, value(fingerprint, readTimestamp, 0));
  }

  /**
   * Sets the attribute, of a validating get.
   *
   * @throws IllegalArgumentException if {@code readTimestamp} does not have the form of a timestamp
   */
  public static void setValidating(Get get, long fingerprint, long readTimestamp) {
    byte[] value = value(fingerprint, readTimestamp, 1);
    value[QUESTION] = VALIDATING;
    set(get, value);
  }

  /**
   * Sets the attribute, of a get that asks for the first change.
   *
   * @throws IllegalArgumentException if one of the timestamps does not have the form of a timestamp
   */
  public static void setFirstChange(Get get, long fingerprint, long from, long upTo) {
    byte[] value = value(fingerprint, from, 1 + Long.BYTES);
    value[QUESTION] = FIRST_CHANGE;
    Bytes.putLong(value, QUESTION + 1, CellVersion.checkTimestamp(upTo));
    set(get, value);
  }

  /**
   * Sets the attribute, of a scan for what has changed between two snapshots.
   *
   * @throws IllegalArgumentException if one of the timestamps does not have the form of a
   *     timestamp, or {@code since} is not below the other one
   */
  public static void setChanges(Scan scan, long fingerprint, long readTimestamp, long since) {
    byte[] value = value(fingerprint, readTimestamp, 1 + Long.BYTES);
    value[QUESTION] = CHANGES;
    Bytes.putLong(value, QUESTION + 1, checkSince(since, readTimestamp));
    set(scan, value);
  }

  private static long checkSince(long since, long readTimestamp) {
    if (CellVersion.checkTimestamp(since) >= readTimestamp) {
      throw new IllegalArgumentException(
          "the changes since "
              + since
              + " are those up to a later timestamp, which "
              + readTimestamp
              + " is not: name the older snapshot first");
    }
    return since;
  }

  /**
   * The older timestamp of a read for changes; 0 if it asks for none.
   *
   * @throws IllegalArgumentException if the attribute is malformed
   */
  public static long changesSince(OperationWithAttributes read) {
    byte[] value = read.getAttribute(NAME);
    return asksForChanges(value) ? checkSince(Bytes.toLong(value, QUESTION + 1), of(read)) : 0;
  }

  /**
   * Takes the application's filter out of a get, into an attribute.
   *
   * @throws IOException if the filter cannot be sent
   */
  public static void takeFilter(Get get) throws IOException {
    Filter filter = get.getFilter();
    if (filter != null) {
      get.setAttribute(FILTER, ProtobufUtil.toFilter(filter).toByteArray());
      get.setFilter(null);
    }
  }

  /**
   * The filter that {@link #takeFilter} took; null if there was none.
   *
   * @throws IOException if it cannot be read
   */
  public static Filter takenFilter(Get get) throws IOException {
    byte[] taken = get.getAttribute(FILTER);
    return taken == null ? null : ProtobufUtil.toFilter(FilterProtos.Filter.parseFrom(taken));
  }

  private static byte[] value(long fingerprint, long timestamp, int more) {
    byte[] value = new byte[QUESTION + more];
    Bytes.putLong(value, 0, fingerprint);
    Bytes.putLong(value, TIMESTAMP, CellVersion.checkTimestamp(timestamp));
    return value;
  }

  private static void set(OperationWithAttributes read, byte[] value) {
    read.setAttribute(NAME, value);
    read.setAttribute(RAW, NO_BOOLEAN);
  }

  /**
   * To be called by the coprocessor that answers a snapshot read: HBase may open its scanner from
   * now on.
   */
  public static void admit(OperationWithAttributes read) {
    if (Arrays.equals(read.getAttribute(RAW), NO_BOOLEAN)) {
      read.setAttribute(RAW, null);
    }
  }

  /** Whether a read failed since it was not admitted: the region runs no coprocessor of ours. */
  public static boolean isNotAdmitted(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (ErrorText.of(cause).contains(NOT_ADMITTED)) {
        return true;
      }
    }
    return false;
  }

  public static boolean isValidating(OperationWithAttributes read) {
    return has(read.getAttribute(NAME), VALIDATING, QUESTION + 1);
  }

  /**
   * Up to which timestamp the get asks for the first change; 0 if it does not ask.
   *
   * @throws IllegalArgumentException if the attribute is malformed
   */
  public static long firstChangeUpTo(OperationWithAttributes read) {
    byte[] value = read.getAttribute(NAME);
    return asksForFirstChange(value)
        ? CellVersion.checkTimestamp(Bytes.toLong(value, QUESTION + 1))
        : 0;
  }

  private static boolean asksForFirstChange(byte[] value) {
    return has(value, FIRST_CHANGE, QUESTION + 1 + Long.BYTES);
  }

  private static boolean asksForChanges(byte[] value) {
    return has(value, CHANGES, QUESTION + 1 + Long.BYTES);
  }

  private static boolean has(byte[] value, byte question, int length) {
    return value != null && value.length == length && value[QUESTION] == question;
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
    if (value.length != QUESTION
        && !isValidating(read)
        && !asksForFirstChange(value)
        && !asksForChanges(value)) {
      throw malformed(NAME, value, QUESTION);
    }
    return CellVersion.checkTimestamp(Bytes.toLong(value, TIMESTAMP));
  }

  /**
   * The fingerprint of the settings by which the snapshot read goes; it was checked by {@link #of}.
   */
  static long fingerprintOf(OperationWithAttributes read) {
    return Bytes.toLong(read.getAttribute(NAME));
  }

  static long decode(String name, byte[] value) {
    if (value.length != Long.BYTES) {
      throw malformed(name, value, Long.BYTES);
    }
    return Bytes.toLong(value);
  }

  private static IllegalArgumentException malformed(String name, byte[] value, int bytes) {
    return new IllegalArgumentException(
        "attribute " + name + " has " + value.length + " bytes instead of " + bytes);
  }
}
