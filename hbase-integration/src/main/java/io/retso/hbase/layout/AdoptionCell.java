package io.retso.hbase.layout;

import io.retso.protocol.Timestamps;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.NavigableMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;

/**
 * Outcomes of transactions that a region adopted, as a cell of the family of the marks;
 * docs/decisions/0025-outcomes-adopted-by-a-region.md.
 *
 * <pre>
 *   first row of the region | family !pw
 *     | qualifier: 'd', and two numbers, so that no other cell of the region has it
 *     | version: the largest start timestamp, plus 2
 *     | value: for each transaction, the largest start timestamp first, two numbers of gaps between
 *         timestamps: how far it began below the one before (the first: 0), and how far above that
 *         it committed; 0 if it aborted
 *   a number: 7 bits in a byte, the lowest first; the highest bit says that another byte follows
 * </pre>
 *
 * <p>It is not taken for a mark: the version of that is a multiple of 16. It is no higher than what
 * is adopted, for the range of versions in a file of {@code !pw} tells which transactions may have
 * marks there. Most have one or two transactions, and each a few bytes: it is a large part of what
 * a small transaction adds to the log.
 */
public final class AdoptionCell {
  private static final byte[] FAMILY = PendingWrite.family();
  private static final byte KIND = 'd';
  private static final int ABOVE_THE_LARGEST = 2;

  /** Bytes of a number that is not negative. */
  private static final int NUMBER_BYTES_MAX = 9;

  private AdoptionCell() {}

  /** Takes outcomes. */
  public interface Outcomes {
    /** A transaction and its {@link Outcome}. */
    void add(long start, long outcome);
  }

  /**
   * The cell of some outcomes.
   *
   * @param row first row of the region
   * @param opening a number that differs each time that a region opens with cells of before
   * @param number of the cell since then
   * @param outcomes by start timestamp, ascending; one at least
   */
  public static KeyValue of(
      byte[] row, long opening, long number, NavigableMap<Long, Long> outcomes) {
    long[] starts = outcomes.keySet().stream().mapToLong(Long::longValue).toArray();
    long[] ends = outcomes.values().stream().mapToLong(Long::longValue).toArray();
    return of(row, opening, number, starts, ends, starts.length);
  }

  /**
   * The cell of many outcomes.
   *
   * @param starts ascending start timestamps, and behind {@code count} anything
   * @param outcomes theirs
   */
  public static KeyValue of(
      byte[] row, long opening, long number, long[] starts, long[] outcomes, int count) {
    ByteBuffer qualifier = ByteBuffer.allocate(1 + 2 * NUMBER_BYTES_MAX).put(KIND);
    put(qualifier, opening);
    put(qualifier, number);
    ByteBuffer value = ByteBuffer.allocate(count * 2 * NUMBER_BYTES_MAX);
    long largest = starts[count - 1];
    long last = largest;
    for (int i = count - 1; i >= 0; i--) {
      long start = starts[i];
      put(value, (last - start) / Timestamps.GAP);
      boolean isCommitted = Outcome.isCommitted(outcomes[i]);
      put(value, isCommitted ? (outcomes[i] - start) / Timestamps.GAP : 0);
      last = start;
    }
    return new KeyValue(
        row, FAMILY, written(qualifier), largest + ABOVE_THE_LARGEST, written(value));
  }

  private static byte[] written(ByteBuffer buffer) {
    return Arrays.copyOf(buffer.array(), buffer.position());
  }

  private static void put(ByteBuffer to, long number) {
    long rest = number;
    for (; rest > Byte.MAX_VALUE; rest >>>= Byte.SIZE - 1) {
      to.put((byte) (rest | Byte.MIN_VALUE));
    }
    to.put((byte) rest);
  }

  /** A cell that another program has put there may give any number. */
  private static long number(ByteBuffer from) {
    long number = 0;
    int next = Byte.MIN_VALUE;
    for (int shift = 0; next < 0 && from.hasRemaining(); shift += Byte.SIZE - 1) {
      next = from.get();
      number |= (long) (next & Byte.MAX_VALUE) << shift;
    }
    return number;
  }

  /** Whether a cell of any family and type is one of adoptions. */
  public static boolean is(Cell cell) {
    return PendingWrite.isMark(cell)
        && cell.getType() == Cell.Type.Put
        && Timestamps.isWellFormed(cell.getTimestamp() - ABOVE_THE_LARGEST)
        && cell.getQualifierLength() > 0
        && cell.getQualifierArray()[cell.getQualifierOffset()] == KIND;
  }

  /** Reads such a cell. */
  public static void read(Cell cell, Outcomes outcomes) {
    ByteBuffer value =
        ByteBuffer.wrap(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
    long start = cell.getTimestamp() - ABOVE_THE_LARGEST;
    while (value.hasRemaining()) {
      start -= number(value) * Timestamps.GAP;
      long gaps = number(value);
      outcomes.add(start, gaps == 0 ? Outcome.ABORTED : start + gaps * Timestamps.GAP);
    }
  }
}
