package io.retso.verify.lists;

import java.util.Locale;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Where a list lives: one cell of one table. Histories call it by its {@link #number}.
 *
 * <p>Keys of a group and a generation are used at the same time, in every table; when one of their
 * lists is full, the group goes on with the next generation. So lists stay short, however long a
 * run.
 *
 * @param table index into the run's tables, 0 to {@link #TABLES} - 1
 * @param group 0 to {@link #GROUPS} - 1; the lower, the hotter
 * @param generation at least 0
 * @param row 0 to {@link #ROWS} - 1
 * @param column 0 to {@link #COLUMNS} - 1
 */
public record ListKey(int table, int group, int generation, int row, int column) {
  public static final int TABLES = 4;
  public static final int GROUPS = 16;
  public static final int ROWS = 4;
  public static final int COLUMNS = 3;

  private static final byte[][] FAMILIES = {Bytes.toBytes("f"), Bytes.toBytes("g")};

  /** Names that programs get wrong most easily. */
  private static final byte[][] QUALIFIERS = {{}, {0}};

  /** How the rows of a group end, in their order. */
  private static final byte[][] ROW_ENDS = {{}, {0}, {'r'}, {(byte) 0xff}};

  /** The families of a table of the workload; copies of the caller's own. */
  public static byte[][] families() {
    return new byte[][] {FAMILIES[0].clone(), FAMILIES[1].clone()};
  }

  /** The qualifiers that are used in each family; copies of the caller's own. */
  public static byte[][] qualifiers() {
    return new byte[][] {QUALIFIERS[0].clone(), QUALIFIERS[1].clone()};
  }

  /** Its name in histories, unique. */
  public long number() {
    long number = (long) generation * GROUPS + group;
    number = (number * ROWS + row) * COLUMNS + column;
    return number * TABLES + table;
  }

  /** The key that has a number. */
  public static ListKey ofNumber(long number) {
    long rest = number / TABLES;
    int column = (int) (rest % COLUMNS);
    rest /= COLUMNS;
    int row = (int) (rest % ROWS);
    rest /= ROWS;
    return new ListKey(
        (int) (number % TABLES), (int) (rest % GROUPS), (int) (rest / GROUPS), row, column);
  }

  /** The row of the table. The group comes first, so that splits part the hot from the cold. */
  public byte[] rowKey() {
    byte[] beginning = Bytes.toBytes(String.format(Locale.ROOT, "%02d-%08d", group, generation));
    return Bytes.add(beginning, ROW_ENDS[row]);
  }

  /** The columns are f: with an empty qualifier, f:\0, and g: with an empty one. */
  public byte[] family() {
    return FAMILIES[column / 2];
  }

  public byte[] qualifier() {
    return QUALIFIERS[column % 2];
  }

  @Override
  public String toString() {
    return "list "
        + number()
        + " (table "
        + table
        + ", row "
        + Bytes.toStringBinary(rowKey())
        + ", column "
        + Bytes.toString(family())
        + ":"
        + Bytes.toStringBinary(qualifier())
        + ")";
  }
}
