package io.retso.hbase.layout;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.TimestampsFilter;

/**
 * Reads the cells that a row has of one version, those that delete markers hide included.
 *
 * <p>A time range that leaves out older versions is no way to do so. HBase leaves the column where
 * they begin, and a column with an empty qualifier by seeking the next possible cell: behind a
 * delete marker that is a put of the same version. A file has such a put, with its sequence number,
 * if it was flushed while an older scanner was open; HBase takes it for earlier than what it looks
 * for, seeks, finds it again, and never ends ({@code KeyValueHeap.generalizedSeek}, HBase 2.6.4).
 * So a filter passes over older versions one by one. (Reads that are not raw may have such a time
 * range: they pass over delete markers one by one anyway, and no cell sorts behind a put of its
 * version.)
 *
 * <p>Stateless.
 */
public final class RawVersion {
  private RawVersion() {}

  /** A get of the whole row. Some of what it finds is to be left out: see {@link #isCell}. */
  public static Get get(byte[] row, long version) {
    try {
      // With a 0 the filter has no reason to leave a column, as nothing is older.
      Get get =
          new Get(row)
              .setTimeRange(0, version + 1)
              .readAllVersions()
              .setFilter(new TimestampsFilter(List.of(0L, version)));
      // HBase makes a scan of each get, attributes included; that of a raw one is an attribute.
      new Scan().setRaw(true).getAttributesMap().forEach(get::setAttribute);
      return get;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether what was found is a cell of the version, and no delete marker. */
  public static boolean isCell(Cell found, long version) {
    return found.getTimestamp() == version && !CellUtil.isDelete(found);
  }
}
