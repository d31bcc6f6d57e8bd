package io.retso.hbase.layout;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.OperationWithAttributes;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Tells a region how transactions ended that wrote there, each with the number of rows that it
 * wrote in this region; for tables of version 3, docs/decisions/0025.
 *
 * <p>It travels as a put in the region's {@link #firstRow first row}, so that it can be batched
 * with those to other regions. Its only cell is of family {@code !pw}, and no mark; its value is
 * the fingerprint of the table's settings. The list is in an attribute:
 *
 * <pre>
 *   1 (version, 1 byte), then for each transaction: start timestamp, commit timestamp or -1 (8 bytes
 *   each), rows (4 bytes); big-endian
 * </pre>
 *
 * <p>The answer is a result with one cell, whose value has a byte for each transaction, in the
 * order of the list: 1 if it is <em>decided</em>, and nothing is left to do in this region; 0 if
 * its rows are to be cleaned up <em>row by row</em> ({@link CleanupRequest}). A region without our
 * coprocessor takes the request for a put and answers without a cell; one with an older coprocessor
 * refuses the put.
 *
 * <p>Immutable, except for the array of the row, which nobody may change.
 *
 * @param row the first row of the region
 * @param decisions from 1 to {@value #DECISIONS_MAX}
 */
public record DecisionRequest(byte[] row, List<Decision> decisions) {
  /** Transactions of one request. */
  public static final int DECISIONS_MAX = 1_000;

  /** Name of the attribute. */
  public static final String ATTRIBUTE = "retso.decisions";

  private static final byte VERSION = 1;
  private static final int DECISION_BYTES = 2 * Long.BYTES + Integer.BYTES;

  /** Qualifiers of marks have 8 bytes. */
  private static final byte[] QUALIFIER = Bytes.toBytes("decisions");

  /** The least row that a table can have. */
  private static final byte[] LEAST_ROW = {0};

  /**
   * How a transaction ended.
   *
   * @param start its start timestamp
   * @param commitTimestamp its commit timestamp, or {@link CleanupRequest#ABORTED}
   * @param rows that it wrote, or may have written, in the region; 1 at least
   */
  public record Decision(long start, long commitTimestamp, int rows) {
    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException if one is malformed, or the timestamps are in the wrong
     *     order
     */
    public Decision {
      CleanupRequest.checkOutcome(start, commitTimestamp);
      if (rows < 1) {
        throw new IllegalArgumentException(
            "transaction " + start + " is said to have written " + rows + " rows in a region");
      }
    }

    /** Whether the transaction is committed; otherwise it is aborted. */
    public boolean isCommitted() {
      return commitTimestamp != CleanupRequest.ABORTED;
    }
  }

  /**
   * Checks the number of transactions.
   *
   * @throws IllegalArgumentException if there are none, or too many
   */
  public DecisionRequest {
    decisions = List.copyOf(decisions);
    checkSize(decisions.size());
  }

  private static void checkSize(int size) {
    if (size < 1 || size > DECISIONS_MAX) {
      throw new IllegalArgumentException(
          "attribute "
              + ATTRIBUTE
              + " has "
              + size
              + " transactions instead of 1 to "
              + DECISIONS_MAX
              + ": send several requests");
    }
  }

  /**
   * The first row that a region can have: its start key, or one zero byte if that is empty, since
   * HBase knows no empty row.
   */
  public static byte[] firstRow(byte[] startKey) {
    return startKey.length == 0 ? LEAST_ROW.clone() : startKey;
  }

  /**
   * What is sent to the region server; to be sent as one of a batch, as only these are answered.
   *
   * @param fingerprint of the settings by which it is sent, {@link TableSettings#fingerprint}
   */
  public Put toPut(long fingerprint) {
    ByteBuffer list = ByteBuffer.allocate(1 + decisions.size() * DECISION_BYTES);
    list.put(VERSION);
    for (Decision decision : decisions) {
      list.putLong(decision.start).putLong(decision.commitTimestamp).putInt(decision.rows);
    }
    Put put = new Put(row);
    put.addColumn(PendingWrite.family(), QUALIFIER, 0, Bytes.toBytes(fingerprint));
    put.setAttribute(ATTRIBUTE, list.array());
    return put;
  }

  /** Whether a mutation has the attribute, well-formed or not. */
  public static boolean isRequest(OperationWithAttributes mutation) {
    return mutation.getAttribute(ATTRIBUTE) != null;
  }

  /**
   * The request in a mutation that a region server received, or null if it is none.
   *
   * @throws IllegalArgumentException if it is malformed, has too many transactions, or is of
   *     another version
   */
  public static DecisionRequest of(Mutation mutation) {
    byte[] value = mutation.getAttribute(ATTRIBUTE);
    if (value == null) {
      return null;
    }
    List<Cell> cells = mutation.getFamilyCellMap().get(PendingWrite.family());
    if (!(mutation instanceof Put)
        || mutation.size() != 1
        || cells == null
        || !CellUtil.matchingQualifier(cells.get(0), QUALIFIER)) {
      throw new IllegalArgumentException(
          "a request with attribute " + ATTRIBUTE + " is a put of one column !pw:decisions");
    }
    return new DecisionRequest(mutation.getRow(), decode(value));
  }

  private static List<Decision> decode(byte[] value) {
    if (value.length > 0 && value[0] != VERSION) {
      throw new IllegalArgumentException(
          "attribute "
              + ATTRIBUTE
              + " has version "
              + value[0]
              + ", this region server knows "
              + VERSION
              + ": bring ReTSO's jar there to the version of the clients");
    }
    if (value.length % DECISION_BYTES != 1) {
      throw new IllegalArgumentException(
          "attribute "
              + ATTRIBUTE
              + " has "
              + value.length
              + " bytes instead of 1 and "
              + DECISION_BYTES
              + " for each transaction");
    }
    int size = value.length / DECISION_BYTES;
    checkSize(size);
    List<Decision> decisions = new ArrayList<>(size);
    ByteBuffer list = ByteBuffer.wrap(value, 1, value.length - 1);
    while (list.hasRemaining()) {
      decisions.add(new Decision(list.getLong(), list.getLong(), list.getInt()));
    }
    return decisions;
  }

  /** A region's answer: those of the list that are decided; the others are cleaned up by rows. */
  public Result answer(BitSet decided) {
    byte[] bytes = new byte[decisions.size()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (decided.get(i) ? 1 : 0);
    }
    Cell cell = new KeyValue(row, PendingWrite.family(), QUALIFIER, 0, KeyValue.Type.Put, bytes);
    return Result.create(List.of(cell));
  }

  /**
   * Which of the list a region server's answer to {@link #toPut} says are decided.
   *
   * @return null if the region does not run the coprocessor, or does not understand the request
   */
  public BitSet decided(Object answer) {
    Cell cell =
        answer instanceof Result result
            ? result.getColumnLatestCell(PendingWrite.family(), QUALIFIER)
            : null;
    if (cell == null || cell.getValueLength() != decisions.size()) {
      return null;
    }
    BitSet decided = new BitSet(decisions.size());
    byte[] bytes = CellUtil.cloneValue(cell);
    for (int i = 0; i < bytes.length; i++) {
      decided.set(i, bytes[i] == 1);
    }
    return decided;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DecisionRequest that
        && Arrays.equals(row, that.row)
        && decisions.equals(that.decisions);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(row) + decisions.hashCode();
  }

  @Override
  public String toString() {
    return "decisions about "
        + decisions.size()
        + " transactions in the region that begins with "
        + Bytes.toStringBinary(row);
  }
}
