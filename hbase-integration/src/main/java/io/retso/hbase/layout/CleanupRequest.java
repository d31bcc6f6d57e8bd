package io.retso.hbase.layout;

import io.retso.text.Text;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * One row in which a decided transaction has left its mark: what cleanup is to do there.
 *
 * <p>To a region server it travels as a put of the mark itself with an attribute, so that it can be
 * batched with others. The region replaces the put by the cleanup; docs/protocol.md, "Cleanup of
 * one row". A region without our coprocessor takes it for what it is, and puts a mark that is there
 * already. So the region that did the cleanup says so in its answer ({@link #DONE}), and only then
 * may the transaction be reported as cleaned up. Immutable, except for the array of the row, which
 * must not be changed.
 *
 * @param row the row
 * @param start the transaction's start timestamp
 * @param outcome a known {@link Outcome}
 * @param receipt by which the oracle proves it, {@link io.retso.client.CommitResult#receipt}; 0 for
 *     none
 */
public record CleanupRequest(byte[] row, long start, long outcome, long receipt) {
  /** Name of the attribute: the outcome and the receipt, 8 bytes each, big-endian. */
  public static final String ATTRIBUTE = "retso.cleanup";

  /**
   * The answer to a request that was carried out, or had nothing to do. HBase answers puts with an
   * empty result, and knows of no answer that is both: it exists, and is stale.
   */
  public static final Result DONE = Result.create(List.of(), true, true);

  private static final int BYTES = 2 * Long.BYTES;

  /** Set by the region once the put is replaced. */
  private static final String REPLACED = "retso.cleanup.replaced";

  /**
   * Checks the form of the timestamps.
   *
   * @throws IllegalArgumentException if one is malformed or they are in the wrong order
   */
  public CleanupRequest {
    Outcome.check(start, outcome);
  }

  /** A request without a receipt. */
  public CleanupRequest(byte[] row, long start, long outcome) {
    this(row, start, outcome, 0);
  }

  /** Whether the transaction is committed; otherwise it is aborted. */
  public boolean isCommitted() {
    return Outcome.isCommitted(outcome);
  }

  /**
   * What is sent to the region server.
   *
   * @param fingerprint of the settings by which it is sent, {@link TableSettings#fingerprint}
   */
  public Put toPut(long fingerprint) {
    return toPut(PendingWrite.mark(new Put(row), start, 1, fingerprint));
  }

  /** What is applied within a region, whose settings are its own. */
  public Put toPut() {
    return toPut(PendingWrite.mark(new Put(row), start));
  }

  private Put toPut(Put put) {
    put.setAttribute(
        ATTRIBUTE, ByteBuffer.allocate(BYTES).putLong(outcome).putLong(receipt).array());
    return put;
  }

  /**
   * The request in a mutation that a region server received, or null if it is none.
   *
   * @throws IllegalArgumentException if it is malformed
   */
  public static CleanupRequest of(Mutation mutation) {
    byte[] value = mutation.getAttribute(ATTRIBUTE);
    if (value == null) {
      return null;
    }
    Cell mark = PendingWrite.markOf(mutation);
    if (mark == null || mutation.size() != 1) {
      throw new IllegalArgumentException("a cleanup request is a put of one mark and nothing else");
    }
    if (value.length != BYTES) {
      throw new IllegalArgumentException(
          "attribute " + ATTRIBUTE + " has " + value.length + " bytes instead of " + BYTES);
    }
    return new CleanupRequest(
        mutation.getRow(),
        PendingWrite.startOf(mark),
        Bytes.toLong(value),
        Bytes.toLong(value, Long.BYTES));
  }

  /** Notes that the mutation does by now what the request asks for. */
  public static void replaced(Mutation mutation) {
    mutation.setAttribute(REPLACED, new byte[0]);
  }

  public static boolean isReplaced(Mutation mutation) {
    return mutation.getAttribute(REPLACED) != null;
  }

  /** Whether a region server's answer to {@link #toPut} says that the request was carried out. */
  public static boolean isDone(Object answer) {
    return answer instanceof Result result
        && Boolean.TRUE.equals(result.getExists())
        && result.isStale();
  }

  @Override
  public String toString() {
    return Text.of(
        "cleanup of %s after %s%s",
        Bytes.toStringBinary(row), start, isCommitted() ? " committed at " + outcome : " aborted");
  }
}
