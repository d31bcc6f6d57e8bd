package io.retso.hbase.write;

import io.retso.hbase.operation.Protection;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;

/** A cell that is to be written with a {@link Protection}. */
final class ProtectedCell extends KeyValue {
  private final Protection protection;

  private ProtectedCell(byte[] bytes, Protection protection) {
    super(bytes);
    this.protection = protection;
  }

  /** The cell with a protection; itself if that is none. */
  static Cell of(Cell cell, Protection protection) {
    return protection.isNone()
        ? cell
        : new ProtectedCell(KeyValueUtil.copyToNewByteArray(cell), protection);
  }

  /** The protection of a cell. */
  static Protection of(Cell cell) {
    return cell instanceof ProtectedCell it ? it.protection : Protection.NONE;
  }
}
