package io.retso.hbase.layout;

import io.retso.protocol.Timestamps;
import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;

/**
 * Outcomes of transactions that a region decided, as a cell of the family of the marks;
 * docs/decisions/0025-outcomes-decided-by-a-region.md.
 *
 * <pre>
 *   first row of the region | family !pw | qualifier: 16 bytes, no other cell of the region has it
 *     | version: the largest start timestamp, plus 2
 *     | value: for each transaction its start timestamp, and its commit timestamp or -1 (8 bytes each)
 * </pre>
 *
 * <p>It is not taken for a mark: the version of that is a multiple of 16. It is no higher than what
 * is decided, for the range of versions in a file of {@code !pw} tells which transactions may have
 * marks there.
 */
public final class DecisionCell {
  private static final byte[] FAMILY = PendingWrite.family();
  private static final int QUALIFIER_BYTES = 2 * Long.BYTES;
  private static final int OUTCOME_BYTES = 2 * Long.BYTES;
  private static final int ABOVE_THE_LARGEST = 2;

  private DecisionCell() {}

  /** Takes an outcome. */
  public interface Outcomes {
    /**
     * A transaction.
     *
     * @param outcome its commit timestamp, or {@link CleanupRequest#ABORTED}
     */
    void add(long start, long outcome);
  }

  /**
   * The cell of some outcomes.
   *
   * @param row first row of the region
   * @param opening a number that differs each time that a region opens with cells of before
   * @param number of the cell since then
   * @param outcomes by start timestamp; one at least
   */
  public static KeyValue of(byte[] row, long opening, long number, Map<Long, Long> outcomes) {
    ByteBuffer value = ByteBuffer.allocate(outcomes.size() * OUTCOME_BYTES);
    long last = 0;
    for (Map.Entry<Long, Long> outcome : outcomes.entrySet()) {
      value.putLong(outcome.getKey()).putLong(outcome.getValue());
      last = Math.max(last, outcome.getKey());
    }
    byte[] qualifier =
        ByteBuffer.allocate(QUALIFIER_BYTES).putLong(opening).putLong(number).array();
    return new KeyValue(row, FAMILY, qualifier, last + ABOVE_THE_LARGEST, value.array());
  }

  /** Whether a cell of any family and type is one of decisions. */
  public static boolean is(Cell cell) {
    return PendingWrite.isMark(cell)
        && cell.getType() == Cell.Type.Put
        && cell.getQualifierLength() == QUALIFIER_BYTES
        && cell.getValueLength() % OUTCOME_BYTES == 0
        && !Timestamps.isWellFormed(cell.getTimestamp());
  }

  /** Reads such a cell. */
  public static void read(Cell cell, Outcomes outcomes) {
    ByteBuffer value =
        ByteBuffer.wrap(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
    while (value.hasRemaining()) {
      outcomes.add(value.getLong(), value.getLong());
    }
  }
}
