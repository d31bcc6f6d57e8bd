package io.retso.hbase.layout;

import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.OperationWithAttributes;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Whether a request goes by the settings that its region has ({@link TableSettings#fingerprint}): a
 * client may remember those of a table that was dropped since, or of another time;
 * docs/decisions/0028.
 *
 * <pre>
 *   tables with server reads
 *     writes, cleanups, lists of outcomes   in the value of their cell of !pw
 *     reads                                 in their own attribute ({@link ReadAttribute})
 *   tables with client reads                in an attribute of this class: no region looks there,
 *                                           but the table may be one with server reads by now
 * </pre>
 *
 * <p>Stateless.
 */
public final class SettingsCheck {
  private static final String ATTRIBUTE = "retso.table";

  private SettingsCheck() {}

  /** Has a request, to a table that is thought to have client reads, carry a fingerprint. */
  public static <R extends OperationWithAttributes> R set(R request, long fingerprint) {
    request.setAttribute(ATTRIBUTE, Bytes.toBytes(fingerprint));
    return request;
  }

  /** Whether a plain read or mutation is none of a client that goes by other settings. */
  public static boolean passesPlain(OperationWithAttributes request, long fingerprint) {
    byte[] value = request.getAttribute(ATTRIBUTE);
    return value == null || isOf(value, 0, value.length, fingerprint);
  }

  /** Whether a snapshot read goes by these settings. */
  public static boolean passes(OperationWithAttributes read, long fingerprint) {
    return ReadAttribute.fingerprintOf(read) == fingerprint;
  }

  /**
   * Whether a mutation goes by these settings, or comes from one that knows none: a plain writer,
   * or a copy of the log, whose marks have no fingerprint. To be asked of one whose form was
   * checked.
   */
  public static boolean passes(Mutation mutation, long fingerprint) {
    Cell cell = PendingWrite.cellOf(mutation);
    if (cell == null || cell.getValueLength() == Integer.BYTES) {
      return passesPlain(mutation, fingerprint);
    }
    return AdoptionRequest.isRequest(mutation)
        ? isOf(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength(), fingerprint)
        : PendingWrite.fingerprintOf(cell) == fingerprint;
  }

  /** What a region says to a request that does not pass. */
  public static String refusal(TableName table) {
    return Refusal.TABLE_CHANGED.message(
        "a request goes by other settings than table "
            + table
            + " has: it was created anew since they were read, or prepared in another way");
  }

  private static boolean isOf(byte[] bytes, int offset, int length, long fingerprint) {
    return length == Long.BYTES && Bytes.toLong(bytes, offset) == fingerprint;
  }
}
