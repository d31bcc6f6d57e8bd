package io.retso.hbase.layout;

import java.nio.ByteBuffer;
import java.util.ArrayList;
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
 * wrote in this region; docs/decisions/0025.
 *
 * <p>It travels as a put in the region's {@link #firstRow first row}, so that it can be batched
 * with those to other regions. Its only cell is of family {@code !pw}, and no mark; its value is
 * the fingerprint of the table's settings. The list is in an attribute:
 *
 * <pre>
 *   1 (version, 1 byte), then for each transaction: start timestamp, commit timestamp or -1, receipt
 *   or 0 (8 bytes each), rows (4 bytes); big-endian
 * </pre>
 *
 * <p>The answer is a result with one cell, whose value has a byte for each transaction, in the
 * order of the list: 1 if it is <em>adopted</em>, and nothing is left to do in this region; 0 if
 * its rows are to be cleaned up <em>row by row</em> ({@link CleanupRequest}). A region without our
 * coprocessor takes the request for a put and answers without a cell; one with an older coprocessor
 * refuses the put.
 *
 * <p>Immutable, except for the array of the row, which is not to be changed.
 *
 * @param row the first row of the region
 * @param adoptions from 1 to {@value #ADOPTIONS_MAX}
 */
public record AdoptionRequest(byte[] row, List<Adoption> adoptions) {
  /** Transactions of one request. */
  public static final int ADOPTIONS_MAX = 1_000;

  /** Name of the attribute. */
  public static final String ATTRIBUTE = "retso.decisions";

  private static final byte VERSION = 1;
  private static final int ADOPTION_BYTES = 3 * Long.BYTES + Integer.BYTES;

  /** Qualifiers of marks have 8 bytes. */
  private static final byte[] QUALIFIER = Bytes.toBytes("decisions");

  /** The least row that a table can have. */
  private static final byte[] LEAST_ROW = {0};

  /**
   * How a transaction ended.
   *
   * @param start its start timestamp
   * @param outcome a known {@link Outcome}
   * @param receipt by which the oracle proves it, {@link io.retso.client.CommitResult#receipt}; 0
   *     for none
   * @param rows that it wrote, or may have written, in the region; 1 at least
   */
  public record Adoption(long start, long outcome, long receipt, int rows) {
    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException if one is malformed, or the timestamps are in the wrong
     *     order
     */
    public Adoption {
      Outcome.check(start, outcome);
      if (rows < 1) {
        throw new IllegalArgumentException(
            "transaction " + start + " is said to have written " + rows + " rows in a region");
      }
    }

    /** One without a receipt. */
    public Adoption(long start, long outcome, int rows) {
      this(start, outcome, 0, rows);
    }
  }

  /**
   * Checks the number of transactions.
   *
   * @throws IllegalArgumentException if there are none, or too many
   */
  public AdoptionRequest {
    adoptions = List.copyOf(adoptions);
    checkSize(adoptions.size());
  }

  private static void checkSize(int size) {
    if (size < 1 || size > ADOPTIONS_MAX) {
      throw new IllegalArgumentException(
          "attribute "
              + ATTRIBUTE
              + " has "
              + size
              + " transactions instead of 1 to "
              + ADOPTIONS_MAX
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
    ByteBuffer list = ByteBuffer.allocate(1 + adoptions.size() * ADOPTION_BYTES);
    list.put(VERSION);
    for (Adoption adoption : adoptions) {
      list.putLong(adoption.start).putLong(adoption.outcome);
      list.putLong(adoption.receipt).putInt(adoption.rows);
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
  public static AdoptionRequest of(Mutation mutation) {
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
    return new AdoptionRequest(mutation.getRow(), decode(value));
  }

  private static List<Adoption> decode(byte[] value) {
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
    if (value.length % ADOPTION_BYTES != 1) {
      throw new IllegalArgumentException(
          "attribute "
              + ATTRIBUTE
              + " has "
              + value.length
              + " bytes instead of 1 and "
              + ADOPTION_BYTES
              + " for each transaction");
    }
    int size = value.length / ADOPTION_BYTES;
    checkSize(size);
    List<Adoption> adoptions = new ArrayList<>(size);
    ByteBuffer list = ByteBuffer.wrap(value, 1, value.length - 1);
    while (list.hasRemaining()) {
      adoptions.add(new Adoption(list.getLong(), list.getLong(), list.getLong(), list.getInt()));
    }
    return adoptions;
  }

  /** A region's answer: those of the list that are adopted; the others are cleaned up by rows. */
  public Result answer(BitSet adopted) {
    byte[] bytes = new byte[adoptions.size()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (adopted.get(i) ? 1 : 0);
    }
    Cell cell = new KeyValue(row, PendingWrite.family(), QUALIFIER, 0, KeyValue.Type.Put, bytes);
    return Result.create(List.of(cell));
  }

  /**
   * Which of the list a region server's answer to {@link #toPut} says are adopted.
   *
   * @return null if the region does not run the coprocessor, or does not understand the request
   */
  public BitSet adopted(Object answer) {
    Cell cell =
        answer instanceof Result result
            ? result.getColumnLatestCell(PendingWrite.family(), QUALIFIER)
            : null;
    if (cell == null || cell.getValueLength() != adoptions.size()) {
      return null;
    }
    BitSet adopted = new BitSet(adoptions.size());
    byte[] bytes = CellUtil.cloneValue(cell);
    for (int i = 0; i < bytes.length; i++) {
      adopted.set(i, bytes[i] == 1);
    }
    return adopted;
  }
}
