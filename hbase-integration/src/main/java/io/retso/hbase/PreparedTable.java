package io.retso.hbase;

import io.retso.client.RowId;
import io.retso.hbase.data.TableSettings;
import io.retso.hbase.data.TableSettings.Conflicts;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.TableDescriptor;

/**
 * A table that holds transactions, as it was when its descriptor was read.
 *
 * @param raw HBase's own table: versions and marks
 * @param loadedNanos when the descriptor was read, by {@link System#nanoTime}
 */
record PreparedTable(
    TableDescriptor descriptor,
    TableSettings settings,
    AsyncTable<AdvancedScanResultConsumer> raw,
    long loadedNanos) {
  TableName name() {
    return descriptor.getTableName();
  }

  boolean isServerReads() {
    return settings.reads() == TableSettings.Reads.SERVER;
  }

  boolean isCellConflicts() {
    return settings.conflicts() == Conflicts.CELL;
  }

  /** What a write of the cell protects: its row, or the cell alone. */
  long conflictId(Cell cell) {
    return isCellConflicts()
        ? conflictId(
            CellUtil.cloneRow(cell), CellUtil.cloneFamily(cell), CellUtil.cloneQualifier(cell))
        : RowId.of(name().getName(), CellUtil.cloneRow(cell));
  }

  long conflictId(byte[] row, byte[] family, byte[] qualifier) {
    return isCellConflicts()
        ? RowId.of(name().getName(), row, family, qualifier)
        : RowId.of(name().getName(), row);
  }
}
