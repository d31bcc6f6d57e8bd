package io.retso.hbase.table;

import io.retso.client.RowId;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Reads;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.stream.LongStream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.TableDescriptor;

/**
 * A table that holds transactions, as it was when its descriptor was read.
 *
 * @param raw HBase's own table: versions and marks
 * @param shortTimeout the same, whose operations fail after seconds, not minutes, without an
 *     answer: for cleanups that others do if they fail
 * @param loadedNanos when the descriptor was read, or tried in vain to be, in nanoseconds of the
 *     clock of {@link TableCatalog}
 */
public record PreparedTable(
    TableDescriptor descriptor,
    TableSettings settings,
    AsyncTable<AdvancedScanResultConsumer> raw,
    AsyncTable<AdvancedScanResultConsumer> shortTimeout,
    long loadedNanos) {
  /** Rows (cells) of one read that the oracle is asked about; beyond, the snapshot comes first. */
  public static final int EXTENDED_ROWS_MAX = 1000;

  /** The same, as if it had been read then. */
  PreparedTable loadedAt(long nanos) {
    return new PreparedTable(descriptor, settings, raw, shortTimeout, nanos);
  }

  public TableName name() {
    return descriptor.getTableName();
  }

  public boolean isServerReads() {
    return settings.reads() == Reads.SERVER;
  }

  boolean isCellConflicts() {
    return settings.conflicts() == Conflicts.CELL;
  }

  /** What a write of the cell protects: its row, or the cell alone. */
  public long conflictId(Cell cell) {
    return isCellConflicts()
        ? conflictId(
            CellUtil.cloneRow(cell), CellUtil.cloneFamily(cell), CellUtil.cloneQualifier(cell))
        : RowId.of(name().getName(), CellUtil.cloneRow(cell));
  }

  /** The same; a qualifier that is null is empty, as everywhere in HBase. */
  public long conflictId(byte[] row, byte[] family, byte[] qualifier) {
    byte[] column = qualifier == null ? HConstants.EMPTY_BYTE_ARRAY : qualifier;
    return isCellConflicts()
        ? RowId.of(name().getName(), row, family, column)
        : RowId.of(name().getName(), row);
  }

  /**
   * What the rows of reads are to the oracle: a commit that changes what they see writes one of
   * these. Null if they cannot be named, since with conflicts by cell only columns have ids, or are
   * too many.
   */
  public long[] conflictIds(List<Get> gets) {
    if (gets.size() > EXTENDED_ROWS_MAX) {
      return null;
    }
    if (!isCellConflicts()) {
      return gets.stream().mapToLong(get -> RowId.of(name().getName(), get.getRow())).toArray();
    }
    LongStream.Builder ids = LongStream.builder();
    int size = 0;
    for (Get get : gets) {
      if (!get.hasFamilies()) {
        return null;
      }
      for (Map.Entry<byte[], NavigableSet<byte[]>> family : get.getFamilyMap().entrySet()) {
        NavigableSet<byte[]> columns = family.getValue();
        if (columns == null || size + columns.size() > EXTENDED_ROWS_MAX) {
          return null;
        }
        size += columns.size();
        columns.forEach(column -> ids.add(conflictId(get.getRow(), family.getKey(), column)));
      }
    }
    return ids.build().toArray();
  }
}
