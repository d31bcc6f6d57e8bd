package io.retso.hbase.table;

import io.retso.client.RowId;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The granules of a table: all its rows, and the rows whose keys begin with the same bytes, for
 * each number of bytes that the table's settings name. Who writes a row names its granule of each
 * size, who reads a range the finest ones of which a few cover it: so each writer and reader of a
 * row have an id in common. Keys that are shorter than a granule's are filled up with zeros, which
 * keeps their order.
 *
 * <p>In tables with conflicts by cell each row is a granule, too.
 *
 * <p>A writer with very many granules names none but the table, and {@link #bulk}, which all
 * readers of ranges name, too. Immutable.
 */
public final class Granules {
  /** So many granules cover the range of a scan, at most. */
  static final int COVER_MAX = 16;

  private static final byte[] NONE = HConstants.EMPTY_BYTE_ARRAY;

  private final byte[] table;
  private final boolean byCell;

  /** Bytes of the keys, the finest first; the last one is 0, the whole table. */
  private final int[] sizes;

  private final long whole;
  private final long bulk;

  /**
   * Those of a table.
   *
   * @param byCell whether its conflicts are by cell
   * @param sizes bytes of keys, in any order; the table itself needs no mention
   */
  Granules(byte[] table, boolean byCell, List<Integer> sizes) {
    this.table = table;
    this.byCell = byCell;
    this.sizes =
        IntStream.concat(sizes.stream().mapToInt(bytes -> -bytes), IntStream.of(0))
            .sorted()
            .distinct()
            .map(negative -> -negative)
            .toArray();
    this.whole = RowId.granule(table, 0, NONE);
    this.bulk = RowId.of(table, NONE, NONE, NONE); // of a cell without a row: no cell's
  }

  /** All rows. */
  public long whole() {
    return whole;
  }

  /** What writers name that cannot name all their granules. */
  public long bulk() {
    return bulk;
  }

  /** How many sizes there are, the whole table among them. */
  public int sizes() {
    return sizes.length;
  }

  /**
   * The granule of a row.
   *
   * @param size 0 for the finest, {@link #sizes} - 1 for the whole table
   */
  public long of(byte[] row, int size) {
    return sizes[size] == 0 ? whole : RowId.granule(table, sizes[size], row);
  }

  /** Adds all granules of a row. */
  public void addAll(byte[] row, IdSet to) {
    for (int i = 0; i < sizes.length; i++) {
      to.add(of(row, i));
    }
    if (byCell) {
      to.add(RowId.rowGranule(table, row));
    }
  }

  /**
   * The finest granules of one size that cover a range, {@value #COVER_MAX} at most.
   *
   * @param low the first row; empty for the beginning of the table
   * @param high the last row; empty for the end of the table
   * @param withHigh whether {@code high} is in the range
   */
  public long[] cover(byte[] low, byte[] high, boolean withHigh) {
    for (int size : sizes) {
      long[] covering = size == 0 ? null : cover(size, low, high, withHigh);
      if (covering != null) {
        return covering;
      }
    }
    return new long[] {whole};
  }

  /** Null if it takes too many. */
  private long[] cover(int size, byte[] low, byte[] high, boolean withHigh) {
    byte[] prefix = Arrays.copyOf(low, size);
    byte[] last = Arrays.copyOf(high, size);
    if (high.length == 0) {
      Arrays.fill(last, (byte) 0xff);
    }
    boolean withLast = high.length == 0 || withHigh || isBelow(last, high);
    long[] covering = new long[COVER_MAX];
    int n = 0;
    int order = Bytes.compareTo(prefix, last);
    while (order < 0 || order == 0 && withLast || n == 0) {
      if (n == COVER_MAX) {
        return null;
      }
      covering[n++] = RowId.granule(table, size, prefix);
      if (order >= 0 || !increment(prefix)) {
        break;
      }
      order = Bytes.compareTo(prefix, last);
    }
    return Arrays.copyOf(covering, n);
  }

  /**
   * Whether rows below {@code high} may lie in its granule: longer ones do that begin alike, and so
   * do shorter ones that are filled up to it.
   */
  private static boolean isBelow(byte[] prefix, byte[] high) {
    return high.length > prefix.length || high[high.length - 1] == 0;
  }

  /** The next prefix of that length; false if there is none. */
  private static boolean increment(byte[] prefix) {
    for (int i = prefix.length - 1; i >= 0; i--) {
      if (++prefix[i] != 0) {
        return true;
      }
    }
    return false;
  }
}
