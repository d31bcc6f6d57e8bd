package io.retso.hbase.errors;

import io.retso.text.Text;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * What a transaction met that was refused: what others changed, and by which commit. Immutable.
 *
 * <p>Rows and columns are exact. What was scanned is known to the oracle in parts, and two parts
 * may look alike to it: so a scan may be named because of a change beside it.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class ConflictingChange {
  /** What the transaction had to do with a place. */
  public enum Use {
    /** It has changed it. */
    WRITTEN("wrote"),
    /** It has locked it: by a read for update, or by a condition. */
    LOCKED("locked"),
    /** It has read it, and wanted it unchanged, by a validated read. */
    VALIDATED("validated"),
    /** It has read it, and is serializable. */
    READ("read"),
    /** It has read it by a scan, or one read of many, and is serializable. */
    SCANNED("scanned");

    private final String verb;

    Use(String verb) {
      this.verb = verb;
    }
  }

  /** A row, a column of a row, a part of a table, or a table. Immutable. */
  public static final class Place {
    /** Bytes of a key that are shown. */
    private static final int SHOWN_MAX = 64;

    private static final byte[] NONE = {};

    private final TableName table;
    private final Use use;
    private final byte[] row;

    /** Null if it is no column. */
    private final byte[] family;

    /** Null if it is no column. */
    private final byte[] qualifier;

    /** Null if it is no part of a table. */
    private final byte[] stopRow;

    private Place(
        TableName table, Use use, byte[] row, byte[] family, byte[] qualifier, byte[] stopRow) {
      this.table = Objects.requireNonNull(table, "table");
      this.use = Objects.requireNonNull(use, "use");
      this.row = Objects.requireNonNull(row, "row");
      this.family = family;
      this.qualifier = qualifier;
      this.stopRow = stopRow;
    }

    /** A row; its key is not copied. */
    @InterfaceAudience.Private
    public static Place row(TableName table, Use use, byte[] row) {
      return new Place(table, use, row, null, null, null);
    }

    /** A column of a row, whose key is not copied; an empty qualifier may be null. */
    @InterfaceAudience.Private
    public static Place column(
        TableName table, Use use, byte[] row, byte[] family, byte[] qualifier) {
      byte[] column = qualifier == null ? NONE : qualifier.clone();
      return new Place(table, use, row, family.clone(), column, null);
    }

    /** Rows from one to another, which are not copied; empty for the beginning and the end. */
    @InterfaceAudience.Private
    public static Place range(TableName table, Use use, byte[] row, byte[] stopRow) {
      return new Place(table, use, row, null, null, stopRow);
    }

    /** The table. */
    public TableName table() {
      return table;
    }

    /** What the transaction had to do with it. */
    public Use use() {
      return use;
    }

    /** The key of the row, or of the first one of a range; empty for the beginning of the table. */
    public byte[] row() {
      return row.clone();
    }

    /** The last row of a range, empty for the end of the table; empty optional for a single row. */
    public Optional<byte[]> stopRow() {
      return Optional.ofNullable(stopRow).map(byte[]::clone);
    }

    /** The family of the column, in tables with conflicts by cell; otherwise empty. */
    public Optional<byte[]> family() {
      return Optional.ofNullable(family).map(byte[]::clone);
    }

    /** The qualifier of the column, in tables with conflicts by cell; otherwise empty. */
    public Optional<byte[]> qualifier() {
      return Optional.ofNullable(qualifier).map(byte[]::clone);
    }

    /** Bytes of its keys, as far as they are kept by this. */
    @InterfaceAudience.Private
    public int keyBytes() {
      int ofColumn = family == null ? 0 : family.length + qualifier.length;
      return row.length + ofColumn + (stopRow == null ? 0 : stopRow.length);
    }

    /** As a part of a sentence, long keys shortened. */
    @Override
    public String toString() {
      return where() + ", which it " + use.verb + ",";
    }

    private String where() {
      if (stopRow == null) {
        String column = family == null ? "" : "column " + shown(family) + ":" + shown(qualifier);
        return Text.of(
            "%srow '%s' of table %s", column.isEmpty() ? "" : column + " of ", shown(row), table);
      }
      if (row.length == 0 && stopRow.length == 0) {
        return "table " + table;
      }
      return Text.of(
          "a row of table %s from %s to %s",
          table,
          row.length == 0 ? "its beginning" : "'" + shown(row) + "'",
          stopRow.length == 0 ? "its end" : "'" + shown(stopRow) + "'");
    }

    /** A key as messages show it: printable, a long one shortened. */
    @InterfaceAudience.Private
    public static String shown(byte[] bytes) {
      return bytes.length <= SHOWN_MAX
          ? Bytes.toStringBinary(bytes)
          : Bytes.toStringBinary(Arrays.copyOf(bytes, SHOWN_MAX)) + "...";
    }
  }

  private final Place changed;
  private final long id;
  private final OptionalLong commitTimestamp;
  private final Optional<Place> read;

  /** See the accessors. */
  @InterfaceAudience.Private
  public ConflictingChange(
      Place changed, long id, OptionalLong commitTimestamp, Optional<Place> read) {
    this.changed = Objects.requireNonNull(changed, "changed");
    this.id = id;
    this.commitTimestamp = Objects.requireNonNull(commitTimestamp, "commitTimestamp");
    this.read = Objects.requireNonNull(read, "read");
  }

  /** What others changed after the transaction began. */
  public Place changed() {
    return changed;
  }

  /**
   * The id by which the oracle knows it: {@code retso status --hot} lists those that it met most.
   */
  public long id() {
    return id;
  }

  /**
   * The timestamp of the newest commit that changed it, above the transaction's start; empty if the
   * oracle no longer knows it, and the change is likely only.
   */
  public OptionalLong commitTimestamp() {
    return commitTimestamp;
  }

  /**
   * If the transaction was a pivot: what it wrote and others have read, behind whose change it
   * would have come; empty if it is refused without that, and in all other cases.
   */
  public Optional<Place> read() {
    return read;
  }

  /** A sentence without its end. */
  @Override
  public String toString() {
    String by =
        commitTimestamp.isPresent()
            ? " was changed by another one that committed at " + commitTimestamp.getAsLong()
            : " may have been changed by another one";
    String known = Text.of(" (the oracle knows it as %016x)", id);
    return changed
        + by
        + known
        + read.map(place -> "; and " + place + " was read by others").orElse("");
  }
}
