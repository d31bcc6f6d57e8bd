package io.retso.hbase.layout;

import io.retso.protocol.Timestamps;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.ListIterator;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;

/**
 * The marks that a transaction leaves in several rows of a region at once, as one cell of the log;
 * docs/decisions/0024-marks-in-the-memory-of-a-region.md.
 *
 * <pre>
 *   first row | family !pw | no qualifier | version Ts
 *     | value: of each further row its length, 2 bytes big-endian, and its bytes
 * </pre>
 *
 * <p>A replay makes cells of them before it looks at any ({@link #expand}), so this one is in no
 * memory and no file. It is no {@linkplain PendingWrite#isWellFormed well-formed} mark, for these
 * have a qualifier.
 */
public final class LoggedMarks {
  /** Rows in one cell, at most. */
  public static final int ROWS_MAX = 1_000;

  private static final byte[] FAMILY = PendingWrite.family();
  private static final byte[] NO_QUALIFIER = {};

  private LoggedMarks() {}

  /**
   * The cell of some marks.
   *
   * @param start start timestamp of their transaction
   * @param rows one at least, and at most {@link #ROWS_MAX}
   */
  public static KeyValue of(long start, List<byte[]> rows) {
    assert !rows.isEmpty() && rows.size() <= ROWS_MAX : rows.size();
    List<byte[]> further = rows.subList(1, rows.size());
    int length = further.stream().mapToInt(row -> Short.BYTES + row.length).sum();
    ByteBuffer value = ByteBuffer.allocate(length);
    further.forEach(row -> value.putShort((short) row.length).put(row));
    return new KeyValue(rows.get(0), FAMILY, NO_QUALIFIER, start, value.array());
  }

  /** Whether a cell of any family and type is such a one. */
  public static boolean is(Cell cell) {
    return PendingWrite.isMark(cell)
        && cell.getQualifierLength() == 0
        && cell.getType() == Cell.Type.Put
        && Timestamps.isWellFormed(cell.getTimestamp());
  }

  /**
   * Puts marks that are cells into the places of those that stand together. A cell of somebody else
   * that looks like one, and has no list of rows in it, stays as it is.
   */
  public static void expand(List<Cell> edit) {
    for (ListIterator<Cell> cells = edit.listIterator(); cells.hasNext(); ) {
      Cell cell = cells.next();
      List<byte[]> rows = is(cell) ? rows(cell) : List.of();
      if (!rows.isEmpty()) {
        cells.remove();
        rows.forEach(row -> cells.add(PendingWrite.markOf(row, cell.getTimestamp())));
      }
    }
  }

  /** Empty if the value is no list of rows. */
  private static List<byte[]> rows(Cell cell) {
    ByteBuffer value =
        ByteBuffer.wrap(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
    List<byte[]> rows = new ArrayList<>();
    rows.add(CellUtil.cloneRow(cell));
    while (value.hasRemaining()) {
      int length = value.remaining() < Short.BYTES ? 0 : value.getShort();
      if (length <= 0 || length > value.remaining()) {
        return List.of();
      }
      byte[] row = new byte[length];
      value.get(row);
      rows.add(row);
    }
    return rows;
  }
}
