package io.retso.hbase.table;

import io.retso.client.ByteGroup;
import io.retso.client.RowId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.HConstants;

/**
 * The granules of a table: all its rows, and the rows whose keys begin with the same bytes, for
 * each number of bytes that the table's settings name. A key that ends between two sizes is filled
 * up with zeros, which keeps the order of keys, and has no granules of larger sizes; instead, it
 * has that of all short keys which look like it then. So a writer of short keys names few. Between
 * two sizes that differ by one byte there is half a {@link Step}: keys whose next byte is of the
 * same group. A digit is a group by itself, so that numbers in text have no more granules for it.
 *
 * <p>A transaction that writes a row names all its granules, one that reads a range a few that
 * cover it ({@link Cover}): so each writer and reader of a row have an id in common.
 *
 * <p>In tables with conflicts by cell each row is a granule, too; it has the id of the short keys.
 *
 * <p>A writer with very many granules names none but the table, and {@link #bulk}, which all
 * readers of ranges name, too. Immutable.
 */
public final class Granules {
  /** So many granules are enough to cover the range of a scan. */
  public static final int COVER_MAX = 64;

  private static final byte[] NONE = HConstants.EMPTY_BYTE_ARRAY;

  private final byte[] table;
  private final boolean byCell;

  /** Bytes of the keys, the finest first; the last one is 0, the whole table. */
  private final int[] sizes;

  /** These sizes, with half steps between them. */
  private final Step[] steps;

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
    this.steps = steps(this.sizes);
    this.whole = RowId.granule(table, 0, NONE);
    this.bulk = RowId.of(table, NONE, NONE, NONE); // a cell without a row: no cell's
  }

  private static Step[] steps(int[] sizes) {
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < sizes.length; i++) {
      steps.add(new Step(sizes[i], false));
      if (hasHalfStep(sizes, i + 1)) {
        steps.add(new Step(sizes[i + 1], true));
      }
    }
    return steps.toArray(Step[]::new);
  }

  /** Whether there is one between a size and the next finer one. */
  private static boolean hasHalfStep(int[] sizes, int size) {
    return size > 0 && size < sizes.length && sizes[size - 1] == sizes[size] + 1;
  }

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
   * A granule of a row.
   *
   * @param size 0 for the finest, {@link #sizes} - 1 for the whole table. Rows with short keys have
   *     the same one for several sizes
   */
  public long of(byte[] row, int size) {
    int end = end(row);
    return size < end ? shortKeys(row, end) : prefix(row, size);
  }

  public void addAll(byte[] row, IdSet to) {
    int end = end(row);
    for (int i = end; i < sizes.length; i++) {
      to.add(prefix(row, i));
      if (i > end && hasHalfStep(sizes, i) && !ByteGroup.isAlone(row[sizes[i]])) {
        to.add(RowId.groupGranule(table, sizes[i], row));
      }
    }
    if (end > 0) {
      to.add(shortKeys(row, end));
    }
    if (byCell) {
      to.add(RowId.rowGranule(table, row));
    }
  }

  /** The size that is not below the key's, or the finest. */
  private int end(byte[] row) {
    int size = 0;
    while (sizes[size] > 0 && sizes[size + 1] >= row.length) {
      size++;
    }
    return size;
  }

  private long prefix(byte[] row, int size) {
    return sizes[size] == 0 ? whole : RowId.granule(table, sizes[size], row);
  }

  private long shortKeys(byte[] row, int size) {
    return RowId.rowGranule(table, Arrays.copyOf(row, sizes[size]));
  }

  /**
   * Granules that cover a range.
   *
   * @param low the first row; empty for the beginning of the table
   * @param high the last row; empty for the end of the table
   * @param withHigh whether {@code high} is in the range
   * @param max so many at most; 1 or more
   */
  public long[] cover(byte[] low, byte[] high, boolean withHigh, int max) {
    return new Cover(steps, low, high, withHigh, max)
        .parts().stream().mapToLong(this::id).toArray();
  }

  private long id(Cover.Part part) {
    byte[] label = part.label();
    if (part.isShort()) {
      return RowId.rowGranule(table, label);
    }
    if (part.step().isHalf()) {
      return RowId.groupGranule(table, part.step().bytes(), label);
    }
    return label.length == 0 ? whole : RowId.granule(table, label.length, label);
  }
}
