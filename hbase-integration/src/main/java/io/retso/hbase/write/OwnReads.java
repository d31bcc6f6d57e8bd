package io.retso.hbase.write;

import io.retso.hbase.layout.Tombstone;
import io.retso.hbase.table.PreparedTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;

/**
 * Answers gets from what a transaction has written and not sent. That is certain if each column
 * that is asked for was written: its own write is what a transaction sees, whatever is in the
 * table, and no other transaction can change it. All that a get may ask besides needs the table: a
 * filter, limits per family, whole families, a column that was not written, a cell that this user
 * may not be allowed to see. Stateless.
 */
final class OwnReads {
  private OwnReads() {}

  /** Whether a get names all that it looks at. */
  static boolean namesColumns(Get get) {
    return PreparedTable.namesColumns(get)
        && get.getFilter() == null
        && get.getMaxResultsPerColumnFamily() < 0
        && get.getRowOffsetPerColumnFamily() == 0;
  }

  /**
   * The answer, in HBase's order; null if it is not certain.
   *
   * @param get one that {@link #namesColumns}
   * @param written cells of the table that were not sent, at version {@code start}
   */
  static Result answer(Get get, NavigableMap<Cell, Cell> written, long start) {
    List<Cell> found = new ArrayList<>();
    for (Map.Entry<byte[], NavigableSet<byte[]>> family : get.getFamilyMap().entrySet()) {
      for (byte[] column : family.getValue()) {
        Cell cell = written.get(key(get.getRow(), family.getKey(), column, start));
        if (cell == null || !ProtectedCell.of(cell).isNone()) {
          return null;
        }
        if (!Tombstone.is(cell)) {
          found.add(KeyValueUtil.copyToNewKeyValue(cell)); // the buffer's own stays as it is
        }
      }
    }
    return get.isCheckExistenceOnly()
        ? Result.create(List.of(), !found.isEmpty(), false)
        : Result.create(found);
  }

  private static Cell key(byte[] row, byte[] family, byte[] column, long start) {
    return new KeyValue(row, family, column, start, KeyValue.Type.Put);
  }
}
