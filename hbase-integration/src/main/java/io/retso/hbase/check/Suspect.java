package io.retso.hbase.check;

import io.retso.hbase.layout.PendingWrite;
import io.retso.text.Text;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A cell that looks wrong, and is to be looked at again. Its arrays are never changed.
 *
 * @param tombstone whether it says that its column is deleted
 */
record Suspect(byte[] row, byte[] family, byte[] qualifier, long version, boolean tombstone) {
  static Suspect of(Cell cell, boolean isTombstone) {
    return new Suspect(
        CellUtil.cloneRow(cell),
        CellUtil.cloneFamily(cell),
        CellUtil.cloneQualifier(cell),
        cell.getTimestamp(),
        isTombstone);
  }

  boolean isMark() {
    return PendingWrite.isFamily(family);
  }

  /** Reads its column. */
  Get column() {
    return new Get(row).addColumn(family, qualifier);
  }

  /** Reads the cell alone. */
  Get alone() {
    return column().setTimestamp(version);
  }

  /** Where it is, as lines of the shell name it. */
  String place() {
    return isMark()
        ? Text.of("row %s, mark of transaction %s", Bytes.toStringBinary(row), version)
        : Text.of(
            "row %s, column %s:%s, version %s",
            Bytes.toStringBinary(row),
            Bytes.toStringBinary(family),
            Bytes.toStringBinary(qualifier),
            version);
  }
}
